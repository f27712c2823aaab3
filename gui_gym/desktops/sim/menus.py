"""Open menus: their geometry, their submenus, and choosing from them by mouse and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Rect, inside
from gui_gym.desktops.sim.state import Item, Popup, key_of
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.choice import MenuBar

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

SEPARATOR = "-"


def item_height(session: Session, item: Item) -> int:
    """The height of a menu's item."""
    return max(3, session.look.size.gap) if item == SEPARATOR else session.look.size.control


def item_rects(session: Session, popup: Popup) -> list[Rect]:
    """The bounds of a menu's items on the screen; outside the menu's for those scrolled out of view."""
    x, y, w, _ = popup.rect
    rects, top = [], y + 1 - popup.top
    for item in popup.items:
        h = item_height(session, item)
        rects.append((x + 1, top, w - 2, h))
        top += h
    return rects


def indent(session: Session, popup: Popup) -> int:
    """The room for pictures before the texts of a menu."""
    size = session.look.size
    return size.font + size.gap + 2 if popup.icons else 0


def submenu(item: Item) -> list[Item]:
    """The items of an item's submenu; empty if it has none."""
    return [] if isinstance(item, str) else list(item[1])


def chain(popup: Popup) -> list[Popup]:
    """A menu and the submenus open from it, each from the one before."""
    result = [popup]
    while result[-1].child:
        result.append(result[-1].child)
    return result


def put(session: Session, popup: Popup, x: int, y: int, least: int = 0) -> None:
    """Size a menu and give it a place on the screen with its corner as near to ``(x, y)`` as fits."""
    size, font, state = session.look.size, session.look.sans, session.state
    arrow = size.font + size.gap if any(not isinstance(item, str) for item in popup.items) else 0
    keys = max((font.width(text) + 2 * size.pad for item in popup.items if (text := popup.shortcut(item))), default=0)
    w = max(least, max(font.width(popup.label(item)) for item in popup.items) + indent(session, popup) + arrow + keys + 2 * size.pad + 2)
    h = min(sum(item_height(session, item) for item in popup.items) + 2, state.height)
    popup.rect = [max(0, min(x, state.width - w)), max(0, min(y, state.height - h)), w, h]


def touch(session: Session, popup: Popup) -> None:
    """A menu is to be drawn again, with its shadow."""
    x, y, w, h = popup.rect
    s = session.look.size.shadow
    session.redraw((x - s, y - s, w + 2 * s, h + 2 * s))


def under_pointer(session: Session) -> tuple[Popup, int] | None:
    """The open menu under the pointer, and the index of its item there (-1 for a line or border); None beside all menus."""
    root, (x, y) = session.state.popup, session.state.cursor
    for popup in reversed(chain(root)) if root else ():
        px, py, w, h = popup.rect
        if inside((px, py, w, h), x, y):
            rects = enumerate(zip(popup.items, item_rects(session, popup), strict=True))
            return popup, next((i for i, (item, rect) in rects if item != SEPARATOR and inside(rect, x, y)), -1)
    return None


def select(session: Session, popup: Popup, index: int) -> None:
    """Mark an item, or none by -1, and close a submenu that belongs to another one."""
    if index != popup.selected:
        _close_child(session, popup)
        popup.selected = index
        _reveal(session, popup)
        x, y, w, h = popup.rect
        session.redraw((x, y, w, h))


def _reveal(session: Session, popup: Popup) -> None:
    if popup.selected >= 0:
        _, y, _, h = item_rects(session, popup)[popup.selected]
        above, below = popup.rect[1] + 1 - y, y + h - (popup.rect[1] + popup.rect[3] - 1)
        popup.top += below if below > 0 else -above if above > 0 else 0


def _close_child(session: Session, popup: Popup) -> None:
    if popup.child:
        for each in chain(popup.child):
            touch(session, each)
        popup.child = None


def open_submenu(session: Session, popup: Popup) -> bool:
    """Open the submenu of the marked item at the menu's side; whether there is one."""
    item = popup.items[popup.selected] if popup.selected >= 0 else SEPARATOR
    items = submenu(item)
    if not items:
        return False
    if popup.child is None:
        path = f"{popup.path} > {key_of(item)}" if popup.path else key_of(item)
        child = Popup(popup.window, popup.widget, [0, 0, 0, 0], items, popup.labels, {}, popup.shortcuts, path)
        put(session, child, 0, 0)
        x, y, w, _ = item_rects(session, popup)[popup.selected]
        room = x + w + child.rect[2] <= session.state.width
        put(session, child, x + w if room else popup.rect[0] - child.rect[2], y - 1)
        popup.child = child
        touch(session, child)
    return True


def choose(session: Session, popup: Popup) -> None:
    """Choose the marked item: open its submenu, or close the menus and tell whom they belong to."""
    if popup.selected < 0 or open_submenu(session, popup):
        return
    key = key_of(popup.items[popup.selected])
    value = f"{popup.path} > {key}" if popup.path else key
    session.dismiss()
    if not popup.window:
        from gui_gym.desktops.sim.shell import chosen  # the shell opens menus, so it knows this module

        chosen(session, popup.widget, value)
        return
    owner = session.state.window(popup.window)
    widget = owner.find(popup.widget) if owner else None
    if owner is not None and widget is not None:
        widget.chosen(session, owner, value)


