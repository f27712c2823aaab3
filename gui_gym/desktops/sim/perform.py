"""From an :class:`~gui_gym.actions.Action` to mouse and keyboard."""

from __future__ import annotations

from gui_gym.actions import Action, ActionType, Button, Key
from gui_gym.desktops.sim import keyboard, mouse, shell, tips
from gui_gym.desktops.sim.session import Session

_CLICKING = (ActionType.CLICK, ActionType.MOUSE_DOWN, ActionType.MOUSE_UP)  #: what double clicks are made of


def perform(session: Session, action: Action) -> None:
    """Do ``action``, which fits the screen. DONE, FAIL and ANSWER concern the episode and change nothing here."""
    state = session.state
    modifiers = state.modifiers.union(action.modifiers) if action.modifiers else state.modifiers
    if action.type not in _CLICKING:
        state.press = None
    if state.tip and action.type is not ActionType.WAIT:
        tips.hide(session)
    lone_meta, state.lone_meta = state.lone_meta, False
    match action.type:
        case ActionType.MOVE:
            mouse.move_to(session, *action.point)
            tips.show(session)
        case ActionType.CLICK:
            mouse.move_to(session, *action.point)
            for count in range(1, action.clicks + 1) if action.clicks > 1 else (0,):
                mouse.button_up(session, action.button)  # one that was held is let go first
                mouse.button_down(session, action.button, count, modifiers)
                mouse.button_up(session, action.button, modifiers=modifiers)
        case ActionType.TYPE:
            keyboard.type_text(session, action.text)
        case ActionType.MOUSE_DOWN:
            mouse.move_to(session, *action.point)
            mouse.button_down(session, action.button, 0, modifiers)
        case ActionType.MOUSE_UP:
            mouse.move_to(session, *action.point)
            mouse.button_up(session, action.button, modifiers=modifiers)
        case ActionType.DRAG:
            _drag(session, action.point, action.to, action.button)
        case ActionType.SCROLL:
            mouse.move_to(session, *action.point)
            mouse.wheel(session, *action.scroll)
        case ActionType.KEY:
            keyboard.press_key(session, action.key, modifiers)
            if action.key is Key.META:
                shell.start_menu(session)
        case ActionType.KEY_DOWN:
            if action.key not in state.keys:
                state.keys.append(action.key)
            keyboard.press_key(session, action.key, state.modifiers)
            state.lone_meta = action.key is Key.META
        case ActionType.KEY_UP:
            if action.key in state.keys:
                state.keys.remove(action.key)
                if action.key is Key.ALT:
                    keyboard.end_switch(session)
                elif action.key is Key.META and lone_meta:
                    shell.start_menu(session)
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
    mouse.button_up(session, button, modifiers=session.state.modifiers)
