"""From an :class:`~gui_gym.actions.Action` to mouse and keyboard."""

from __future__ import annotations

from gui_gym.actions import Action, ActionType, Button
from gui_gym.desktops.sim import keyboard, mouse
from gui_gym.desktops.sim.session import Session


def perform(session: Session, action: Action) -> None:
    """Do ``action``, which fits the screen. DONE, FAIL and ANSWER concern the episode and change nothing here."""
    state = session.state
    modifiers = state.modifiers | frozenset(action.modifiers)
    match action.type:
        case ActionType.MOVE:
            mouse.move_to(session, *action.point)
        case ActionType.CLICK:
            mouse.move_to(session, *action.point)
            for count in range(1, action.clicks + 1):
                mouse.button_up(session, action.button)  # one that was held is let go first
                mouse.button_down(session, action.button, count, modifiers)
                mouse.button_up(session, action.button, count, modifiers)
        case ActionType.MOUSE_DOWN:
            mouse.move_to(session, *action.point)
            mouse.button_down(session, action.button, 1, modifiers)
        case ActionType.MOUSE_UP:
            mouse.move_to(session, *action.point)
            mouse.button_up(session, action.button, 1, modifiers)
        case ActionType.DRAG:
            _drag(session, action.point, action.to, action.button)
        case ActionType.SCROLL:
            mouse.move_to(session, *action.point)
            mouse.wheel(session, *action.scroll)
        case ActionType.TYPE:
            keyboard.type_text(session, action.text)
        case ActionType.KEY:
            keyboard.press_key(session, action.key, modifiers)
        case ActionType.KEY_DOWN:
            if action.key not in state.keys:
                state.keys.append(action.key)
            keyboard.press_key(session, action.key, state.modifiers)
        case ActionType.KEY_UP:
            if action.key in state.keys:
                state.keys.remove(action.key)
        case ActionType.WAIT:
            before = state.seconds // 60
            state.seconds += action.wait
            if state.seconds // 60 != before:
                session.touch_bar()


def _drag(session: Session, start: tuple[int, int], end: tuple[int, int], button: Button) -> None:
    mouse.move_to(session, *start)
    mouse.button_up(session, button)
    mouse.button_down(session, button, 1, session.state.modifiers)
    mouse.move_to(session, (start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
    mouse.move_to(session, *end)
    mouse.button_up(session, button, 1, session.state.modifiers)
