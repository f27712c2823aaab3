"""From keys to characters, and what keys do when no widget wants them."""

from __future__ import annotations

import re

from gui_gym.actions import KEY_CHARACTER, Button, Key, Modifier
from gui_gym.desktops.sim import icons, menus, shell
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Clickable
from gui_gym.desktops.sim.widgets.text import TextWidget

#: What SHIFT makes of the keys of a US keyboard, besides capitals.
_SHIFTED = dict(zip("1234567890-=[]\\;',./`", '!@#$%^&*()_+{}|:"<>?~', strict=True))
_KEY = {character: key for key, character in KEY_CHARACTER.items()}
_NO_TEXT = re.compile(r"[\n\t]")  #: characters that are keys and no text in a field of one line
_KEYS = re.compile(r"[\n\t ]")  #: characters that are keys where no text can be entered
_COMMAND = frozenset({Modifier.CTRL, Modifier.ALT, Modifier.META})
BUFFER = 256  #: keys that one TYPE presses on what takes no text: a keyboard keeps no more that nobody has read yet
_IS_MODIFIER = {Key.CTRL, Key.SHIFT, Key.ALT, Key.META}


def character(key: Key, modifiers: frozenset[Modifier], caps_lock: bool) -> str:
    """The character a key types, or "" if it types none."""
    plain = KEY_CHARACTER.get(key, "")
    if not plain or modifiers & _COMMAND:
        return ""
    shift = Modifier.SHIFT in modifiers
    if plain.isalpha():
        return plain.upper() if shift != caps_lock else plain
    return _SHIFTED.get(plain, plain) if shift else plain


def press_key(session: Session, key: Key, modifiers: frozenset[Modifier]) -> None:
    """A key goes down: the open menu, the focused widget, its window and the desktop are asked in this order."""
    state = session.state
    if key is Key.CAPS_LOCK:
        state.caps_lock = not state.caps_lock
    elif key not in _IS_MODIFIER:
        stroke = Stroke(key, modifiers, character(key, modifiers, state.caps_lock))
        if state.popup and not stroke.is_(Key.ESCAPE, Modifier.CTRL):
            menus.stroke(session, stroke)
        else:
            _dispatch(session, stroke)


