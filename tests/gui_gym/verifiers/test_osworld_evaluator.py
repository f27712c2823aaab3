"""An OSWorld evaluator as a whole: getters, conjunctions, and what is 0 and what is unscored."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path
from typing import Any

import pytest

from gui_gym import DesktopError, Task
from gui_gym.desktops import Completed
from gui_gym.verifiers import EndReason, Outcome, Score, verify
from gui_gym.verifiers.osworld.metrics import METRICS, register_metric

DONE = Outcome(EndReason.DONE)
A = {"type": "vm_file", "path": "/home/user/a.txt", "dest": "a.txt"}
CAT = {"type": "vm_command_line", "command": ["cat", "/home/user/a.txt"]}
GOLD = {"type": "cloud_file", "path": "https://example.com/gold.txt", "dest": "a.txt"}


def rule(expected: Any) -> dict[str, Any]:
    return {"type": "rule", "rules": {"expected": expected}}


def judge(guest: Any, evaluator: dict[str, Any], outcome: Outcome = DONE, **params: Any) -> Score:
    task = Task("t", "osworld", "Do it.", verifier={**evaluator, "type": "osworld"}, feasible=evaluator.get("func") != "infeasible", params=params)
    return verify(task, guest, outcome)


@pytest.fixture
def cache(tmp_path: Path) -> str:
    (tmp_path / "a.txt").write_text("right\n")
    return str(tmp_path)


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a verification writes on the host goes here, and is gone after it."""
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


def test_one_metric(guest: Any, cache: str) -> None:
    evaluator = {"func": "compare_text_file", "result": A, "expected": GOLD}
    guest.files["/home/user/a.txt"] = b"right\n"
    assert judge(guest, evaluator, cache=cache) == Score.of(1)
    guest.files["/home/user/a.txt"] = b"wrong\n"
    assert judge(guest, evaluator, cache=cache) == Score.of(0)
    guest.files["/home/user/a.txt"] = b"Right \n"
    assert judge(guest, {**evaluator, "options": {"ignore_case": True, "ignore_blanks": True}}, cache=cache) == Score.of(1)


def test_a_metric_without_expected(guest: Any) -> None:
    guest.answer = lambda argv: Completed(0, b"2.0", b"")
    assert judge(guest, {"func": "check_text_enlarged", "result": CAT}) == Score.of(1)


def test_how_the_agent_ended(guest: Any, cache: str) -> None:
    evaluator = {"func": "compare_text_file", "result": A, "expected": GOLD}
    guest.files["/home/user/a.txt"] = b"right\n"
    assert judge(guest, evaluator, Outcome(EndReason.FAIL), cache=cache) == Score.of(0)
    assert judge(guest, evaluator, Outcome(EndReason.TRUNCATED), cache=cache) == Score.of(1)
    for end, value in {EndReason.FAIL: 1, EndReason.DONE: 0, EndReason.TRUNCATED: 0}.items():
        assert judge(guest, {"func": "infeasible"}, Outcome(end)) == Score.of(value)


def test_missing_output_is_zero_and_missing_gold_is_unscored(guest: Any, cache: str, tmp_path: Path) -> None:
    evaluator = {"func": "compare_text_file", "result": A, "expected": GOLD}
    assert judge(guest, evaluator, cache=cache) == Score.of(0)
    guest.files["/home/user/a.txt"] = b"right\n"
    (tmp_path / "a.txt").unlink()
    score = judge(guest, evaluator, cache=cache)
    assert not score.scored and "content cache has no https://example.com/gold.txt" in score.reason
    on_desktop = {**evaluator, "expected": {"type": "vm_file", "path": "/home/user/gold.txt", "dest": "gold.txt"}}
    score = judge(guest, on_desktop, cache=cache)
    assert not score.scored and "a file to compare with" in score.reason
    put = ({"type": "download", "parameters": {"files": [{"url": "https://example.com/gold.txt", "path": "/home/user/gold.txt"}]}},)
    removed = Task("t", "osworld", "Do it.", setup=put, verifier={**on_desktop, "type": "osworld"}, params={"cache": cache})
    assert verify(removed, guest, DONE) == Score.of(0), "the setup had put it there"


