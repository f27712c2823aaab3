"""Hostile files: each is refused with a reason, in bounded memory, and none leads out of the folder."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("lxml")

from gui_gym.verifiers.osworld import safe_files
from gui_gym.verifiers.osworld.safe_files import UnreadableFile, check_zip, open_image, parse_xml, read_bytes, read_text, zero_if_unreadable

BOMB = b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 1000 + b'"><!ENTITY b "' + b"&a;" * 100 + b'"><!ENTITY c "' + b"&b;" * 100 + b'">]><x>&c;</x>'


def archive(path: Path, *entries: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries:
            file.writestr(name, data)
    return path


def test_text_has_one_kind_of_line_end_and_keeps_bytes_apart_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("é\r\nb\rc\n".encode() + b"\xff")
    assert read_text(tmp_path / "a") == "é\nb\nc\n\udcff"


def test_a_large_sparse_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(1 << 30)
    for read in (read_text, read_bytes, check_zip, parse_xml, open_image):
        with pytest.raises(UnreadableFile, match="a: expected at most .* got 1073741824"):
            read(tmp_path / "a")


@pytest.mark.parametrize("read", [read_text, read_bytes, check_zip, parse_xml, open_image])
def test_only_regular_files_are_read(read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "secret").write_text("<x/>")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    for name in ("folder", "pipe", "link", "absent"):
        with pytest.raises(UnreadableFile, match=f"{name}: expected a regular file") as caught:
            read(tmp_path / name)
        assert caught.value.path == str(tmp_path / name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_with_entities_is_refused(encoding: str) -> None:
    with pytest.raises(UnreadableFile, match="declares no entities|cannot be read"):
        parse_xml(BOMB.decode().encode(encoding))


def test_an_external_entity_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    text = f'<!DOCTYPE x [<!ENTITY s SYSTEM "{(tmp_path / "secret").as_uri()}">]><x>&s;</x>'
    with pytest.raises(UnreadableFile, match="declares no entities"):
        parse_xml(text.encode())
    outside = f'<!DOCTYPE x SYSTEM "{(tmp_path / "secret").as_uri()}"><x/>'
    assert parse_xml(outside.encode()).tag == "x", "a document type alone is harmless: it is not read"


def test_xml_that_is_broken_too_deep_or_too_large() -> None:
    assert parse_xml('<x a="é"/>'.encode()).get("a") == "é"
    for text in (b"", b"<x>", b"no xml", b"\x00" * 100, b"<x>" * 5000 + b"</x>" * 5000):
        with pytest.raises(UnreadableFile, match="XML: cannot be read"):
            parse_xml(text)
    with pytest.raises(UnreadableFile, match="part: expected at most 4 bytes of XML, got 5"):
        parse_xml(b"<xx/>", limit=4, path="part")


def test_an_ordinary_archive_passes(tmp_path: Path) -> None:
    check_zip(archive(tmp_path / "a.zip", ("a/b.xml", b"<x/>"), ("zeros", bytes(1 << 20)), ("a..b", b"")))


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([("zeros", bytes(64 << 20))], "250 for each packed one"),
        ([("../a", b"x")], "names inside the archive, got '../a'"),
        ([("/a", b"x")], "names inside the archive"),
        ([("a\\..\\..\\b", b"x")], "names inside the archive"),
        ([("a.xml", BOMB)], "XML without a document type"),
        ([("a.RELS", BOMB.decode().encode("utf-16"))], "XML without a document type"),
        ([(str(i), b"") for i in range(30)], "at most 20 entries, got 30"),
    ],
)
def test_archives_that_do_harm(entries: list[tuple[str, bytes]], why: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=why):
        check_zip(archive(tmp_path / "a.zip", *entries), entries=20)


def test_the_total_and_the_xml_of_an_archive_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "a.zip", ("a", os.urandom(1000)), ("b.xml", b"<x>" + b" " * 500 + b"</x>"))
    with pytest.raises(UnreadableFile, match="at most 1000 bytes"):
        check_zip(path, unpacked=1000)
    monkeypatch.setattr(safe_files, "MAX_XML", 400)
    with pytest.raises(UnreadableFile, match="at most 400 bytes of XML"):
        check_zip(path)


def test_an_archive_that_lies_about_its_sizes(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", ("a.xml", b"<x>" + b" " * 10_000 + b"</x>"))
    data = path.read_bytes()
    path.write_bytes(data.replace((10_007).to_bytes(4, "little"), (7).to_bytes(4, "little")))
    with pytest.raises(UnreadableFile, match="cannot be read .*CRC"):
        check_zip(path)


@pytest.mark.parametrize("cut", [0, 10, 60, -10])
def test_a_half_written_archive(cut: int, tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", ("a.xml", b"<x/>" * 100))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UnreadableFile, match="a.zip: cannot be read"):
        check_zip(path)


def test_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.effect_noise((64, 64), 50).save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert open_image(tmp_path / "a.png").size == open_image(data).size == (64, 64)
    for bad in (b"", b"text", data[: len(data) // 2], b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n"):
        with pytest.raises(UnreadableFile, match="expected an image|cannot be read"):
            open_image(bad)
    monkeypatch.setattr(safe_files, "MAX_PIXELS", 64 * 64 - 1)
    with pytest.raises(UnreadableFile, match="a.png: expected at most 4095 pixels, got 64x64"):
        open_image(tmp_path / "a.png")


def test_a_giant_image_of_few_bytes_is_not_decoded() -> None:
    buffer = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(buffer, "PNG")
    with pytest.raises(UnreadableFile, match="pixels"):
        open_image(buffer.getvalue())


def test_only_the_agents_unreadable_file_is_zero(tmp_path: Path) -> None:
    @zero_if_unreadable
    def equal(result: str, expected: str) -> float:
        """Equal."""
        return float(read_text(result) == read_text(expected))

    (tmp_path / "a").write_text("a")
    good, bad = str(tmp_path / "a"), str(tmp_path / "absent")
    assert (equal(good, good), equal(bad, good), equal.__doc__) == (1, 0, "Equal.")
    with pytest.raises(UnreadableFile, match="absent"):
        equal(good, bad)

    @zero_if_unreadable
    def any_text(results: list[str]) -> float:
        return float(any(read_text(result) for result in results))

    assert any_text([good, bad]) == 1 and any_text([bad, good]) == 0
