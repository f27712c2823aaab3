"""Drives a guest server with the controllers of PyPI ``desktop-env``: arguments as JSON in argv[1], one check a line on stdout.

Its package of metrics, which ``SetupController`` imports one function of, imports every metric at once; a package in its place makes
them importable one by one.
"""

import json
import os
import sys
import time
import types
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import desktop_env.evaluators

package = types.ModuleType("desktop_env.evaluators.metrics")
package.__path__ = [os.path.join(os.path.dirname(desktop_env.evaluators.__file__), "metrics")]
sys.modules[package.__name__] = package

from desktop_env.controllers.python import PythonController  # noqa: E402
from desktop_env.controllers.setup import SetupController  # noqa: E402

HOME = "/home/user"
asked = json.loads(sys.argv[1])
python = PythonController(vm_ip=asked["vm_ip"], server_port=asked["port"])
python.retry_interval = 0.2
setup = SetupController(
    vm_ip=asked["vm_ip"],
    server_port=asked["port"],
    chromium_port=asked["browser_port"],
    cache_dir=asked["cache"],
    client_password="password",
    screen_width=asked["width"],
    screen_height=asked["height"],
)
CHECKS: list[tuple[str, str, Callable[[], Any]]] = []


def check(name: str, what: str = "PythonController") -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """A check: what it returns is shown; an AssertionError, or any other, is a failure."""

    def add(call: Callable[[], Any]) -> Callable[[], Any]:
        CHECKS.append((what, name, call))
        return call

    return add


def step(kind: str, **parameters: Any) -> None:
    """One setup step through their ``setup``."""
    assert setup.setup([{"type": kind, "parameters": parameters}]) is True


def shell(command: str) -> str:
    """What a command of bash prints."""
    done = python.run_bash_script(command)
    assert done is not None and done["status"] == "success", done
    return str(done["output"])


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.2)


@check("get_screenshot")
def _() -> str:
    data = python.get_screenshot()
    assert data is not None
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    assert (width, height) == (asked["width"], asked["height"])
    return f"{width}x{height}, {len(data)} bytes"


@check("get_screenshot 300 times")
def _() -> str:
    start = time.monotonic()
    assert all(python.get_screenshot() for _ in range(300))
    return f"{(time.monotonic() - start) / 300 * 1000:.1f} ms each"


@check("get_vm_platform")
def _() -> str:
    assert python.get_vm_platform() == "Linux"
    return "Linux"


@check("get_vm_screen_size")
def _() -> Any:
    size = python.get_vm_screen_size()
    assert size == {"width": asked["width"], "height": asked["height"]}
    return size


@check("get_vm_desktop_path")
def _() -> Any:
    assert python.get_vm_desktop_path() == f"{HOME}/Desktop"
    return python.get_vm_desktop_path()


@check("execute_python_command")
def _() -> Any:
    done = python.execute_python_command("print('it works')")
    assert done == {"status": "success", "output": "it works\n", "error": "", "returncode": 0}, done
    bad = python.execute_python_command("1 / 0")
    assert bad["returncode"] == 1 and "ZeroDivisionError" in bad["error"]
    return "output, error and exit status"


@check("run_python_script")
def _() -> Any:
    done = python.run_python_script("import sys; print(sys.version_info >= (3,))")
    assert done["status"] == "success" and done["output"] == "True\n" and done["return_code"] == 0, done
    return "True"


@check("run_bash_script")
def _() -> Any:
    done = python.run_bash_script("pwd; echo to stderr >&2; false", working_dir="/tmp")
    assert done["returncode"] == 1 and done["output"] == "/tmp\nto stderr\n", done
    late = python.run_bash_script("sleep 60", timeout=1)
    assert late["returncode"] == -1, late
    return "output, folder, exit status, time limit"


@check("upload_file", "SetupController")
def _() -> Any:
    local = os.path.join(asked["cache"], "local é.bin")
    with open(local, "wb") as file:
        file.write(bytes(range(256)) * 4096)
    step("upload_file", files=[{"local_path": local, "path": f"{HOME}/Documents/up é.bin"}])
    assert python.get_file(f"{HOME}/Documents/up é.bin") == bytes(range(256)) * 4096
    return "1 MiB there and back (get_file)"


@check("get_file of one that is missing")
def _() -> Any:
    assert python.get_file(f"{HOME}/is not there") is None
    assert python.get_file("~/Documents/up é.bin") is not None and python.get_file("$HOME/Documents/up é.bin") is not None
    return "None; ~ and $HOME expanded"


