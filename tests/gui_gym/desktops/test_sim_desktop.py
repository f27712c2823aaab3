"""The simulated desktop keeps the Desktop contract."""

import dataclasses
import json
import pickle
import time
import tracemalloc
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from gui_gym.actions import Action, Key
from gui_gym.assets_path import asset
from gui_gym.desktops import DesktopError, DesktopFileNotFoundError, make_desktop
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps.files import Files
from gui_gym.desktops.sim.look import METRICS, THEMES, look_for
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.tasks import Task, TaskError
from gui_gym.tasks.sim import FAMILIES, SimSuite
from gui_gym.verifiers import EndReason, Outcome, Score, verify

SUITE = SimSuite()


def test_it_is_the_desktop_called_sim() -> None:
    desktop = make_desktop("sim", 320, 200, unsafe_no_sandbox=True)
    assert isinstance(desktop, SimDesktop) and desktop.kind == "sim" and not desktop.real and desktop.timing() == {}
    with pytest.raises(ValueError, match="at least 16x16"):
        SimDesktop(15, 200)


def test_a_screenshot_is_a_new_array_or_the_one_given() -> None:
    desktop = SimDesktop(320, 200)
    desktop.reset(SUITE.get("click-button#1"), 0)
    first = desktop.screenshot()
    kept, out = first.copy(), np.zeros((200, 320, 3), np.uint8)
    assert desktop.screenshot(out) is out and np.array_equal(out, first)
    desktop.perform(Action.move(5, 5))
    assert not np.array_equal(desktop.screenshot(), kept) and np.array_equal(first, kept)


def test_nothing_of_an_earlier_episode_survives_a_reset() -> None:
    task, fresh, used = SUITE.get("edit-and-save#1"), SimDesktop(640, 400), SimDesktop(640, 400)
    fresh.reset(task, 0)
    used.reset(SUITE.get("rename-file#1"), 0)
    for action in (Action.key_down(Key.SHIFT), Action.mouse_down(200, 200), Action.press("capslock"), Action.wait_for(60), Action.type_text("x")):
        used.perform(action)
    used.write_file("/left/behind", b"1")
    used.reset(task, 99)
    assert used.state == fresh.state and np.array_equal(used.screenshot(), fresh.screenshot())


def test_files_are_bytes_and_a_missing_one_is_told_from_a_failure() -> None:
    desktop = SimDesktop(320, 200)
    data = "naïve\n".encode() + b"\xff\x00"
    desktop.write_file("/home/user/a.bin", data)
    assert desktop.read_file("/home/user/a.bin") == data
    with pytest.raises(DesktopFileNotFoundError):
        desktop.read_file("/home/user/b.bin")
    with pytest.raises(DesktopError, match="runs no programs"):
        desktop.run(["true"])


def test_a_snapshot_brings_state_and_picture_back_at_any_moment() -> None:
    task = SUITE.get("edit-and-save#3")
    desktop = SimDesktop(640, 400)
    desktop.reset(task, 0)
    solution, start = SUITE.solution(task, desktop)[:-1], desktop.copy_state()
    for cut in range(len(solution)):
        snapshot, frame = desktop.snapshot(), desktop.screenshot()
        for action in solution[cut:]:
            desktop.perform(action)
        end = desktop.screenshot()
        desktop.restore(snapshot)
        assert np.array_equal(desktop.screenshot(), frame) and (desktop.state, desktop.start) == (pickle.loads(snapshot)[0], start)
        for action in solution[cut:]:
            desktop.perform(action)
        assert np.array_equal(desktop.screenshot(), end)
        desktop.restore(snapshot)
        desktop.perform(solution[cut])
        assert desktop.start == start
    other = SimDesktop(640, 400)
    other.restore(desktop.snapshot())
    assert verify(task, other, Outcome(EndReason.DONE)) == Score.of(1)
    with pytest.raises(ValueError, match="expected a snapshot of a sim desktop of 320x200"):
        SimDesktop(320, 200).restore(desktop.snapshot())


def test_the_state_is_plain_data() -> None:
    def plain(value: object) -> str:
        assert isinstance(value, Decimal | date | bytes), f"{value!r} is not plain"
        return str(value)

    desktop = SimDesktop(640, 400)
    for family in FAMILIES.names():
        desktop.reset(SUITE.get(f"{family}#4"), 0)
        assert json.loads(json.dumps(dataclasses.asdict(desktop.state), default=plain))["width"] == 640


def test_a_closed_desktop_fails_loudly() -> None:
    desktop = SimDesktop(320, 200)
    assert desktop.healthy()
    desktop.close()
    desktop.close()
    assert not desktop.healthy()
    for use in (desktop.screenshot, lambda: desktop.perform(Action.move(1, 1)), lambda: desktop.reset(SUITE.get("click-button"), 0)):
        with pytest.raises(DesktopError, match="closed"):
            use()


