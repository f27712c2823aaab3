"""Signing in, and changing a password."""

from __future__ import annotations

from typing import Any

from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import quoted, wording
from gui_gym.tasks.sim.families.fields import FormFamily, Spec, goal, spec
from gui_gym.tasks.sim.words import CITIES

_STEMS = ("maple", "Orbit", "quartz", "Velvet", "cobalt", "Pepper", "saffron", "Tundra", "walnut", "Zephyr", "bramble", "Cactus")
_USERS = ("amoreau", "b.okafor", "chen_li", "dnovak", "e.tanaka", "farid77", "grace_w", "hsorensen", "ines.s", "jkowalski", "kofi", "l.smith")

_BOXES = ("Remember me", "Guest account", "Sign out other devices")


def password(brief: Brief) -> str:
    """A password of a word, digits and a sign; harder ones have two words."""
    words = brief.sample(_STEMS, brief.by_level(1, 1, 2))
    return f"{brief.pick('!?#%&+*=')}".join([*words, str(brief.integer(100, 9999))])


def user_name(brief: Brief) -> str:
    """What a user is called at a login."""
    return f"{brief.pick(_USERS)}{brief.integer(1, 99)}"


class EnterPassword(FormFamily):
    """Enter a new password twice, without seeing it. Harder forms ask for the current one and hold fields that are to stay."""

    id = "enter-password"
    skills = ("type", "form", "keyboard")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        new, current = password(brief), password(brief) + "x"
        twice = [spec("new", brief.label("New password"), "password"), spec("again", brief.label("Password again"), "password")]
        user = spec("user", brief.label("User name"), value=user_name(brief))
        more = spec("devices", brief.label("Sign out other devices"), "check", brief.chance(0.5))
        wanted: dict[str, Any] = {"new": new, "again": new}
        fields: list[Spec] = brief.by_level(twice, [user, *twice], [user, spec("current", brief.label("Current password"), "password"), *twice, more])
        extra = ""
        if len(fields) > 3:
            wanted["current"] = current
            twice[brief.integer(0, 1)]["value"] = current[:5]
            extra = f" The current password is {quoted(current)}. Leave everything else as it is."
        choices = [
            "Enter the new password {new} in both fields and press {ok}.",
            "Change the password to {new}; it is asked for twice. Then press {ok}.",
            "Type {new} as the new password, repeat it in the field below, and confirm with {ok}.",
        ]
        instruction = wording(brief, choices, new=quoted(new)) + extra
        return goal(brief.label("Change password"), fields, wanted, instruction)


class LoginUser(FormFamily):
    """Log in with a user name and a password, and tick or leave a box. Harder forms are filled in for somebody else and have a server to choose."""

    id = "login-user"
    skills = ("type", "form", "checkbox")
    max_steps = 30
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        name, secret, remember = user_name(brief), password(brief), brief.chance(0.5)
        *servers, missing = brief.sample(CITIES, 5)
        server = brief.pick(servers) if brief.feasible else missing
        hard = brief.by_level(False, False, True)
        shown, other_box = ("Remember me", "") if hard else brief.sample(_BOXES, 2)
        fields = [
            spec("user", brief.label("User name"), value=brief.by_level("", *[user_name(brief) + "z"] * 2)),
            spec("password", brief.label("Password"), "password", value=brief.by_level("", "", "abc123")),
            spec("remember", brief.label(shown), "check", brief.chance(0.5)),
        ]
        wanted: dict[str, Any] = {"user": name, "password": secret, "remember": remember}
        choices = [
            "Log in as {name} with the password {secret}, {box}.",
            "Sign in: the user is {name}, the password is {secret}; {box}.",
            "Use the name {name} and the password {secret} to log in, {box}.",
        ]
        box = f"with {quoted(brief.label(shown if brief.feasible or hard else other_box))} {'ticked' if remember else 'not ticked'}"
        instruction = wording(brief, choices, name=quoted(name), secret=quoted(secret), box=box)
        if hard:
            other = [c for c in servers if c != server]
            fields.insert(brief.integer(0, 2), spec("server", brief.label("Server"), "choice", brief.pick(other), choices=servers))
            fields.append(spec("guest", brief.label("Guest account"), "check", False))
            wanted["server"] = server
            instruction += f" Choose the server {quoted(server)}."
        return goal(brief.label("Log in"), fields, wanted if brief.feasible else {}, instruction, "Log in")