@pytest.mark.parametrize("size", [None, b"/home/user/a.txt\n"])
def test_output_that_is_no_file_to_be_read_is_zero_and_a_desktop_that_fails_is_not(guest: Any, cache: str, size: bytes | None) -> None:
    """A folder, a pipe, a locked or huge file: ``find`` says nothing of them."""

    def fail(path: str) -> bytes:
        raise DesktopError("cannot be read")

    guest.read_file = fail
    guest.answer = lambda argv: Completed(0, (size or b"") if argv[0] == "find" else b"", b"")
    score = judge(guest, {"func": "compare_text_file", "result": A, "expected": GOLD}, cache=cache)
    assert score == Score.of(0) if size is None else not score.scored and "cannot be read" in score.reason


def test_a_program_that_the_desktop_lacks_is_unscored(guest: Any) -> None:
    """Where a shell runs it; otherwise the desktop says so itself."""

    def answer(argv: list[str]) -> Completed:
        return Completed(1 if "command -v" in argv[2] else 127, b"", b"") if argv[:2] == ["bash", "-c"] else Completed(0, b"", b"")

    guest.answer = answer
    shell = {"type": "vm_command_line", "command": "xsel --output", "shell": True}
    score = judge(guest, {"func": "exact_match", "result": shell, "expected": rule("x")})
    assert not score.scored and "no program 'xsel' on the desktop" in score.reason
    assert judge(guest, {"func": "exact_match", "result": {**shell, "command": "/home/user/own.sh"}, "expected": rule("x")}) == Score.of(0)


def test_where_the_result_is_the_authors_the_expected_side_is_the_agents(guest: Any, cache: str) -> None:
    evaluator = {"func": "compare_text_file", "result": GOLD, "expected": A}
    assert judge(guest, evaluator, cache=cache) == Score.of(0)
    guest.files["/home/user/a.txt"] = b"right\n"
    assert judge(guest, evaluator, cache=cache) == Score.of(1)
    guest.answer = lambda argv: Completed(0, b"see /secret", b"")
    assert judge(guest, {"func": "is_in_vm_clickboard", "result": rule("/secret"), "expected": CAT}) == Score.of(1)


def test_programs_are_done_before_anything_is_looked_at(guest: Any, cache: str) -> None:
    """What is saved a moment after the agent said DONE counts; so does what a postconfig command begins."""
    waits: list[int] = []

    def wait() -> None:
        waits.append(len(guest.ran))
        guest.files["/home/user/a.txt"] = b"right\n" if len(waits) == (2 if evaluator.get("postconfig") else 1) else b"half"

    guest.wait_until_idle = wait
    evaluator: dict[str, Any] = {"func": "compare_text_file", "result": A, "expected": GOLD}
    assert judge(guest, evaluator, cache=cache) == Score.of(1) and waits == [0]
    waits.clear()
    evaluator["postconfig"] = [{"type": "execute", "parameters": {"command": ["xdotool", "key", "ctrl+s"]}}]
    assert judge(guest, evaluator, cache=cache) == Score.of(1) and waits == [0, 1]


def test_a_dead_desktop_is_unscored(guest: Any, cache: str) -> None:
    guest.dead = True
    for evaluator in (
        {"func": "compare_text_file", "result": A, "expected": GOLD},
        {"func": ["exact_match", "compare_text_file"], "conj": "or", "result": [CAT, A], "expected": [rule("x"), GOLD]},
        {
            "func": "exact_match",
            "result": CAT,
            "expected": rule("x"),
            "postconfig": [{"type": "execute", "parameters": {"command": ["true"]}}],
        },
    ):
        score = judge(guest, evaluator, cache=cache)
        assert not score.scored and score.reason.startswith("infrastructure") and "dead" in score.reason


