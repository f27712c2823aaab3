"""What a desktop's user finds: programs that keep their word, settings that stay for the episode, a menu to start programs from."""

from __future__ import annotations

import json
import os

import pytest
from x11_helpers import EMPTY, eventually, needs

from gui_gym import Action, Button, DesktopError, Key, Modifier
from gui_gym.desktops.x11 import menu, profile, sandbox

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")


@pytest.fixture
def shell(x11_shared):
    """``shell(script)`` runs a script on a desktop that tests share and gives its exit status and output, both streams together."""
    if not x11_shared.healthy():
        x11_shared.reset(EMPTY, 0)

    def run(script: str) -> tuple[int, str]:
        done = x11_shared.run(["bash", "-c", "exec 2>&1; " + script])
        return done.returncode, done.stdout.decode(errors="replace")

    return run


# -- programs that keep their word -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "code", "output"),
    [
        ("echo secret | sudo -S mkdir sudo-made && ls -d sudo-made", 0, "sudo-made\n"),
        ("echo secret | sudo -S bash -c 'cat; echo $0' <<< $'secret\\nrest'", 0, "rest\nbash\n"),
        ("sudo -n -E A=b printenv A", 0, "b\n"),
        ("sudo -u user -- echo -S", 0, "-S\n"),
        ("sudo -i echo hello", 0, "hello\n"),
        ("sudo id -u", 0, "1000\n"),
        ("sudo -u charles id", 1, "sudo: unknown user charles\n"),
        ("sudo no-such-program; echo $?", 0, "sudo: no-such-program: command not found\n127\n"),
        ("sudo cat /etc/shadow", 1, "cat: /etc/shadow: No such file or directory\n"),
        ("sudo touch /usr/bin/x", 1, "touch: cannot touch '/usr/bin/x': Read-only file system\n"),
        ("apt-get update -y", 0, "W: this machine has no network: the lists of packages stay as they are\n"),
        ("sudo apt install -y python3 bubblewrap", 0, "python3 is already the newest version.\nbubblewrap is already the newest version.\n"),
        ("apt-get install -y no-such-package", 100, "E: Unable to install no-such-package: this machine has no network\n"),
        ("apt remove python3", 100, "E: remove cannot be done: this machine has no network, and its programs cannot be changed\n"),
        ("pip install pyautogui", 0, "Requirement already satisfied: pyautogui\n"),
        ("pip3 install no-such-package", 1, "ERROR: No matching distribution found for no-such-package: this machine has no network\n"),
        ("timedatectl set-timezone Nowhere/City", 1, "Failed to set time zone: Invalid or not installed time zone 'Nowhere/City'\n"),
        ("timedatectl set-timezone ../../../etc/passwd >/dev/null", 1, None),
        ("timedatectl set-ntp true", 1, None),
        ("hostname; getent hosts desktop | cut -d' ' -f1", 0, "desktop\n127.0.0.1\n"),
        ("touch /opt/gui-gym/bin/x; echo x > /opt/gui-gym/bin/sudo", 1, None),
    ],
)
def test_a_program_does_what_it_says_or_says_that_it_cannot(shell, script, code, output):
    done = shell(script)
    assert done[0] == code and output in (None, done[1]), done


def test_the_time_zone_can_be_set_and_programs_follow_it(shell):
    line = "timedatectl status | sed -n 4p; date +%z; python3 -c 'import time; print(time.tzname[0])'"
    assert shell(line)[1] == f"                Time zone: {profile.TIME_ZONE} (HKT, +0800)\n+0800\nHKT\n"
    assert shell("timedatectl set-timezone UTC; " + line)[1] == "                Time zone: UTC (UTC, +0000)\n+0000\nUTC\n"


def test_python_is_the_system_s(shell):
    script = "for name in python python3; do $name -c 'import sys, pyautogui; print(sys.prefix, pyautogui.size())'; done"
    assert shell(script) == (0, "/usr (800, 600)\n" * 2)


# -- pyautogui -------------------------------------------------------------------------------------------------------

TEXT = "Hello <World> & \"quotes\" 'x' naïve – 日本語 😀 ~`|\\{}[]^_@#$%ß\n\tend €"


@pytest.fixture
def python(x11):
    """``python(code)`` runs code with pyautogui on a fresh desktop and gives its exit status and output."""

    def run(code: str) -> tuple[int, str]:
        done = x11.run(["python", "-c", "import pyautogui; " + code])
        return done.returncode, (done.stdout + done.stderr).decode()

    return run