@check("download from their cache", "SetupController")
def _() -> Any:
    url, path = "https://files.example/letter.txt", f"{HOME}/Documents/letter.txt"
    with open(os.path.join(asked["cache"], f"{uuid.uuid5(uuid.NAMESPACE_URL, url)}_letter.txt"), "w") as file:
        file.write("first\n")
    step("download", files=[{"url": url, "path": path}])
    assert python.get_file(path) == b"first\n"
    return "letter.txt"


@check("get_vm_directory_tree")
def _() -> Any:
    tree = python.get_vm_directory_tree(f"{HOME}/Documents")
    assert sorted(child["name"] for child in tree["children"]) == ["letter.txt", "up é.bin"], tree
    return [child["name"] for child in tree["children"]]


@check("execute, command, until, stdout, placeholders", "SetupController")
def _() -> Any:
    step("execute", command=["bash", "-c", "echo {SCREEN_WIDTH_HALF} {CLIENT_PASSWORD}"], stdout="said.txt")
    with open(os.path.join(asked["cache"], "said.txt")) as file:
        said = file.read()
    assert said == f"{asked['width'] // 2} password\n", said
    step("command", command="echo $HOME > /tmp/home.txt", shell=True)
    assert shell("cat /tmp/home.txt") == f"{HOME}\n"
    count = "n=$(cat /tmp/n 2>/dev/null || echo 0); echo $((n+1)) > /tmp/n; [ $n -ge 2 ]"
    step("execute", command=["bash", "-c", count], until={"returncode": 0})
    assert shell("cat /tmp/n") == "3\n"
    return said.strip()


@check("sleep", "SetupController")
def _() -> Any:
    step("sleep", seconds=0.1)
    return "0.1 s"


@check("open", "SetupController")
def _() -> Any:
    step("open", path=f"{HOME}/Documents/letter.txt")
    assert "letter.txt" in shell("wmctrl -l")
    return "the window of letter.txt"


@check("get_vm_window_size")
def _() -> Any:
    size = python.get_vm_window_size("mousepad")
    assert size["width"] > 100 and size["height"] > 100
    return size


