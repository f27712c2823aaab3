"""A button that opens a menu."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.state import Item
from gui_gym.desktops.sim.widgets.basic import Button

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class MenuButton(Button):
    """A push button with a menu below it. Choosing an item signals ``"chosen"`` with its key.

    Args:
        items: keys of the menu.
        texts: what is shown for them.
    """

    items: list[Item] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def use(self, session: Session, window: Window) -> None:
        x, y, w, h = window.rect_of(self)
        session.pop_up(window, self, x, y + h, self.items, w, labels=self.texts)