def test_setup_steps() -> None:
    desktop = SimDesktop(320, 200)
    desktop.reset(Task("t", "mine", "-", setup=({"type": "files", "parameters": {"files": {"/a": "b"}}},)), 0)
    assert desktop.read_file("/a") == b"b"
    with pytest.raises(TaskError, match="no setup step 'launch'.*family, files"):
        desktop.reset(Task("t", "osworld", "-", setup=({"type": "launch", "parameters": {}},)), 0)
    half = {"type": "family", "parameters": {"seed": 1}}
    for step, expected in (({"type": "files"}, "maps paths to texts"), (half, "family, goal, language are missing")):
        with pytest.raises(TaskError, match=expected):
            desktop.reset(Task("t", "mine", "-", setup=(step,)), 0)


def test_the_accessibility_tree_holds_every_widget_with_role_name_bounds_and_value() -> None:
    desktop = SimDesktop(1280, 720)
    desktop.reset(SUITE.get("fill-form#1"), 0)
    tree = json.loads(json.dumps(desktop.accessibility_tree()))
    nodes = []

    def walk(node: dict) -> None:
        assert set(node) == {"role", "name", "bounds", "value", "children"} and len(node["bounds"]) == 4
        nodes.append(node)
        for child in node["children"]:
            walk(child)

    walk(tree)
    assert {"desktop frame", "dialog", "push button", "text", "combo box", "check box", "label"} <= {node["role"] for node in nodes}
    for window in desktop.state.windows:
        for widget in window.widgets:
            assert any(n["role"] == widget.role and n["bounds"] == list(window.rect_of(widget)) and n["value"] == widget.value for n in nodes)
    x, y, w, h = next(n["bounds"] for n in nodes if n["role"] == "combo box")
    desktop.perform(Action.click(x + w // 2, y + h // 2))
    menu = desktop.accessibility_tree()["children"][0]
    assert menu["role"] == "menu" and len(menu["children"]) == 4


def fits(family: str, size: tuple[int, int]) -> bool:
    """Whether a family's tasks may be shown on a screen of this size."""
    least = FAMILIES.get(family).min_size
    return size[0] >= least[0] and size[1] >= least[1]


SCREENS = [(1920, 1080), (1280, 720), (640, 400), (320, 200)]


@pytest.mark.parametrize(("family", "size"), [(family, size) for size in SCREENS for family in FAMILIES.names() if fits(family, size)])
def test_everything_that_must_be_read_can_be_read(family: str, size: tuple[int, int]) -> None:
    """No title, button, option or cell is cut short, and no window hangs over the edge."""
    desktop = SimDesktop(*size)
    for seed in range(2):
        desktop.reset(SUITE.get(f"{family}#{seed}"), 0)
        look, (_, _, width, height) = desktop.session.look, desktop.session.work_area
        for window in desktop.state.windows:
            assert window.x >= 0 and window.y >= 0 and window.x + window.w <= width and window.y + window.h <= height
            assert look.bold.width(window.title) <= desktop.session.close_rect(window)[0] - window.x - look.size.pad - look.size.gap
            for widget in window.widgets:
                if not widget.w:
                    continue  # it is left out for want of room
                assert 0 < widget.x and widget.x + widget.w < window.w and widget.y + widget.h < window.h, (window.id, widget.id)
                room = {Button: widget.w - 4, CheckBox: widget.w - look.size.font - 2 - look.size.gap}.get(type(widget))
                assert room is None or look.sans.width(widget.name) <= room, (window.id, widget.name)
                if type(widget) is ListView and (not window.resizable or isinstance(window, Files)):  # else it can be made wider
                    inner = widget.w - 2 - look.size.gap - (widget.track(look)[2] if widget.thumb(look) else 0)
                    for row in widget.rows:
                        for cell, share in zip(row, widget.shares, strict=True):
                            indent = widget.indent(look) if cell == row[0] else 0
                            assert look.sans.width(cell) <= inner * share // 100 - look.size.gap - indent, cell


def test_every_size_and_theme_has_a_look() -> None:
    for (width, height), metrics in METRICS:
        for theme in THEMES:
            assert look_for(max(width, 16), max(height, 16), theme).size == metrics


def test_assets_are_found_and_a_missing_one_is_named() -> None:
    assert asset("fonts", "index.json").is_file()
    with pytest.raises(FileNotFoundError, match="fonts/none.png"):
        asset("fonts", "none.png")


def test_a_thousand_resets_leak_nothing() -> None:
    desktop = SimDesktop(160, 120)
    task = SUITE.get("press-the-button#1")

    def resets(n: int) -> None:
        for _ in range(n):
            desktop.reset(task, 0)
            desktop.screenshot()

    resets(50)
    tracemalloc.start()
    resets(1000)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 200_000


def test_no_wall_clock_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> float:
        raise AssertionError("a wall clock was read")

    for name in ("time", "monotonic", "perf_counter", "sleep"):
        monkeypatch.setattr(time, name, forbidden)
    desktop = SimDesktop(320, 200)
    task = SUITE.get("fill-form#2")
    desktop.reset(task, 0)
    for action in [*SUITE.solution(task, desktop)[:-1], Action.wait_for(60)]:
        desktop.perform(action)
        desktop.screenshot()
