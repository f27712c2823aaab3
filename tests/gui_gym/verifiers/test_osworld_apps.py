"""Metrics on the settings of VLC and GIMP, and the getters of applications' settings and states."""

from __future__ import annotations

import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lxml")

from media_cases import GIMP_SETTINGS, UNDO, VLC_SETTINGS, VLCRC

from gui_gym import DesktopError, Task
from gui_gym.desktops import Completed
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers import EndReason, Outcome, verify
from gui_gym.verifiers.osworld.getters import GETTERS
from gui_gym.verifiers.osworld.metrics import MODULES, load_metric

HOME = "/home/user"


@pytest.mark.parametrize(("name", "line", "rules", "score"), VLC_SETTINGS)
def test_vlc_settings(name: str, line: str, rules: dict[str, Any], score: float, tmp_path: Path) -> None:
    (tmp_path / "vlcrc").write_text(f"{VLCRC}\n{line}\n")
    assert load_metric(name)(str(tmp_path / "vlcrc"), rules) == score


def test_every_setting_has_an_example() -> None:
    assert set(MODULES["vlc_settings"]) == {row[0] for row in VLC_SETTINGS}


def test_an_unknown_kind_of_colours_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "vlcrc").write_text("")
    with pytest.raises(ValueError, match="type: expected 'match' or 'blackish', got 'reddish'"):
        load_metric("check_qt_slider_colours")(str(tmp_path / "vlcrc"), {"type": "reddish"})


@pytest.mark.parametrize(("text", "rules", "score"), GIMP_SETTINGS)
def test_gimp_settings(text: str, rules: dict[str, Any], score: float, tmp_path: Path) -> None:
    (tmp_path / "gimprc").write_text(text)
    assert load_metric("check_config_status")(str(tmp_path / "gimprc"), rules) == score


def test_a_file_that_is_not_text_is_0(tmp_path: Path) -> None:
    (tmp_path / "rc").write_bytes(b"\xff\x00" * 1000)
    assert load_metric("check_config_status")(str(tmp_path / "rc"), UNDO) == 0.0
    assert load_metric("check_qt_max_volume")(str(tmp_path / "rc"), {"expected_qt_max_volume": 200}) == 0.0
    (tmp_path / "rc").unlink()
    (tmp_path / "rc").symlink_to("/dev/zero")
    assert load_metric("check_qt_max_volume")(str(tmp_path / "rc"), {"expected_qt_max_volume": 125}) == 0.0


# -- getters ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def stage(guest: Any, tmp_path: Path) -> Stage:
    return Stage(Task("t", "osworld", "Do it."), guest, tmp_path)


def get(stage: Stage, kind: str, **spec: Any) -> Any:
    return GETTERS.get(kind).get(stage, {"type": kind, **spec})


def content(path: str | None) -> bytes:
    assert path is not None
    return Path(path).read_bytes()


def test_settings_files(stage: Stage, guest: Any) -> None:
    assert get(stage, "vlc_config", dest="vlcrc") is None
    assert get(stage, "gimp_config_file", dest="gimprc", file_name="gimprc") is None
    guest.files = {"~/.config/vlc/vlcrc": b"v", "~/.config/GIMP/2.10/gimprc": b"g"}
    assert content(get(stage, "vlc_config", dest="vlcrc")) == b"v"
    assert content(get(stage, "gimp_config_file", dest="gimprc", file_name="gimprc")) == b"g"


def test_the_wallpaper(stage: Stage, guest: Any) -> None:
    said = b"'file:///home/user/a%20b.png'\n"
    guest.answer = lambda argv: Completed(0, said, b"")
    assert get(stage, "vm_wallpaper", dest="w.png") is None
    guest.files[f"{HOME}/a b.png"] = b"picture"
    assert content(get(stage, "vm_wallpaper", dest="w.png")) == b"picture"
    said = b"''\n"
    assert get(stage, "vm_wallpaper", dest="w.png") is None
    guest.answer = lambda argv: Completed(1, b"", b"No such schema")
    with pytest.raises(DesktopError, match="No such schema"):
        get(stage, "vm_wallpaper", dest="w.png")


def test_a_window_that_is_gone_is_no_full_screen(stage: Stage, guest: Any) -> None:
    evaluator = {
        "type": "osworld",
        "func": "is_vlc_fullscreen",
        "result": {"type": "vm_screen_size"},
        "expected": {"type": "vm_window_size", "app_class_name": "vlc"},
    }
    score = verify(Task("t", "osworld", "Do it.", verifier=evaluator), guest, Outcome(EndReason.DONE))
    assert (score.value, score.reason) == (0.0, "")


RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SLIDE = (
    '<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    f' xmlns:r="{RELS}"><p:cSld><p:bg><p:bgPr><a:blipFill><a:blip r:embed="rId2"/></a:blipFill></p:bgPr></p:bg></p:cSld></p:sld>'
)


