from datetime import datetime

import pytest

from gui_gym.desktops.sim.commands.call import MAX_FILES, MAX_OUTPUT
from gui_gym.desktops.sim.commands.patterns import Pattern, PatternError
from gui_gym.desktops.sim.commands.shell import PROGRAMS, Shell

NOW = datetime(2026, 3, 11, 9, 5)
HOME = "/home/user"


@pytest.fixture
def files() -> dict[str, str]:
    return {
        f"{HOME}/Documents/a b.txt": "one\ntwo\nThree\ntwo",
        f"{HOME}/Documents/x.tmp": "",
        f"{HOME}/notes.txt": "10 b\n9 a\n",
        f"{HOME}/.hidden": "h\n",
        f"{HOME}/Pictures/": "",
    }


def run(files: dict[str, str], *lines: str, columns: int = 80) -> list[str]:
    """What the last of some lines prints."""
    shell, printed = Shell(), []
    for line in lines:
        printed = shell.run(files, line, NOW, columns)
    return printed


@pytest.mark.parametrize(
    "line, printed",
    [
        ("pwd", [HOME]),
        ("ls", ["Documents  Pictures  notes.txt"]),
        ("ls -F", ["Documents/  Pictures/  notes.txt"]),
        ("ls -a | head -3", [".", "..", ".hidden"]),
        ("ls -l notes.txt", ["-rw-r--r-- user 9 notes.txt"]),
        ("ls -ld Documents", ["drwxr-xr-x user 0 Documents"]),
        ("cd Documents; ls *", ["a b.txt  x.tmp"]),
        ("cd Documents && cat a\\ b.txt | grep -i -n t", ["2:two", "3:Three", "4:two"]),
        ("cat 'Documents/a b.txt' | sort -r | uniq -c | head -n 1", ["   2 two"]),
        ("sort -n notes.txt", ["9 a", "10 b"]),
        ("wc -l notes.txt", ["2 notes.txt"]),
        ("wc < notes.txt", ["2 4 9"]),
        ("grep -c two Documents/*", ["Documents/a b.txt:2", "Documents/x.tmp:0"]),
        ("grep -rl two .", ["./Documents/a b.txt"]),
        ("grep -v a notes.txt", ["10 b"]),
        ("tail -1 notes.txt", ["9 a"]),
        ("find . -name '*.t?t'", ["./Documents/a b.txt", "./notes.txt"]),
        ("find Documents -type d", ["Documents"]),
        ('echo "it\'s" \'a "q"\' \\$x $HOME *.zzz # not this', [f'it\'s a "q" $x {HOME} *.zzz']),
        ("echo -n a; echo b", ["ab"]),
        ("echo -e 'a\\tb\\nc'", ["a\tb", "c"]),
        ("echo", [""]),
        ("date", ["Wed Mar 11 09:05:00 2026"]),
        ("true && echo yes || echo no", ["yes"]),
        ("false && echo yes || echo no", ["no"]),
        ("cat nope 2>/dev/null; echo $?", ["1"]),
        ("", []),
        ("   ;", ['sh: syntax error: ";" unexpected']),
    ],
)
def test_what_lines_print(files: dict[str, str], line: str, printed: list[str]) -> None:
    assert run(files, line) == printed


@pytest.mark.parametrize(
    "line, error",
    [
        ("cat x", "cat: x: No such file or directory"),
        ("cat Documents", "cat: Documents: Is a directory"),
        ("cd notes.txt", "cd: notes.txt: Not a directory"),
        ("cd nope", "cd: nope: No such file or directory"),
        ("ls nope", "ls: cannot access 'nope': No such file or directory"),
        ("rm Documents", "rm: cannot remove 'Documents': Is a directory"),
        ("rm nope", "rm: cannot remove 'nope': No such file or directory"),
        ("rmdir Documents", "rmdir: failed to remove 'Documents': Directory not empty"),
        ("mkdir Documents", "mkdir: cannot create directory 'Documents': File exists"),
        ("mkdir a/b", "mkdir: cannot create directory 'a/b': No such file or directory"),
        ("mv nope x", "mv: cannot stat 'nope': No such file or directory"),
        ("mv notes.txt Documents/x.tmp nope", "mv: target 'nope': No such file or directory"),
        ("mv Documents Documents/x", "mv: cannot move 'Documents' to a subdirectory of itself, '/home/user/Documents/x'"),
        ("cp Documents x", "cp: -r not specified; omitting directory 'Documents'"),
        ("cp notes.txt notes.txt", "cp: 'notes.txt' and 'notes.txt' are the same file"),
        ("touch /etc/passwd", "touch: cannot touch '/etc/passwd': No such file or directory"),
        ("echo x > Documents", "sh: Documents: Is a directory"),
        ("echo x > a/b", "sh: a/b: No such file or directory"),
        ("python3 -c 'import os'", "python3: command not found"),
        ("rm", "rm: missing operand"),
        ("rm -z x", "rm: invalid option -- 'z'"),
        ("head -n x notes.txt", "head: invalid number: 'x'"),
        ("cat", "cat: missing file: this shell cannot read from the keyboard"),
        ("grep '[' notes.txt", "grep: Unmatched ["),
        ("echo 'a", "sh: syntax error: unterminated quoted string"),
        ("a | | b", 'sh: syntax error: "|" unexpected'),
        ("a &&", "sh: syntax error: end of line unexpected"),
        ("a >", "sh: syntax error: end of line unexpected"),
        ("sleep 9 &", "sh: syntax error: this shell does not know '&' to run commands in the background"),
        ("echo $(ls)", "sh: syntax error: this shell cannot put the output of one command into another; use a pipe"),
    ],
)
def test_errors_change_nothing(files: dict[str, str], line: str, error: str) -> None:
    before = dict(files)
    assert run(files, line) == [error] and files == before


