"""The fields of a page as widgets: how they are made, filled in and read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.web.flow import control_id
from gui_gym.desktops.sim.web.pages import Block, Page
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox, Radio
from gui_gym.desktops.sim.widgets.choice import DropDown
from gui_gym.desktops.sim.widgets.date_field import DateField
from gui_gym.desktops.sim.widgets.password import PasswordField
from gui_gym.desktops.sim.widgets.spinner import Spinner
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

ON, OFF = "yes", "no"  #: the values of check boxes


@dataclass(kw_only=True)
class PageArea(TextArea):
    """A text of several lines on a page; where it has nothing to scroll, the page scrolls."""

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        before = self.top
        super().wheel(session, window, dx, dy)
        if self.top == before:
            window.on_wheel(session, dx, dy)


def make_controls(session: Session, page: Page, filled: Mapping[int, Mapping[str, str]]) -> list[Widget]:
    """The widgets of a page's fields and buttons; ``filled`` has what is known of the fields of each form."""
    controls: list[Widget] = []
    for block in page.blocks:
        if block.kind == "button":
            controls.append(Button(id=control_id(block), name=block.label, primary=True))
        elif block.is_field:
            value = filled.get(block.form, {}).get(block.name, block.value)
            controls += _control(session, block, value)
    return controls


def _control(session: Session, block: Block, value: str) -> list[Widget]:
    name, label = control_id(block), block.label
    match block.kind:
        case "area":
            return [PageArea(id=name, name=label, text=value, wrap=True)]
        case "password":
            return [PasswordField(id=name, name=label, text=value)]
        case "number":
            low, high = _range(block)
            text = value if re.fullmatch(r"-?[0-9]{1,6}", value) else ""
            return [Spinner(id=name, name=label, text=text, low=low, high=high)]
        case "choice":
            selected = block.options.index(value) if value in block.options else -1
            return [DropDown(id=name, name=label, choices=list(block.options), selected=selected)]
        case "radio":
            options = enumerate(block.options)
            return [Radio(id=control_id(block, i), name=option, group=name, checked=option == value) for i, option in options]
        case "check":
            return [CheckBox(id=name, name=label, checked=value in (ON, "on"))]
        case "date":
            day = clock.read_date(value) or clock.now(session.state).date()
            return [DateField(id=name, name=label, day=day.isoformat())]
        case _:
            return [TextField(id=name, name=label, text=value)]


def _range(block: Block) -> tuple[int, int]:
    """The least and the greatest number of a field."""
    numbers = [int(option) for option in block.options if re.fullmatch(r"-?[0-9]{1,6}", option)]
    return (min(numbers), max(numbers)) if numbers else (0, 9999)


def read_controls(page: Page, form: int, controls: Sequence[Widget]) -> dict[str, str]:
    """The values of a form's fields, in the order of the page."""
    known = {widget.id: widget for widget in controls}
    values = dict(page.forms[form].hidden)
    for block in page.fields(form):
        if block.kind == "radio":
            options = [known[control_id(block, i)] for i in range(len(block.options))]
            values[block.name] = next((option.name for option in options if option.value), "")
            continue
        value = known[control_id(block)].value
        values[block.name] = (ON if value else OFF) if block.kind == "check" else str(value)
    return values


def wrong_field(session: Session, page: Page, form: int, values: Mapping[str, str]) -> tuple[Block, str] | None:
    """The first field that is not filled in as it must be, and what to say about it."""
    for block in page.fields(form):
        value = values[block.name].strip()
        if block.required and value in ("", OFF):
            return block, session.label("Please fill in: {}", block.label)
        if block.kind == "email" and value and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", value):
            return block, session.label("This is no e-mail address: {}", block.label)
        if block.kind == "number" and value:
            low, high = _range(block)
            if not low <= int(value) <= high:
                return block, session.label("{}: from {} to {}", block.label, str(low), str(high))
    return None
