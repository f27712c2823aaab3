"""The window manager's settings, and the menu from which a desktop's user starts programs."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path

#: The menu, in groups: a program's name there, and the commands that may be behind it, of which the first that is there is.
MENU: tuple[dict[str, tuple[str, ...]], ...] = (
    {
        "Terminal": ("gnome-terminal", "xterm"),
        "Files": ("nautilus", "thunar", "pcmanfm"),
        "Text Editor": ("gedit", "mousepad", "l3afpad"),
        "Calculator": ("gnome-calculator", "galculator"),
    },
    {"Google Chrome": ("google-chrome",), "Thunderbird Mail": ("thunderbird",), "Visual Studio Code": ("code",)},
    {"LibreOffice Calc": ("localc",), "LibreOffice Impress": ("loimpress",), "LibreOffice Writer": ("lowriter",), "Document Viewer": ("evince",)},
    {
        "GIMP Image Editor": ("gimp",),
        "Image Viewer": ("eog",),
        "VLC media player": ("vlc",),
        "mpv Media Player": ("mpv --player-operation-mode=pseudo-gui",),
    },
)
SETTINGS = Path(__file__).with_name("openbox.xml")
_MENU = '<openbox_menu xmlns="http://openbox.org/3.4/menu"><menu id="root-menu" label="Applications">\n{}</menu></openbox_menu>\n'
_ITEM = '<item label="{}"><action name="Execute"><command>{}</command></action></item>\n'


def manager_files(folder: str, there: Callable[[str], object]) -> dict[str, str]:
    """Openbox's files ``openbox.xml`` and ``menu.xml`` in ``folder``, by path; ``there`` tells whether there is a program of a name."""

    def first(commands: tuple[str, ...]) -> str:
        return next((command for command in commands if there(command.split()[0])), "")

    groups = ["".join(_ITEM.format(name, first(commands)) for name, commands in group.items() if first(commands)) for group in MENU]
    settings = string.Template(SETTINGS.read_text()).substitute(menu=f"{folder}/menu.xml", terminal=first(MENU[0]["Terminal"]))
    return {f"{folder}/menu.xml": _MENU.format("<separator/>\n".join(filter(None, groups))), f"{folder}/openbox.xml": settings}
