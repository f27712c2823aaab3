"""What is wrong with a step of training, in words."""

from __future__ import annotations

from agents.context import HINT

#: Steps in a row without anything to learn after which a warning explains what that may mean.
IDLE = 5


def explain(figures: dict[str, float], idle: int) -> dict[str, str]:
    """What is wrong with a step, in words by name, if anything is."""
    texts = {}
    if figures["cut_rate"] == 1.0 and figures["skipped_groups"] == figures["groups"]:
        texts["cut"] = "every answer was cut at max_new_tokens and every group's rewards are equal: raise policy.max_new_tokens, or warm up the model"
    elif figures["parse_error_rate"] > 0.2:
        unread = f"{figures['parse_error_rate']:.0%} of the answers could not be read ({figures['cut_rate']:.0%} were cut at policy.max_new_tokens)"
        texts["format"] = f"{unread}: add a reward for the format (rewards: score format=0.1), or first warm up the model on demonstrations of it"
    if figures["unscored"] > 0.5 * figures["episodes"]:
        texts["unscored"] = f"{figures['unscored']:.0f} of {figures['episodes']:.0f} episodes are unscored: see what fails with gui-gym doctor"
    if figures["overflow_rate"] > 0:
        texts["overflow"] = f"{figures['overflow_rate']:.0%} of the episodes outgrew what the model can hold and were asked no more: {HINT}"
    if idle >= IDLE:
        success = figures.get("success", 0.0)
        why = "the tasks are too easy" if success > 0.5 else "the tasks are too hard: warm up first, or choose easier ones"
        texts["idle"] = f"nothing to learn in {idle} steps, all rewards of each group are equal (success {success:.0%}): {why}"
    return texts