@needs("l3afpad")
def test_what_pyautogui_types_arrives_exactly(x11, python):
    """Also among what is typed through the env: a keycode that one lends to a rare character is not the other's."""
    x11.launch(["l3afpad", "typed.txt"])
    x11.wait_for_window("typed.txt")
    assert python(f"pyautogui.write({TEXT!r})") == (0, "")
    x11.perform(Action.type_text("日本語éà"))
    assert python("pyautogui.typewrite('中文éà'); pyautogui.press('enter'); pyautogui.write(['a', 'b', 'left', 'c'])") == (0, "")
    x11.perform(Action.type_text("日本語éà"))
    assert python("pyautogui.press('end'); pyautogui.press(['x', 'y'], presses=2); pyautogui.hotkey(['ctrl', 's'])") == (0, "")
    x11.wait_until_idle()
    assert x11.read_file("typed.txt").decode() == TEXT + "日本語éà中文éà\nac日本語éàbxyxy"


@needs("mousepad")
def test_pyautogui_s_mouse(x11, python):
    x11.launch(["mousepad", "--disable-server", "lines.txt"])
    x, y, width, height = x11.wait_for_window("lines.txt").bounds
    x11.perform(Action.type_text("one two three"))
    assert python(
        "pyautogui.moveTo(10, 20); print(pyautogui.position(), pyautogui.onScreen(800, 0)); pyautogui.move(5, -3); print(pyautogui.position())"
    ) == (
        0,
        "(10, 20) False\n(15, 17)\n",
    )
    assert python(f"pyautogui.doubleClick(x={x + 20}, y={y + 35}); pyautogui.write('zero')") == (0, "")
    python("pyautogui.keyDown('ctrl'); pyautogui.press('s'); pyautogui.keyUp('ctrl')")
    x11.wait_until_idle()
    assert x11.read_file("lines.txt") == b"zero two three"
    drag = (
        f"pyautogui.moveTo({x + 5}, {y + 35}); pyautogui.dragTo({x + width - 20}, {y + 35}); pyautogui.press('delete'); pyautogui.hotkey('ctrl', 's')"
    )
    assert python(drag) == (0, "")
    x11.wait_until_idle()
    assert x11.read_file("lines.txt").strip() == b""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("pyautogui.press('no-such-key')", "ValueError: there is no key 'no-such-key'"),
        ("pyautogui.hotkey('ctrl', 'nokey')", "ValueError: there is no key 'nokey'"),
        ("pyautogui.click(1, 1, button='thumb')", "ValueError: there is no button 'thumb'"),
        ("pyautogui.screenshot()", "AttributeError: pyautogui.screenshot is not on this desktop"),
        ("pyautogui.moveTo(0, 0); pyautogui.click()", "FailSafeException"),
    ],
)
def test_what_pyautogui_cannot_do_is_an_error(shell, x11_shared, code, message):
    done = x11_shared.run(["python", "-c", "import pyautogui; pyautogui.PAUSE = 0; " + code])
    assert done.returncode == 1 and message in done.stderr.decode()


# -- settings --------------------------------------------------------------------------------------------------------


@needs("gsettings")
def test_settings_are_kept_for_the_episode(x11, shell):
    get, change = "gsettings get org.gnome.desktop.interface text-scaling-factor", "gsettings set org.gnome.desktop.interface text-scaling-factor 1.5"
    assert shell(f"{get}; {change}; {get}") == (0, "1.0\n1.5\n")
    assert shell(f"pkill dconf-service; {get}; export DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus; {get}") == (0, "1.5\n1.5\n")
    x11.reset(EMPTY, 0)
    assert shell(get) == (0, "1.0\n")


@needs("xdg-mime")
def test_the_user_chooses_what_opens_a_file(x11, tmp_path):
    from gui_gym.tasks.setup import Stage
    from gui_gym.verifiers.osworld.getters import GETTERS
    from gui_gym.verifiers.osworld.getters.system import VIDEO_TYPES

    kinds = ";".join(f"video/{kind}" for kind in VIDEO_TYPES)
    for name in ("one", "two"):
        x11.write_file(
            f"~/.local/share/applications/{name}.desktop",
            f"[Desktop Entry]\nType=Application\nName={name}\nExec=true %f\nMimeType={kinds};\n".encode(),
        )
    player = GETTERS.get("default_video_player")
    stage = Stage(EMPTY, x11, tmp_path)
    for name in ("one.desktop", "two.desktop"):
        assert x11.run(["xdg-mime", "default", name, *kinds.split(";")]).returncode == 0
        assert player.get(stage, {}) == name


def test_a_new_home_holds_no_more_than_is_said(x11, shell):
    files = [name for name in shell("find ~ -type f -printf '%P\\n'")[1].split() if not name.startswith(".cache/openbox/")]
    assert sorted(files) == sorted(profile.home_files())
    assert {name.split("/")[1] for name in files if name.startswith(".config/")} == {
        "google-chrome", "gtk-3.0", "gtk-4.0", "libreoffice", "pulse", "user-dirs.dirs", "user-dirs.locale", "vlc"
    }  # fmt: skip
    assert shell("printenv LANG")[1].strip() in ("en_US.UTF-8", "C.UTF-8")


