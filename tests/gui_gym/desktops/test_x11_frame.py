"""Reading an X server's frame file: never older than the file."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

import numpy as np
import pytest

from gui_gym import DesktopError
from gui_gym.desktops.x11 import frame

WIDTH, HEIGHT, HEADER = 37, 29, 160


@pytest.fixture
def file() -> Iterator[int]:
    fd = os.memfd_create("frame")
    values = [0] * 25
    values[0], values[4], values[5], values[11], values[12] = HEADER - 24, WIDTH, HEIGHT, 32, WIDTH * 4
    values[19] = 2  # colours of 12 bytes each lie between header and pixels
    os.pwrite(fd, struct.pack(">25I", *values), 0)
    os.pwrite(fd, bytes(WIDTH * HEIGHT * 4), HEADER)
    yield fd
    os.close(fd)


@pytest.mark.parametrize("band", [1, 5 * WIDTH * 4, 1 << 20])
def test_every_change_is_seen_by_every_reader(file: int, band: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "_CHUNK", band)
    reader, rng = frame.Frame(file, WIDTH, HEIGHT), np.random.default_rng(0)
    pixels = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    outs = [np.full((HEIGHT, WIDTH, 3), 99, np.uint8) for _ in range(3)]
    for _ in range(200):
        y, x, channel = (int(rng.integers(n)) for n in pixels.shape)
        pixels[y, x, channel] ^= 1 + int(rng.integers(200))
        if rng.random() < 0.1:
            pixels[:] = rng.integers(0, 256, pixels.shape)
        os.pwrite(file, pixels.tobytes(), HEADER)
        for out in outs if rng.random() < 0.5 else outs[:1]:
            assert reader.read(out) is out and np.array_equal(out, pixels[..., 2::-1])
            out[rng.integers(HEIGHT)] = 0  # what the caller does with its array changes nothing


@pytest.mark.parametrize("in_order", [True, False])
def test_arrays_of_any_layout_get_the_same_pixels_and_nothing_beside_them_changes(file: int, in_order: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert frame.COPIES_IN_ORDER, "this numpy needs the slow way: x11.screenshot takes twice as long"
    monkeypatch.setattr(frame, "COPIES_IN_ORDER", in_order)
    pixels = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 4), np.uint8)
    os.pwrite(file, pixels.tobytes(), HEADER)
    batch, wide, flipped = (
        np.zeros((3, HEIGHT, WIDTH, 3), np.uint8),
        np.zeros((HEIGHT, WIDTH + 2, 3), np.uint8),
        np.zeros((WIDTH, HEIGHT, 3), np.uint8),
    )
    for out in (batch[1], wide[:, 1:-1], flipped.transpose(1, 0, 2)):
        assert np.array_equal(frame.Frame(file, WIDTH, HEIGHT).read(out), pixels[..., 2::-1])
    assert not batch[0].any() and not batch[2].any() and not wide[:, 0].any() and not wide[:, -1].any()


def test_a_frame_that_is_cut_short_or_of_another_size_is_an_error(file: int) -> None:
    reader = frame.Frame(file, WIDTH, HEIGHT)
    with pytest.raises(DesktopError, match=f"is {WIDTH}x{HEIGHT} with 32 bits: expected {WIDTH}x30"):
        frame.Frame(file, WIDTH, 30)
    os.truncate(file, HEADER + 100)
    with pytest.raises(DesktopError, match="cut short"):
        reader.read(np.empty((HEIGHT, WIDTH, 3), np.uint8))
    read, write = os.pipe()
    os.close(write)
    with pytest.raises(DesktopError, match="no regular file"):
        frame.Frame(read, WIDTH, HEIGHT)
    os.close(read)
