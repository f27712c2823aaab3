"""What a desktop's user finds: environment, settings, folders, and how its X server and window manager are started."""

from __future__ import annotations

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

#: Programs and modules that a desktop has besides those of the machine (:mod:`gui_gym.desktops.x11.guest`), and other names of them.
GUEST = Path(__file__).with_name("guest")
GUEST_LINKS = {
    "bin/google-chrome-stable": "google-chrome",
    "bin/chromium": "google-chrome",
    "bin/chromium-browser": "google-chrome",
    "bin/apt-get": "apt",
    "bin/pip3": "pip",
    "bin/python": "/usr/bin/python3",
    "bin/python3": "/usr/bin/python3",
}


def guest_files() -> dict[str, Path]:
    """The files of :data:`GUEST`, by their path below it."""
    return {str(path.relative_to(GUEST)): path for folder in ("bin", "python") for path in sorted((GUEST / folder).glob("*")) if path.is_file()}


OPENBOX = Path(__file__).with_name("openbox.xml")


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
        "LANG": "C.UTF-8",
        "XAUTHORITY": authority,
        "XDG_RUNTIME_DIR": runtime,
        "XDG_SESSION_TYPE": "x11",
        "GDK_BACKEND": "x11",
        "GTK_IM_MODULE": "gtk-im-context-simple",
        "GTK_OVERLAY_SCROLLING": "0",
        "NO_AT_BRIDGE": "1",
        "PYTHONPATH": f"{guest}/python",
        "QT_QPA_PLATFORM": "xcb",
        "XMODIFIERS": "@im=none",
    }
    if bus:
        env["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={runtime}/bus"
    return env
