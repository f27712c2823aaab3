"""The bar in which an editor finds and replaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.document import Document
from gui_gym.desktops.sim.layout import line, natural_width
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

_FIND, _REPLACE = ("find", "next", "previous", "close_find"), ("replacement", "replace", "replace_all")


def _folded(text: str) -> str:
    """``text`` without capitals, as long as it: one that would grow or shrink stays as it is."""
    small = text.lower()
    return small if len(small) == len(text) else text


@dataclass(kw_only=True)
class FindBar(Document):
    """A document with a text area "text", above which a bar opens: "find", "next", "previous" and "close_find", and to replace also
    "replacement", "replace" and "replace_all". Capitals do not matter."""

    @property
    def area(self) -> TextArea:
        """Where is searched."""
        raise NotImplementedError

    def open_find(self, session: Session, replace: bool) -> None:
        """Open the bar, with the selected words in it, and give it the keyboard."""
        wanted = self._text("find")
        low, high = self.area.selection
        if low != high and "\n" not in self.area.text[low:high]:
            wanted = self.area.text[low:high]
        again = self._text("replacement")
        self._drop()
        find, replacement = session.label("Find"), session.label("Replace with")
        parts: list[Widget] = [
            TextField(id="find", name=find, hint=find, text=wanted, caret=len(wanted), anchor=0),
            Button(id="next", name="▼", tip=session.label("Next")),
            Button(id="previous", name="▲", tip=session.label("Previous")),
            Button(id="close_find", name="×", tip=session.label("Close")),
        ]
        if replace:
            parts += [
                TextField(id="replacement", name=replacement, hint=replacement, text=again, caret=len(again), anchor=len(again)),
                Button(id="replace", name=session.label("Replace")),
                Button(id="replace_all", name=session.label("Replace all")),
            ]
        self.widgets[1:1] = parts
        self.focus = "find"
        self.layout(session)
        session.touch(self)

    def close_find(self, session: Session) -> None:
        """Close the bar."""
        if self.find("find"):
            self._drop()
            self.focus = "text"
            self.layout(session)
            session.touch(self)

    def _drop(self) -> None:
        self.widgets = [w for w in self.widgets if w.id not in _FIND + _REPLACE]

    def _text(self, widget_id: str) -> str:
        field = self.find(widget_id)
        return str(field.value) if field is not None else ""

    def find_width(self, session: Session) -> int:
        """How wide the window must be for the bar, if it is open."""
        rows = [[w for name in names[1:] if (w := self.find(name)) is not None] for names in (_FIND, _REPLACE)]
        size = session.look.size
        return max((natural_width(session, *row) + 8 * size.font + 3 * size.gap for row in rows if row), default=0)

    def layout_find(self, session: Session, top: int) -> int:
        """Put the bar at ``top``, if it is open, and give the y of what is below it."""
        gap = session.look.size.gap
        for names in (_FIND, _REPLACE):
            parts = [w for name in names if (w := self.find(name)) is not None]
            if parts:
                top = line(session, gap, top + gap // 2, self.w - 2 * gap, *parts, stretch=parts[0]) - gap // 2
        return top

    def on_find_signal(self, session: Session, widget: Widget, signal: str) -> None:
        """A widget of the bar was used."""
        if signal != "clicked":
            return
        if widget.id == "close_find":
            self.close_find(session)
        elif widget.id in ("next", "previous"):
            self.search(session, back=widget.id == "previous")
        elif widget.id == "replace":
            self._replace(session)
        elif widget.id == "replace_all":
            self._replace_all(session)

    def on_find_stroke(self, session: Session, stroke: Stroke) -> bool:
        """A key: Enter searches or replaces, Escape closes the bar, F3 searches again."""
        if not self.find("find"):
            return False
        if stroke.is_(Key.ESCAPE):
            self.close_find(session)
        elif stroke.key is Key.ENTER and self.focus == "find" or stroke.key is Key.F3:
            self.search(session, back=Modifier.SHIFT in stroke.modifiers)
        elif stroke.is_(Key.ENTER) and self.focus == "replacement":
            self._replace(session)
        else:
            return False
        return True

    def search(self, session: Session, back: bool = False) -> bool:
        """Select the next place, or the one before, going on at the other end of the text; whether there is one."""
        area, wanted = self.area, _folded(self._text("find"))
        if not wanted:
            return False
        text = _folded(area.text)
        low, high = area.selection
        at = text.rfind(wanted, 0, max(low, 0)) if back else text.find(wanted, high)
        if at < 0:
            at = text.rfind(wanted) if back else text.find(wanted)
        self._say(session, text.count(wanted))
        if at < 0:
            return False
        area.move_caret(session.look, at, False)
        area.move_caret(session.look, at + len(wanted), True)
        session.touch(self, area)
        return True

    def _say(self, session: Session, count: int) -> None:
        status = self.widget("status")
        status.name = session.label("Not found") if not count else session.label("1 match") if count == 1 else session.label("{} matches", str(count))
        session.touch(self, status)

    def _replace(self, session: Session) -> None:
        """Replace what is selected, if it is what is searched, and go on."""
        low, high = self.area.selection
        if low != high and _folded(self.area.text[low:high]) == _folded(self._text("find")):
            self.area.replace(session, self, self._text("replacement"))
        self.search(session)

    def _replace_all(self, session: Session) -> None:
        area, wanted = self.area, _folded(self._text("find"))
        if not wanted:
            return
        parts, rest, folded = [], area.text, _folded(area.text)
        count, at = 0, 0
        while (hit := folded.find(wanted, at)) >= 0:
            parts += [rest[at:hit], self._text("replacement")]
            at, count = hit + len(wanted), count + 1
        if count:
            area.anchor, area.caret = 0, len(area.text)
            area.replace(session, self, "".join(parts) + rest[at:])
        self._say(session, count)
