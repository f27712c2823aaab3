"""More rare characters than a keyboard has keycodes for, from a program on the desktop and through the env in turn."""

from __future__ import annotations

import shutil

import pytest

pytest.importorskip("xcffib")

from gui_gym import Action, Task


@pytest.mark.skipif(shutil.which("l3afpad") is None, reason="needs l3afpad")
def test_keycodes_that_two_lend_are_not_mixed_up(require_x11: None) -> None:
    from gui_gym.desktops.x11 import X11Desktop

    rare = ["".join(map(chr, range(start, start + 150))) for start in (0x400, 0x4E00, 0x3A0)]
    desktop = X11Desktop(800, 600, spares=0)
    try:
        desktop.reset(Task("rare", "test", "type"), 0)
        desktop.launch(["l3afpad", "typed.txt"])
        desktop.wait_for_window("typed.txt")
        for text in rare:
            done = desktop.run(["python", "-c", f"import pyautogui; pyautogui.write({text!r})"])
            assert done.returncode == 0, done.stderr
            desktop.perform(Action.type_text("日本語éà" + text[::-1]))
        done = desktop.run(["python", "-c", "import pyautogui; pyautogui.hotkey('ctrl', 's')"])
        desktop.wait_until_idle()
        assert desktop.read_file("typed.txt").decode() == "".join(text + "日本語éà" + text[::-1] for text in rare)
    finally:
        desktop.close()