@pytest.mark.parametrize(
    "evaluator",
    [
        {"func": [], "result": []},
        {},
        {"func": "exact_mach", "result": CAT, "expected": rule("x")},
        {"func": "exact_match", "result": {"type": "no_such_getter"}, "expected": rule("x")},
        {"func": "exact_match", "expected": rule("x")},
        {"func": "exact_match", "result": CAT, "expected": {"type": "rule", "rules": {}}},
        {"func": "exact_match", "result": CAT, "expected": rule("x"), "options": {"no_such_option": 1}},
        {"func": "exact_match", "result": CAT, "expected": rule("x"), "postconfig": [{"type": "execute", "parameters": {"command": "'"}}]},
        {"func": "check_list", "result": A, "expected": {"type": "rule", "rules": {"expect": ["("]}}},
        {"func": "exact_match", "result": {"type": "cache_file", "path": "none.out"}, "expected": rule("x")},
    ],
    ids=["no-metrics", "nothing", "metric", "getter", "no-result", "empty-rule", "option", "postconfig", "pattern", "cache-file"],
)
def test_what_cannot_be_judged_is_unscored_and_never_zero_or_success(evaluator: dict[str, Any], guest: Any) -> None:
    guest.files["/home/user/a.txt"] = b"x"
    score = judge(guest, evaluator)
    assert not score.scored and score.reason.startswith("verifier")


PARTS = {"0": 0.0, "1": 1.0, "h": 0.5, "q": 0.25}


@pytest.mark.parametrize(
    ("conj", "parts", "value"),
    [
        (None, "11", 1.0),
        ("and", "10", 0.0),
        ("and", "h1", 0.75),
        ("and", "hq", 0.375),
        ("and", "u0", 0.0),
        ("and", "0u", 0.0),
        ("and", "u1", None),
        ("and", "1u", None),
        ("and", "d0", 0.0),
        ("and", "d1", None),
        ("or", "01", 1.0),
        ("or", "00", 0.0),
        ("or", "hq", 0.5),
        ("or", "u1", 1.0),
        ("or", "1u", 1.0),
        ("or", "u0", None),
        ("or", "uh", None),
        ("or", "dd", None),
    ],
)
def test_conjunctions_are_tri_state(conj: str | None, parts: str, value: float | None, guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def part(result: str, rules: dict[str, str]) -> float:
        if rules["expected"] == "u":
            raise KeyError("a bug")
        if rules["expected"] == "d":
            raise DesktopError("gone")
        return PARTS[rules["expected"]]

    monkeypatch.setitem(METRICS._entries, "part", part)
    evaluator = {"func": ["part"] * len(parts), "result": [CAT] * len(parts), "expected": [rule(p) for p in parts], "conj": conj}
    assert judge(guest, evaluator).value == value


def test_a_metric_of_ones_own(guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS._entries))
    register_metric("mine", lambda result, scale: float(len(result) * scale))
    guest.files["/home/user/a.txt"] = b"abc"
    assert judge(guest, {"func": "mine", "result": CAT, "options": {"scale": 0.25}}) == Score.of(0.75)
    score = judge(guest, {"func": "mine", "result": CAT, "options": {"scale": 1}})
    assert not score.scored and "expected a metric in [0, 1], got 3" in score.reason


def test_postconfig_runs_first_and_keeps_output(guest: Any) -> None:
    evaluator = {
        "postconfig": [{"type": "execute", "parameters": {"command": ["wc", "-l"], "stdout": "out.txt", "stderr": "err.txt"}}],
        "func": ["check_list", "check_list"],
        "result": [{"type": "cache_file", "path": "out.txt"}, {"type": "cache_file", "path": "err.txt"}],
        "expected": [{"type": "rule", "rules": {"expect": ["^42$"]}}, {"type": "rule", "rules": {"expect": ["careful"]}}],
    }
    guest.answer = lambda argv: Completed(1, b"42\n", b"careful\n")
    assert judge(guest, evaluator) == Score.of(1)