def presentation(relations: str, slide: str = SLIDE, **media: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ppt/slides/slide1.xml", slide)
        root = f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{relations}</Relationships>'
        archive.writestr("ppt/slides/_rels/slide1.xml.rels", root)
        for name, data in media.items():
            archive.writestr(f"ppt/media/{name}", data)
    return file.getvalue()


def relation(number: int, kind: str, target: str, more: str = "") -> str:
    return f'<Relationship Id="rId{number}" Type="{RELS}/{kind}" Target="{target}" {more}/>'


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("audio_in_slide", presentation(relation(1, "image", "../media/i") + relation(2, "audio", "../media/a"), a=b"sound", i=b"x"), b"sound"),
        ("audio_in_slide", presentation(relation(2, "audio", "/ppt/media/a"), a=b"sound"), b"sound"),
        ("audio_in_slide", presentation(relation(2, "audio", "file:///home/user/my%20song.mp3", 'TargetMode="External"')), b"song"),
        ("audio_in_slide", presentation(relation(2, "audio", "file:///home/user/gone.mp3", 'TargetMode="External"')), None),
        ("audio_in_slide", presentation(relation(2, "audio", "../../../../etc/passwd")), None),
        ("audio_in_slide", presentation(relation(2, "audio", "../media/gone")), None),
        ("audio_in_slide", presentation(""), None),
        ("audio_in_slide", presentation("&x;"), None),
        ("background_image_in_slide", presentation(relation(1, "image", "../media/a") + relation(2, "image", "../media/b"), a=b"1", b=b"2"), b"2"),
        ("background_image_in_slide", presentation(relation(1, "image", "../media/a"), a=b"1"), None),
        ("background_image_in_slide", presentation(relation(1, "image", "../media/a"), "<sld/>", a=b"1"), None),
        ("audio_in_slide", b"PK no archive", None),
        ("audio_in_slide", presentation(relation(2, "audio", "../media/a"), a=b"sound" * 99).replace(b"soundsound", b"noisenoise"), None),
    ],
)
def test_media_in_a_slide(kind: str, data: bytes, expected: bytes | None, stage: Stage, guest: Any) -> None:
    guest.files = {f"{HOME}/a.pptx": data, f"{HOME}/my song.mp3": b"song"}
    found = get(stage, kind, ppt_file_path=f"{HOME}/a.pptx", slide_index=0, dest="medium")
    assert (found and content(found)) == expected
    assert get(stage, kind, ppt_file_path=f"{HOME}/a.pptx", slide_index=7, dest="medium") is None
    assert get(stage, kind, ppt_file_path=f"{HOME}/none.pptx", slide_index=0, dest="medium") is None


def test_a_desktop_that_fails_while_a_medium_is_fetched_is_unscored(stage: Stage, guest: Any) -> None:
    guest.files = {f"{HOME}/a.pptx": presentation(relation(2, "audio", "file:///home/user/a.mp3", 'TargetMode="External"'))}
    read = guest.read_file

    def failing(path: str) -> bytes:
        guest.dead = path.endswith(".mp3")
        return read(path)

    guest.read_file = failing
    with pytest.raises(DesktopError, match="dead"):
        get(stage, "audio_in_slide", ppt_file_path=f"{HOME}/a.pptx", slide_index=0, dest="medium")


@pytest.fixture
def player(guest: Any) -> Iterator[Any]:
    """VLC's HTTP interface, answering once each time with what ``reply`` holds; ``asked`` is the last request."""
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def serve(end: socket.socket) -> None:
        guest.asked = end.recv(65536)
        end.sendall(guest.reply)
        end.close()

    def connect(port: int) -> socket.socket:
        ours, theirs = socket.socketpair()
        ends.append(ours)
        threads.append(threading.Thread(target=serve, args=(theirs,)))
        threads[-1].start()
        return ours

    guest.connect, guest.running = connect, True
    guest.answer = lambda argv: Completed(0 if guest.running else 1, b"", b"")
    yield guest
    for thread in threads:
        thread.join()
    assert all(end.fileno() == -1 for end in ends)


def test_what_vlc_says(stage: Stage, player: Any) -> None:
    player.reply = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<root/>"
    assert content(get(stage, "vlc_playing_info", dest="status.xml")) == b"<root/>"
    assert player.asked.startswith(b"GET /requests/status.xml HTTP/1.1\r\n")
    assert b"Authorization: Basic OnBhc3N3b3Jk\r\n" in player.asked


@pytest.mark.parametrize(
    ("reply", "message"), [(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", "401"), (b"", "did not answer"), (b"\0\0\n", "did not answer")]
)
def test_a_vlc_that_does_not_answer_is_unscored(reply: bytes, message: str, stage: Stage, player: Any) -> None:
    player.reply = reply
    with pytest.raises(DesktopError, match=message):
        get(stage, "vlc_playing_info", dest="status.xml")


def test_a_vlc_that_is_gone_plays_nothing(stage: Stage, player: Any) -> None:
    player.running = False
    assert get(stage, "vlc_playing_info", dest="status.xml") is None
