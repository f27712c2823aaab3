"""A page of the web that is scrolled through, with its links, pictures and fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, covers, inside, intersect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.painting.picture import Picture
from gui_gym.desktops.sim.web.flow import Flow, Place, Sort, lay_out
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.drawing import paste_scaled
from gui_gym.desktops.sim.widgets.scroll import Scrolling

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

_NOTE, _WARN = (255, 246, 214), (255, 226, 222)
_INK, _INK_LINK = (34, 38, 48), (20, 80, 190)
_MARKS = ((255, 232, 120), (255, 170, 60)), ((92, 78, 20), (160, 96, 16))  #: of what is searched, and where it is now: on light and dark grounds


@dataclass
class Shown:
    """What a tab shows.

    Args:
        text: the page's, with all that the site has put into it.
        pictures: the pictures of the page by file.
        controls: the widgets of its fields and buttons.
        sorts: the order of its tables.
        top: pixels scrolled out of view.
    """

    text: str = ""
    pictures: dict[str, Picture] = field(default_factory=dict)
    controls: list[Widget] = field(default_factory=list)
    sorts: list[Sort] = field(default_factory=list)
    top: int = 0


@dataclass(kw_only=True)
class PageView(Scrolling):
    """Shows a page; its fields that are wholly in view are widgets of the window, which are put in place by :meth:`place`.

    Signals: "link" with a link's target, "link in tab" for the middle button or CTRL, "menu" for a right click with the place and the target
    of the link there, "sorted" when the head of a table was clicked. Its window calls :meth:`place` after each scroll, which it hears as "scrolled".

    Args:
        shown: what it shows.
        link: the link that the keyboard is on, or -1.
        find, found: what is searched on the page, and which place of it is shown.
        pressed: the link that the button was pressed on, or -1.
        anchor, caret: what lies between them is selected; None for nothing.
    """

    role: ClassVar[str] = "document web"
    focusable: ClassVar[bool] = True

    shown: Shown = field(default_factory=Shown)
    link: int = -1
    find: str = ""
    found: int = 0
    pressed: int = -1
    anchor: Place | None = None
    caret: Place | None = None

    @property
    def selecting(self) -> bool:
        """Whether something is selected."""
        return self.anchor is not None and self.caret is not None and self.anchor != self.caret

    def flow(self, look: Look) -> Flow:
        """Where all is."""
        sizes = tuple((name, picture.width, picture.height) for name, picture in self.shown.pictures.items())
        return lay_out(self.shown.text, self.w - 2 - self.bar_width(look), look, tuple(self.shown.sorts), sizes)

    def rows_in_all(self, look: Look) -> int:
        return self.flow(look).height

    def rows_in_view(self, look: Look) -> int:
        return self.h - 2

    def show(self, look: Look, shown: Shown) -> None:
        """Show something else."""
        self.shown, self.link, self.pressed = shown, -1, -1
        self.anchor = self.caret = None
        self.scroll_to(look, shown.top)

    def scroll_to(self, look: Look, top: int) -> None:
        super().scroll_to(look, top)
        self.shown.top = self.top

    def place(self, look: Look) -> list[Widget]:
        """Put the fields where they are now; gives those that are wholly in view."""
        controls, live = self.flow(look).controls, []
        view = (self.x + 1, self.y + 1, self.w - 2, self.h - 2)
        for widget in self.shown.controls:
            x, y, w, h = controls.get(widget.id, (0, 0, 0, 0))
            widget.x, widget.y, widget.w, widget.h = self.x + 1 + x, self.y + 1 + y - self.top, w, h
            if w and covers(view, (widget.x, widget.y, w, h)):
                live.append(widget)
        return live

    def reveal_rect(self, look: Look, rect: Rect) -> None:
        """Scroll as little as brings a rectangle of the page into view."""
        _, y, _, h = rect
        if y < self.top or y + h > self.top + self.h - 2:
            margin = look.size.gap
            self.scroll_to(look, y - margin if y < self.top else y + h - self.h + 2 + margin)

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes, flow = [], self.flow(look)
        runs: dict[tuple[int, int], list[Rect]] = {}
        words: dict[tuple[int, int], str] = {}
        for run in flow.runs:
            key = (run.block, run.link)
            runs.setdefault(key, []).append(run.box)
            words[key] = f"{words[key]} {run.text}" if key in words else run.text
        for key, boxes in runs.items():
            for x, y, w, h in boxes[:1]:
                if 0 <= y + h - self.top and y - self.top <= self.h:
                    role = "link" if key[1] >= 0 else "label"
                    bounds = [rect[0] + 1 + x, rect[1] + 1 + y - self.top, w, h]
                    nodes.append({"role": role, "name": words[key], "bounds": bounds, "value": None, "children": []})
        for (x, y, w, h), name in flow.images:
            bounds = [rect[0] + 1 + x, rect[1] + 1 + y - self.top, w, h]
            nodes.append({"role": "image", "name": name, "bounds": bounds, "value": None, "children": []})
        return nodes

    # Input

    def link_at(self, look: Look, x: int, y: int) -> int:
        """The link at a point of the widget, or -1."""
        return next((run.link for run in self.flow(look).runs if run.link >= 0 and inside(run.box, x - 1, y - 1 + self.top)), -1)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look = session.look
        if self.press_bar(look, pointer):
            window.on_signal(session, self, "scrolled", "")
            return
        hit = self.link_at(look, pointer.x, pointer.y)
        target = self.flow(look).links[hit] if hit >= 0 else ""
        if pointer.button is Button.RIGHT:
            session.signal(window, self, "menu", f"{pointer.x} {pointer.y} {target}")
        elif pointer.button is Button.MIDDLE and target:
            session.signal(window, self, "link in tab", target)
        elif pointer.button is Button.LEFT:
            self.pressed = hit
            self.link = -1
            self._select(look, pointer)
            if hit < 0:
                self._press_other(session, window, pointer)

    def _select(self, look: Look, pointer: Pointer) -> None:
        """A press begins to select; a double click beside all links selects a word, and one with SHIFT all up to there."""
        flow, at = self.flow(look), self._place_at(look, pointer)
        if pointer.count == 2 and self.pressed < 0:
            self.anchor, self.caret = flow.word_at(at)
        elif Modifier.SHIFT in pointer.modifiers and self.anchor is not None:
            self.caret = at
        else:
            self.anchor = self.caret = at

    def _place_at(self, look: Look, pointer: Pointer) -> Place:
        return self.flow(look).place_at(pointer.x - 1, pointer.y - 1 + self.top)

    def _press_other(self, session: Session, window: Window, pointer: Pointer) -> None:
        """A press beside all links: on the head of a table, or on a field that is not wholly in view."""
        look, flow = session.look, self.flow(session.look)
        x, y = pointer.x - 1, pointer.y - 1 + self.top
        for table, column, rect in flow.heads:
            if inside(rect, x, y):
                before = next((sort for sort in self.shown.sorts if sort[0] == table), None)
                down = before is not None and before[1] == column and not before[2]
                self.anchor = self.caret = None
                self.shown.sorts = [sort for sort in self.shown.sorts if sort[0] != table] + [(table, column, down)]
                session.signal(window, self, "sorted", f"{table} {column}")
                return
        for rect in flow.controls.values():
            if inside(rect, x, y):
                self.reveal_rect(look, rect)
                window.on_signal(session, self, "scrolled", "")

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if self.move_bar(session.look, pointer):
            window.on_signal(session, self, "scrolled", "")
        elif self.anchor is not None:
            self.caret = self._place_at(session.look, pointer)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().release(session, window, pointer)
        hit, pressed = self.link_at(session.look, pointer.x, pointer.y), self.pressed
        self.pressed = -1
        links = self.flow(session.look).links
        if hit >= 0 and hit == pressed and hit < len(links) and not self.selecting:
            session.signal(window, self, "link in tab" if Modifier.CTRL in pointer.modifiers else "link", links[hit])

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        self.scroll_to(session.look, self.top + 3 * dy * session.look.sans.height)
        window.on_signal(session, self, "scrolled", "")

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        look = session.look
        page = self.h - 2 * look.sans.height
        line = 2 * look.sans.height
        steps = {Key.UP: -line, Key.DOWN: line, Key.PAGE_UP: -page, Key.PAGE_DOWN: page, Key.SPACE: page, Key.HOME: -self.top, Key.END: 1 << 30}
        links = self.flow(look).links
        if stroke.is_(Key.ENTER) and 0 <= self.link < len(links):
            session.signal(window, self, "link", links[self.link])
        elif stroke.is_(Key.C, Modifier.CTRL):
            self.copy(session)
        elif stroke.is_(Key.A, Modifier.CTRL):
            runs = self.flow(look).runs
            self.anchor, self.caret = (0, 0), (max(0, len(runs) - 1), len(runs[-1].text) if runs else 0)
        elif stroke.key in steps and not stroke.modifiers:
            self.scroll_to(look, self.top + steps[stroke.key])
            window.on_signal(session, self, "scrolled", "")
        else:
            return False
        return True

    def copy(self, session: Session) -> None:
        """Copy what is selected."""
        if self.anchor is not None and self.caret is not None and self.selecting:
            session.copy_text(self.flow(session.look).words(self.anchor, self.caret))

    # Drawing

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, flow = look.theme, self.flow(look)
        canvas.fill(rect, theme.field)
        canvas.outline(rect, theme.accent if focused and self.link < 0 else theme.border)
        inner = canvas.within((rect[0] + 1, rect[1] + 1, rect[2] - 2, rect[3] - 2))
        if inner is None:
            return
        left, top = rect[0] + 1, rect[1] + 1 - self.top
        papers = {"note": _NOTE, "warn": _WARN, "head": theme.face, "line": theme.border}
        noted: list[Rect] = []
        for (x, y, w, h), kind in flow.panels:
            place = (left + x, top + y, w, h)
            if kind == "edge":
                inner.outline(place, theme.border)
            elif inner.sees(place):
                inner.fill(place, papers[kind])
                noted += [place] if kind in ("note", "warn") else []
        for (x, y, w, h), name in flow.images:
            picture = self.shown.pictures.get(name)
            part = intersect(inner.clip, (left + x, top + y, w, h))
            if picture is not None and part:
                paste_scaled(inner, picture, part, left + x, top + y, max(1, w * 100 // picture.width))
        if self.anchor is not None and self.caret is not None:
            for run, start, end in flow.between(self.anchor, self.caret):
                x = left + run.x + run.face.width(run.text[:start])
                inner.fill((x, top + run.y, run.face.width(run.text[start:end]), run.face.height), theme.select)
        self._draw_found(inner, left, top, flow, _MARKS[sum(theme.field) < 384])
        low, high = inner.clip[1] - top - 2 * look.sans.height - 8, inner.clip[1] + inner.clip[3] - top
        for run in flow.runs:
            if low <= run.y <= high:
                x, y = left + run.x, top + run.y
                color = theme.accent if run.link >= 0 else theme.text
                if noted and any(inside(place, x, y) for place in noted):
                    color = _INK if run.link < 0 else _INK_LINK
                inner.text(x, y, run.text, run.face, color)
                if run.link >= 0:
                    inner.fill((x, y + run.face.ascent + 1, run.face.width(run.text), 1), color)
                    if run.link == self.link and focused:
                        inner.outline((x - 2, y - 1, run.face.width(run.text) + 4, run.face.height + 2), theme.accent)
        view = (rect[0] + 1, rect[1] + 1, rect[2] - 2, rect[3] - 2)
        for widget in self.shown.controls:
            place = (rect[0] + widget.x - self.x, rect[1] + widget.y - self.y, widget.w, widget.h)
            if widget.w and not covers(view, place) and inner.sees(place):
                clipped = inner.within(place)
                if clipped:
                    widget.draw(clipped, place, look, False)
        self.draw_bar(canvas, rect, look)

    def _draw_found(self, canvas: Canvas, left: int, top: int, flow: Flow, marks: tuple[Color, Color]) -> None:
        """Mark what is searched."""
        if not self.find:
            return
        for i, rects in enumerate(flow.matches(self.find)):
            for x, y, w, h in rects:
                canvas.fill((left + x, top + y, w, h), marks[i == self.found])
