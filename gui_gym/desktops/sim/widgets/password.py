"""A field whose text is not shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gui_gym.desktops.sim.widgets.text import TextField

DOT = "●"


@dataclass(kw_only=True)
class PasswordField(TextField):
    """Shows a dot for each character, also to the accessibility tree; its text can be pasted into but not copied or cut."""

    role: ClassVar[str] = "password text"
    secret: ClassVar[bool] = True

    @property
    def shown(self) -> str:
        return DOT * len(self.text)

    @property
    def spoken(self) -> Any:
        return self.shown
