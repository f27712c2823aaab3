"""What a desktop's user finds: environment, settings, folders, and how its X server and window manager are started.

The user is one who has used the machine before, as on the guests that OSWorld's tasks are written for. What is set for that:

* google-chrome, Debian's Chromium, has asked its first questions and keeps its passwords without a keyring;
* LibreOffice shows no tip of the day, release notes or calls for donations; VLC has asked about privacy,
  and has the HTTP interface that tells what it plays, with OSWorld's password;
* files are opened with GNOME's usual programs (``guest/share/applications/mimeapps.list``), videos with mpv;
* the sound is at 40 %, the time zone is :data:`TIME_ZONE`;
* nothing blinks or is animated, scroll bars are always there.
"""

from __future__ import annotations

import functools
from pathlib import Path

TIME_ZONE = "Asia/Hong_Kong"  #: not UTC, which some tasks ask for, and the same all year
BUS = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog"]
FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos")

# Nothing moves by itself and nothing is hidden: a screen is settled soon, and is what it seems.
_GTK = "gtk-cursor-blink = false\ngtk-enable-animations = false\n"
FILES = {
    ".config/gtk-3.0/settings.ini": f"[Settings]\n{_GTK}",
    ".config/gtk-4.0/settings.ini": f"[Settings]\n{_GTK}",
    ".gtkrc-2.0": "gtk-cursor-blink = 0\ngtk-enable-animations = 0\n",
    ".config/user-dirs.dirs": "".join(
        f'XDG_{"PUBLICSHARE" if name == "Public" else "DOWNLOAD" if name == "Downloads" else name.upper()}_DIR="$HOME/{name}"\n' for name in FOLDERS
    ),
    ".config/user-dirs.locale": "C",
}

#: What a desktop has besides the files of the machine: ``bin``, ``lib``, ``python`` (modules) and ``share``, read-only, and the files of its home.
GUEST = Path(__file__).with_name("guest")
#: Other names of those programs.
GUEST_LINKS = {
    "bin/google-chrome-stable": "google-chrome",
    "bin/chromium": "google-chrome",
    "bin/chromium-browser": "google-chrome",
    "bin/apt-get": "apt",
    "bin/pip3": "pip",
    "bin/python": "/usr/bin/python3",
    "bin/python3": "/usr/bin/python3",
}


@functools.cache
def guest_files() -> dict[str, tuple[int, bytes]]:
    """Mode and content of the files of :data:`GUEST` but for the home's, by their path below it."""
    return {path: (0o755 if path.startswith("bin/") else 0o644, content) for path, content in _files("bin", "lib", "python", "share").items()}


@functools.cache
def home_files() -> dict[str, str]:
    """The files of a new home, by their path below it."""
    return {**FILES, **{path.removeprefix("home/"): content.decode() for path, content in _files("home").items()}}


def _files(*folders: str) -> dict[str, bytes]:
    found = (path for folder in folders for path in sorted((GUEST / folder).rglob("*")) if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(GUEST)): path.read_bytes() for path in found}


@functools.cache
def language() -> str:
    """The locale: US English where the machine has it."""
    archive = Path("/usr/lib/locale/locale-archive")
    there = Path("/usr/lib/locale/en_US.utf8").is_dir() or archive.is_file() and b"en_US.utf8" in archive.read_bytes()
    return "en_US.UTF-8" if there else "C.UTF-8"


def x_server(width: int, height: int, frame_dir: str, authority: str) -> list[str]:
    """Command line of the X server: a 24-bit screen whose memory is a file, no GLX (half its start), no network, no key repeat."""
    screen = ["-screen", "0", f"{width}x{height}x24", "-fbdir", frame_dir, "-dpi", "96", "-extension", "GLX"]
    return ["Xvfb", *screen, "-auth", authority, "-nolisten", "tcp", "-nolisten", "local", "-noreset", "-r", "-s", "0"]


def environment(home: str, runtime: str, authority: str, path: str, guest: str, bus: bool) -> dict[str, str]:
    """All the environment that programs on the desktop get: nothing of the host's. ``guest`` is where :data:`GUEST` is."""
    env = {
        "HOME": home,
        "USER": "user",
        "LOGNAME": "user",
        "SHELL": "/bin/bash",
        "PATH": path,
        "LANG": language(),
        "XAUTHORITY": authority,
        "XDG_RUNTIME_DIR": runtime,
        "XDG_SESSION_TYPE": "x11",
        "GDK_BACKEND": "x11",
        "GTK_IM_MODULE": "gtk-im-context-simple",
        "GTK_OVERLAY_SCROLLING": "0",
        "PYTHONPATH": f"{guest}/python",
        "PYTHONPYCACHEPREFIX": f"{runtime}/pycache",
        "QT_QPA_PLATFORM": "xcb",
        "SAL_USE_VCLPLUGIN": "gtk3",
        "XDG_CURRENT_DESKTOP": "GNOME",
        "XDG_DATA_DIRS": f"{guest}/share:/usr/local/share:/usr/share",
        "XMODIFIERS": "@im=none",
    }
    if bus:  # programs tell what is on the screen from their start: too late for those that did not (+20 ms, no slower steps)
        env["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={runtime}/bus"
        env |= {"GTK_MODULES": "gail:atk-bridge", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "GNOME_ACCESSIBILITY": "1"}
    else:
        env["NO_AT_BRIDGE"] = "1"
    return env
