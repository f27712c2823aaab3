"""The tabs of a browser: where each is, was, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.apps.web_form import make_controls
from gui_gym.desktops.sim.painting.picture import Picture, PictureError, read_picture
from gui_gym.desktops.sim.web import sites
from gui_gym.desktops.sim.web.pages import Page, parse
from gui_gym.desktops.sim.web.sites import START, Address
from gui_gym.desktops.sim.widgets.page_view import Shown

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


@dataclass
class Visit:
    """Where a tab is or was.

    Args:
        address: as it is written.
        carried: what forms of earlier pages have handed on, to be sent with a later one.
        top: pixels scrolled out of view when it was left.
    """

    address: str = START
    carried: dict[str, str] = field(default_factory=dict)
    top: int = 0


@dataclass
class Tab:
    """A tab of the browser: what it shows, and the pages before and after it."""

    visit: Visit = field(default_factory=Visit)
    shown: Shown = field(default_factory=Shown)
    before: list[Visit] = field(default_factory=list)
    after: list[Visit] = field(default_factory=list)

    @property
    def page(self) -> Page:
        """The page it shows."""
        return parse(self.shown.text)

    @property
    def address(self) -> Address:
        """The address of that page."""
        return sites.read_address(self.visit.address)


def fresh(session: Session, tab: Tab) -> None:
    """Give a tab the page of its address, as the site makes it now."""
    files, address = session.state.files, tab.address
    text = sites.page_text(files, address, session.label)
    page = parse(text)
    pictures: dict[str, Picture] = {}
    for block in page.blocks:
        if block.kind == "image":
            try:
                pictures[block.name] = read_picture(files.get(address.beside(block.name), ""))
            except PictureError:
                continue
    filled = {i: sites.kept(files, address, form) for i, form in enumerate(page.forms)}
    asked = dict(address.query)
    for i, form in enumerate(page.forms):
        if form.kind == "ask":
            filled[i] = asked
        elif form.kind in ("next", "send", "order"):
            filled[i] = tab.visit.carried
    tab.shown = Shown(text, pictures, make_controls(session, page, filled), [], tab.visit.top)