def test_files_are_made_moved_and_removed(files: dict[str, str]) -> None:
    run(files, "mkdir -p work/2026/march; cd work; echo one > a.txt; echo two >> a.txt; cp a.txt '2026/b c.txt'; mv a.txt 2026/march")
    made = {path: text for path, text in files.items() if "/work/" in path and not path.endswith("/")}
    assert made == {f"{HOME}/work/2026/b c.txt": "one\ntwo\n", f"{HOME}/work/2026/march/a.txt": "one\ntwo\n"}
    run(files, "cd work", "cp -r 2026 2027; rm -r 2026; mv 2027/march/* 2027; rmdir 2027/march")
    assert sorted(path for path in files if "/work/" in path and not path.endswith("/")) == [f"{HOME}/work/2027/a.txt", f"{HOME}/work/2027/b c.txt"]
    run(files, "rm -r work Documents/*.tmp; cat notes.txt notes.txt > both")
    assert not any("/work" in path or path.endswith(".tmp") for path in files) and files[f"{HOME}/both"] == "10 b\n9 a\n" * 2


def test_removing_the_folder_one_is_in_goes_up(files: dict[str, str]) -> None:
    shell = Shell()
    for line in ("mkdir -p a/b", "cd a/b", "rm -r ../../a"):
        assert shell.run(files, line, NOW) == []
    assert shell.folder == HOME and shell.prompt() == "~"


def test_output_files_and_room_are_bounded(files: dict[str, str]) -> None:
    files[f"{HOME}/big"] = "x" * 90_000
    printed = run(files, "cat " + "big " * 500)
    assert sum(map(len, printed)) <= MAX_OUTPUT + 100 and printed[-1].endswith("the output was cut off")
    run(files, *["cat big big > more; cp more big"] * 5)
    assert len(files[f"{HOME}/big"]) <= MAX_OUTPUT
    run(files, "mkdir d; touch d/a", *["cp -r d d2; mv d2 d/x; cp -r d d3; mv d3 d/y"] * 20)
    assert len(files) <= MAX_FILES
    assert run(files, "true" + "|true" * 100)[0].startswith("sh: syntax error: more than")


def test_every_command_has_help_and_takes_anything(files: dict[str, str]) -> None:
    odd = [
        "",
        "x",
        "-",
        "--",
        "-x",
        "--nope",
        "-n",
        "-n 3",
        "* *",
        "/",
        "//",
        "..",
        "'' ''",
        "> > x",
        "🦊",
        "\x00",
        "$",
        "${HOME",
        "~root",
        "[a-",
        "a/../b",
    ]
    for name in PROGRAMS:
        if name != "echo":
            assert run(files, f"{name} --help")[0] == f"usage: {PROGRAMS[name].usage}"
        for words in odd:
            run(dict(files), f"{name} {words}", f"cat notes.txt | {name} {words}")


@pytest.mark.parametrize(
    "pattern, line, found",
    [
        ("b", "abc", True), ("^b", "abc", False), ("c$", "abc", True), ("a.c", "abc", True), ("a*c", "ccc", True), ("^a*$", "aab", False),
        ("[a-c]x", "bx", True), ("[^a]x", "ax", False), ("\\.", "a", False), ("\\.", "a.", True), ("", "x", True),
        ("^$", "", True), ("x*y*z*$", "abc", True),
    ],
)  # fmt: skip
def test_patterns(pattern: str, line: str, found: bool) -> None:
    assert Pattern(pattern).found_in(line) is found


def test_patterns_take_linear_time_and_can_be_wrong() -> None:
    assert not Pattern("a*" * 20 + "b").found_in("a" * 2000)
    assert Pattern("ABC", ignore_case=True).found_in("xabcx")
    with pytest.raises(PatternError):
        Pattern("a\\")