@needs("pulseaudio", "pactl")
def test_the_sound_is_at_less_than_full_and_can_be_set(x11, shell):
    volume = "pactl list sinks | grep '^[[:space:]]Volume:' | awk '{print $5}'"
    assert shell(volume) == (0, "40%\n")
    assert shell(f"pactl set-sink-volume @DEFAULT_SINK@ 100%; pulseaudio -k; sleep 0.5; pulseaudio --start; {volume}") == (0, "100%\n"), "it stays"


# -- the browser -----------------------------------------------------------------------------------------------------


def get(desktop, port: int, path: str) -> dict:
    with desktop.connect(port) as connection:
        connection.settimeout(10)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
        data = b""
        while b"\r\n\r\n" not in data or len(data.partition(b"\r\n\r\n")[2]) < int(data.lower().partition(b"content-length:")[2].split()[0]):
            data += connection.recv(65536)
    return json.loads(data.partition(b"\r\n\r\n")[2])


@needs("chromium", "socat")
def test_chrome_is_what_tasks_expect(x11):
    x11.launch(["google-chrome", "--remote-debugging-port=1337"])
    x11.launch(["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"])
    window = x11.wait_for_window("New Tab")
    assert window.wm_class == "google-chrome.Google-chrome" and len(x11.windows()) == 1, "no first questions"

    def answers() -> bool:
        try:
            return "Chrome/" in get(x11, 9222, "/json/version")["Browser"]
        except (DesktopError, TimeoutError, ValueError, IndexError):
            return False

    assert eventually(answers)
    assert x11.run(["test", "-d", "/home/user/.config/google-chrome/Default"]).returncode == 0
    names = x11.run(["ps", "-eo", "comm,args"]).stdout.decode()
    assert "--no-sandbox" not in names and sum(line.startswith("chrome ") for line in names.splitlines()) >= 3
    assert x11.run(["pkill", "chrome"]).returncode == 0
    assert eventually(lambda: not x11.windows() and x11.run(["pgrep", "-x", "chrome"]).returncode == 1)


# -- starting programs -----------------------------------------------------------------------------------------------


def test_the_menu_holds_the_programs_that_are_there():
    files = menu.manager_files("/run/x", {"xterm", "mousepad", "google-chrome", "mpv"}.__contains__)
    assert list(files) == ["/run/x/menu.xml", "/run/x/openbox.xml"]
    items = [part.split('"')[0] for part in files["/run/x/menu.xml"].split('label="')[2:]]
    assert items == ["Terminal", "Text Editor", "Google Chrome", "mpv Media Player"]
    assert files["/run/x/menu.xml"].count("<separator/>") == 2
    assert "<command>xterm</command>" in files["/run/x/openbox.xml"] and "/run/x/menu.xml" in files["/run/x/openbox.xml"]


@needs("l3afpad", "mousepad")
def test_programs_start_from_the_desktop(x11, monkeypatch):
    monkeypatch.setattr(menu, "MENU", ({"Terminal": ("l3afpad",), "Text Editor": ("mousepad --disable-server",)},))
    x11.reset(EMPTY, 0)
    x11.perform(Action.press(Key.T, Modifier.CTRL, Modifier.ALT))
    x11.wait_for_window("l3afpad", by_class=True)
    before = x11.screenshot()
    x11.perform(Action.click(40, 40, Button.RIGHT))
    assert (x11.screenshot() != before).any(axis=2).sum() > 500, "the menu is shown"
    x11.perform(Action.click(60, 70))
    x11.wait_for_window("mousepad", by_class=True)
    x11.perform(Action.press(Key.F1, Modifier.ALT))
    x11.perform(Action.press(Key.DOWN))
    x11.perform(Action.press(Key.ENTER))
    assert eventually(lambda: len(x11.windows()) == 3)


@needs("dbus-daemon")
def test_programs_that_the_bus_starts_find_the_screen(shell):
    code, text = shell("tr '\\0' '\\n' < /proc/$(pgrep dbus-daemon | head -1)/environ")
    assert code == 0 and "DISPLAY=:" in text and "HOME=/home/user\n" in text


def test_programs_that_are_shims_count_as_there(monkeypatch):
    monkeypatch.setattr(sandbox, "PATH", os.devnull)
    assert sandbox.has_program("sudo") and sandbox.has_program("apt-get") and sandbox.has_program("python")
    assert not sandbox.has_program("google-chrome"), "Chromium is not"