def point(session: Session) -> None:
    """The pointer moved: mark the item under it, and open the submenu it has."""
    root, hit = session.state.popup, under_pointer(session)
    if root is None:
        return
    if hit is None:
        title = _title_under_pointer(session, root)
        if title and title != root.path:
            _reopen(session, root)
        else:
            select(session, chain(root)[-1], -1)
        return
    popup, index = hit
    if index >= 0 or popup.child is None:
        select(session, popup, index)
        open_submenu(session, popup)


def press(session: Session, popup: Popup, button: Button) -> bool:
    """A press while a menu is open; whether the menu took it. A press elsewhere only closes it, but on another title of its bar opens the next."""
    hit = under_pointer(session)
    if hit is None:
        title = _title_under_pointer(session, popup)
        if popup.followed and title == popup.path:  # a click on another title moves there first
            popup.followed = False
            return True
        session.dismiss()
        return title in ("", popup.path)
    menu, index = hit
    if button is Button.LEFT and index >= 0:
        select(session, menu, index)
        choose(session, menu)
    return True


def _title_under_pointer(session: Session, popup: Popup) -> str:
    """The title under the pointer in the menu bar that an open menu belongs to, or ""."""
    x, y = session.state.cursor
    window = session.state.window(popup.window)
    bar = window.find(popup.widget) if window else None
    if window is None or not isinstance(bar, MenuBar) or session.window_at(x, y) is not window:
        return ""
    left, top, _, _ = window.rect_of(bar)
    return next((title for title, rect in bar.titles(session.look) if inside(rect, x - left, y - top)), "")


def _reopen(session: Session, popup: Popup) -> None:
    """Open the menu whose title the pointer came to, in the place of another one of its bar."""
    window = session.state.window(popup.window)
    bar = window.find(popup.widget) if window else None
    if window is not None and bar is not None:
        left, top, _, _ = window.rect_of(bar)
        bar.press(session, window, Pointer(session.state.cursor[0] - left, session.state.cursor[1] - top))
        if session.state.popup:
            session.state.popup.followed = True


def release(session: Session) -> None:
    """The button was pressed on a menu's title, drawn to an item and let go there: choose it."""
    hit = under_pointer(session)
    if hit and 0 <= hit[1] == hit[0].selected:
        choose(session, hit[0])


def wheel(session: Session, dy: int) -> None:
    """The wheel turns while a menu is open: one higher than the screen scrolls."""
    hit = under_pointer(session)
    if hit:
        popup = hit[0]
        hidden = sum(item_height(session, item) for item in popup.items) + 2 - popup.rect[3]
        _close_child(session, popup)
        popup.top = max(0, min(popup.top + dy * session.look.size.control, hidden))
        x, y, w, h = popup.rect
        session.redraw((x, y, w, h))
        point(session)


def stroke(session: Session, stroke: Stroke) -> None:
    """A key while a menu is open."""
    root = session.state.popup
    assert root is not None
    menus = chain(root)
    popup = menus[-1]
    choices = [i for i, item in enumerate(popup.items) if item != SEPARATOR]
    if stroke.key is Key.ESCAPE:
        if len(menus) > 1:
            _close_child(session, menus[-2])
        else:
            session.dismiss()
    elif stroke.key in (Key.UP, Key.DOWN):
        at = choices.index(popup.selected) if popup.selected in choices else (-1 if stroke.key is Key.DOWN else 0)
        select(session, popup, choices[(at + (1 if stroke.key is Key.DOWN else -1)) % len(choices)])
    elif stroke.key in (Key.HOME, Key.END):
        select(session, popup, choices[0 if stroke.key is Key.HOME else -1])
    elif stroke.key in (Key.ENTER, Key.SPACE):
        choose(session, popup)
    elif stroke.key is Key.RIGHT and open_submenu(session, popup):
        child = chain(popup)[1]
        select(session, child, next(i for i, item in enumerate(child.items) if item != SEPARATOR))
    elif stroke.key is Key.LEFT and len(menus) > 1:
        _close_child(session, menus[-2])
    elif stroke.key in (Key.LEFT, Key.RIGHT):
        owner = session.state.window(root.window)
        widget = owner.find(root.widget) if owner else None
        if owner is not None and isinstance(widget, MenuBar):
            widget.stroke(session, owner, stroke)
    elif stroke.text:
        _jump(session, popup, stroke.text.lower())


def _jump(session: Session, popup: Popup, letter: str) -> None:
    """A letter marks the next item that begins with it."""
    order = [*range(popup.selected + 1, len(popup.items)), *range(popup.selected + 1)]
    hit = next((i for i in order if popup.items[i] != SEPARATOR and popup.label(popup.items[i]).lower().startswith(letter)), -1)
    if hit >= 0:
        select(session, popup, hit)
