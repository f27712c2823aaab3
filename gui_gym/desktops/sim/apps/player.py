"""A window whose commands are given by keys alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.layout import Column
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke
from gui_gym.desktops.sim.widgets.basic import Label

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

Shortcut = tuple[str, tuple[str, ...]]  #: a key's name and those of the modifiers held with it


@dataclass(kw_only=True)
class Player(Window):
    """Lists commands with their shortcuts and says which one was given last. Each is logged as ``"commanded"`` with the command's name."""

    commands: dict[str, Shortcut] = field(default_factory=dict)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        for name, (key, modifiers) in self.commands.items():
            if stroke.is_(Key[key], *(Modifier[modifier] for modifier in modifiers)):
                session.state.log.append(Event(self.id, "", "commanded", name))
                last = self.widget("last")
                last.name = session.label("Last command: {}", name)
                session.touch(self, last)
                return True
        return False


def written(shortcut: Shortcut) -> str:
    """How a shortcut is shown, such as Ctrl+Shift+K."""
    key, modifiers = shortcut
    return "+".join([*(modifier.capitalize() for modifier in modifiers), key.replace("_", " ").title()])


def make_player(session: Session, window_id: str, title: str, commands: dict[str, Shortcut], order: Sequence[str], ems: int) -> Player:
    """A player that lists ``commands`` in ``order``, about ``ems`` font sizes wide, not open yet."""
    font, size = session.look.sans, session.look.size
    player = Player(id=window_id, title=title, commands=commands)
    left = max(map(font.width, commands)) + 2 * size.gap
    right = max(font.width(written(shortcut)) for shortcut in commands.values())
    column = Column(session, player, min(max(ems * size.font, left + right + size.gap), session.state.width - 4 * size.pad))
    for i, name in enumerate(order):
        shown = written(commands[name])
        column.row(Label(id=f"command{i}", name=name, w=left), Label(id=f"shortcut{i}", name=shown, muted=True), height=font.height)
    column.row(Label(id="last", name=session.label("Last command: {}", session.label("none"))), height=font.height)
    column.finish()
    return player