def test_a_postconfig_command_that_fails_without_a_word_made_nothing(guest: Any) -> None:
    """Else a rule that only excludes something would take a comparison that could not be made for one without a difference."""
    evaluator = {
        "postconfig": [{"type": "execute", "parameters": {"command": ["diff", "/a", "/b"], "stdout": "diff.out"}}],
        "func": "check_list",
        "result": {"type": "cache_file", "path": "diff.out"},
        "expected": {"type": "rule", "rules": {"unexpect": [".+"]}},
    }
    for done, score in ((Completed(0, b"", b""), 1), (Completed(1, b"1c1\n", b""), 0), (Completed(2, b"", b"no such file"), 0)):
        guest.answer = lambda argv, done=done: done
        assert judge(guest, evaluator) == Score.of(score)


def test_several_files(guest: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def look(result: Any, expected: Any) -> float:
        seen.append([[Path(p).read_text() if p else None for p in ([side] if isinstance(side, str) else side)] for side in (result, expected)])
        seen.append(sorted(p.name for p in Path(result[0]).parent.iterdir()))
        return 1.0

    monkeypatch.setitem(METRICS._entries, "look", look)
    many = {"type": "vm_file", "path": ["/a", "/b", "/c"], "dest": ["a", "b", "c"], "multi": "true", "gives": [0, 2]}
    golds = {"type": "cloud_file", "path": ["https://example.com/1", "https://example.com/2"], "dest": ["a", "b"], "multi": True}
    for name in ("1", "2"):
        (tmp_path / f"{uuid.uuid5(uuid.NAMESPACE_URL, f'https://example.com/{name}')}_{name}").write_text(f"gold {name}")
    guest.files = {"/a": b"A", "/b": b"B"}
    assert judge(guest, {"func": "look", "result": many, "expected": golds}, cache=str(tmp_path)) == Score.of(1)
    assert seen == [[["A", None], ["gold 1"]], ["a", "b"]]
    guest.files = {}
    assert judge(guest, {"func": "look", "result": many, "expected": golds}, cache=str(tmp_path)) == Score.of(0)


def test_commands_and_sizes(guest: Any) -> None:
    guest.answer = lambda argv: Completed(1, " ".join(argv).encode() + b"\xff", b"oops")
    assert judge(
        guest, {"func": "exact_match", "result": {**CAT, "command": "a $B", "shell": True}, "expected": rule("bash -c a $B\ufffd")}
    ) == Score.of(1)
    assert judge(guest, {"func": "exact_match", "result": {**CAT, "type": "vm_command_error"}, "expected": rule("oops")}) == Score.of(1)
    assert judge(guest, {"func": "exact_match", "result": {"type": "vm_screen_size"}, "expected": rule({"width": 1280, "height": 720})}) == Score.of(
        1
    )


def test_a_directory_tree(guest: Any) -> None:
    listing = b"f/z.jpg\0d/sub\0f/sub/a\nb.jpg\0d/sub/deep\0l/sub/deep/link\0"
    guest.answer = lambda argv: Completed(0, listing if argv[0] == "find" else b"", b"")
    tree = {
        "type": "directory",
        "name": "cpjpg",
        "children": [
            {
                "type": "directory",
                "name": "sub",
                "children": [
                    {"type": "directory", "name": "deep", "children": [{"type": "file", "name": "link"}]},
                    {"type": "file", "name": "a\nb.jpg"},
                ],
            },
            {"type": "file", "name": "z.jpg"},
        ],
    }
    getter = {"type": "list_directory", "path": "/home/user/cpjpg/"}
    assert judge(guest, {"func": "exact_match", "result": getter, "expected": rule(tree)}) == Score.of(1)
    guest.answer = lambda argv: Completed(1, b"", b"")
    assert judge(guest, {"func": "exact_match", "result": getter, "expected": rule(tree)}) == Score.of(0)
