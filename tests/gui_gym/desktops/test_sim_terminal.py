import numpy as np
import pytest
from sim_rig import Rig, fuzz

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim.apps.terminal import Terminal, open_terminal
from gui_gym.desktops.sim.widgets.console import MAX_LINES, Console

HOME = "/home/user"
FILES = {
    f"{HOME}/Documents/notes.txt": "one\ntwo\n",
    f"{HOME}/Documents/my list.txt": "x\n",
    f"{HOME}/Music/": "",
    f"{HOME}/Documents/sub/a.csv": "1,2\n",
}


class Shelled(Rig):
    """A terminal, used by keyboard and mouse."""

    def __init__(self, width: int = 640, height: int = 400):
        super().__init__(FILES, (width, height))
        window = open_terminal(self.session)
        assert isinstance(window, Terminal)
        self.window = window

    @property
    def console(self) -> Console:
        return self.window.console

    @property
    def shown(self) -> list[str]:
        return [text for _, text in self.console.lines]


def test_lines_are_run_as_they_are_typed() -> None:
    s = Shelled()
    s.type("cd Documents\nls\necho three >> notes.txt\ncat notes.txt\n")
    assert s.shown == [
        "user@desktop:~$ cd Documents",
        "user@desktop:~/Documents$ ls",
        "my list.txt  notes.txt  sub",
        "user@desktop:~/Documents$ echo three >> notes.txt",
        "user@desktop:~/Documents$ cat notes.txt",
        "one",
        "two",
        "three",
    ]
    assert s.files[f"{HOME}/Documents/notes.txt"] == "one\ntwo\nthree\n" and s.window.title == "~/Documents - Terminal"


def test_history_and_editing_keys() -> None:
    s = Shelled()
    s.type("pwd\nls\nechoo")
    for _ in range(3):
        s.press(Key.UP)
    assert s.console.input == "pwd"
    s.press(Key.DOWN)
    assert s.console.input == "ls"
    s.press(Key.DOWN)
    assert s.console.input == "echoo"
    s.press(Key.BACKSPACE)
    s.type(" one two")
    s.press(Key.W, Modifier.CTRL)
    s.press(Key.A, Modifier.CTRL)
    s.press(Key.RIGHT, Modifier.CTRL)
    s.press(Key.DELETE)
    assert s.console.input == "echoone "
    s.press(Key.HOME)
    s.press(Key.K, Modifier.CTRL)
    s.type("rm x")
    s.press(Key.C, Modifier.CTRL)
    assert s.shown[-1] == "user@desktop:~$ rm x^C" and s.console.input == ""
    s.type("abc")
    s.press(Key.U, Modifier.CTRL)
    s.press(Key.L, Modifier.CTRL)
    assert s.shown == [] and s.console.input == ""


def test_tab_completes_names() -> None:
    s = Shelled()
    s.type("cat Doc\tno\t")
    assert s.console.input == "cat Documents/notes.txt "
    s.press(Key.U, Modifier.CTRL)
    s.type("cat ~/Documents/m\t")
    assert s.console.input == "cat ~/Documents/my\\ list.txt "
    s.type("\n")
    assert s.shown[-1] == "x"
    s.type("hi\t \t")
    assert s.console.input.startswith("history ")
    s.press(Key.U, Modifier.CTRL)
    s.type("ls \t")
    assert s.shown[-1] == "Desktop/  Documents/  Downloads/  Music/  Pictures/" and s.console.input == "ls "


def test_text_is_copied_and_pasted() -> None:
    s = Shelled()
    s.type("echo first second\n")
    x, y, _, _ = s.window.rect_of(s.console)
    font, gap = s.session.look.mono, s.session.look.size.gap
    row = y + gap + font.height + font.height // 2
    s.do(Action.click(x + gap + font.width("first se"), row, clicks=2))
    s.press(Key.C, Modifier.CTRL, Modifier.SHIFT)
    assert s.state.clipboard == "second"
    s.do(Action.drag(x + gap, row, x + gap + font.width("first"), row))
    s.do(Action.click(x + gap, row, button=Button.RIGHT))
    s.choose("Copy")
    assert s.state.clipboard == "first"
    s.state.clipboard = "mkdir made\nls Mus"
    s.press(Key.V, Modifier.CTRL, Modifier.SHIFT)
    assert f"{HOME}/made/" in s.files and s.console.input == "ls Mus"


def test_what_is_printed_is_bounded_and_scrolls() -> None:
    s = Shelled(640, 400)
    s.files[f"{HOME}/big"] = "line\n" * 3000
    s.type("cat big\n")
    assert len(s.console.lines) == MAX_LINES and s.console.top > 300
    s.press(Key.PAGE_UP)
    x, y, w, h = s.window.rect_of(s.console)
    top = s.console.top
    s.do(Action.scroll_by(x + 20, y + 20, dy=-3))
    assert s.console.top == top - 9
    s.type("clear\n")
    assert s.shown == [] and s.console.top == 0


def test_exit_open_and_a_folder_that_is_removed() -> None:
    s = Shelled()
    s.type("cd Documents/sub\n")
    del s.files[f"{HOME}/Documents/sub/a.csv"]
    s.session.files_changed()
    assert s.window.shell.folder == f"{HOME}/Documents"
    s.type("open notes.txt\n")
    assert s.state.windows[-1].id == f"editor:{HOME}/Documents/notes.txt"
    s.session.activate(s.window)
    s.press(Key.D, Modifier.CTRL)
    assert s.state.window("terminal") is None


def test_the_prompt_follows_the_computer_name_and_the_room() -> None:
    s = Shelled()
    s.session.change_setting("computer_name", "lab7")
    assert s.console.prompt == "user@lab7:~$ "
    s.session.resize(s.window, s.window.x, s.window.y, 300, 200)
    assert s.console.prompt == "~$ "
    s.check()


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (320, 200), (128, 96)])
def test_random_input(size: tuple[int, int]) -> None:
    texts = [
        "ls -la\n",
        "cat *",
        "cat Doc\t",
        "\t\t\n",
        "a" * 3000,
        "日本🦊",
        "\ud800\x00",
        "echo '",
        "\n" * 9,
        "exit",
        "find / | sort -r\n",
        "rm -r *\n",
    ]
    for seed in range(2):
        fuzz(Shelled(*size), np.random.default_rng(seed), 120, texts)