def type_text(session: Session, text: str) -> None:
    """Type ``text`` into what has the keyboard: line ends are Enter, tabs are Tab, and a space on a button presses it.

    With CTRL, ALT or META held, or a menu open, characters are shortcuts. Typing ends where it would press more than
    :data:`BUFFER` keys that are not text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    at = keys = 0
    while at < len(text):
        focused = session.focused()
        commands = bool(session.state.modifiers & _COMMAND or session.state.popup)
        if focused is not None and not commands and _takes_text(focused[1]):
            end = len(text) if _takes_lines(focused[1]) else _next(_NO_TEXT, text, at)
            if end > at:
                _insert(session, *focused, text[at:end])
                at = end
                continue
        if not commands:
            at = _next(_KEYS, text, at)
            if at == len(text):
                return
        key = _key_of(text[at], commands, focused[1] if focused is not None else None)
        at += 1
        if key is not None:
            if keys == BUFFER:
                return
            keys += 1
            press_key(session, key, session.state.modifiers if commands else frozenset())


def _next(wanted: re.Pattern[str], text: str, at: int) -> int:
    """Where the next character of a kind is, or the end."""
    found = wanted.search(text, at)
    return found.start() if found else len(text)


def _takes_text(widget: Widget) -> bool:
    return type(widget).insert is not Widget.insert  # most widgets take no text


def _takes_lines(widget: Widget) -> bool:
    """Whether Enter and Tab are text in it."""
    return isinstance(widget, TextWidget) and widget.lines and not widget.readonly


def _key_of(c: str, commands: bool, widget: Widget | None) -> Key | None:
    """The key that typing a character presses where no text can be entered, or None."""
    if c in "\n\t":
        return Key.ENTER if c == "\n" else Key.TAB
    if commands:
        return _KEY.get(c.lower())
    return Key.SPACE if c == " " and isinstance(widget, Clickable) else None


def _insert(session: Session, window: Window, widget: Widget, text: str) -> None:
    widget.insert(session, window, text.encode("utf-8", "replace").decode("utf-8"))  # a lone surrogate is no character
    session.touch_used(window, widget)


def _dispatch(session: Session, stroke: Stroke) -> None:
    window = session.active
    if stroke.key is Key.TAB and Modifier.ALT in stroke.modifiers:
        _switch(session, -1 if Modifier.SHIFT in stroke.modifiers else 1)
        return
    if session.state.switching >= 0:
        if stroke.key is Key.ESCAPE:
            session.state.switching = -1
            session.redraw_all()
        return
    if stroke.is_(Key.ESCAPE, Modifier.CTRL):
        shell.start_menu(session)
        return
    if stroke.modifiers == {Modifier.META} and _snap(session, stroke.key):
        return
    if stroke.is_(Key.MENU) or stroke.is_(Key.F10, Modifier.SHIFT):
        _context_menu(session)
        return
    if window is None:
        icons.stroke(session, stroke)
        return
    if stroke.is_(Key.F4, Modifier.ALT):
        session.ask_to_close(window)
        return
    focused = session.focused()
    if focused:
        used = focused[1].stroke(session, *focused[:1], stroke)
        session.touch_used(window, focused[1])
        if used:
            return
    if window.on_stroke(session, stroke) or any(w.role == "menu bar" and w.stroke(session, window, stroke) for w in window.widgets):
        return
    if stroke.key is Key.TAB and not stroke.modifiers - {Modifier.SHIFT}:
        order = [w for w in window.widgets if w.focusable and w.enabled]
        if order:
            at = next((i for i, w in enumerate(order) if w.id == window.focus), None)
            step = -1 if Modifier.SHIFT in stroke.modifiers else 1
            session.focus(window, order[(at + step) % len(order)] if at is not None else order[0 if step > 0 else -1])
    elif stroke.is_(Key.ENTER) and window.default:
        button = window.widget(window.default)
        if isinstance(button, Clickable) and button.enabled:
            button.use(session, window)
    elif focused and stroke.text:
        _insert(session, *focused, stroke.text)


def _switch(session: Session, step: int) -> None:
    """ALT+TAB: mark the next window, which is raised when ALT is let go; if ALT is not held, raise it now."""
    state, windows = session.state, session.recent
    if not windows:
        return
    held = Key.ALT in state.keys and session.has_shell
    if state.switching < 0 and not held:
        session.activate(windows[step % len(windows)])
        return
    start = 0 if session.active is not None else -1
    state.switching = ((state.switching if state.switching >= 0 else start) + step) % len(windows)
    session.redraw_all()


def end_switch(session: Session) -> None:
    """ALT was let go: raise the marked window."""
    at, windows = session.state.switching, session.recent
    if at >= 0:
        session.state.switching = -1
        session.redraw_all()
        if at < len(windows):
            session.activate(windows[at])


def _context_menu(session: Session) -> None:
    """Open the context menu of the focused widget, or of the selected icon."""
    focused = session.focused()
    if focused:
        window, widget = focused
        widget.press(session, window, Pointer(*widget.menu_point(session.look), Button.RIGHT))
        session.touch_used(window, widget)
    elif session.active is None:
        icons.open_menu(session)


def _snap(session: Session, key: Key) -> bool:
    """META and an arrow put the active window to a side of the screen, maximise it, or make it smaller again; META+D hides all windows."""
    window = session.active
    if key is Key.D:
        for each in session.listed:
            session.minimise(each)
        return True
    if window is None or key not in (Key.LEFT, Key.RIGHT, Key.UP, Key.DOWN):
        return False
    if window.resizable:
        if key is Key.UP:
            session.maximise(window)
        elif key is Key.DOWN:
            (session.restore if window.maximised else session.minimise)(window)
        else:
            session.snap(window, "left" if key is Key.LEFT else "right")
    return True