@check("typewrite, <, accents, CJK")
def _() -> Any:
    text = 'it\'s <b>"x"</b> \\n é 漢字'
    python.execute_python_command("pyautogui.hotkey('ctrl', 'a')")
    python.execute_action({"action_type": "TYPING", "parameters": {"text": text}})
    python.execute_action({"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "s"]}})
    eventually(lambda: python.get_file(f"{HOME}/Documents/letter.txt").decode().rstrip("\n") == text)
    return text


@check("computer_13's mouse and keys")
def _() -> Any:
    for action in (
        {"action_type": "MOVE_TO", "parameters": {"x": 400, "y": 300}},
        {"action_type": "CLICK", "parameters": {"button": "left", "x": 401, "y": 301, "num_clicks": 2}},
        {"action_type": "CLICK", "parameters": {}},
        {"action_type": "MOUSE_DOWN", "parameters": {"button": "left"}},
        {"action_type": "MOUSE_UP", "parameters": {"button": "left"}},
        {"action_type": "DOUBLE_CLICK", "parameters": {"x": 402, "y": 302}},
        {"action_type": "DRAG_TO", "parameters": {"x": 500, "y": 350}},
        {"action_type": "SCROLL", "parameters": {"dx": 1, "dy": -2}},
        {"action_type": "PRESS", "parameters": {"key": "left"}},
        {"action_type": "KEY_DOWN", "parameters": {"key": "shift"}},
        {"action_type": "KEY_UP", "parameters": {"key": "shift"}},
        {"action_type": "RIGHT_CLICK", "parameters": {"x": 410, "y": 310}},
        {"action_type": "PRESS", "parameters": {"key": "esc"}},
    ):
        python.execute_action(action)
    done = python.execute_python_command("print(tuple(pyautogui.position()))")
    assert done["output"].strip() == "(410, 310)", done
    return "position (410, 310)"


@check("a key that is none")
def _() -> Any:
    done = python.execute_python_command("pyautogui.press('nosuchkey')")
    return f"exit status {done['returncode']}: {done['error'].strip().splitlines()[-1][:80] if done['error'] else 'nothing said'}"


@check("activate_window, close_window", "SetupController")
def _() -> Any:
    step("activate_window", window_name="letter.txt")
    step("activate_window", window_name="no such window")
    step("execute", command=["wmctrl", "-c", "letter.txt"])
    eventually(lambda: "letter.txt" not in shell("wmctrl -l"))
    step("launch", command=["mousepad", "--disable-server", f"{HOME}/Documents/letter.txt"])
    eventually(lambda: "letter.txt" in shell("wmctrl -l"))
    step("close_window", window_name="letter.txt")
    eventually(lambda: "letter.txt" not in shell("wmctrl -l"))
    return "raised and closed"


@check("launch", "SetupController")
def _() -> Any:
    step("launch", command="xmessage -title hello text")
    step("launch", command=["mousepad", "--disable-server"])
    eventually(lambda: "Untitled" in shell("wmctrl -l"))
    return "the window of a program"


@check("execute_with_verification", "SetupController")
def _() -> Any:
    step(
        "execute_with_verification", command=["true"], verification={"window_exists": "Untitled", "command_success": "test -d /tmp"}, max_wait_time=5
    )
    try:
        step("execute_with_verification", command=["true"], verification={"window_exists": "no such window"}, max_wait_time=1, check_interval=0.2)
    except Exception as error:
        assert "verification" in str(error)
        return "passed, and failed where it must"
    raise AssertionError("it passed without the window")


@check("get_accessibility_tree")
def _() -> Any:
    tree = ET.fromstring(python.get_accessibility_tree())
    names = [node.get("name", "") for node in tree.iter()]
    assert tree.tag.endswith("desktop-frame") and any("Untitled" in name for name in names), (tree.tag, names[:20])
    return f"{len(names)} nodes"


@check("change_wallpaper, get_vm_wallpaper", "SetupController")
def _() -> Any:
    picture = python.get_screenshot()
    local = os.path.join(asked["cache"], "wallpaper.png")
    with open(local, "wb") as file:
        file.write(picture)
    step("upload_file", files=[{"local_path": local, "path": f"{HOME}/Pictures/wallpaper.png"}])
    step("change_wallpaper", path=f"{HOME}/Pictures/wallpaper.png")
    assert python.get_vm_wallpaper() == picture
    return f"{len(picture)} bytes"


@check("get_terminal_output")
def _() -> Any:
    assert python.get_terminal_output() is None
    step("launch", command=["gnome-terminal"])
    eventually(lambda: "Terminal" in shell("wmctrl -lx"), 40)
    time.sleep(2)
    python.execute_action({"action_type": "TYPING", "parameters": {"text": "echo hello-$((6*7))\n"}})
    eventually(lambda: "hello-42" in (python.get_terminal_output() or ""))
    return "hello-42"


@check("start_recording, end_recording")
def _() -> Any:
    path = os.path.join(asked["cache"], "recording.mp4")
    python.start_recording()
    python.execute_action({"action_type": "MOVE_TO", "parameters": {"x": 40, "y": 30}})
    time.sleep(1)
    python.end_recording(path)
    with open(path, "rb") as file:
        data = file.read()
    assert data[4:8] == b"ftyp" and len(data) > 1000
    return f"{len(data)} bytes of mp4"


@check("chrome_open_tabs, chrome_close_tabs", "SetupController")
def _() -> Any:
    step("launch", command=["google-chrome", "--remote-debugging-port=1337"])
    step("launch", command=["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"])
    for name in ("one", "two"):
        shell(f"echo '<title>page {name}</title>' > /tmp/{name}.html")
    setup._chrome_open_tabs_setup(urls_to_open=["file:///tmp/one.html", "file:///tmp/two.html"])
    eventually(lambda: "page two" in shell("wmctrl -l"))
    setup._chrome_close_tabs_setup(urls_to_close=["file:///tmp/two.html"])
    eventually(lambda: "page one" in shell("wmctrl -l"))
    return "two tabs, then one"


for what, name, call in CHECKS:
    if asked["only"] and not any(word in name for word in asked["only"]):
        continue
    start = time.monotonic()
    try:
        verdict, detail = "ok", str(call())
    except Exception as error:  # whatever it is, it is the verdict
        verdict, detail = "FAILED", f"{type(error).__name__}: {error}"
    seconds = round(time.monotonic() - start, 2)
    print(json.dumps({"what": what, "check": name, "verdict": verdict, "seconds": seconds, "detail": detail[:400]}), flush=True)
