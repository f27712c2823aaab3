"""What was handed out never changes, memory nobody refers to is used again, and what is handed out is what the frames show."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from gui_gym.frame_buffers import KEPT, FrameBuffers

LARGE, SMALL = (2, 300, 400, 3), (3, 20, 30, 3)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def draw(buffers: FrameBuffers, rng: np.random.Generator) -> list[list[tuple[int, int, int, int]] | None]:
    """Draw rectangles, some of which overlap, or everything; and say what was drawn."""
    changed: list[list[tuple[int, int, int, int]] | None] = []
    for row in buffers.rows:
        height, width, _ = row.shape
        if rng.random() < 0.1:
            row[:] = rng.integers(256, size=row.shape, dtype=np.uint8)
            changed.append(None)
            continue
        rects = []
        for _ in range(int(rng.integers(0, 30))):
            x, y = int(rng.integers(width)), int(rng.integers(height))
            w, h = int(rng.integers(1, width - x + 1)), int(rng.integers(1, height - y + 1))
            row[y : y + h, x : x + w] = rng.integers(256, size=3, dtype=np.uint8)
            rects.append((x, y, w, h))
        changed.append(rects)
    return changed


@pytest.mark.parametrize("writable", [False, True])
@pytest.mark.parametrize("shape", [LARGE, SMALL])
def test_shows_the_frames_and_stays(shape: tuple[int, int, int, int], writable: bool) -> None:
    rng, buffers = np.random.default_rng(0), FrameBuffers(shape, writable)
    held: list[tuple[np.ndarray, np.ndarray]] = []
    addresses = set()
    for _ in range(150):
        handed = buffers.hand_out(draw(buffers, rng))
        addresses.add(address(handed))
        assert np.array_equal(handed, buffers.frames) and not np.shares_memory(handed, buffers.frames)
        part = [handed, handed[1], handed[0, 3:, ::2].T, handed.reshape(-1)[5:]][int(rng.integers(4))]  # some hold a part alone
        held.append((part, part.copy()))
        del handed, part
        assert all(np.array_equal(now, then) for now, then in held)
        while held and rng.random() < 0.6 or len(held) > 5:
            held.pop(int(rng.integers(len(held))))
    assert len(addresses) < 75, "memory is not used again"


@pytest.mark.parametrize("hold", [lambda a: memoryview(a[0]), lambda a: iter(a), lambda a: a[None], lambda a: np.asarray(a).view(np.int8)])
def test_whatever_refers_to_it_keeps_it(hold) -> None:  # type: ignore[no-untyped-def]
    buffers = FrameBuffers(SMALL)
    buffers.frames[:] = 1
    held = hold(buffers.hand_out([None] * 3))
    for value in range(2, 9):
        buffers.frames[:] = value
        assert (buffers.hand_out([None] * 3) == value).all()
    first = np.asarray(next(held) if hasattr(held, "__next__") else held)
    assert (first == 1).all()


def test_torch_keeps_it() -> None:
    torch = pytest.importorskip("torch")
    buffers = FrameBuffers(SMALL, writable=True)
    buffers.frames[:] = 1
    held = torch.from_numpy(buffers.hand_out([None] * 3))
    for _ in range(5):
        buffers.frames[:] += 1
        buffers.hand_out([None] * 3)
    assert (held == 1).all()


def test_read_only_unless_asked_for() -> None:
    with pytest.raises(ValueError, match="read-only"):
        FrameBuffers(LARGE).hand_out([None] * 2)[0, 0, 0] = 7
    buffers = FrameBuffers(LARGE, writable=True)
    for _ in range(3):  # what a holder wrote is not handed out again
        frames = buffers.hand_out([[], []])
        assert not frames.any()
        frames[:] = 9
        del frames


def test_a_new_shape_of_what_was_handed_out_is_the_holders_alone() -> None:
    buffers = FrameBuffers(SMALL, writable=True)
    buffers.hand_out([None] * 3).shape = (-1,)
    assert buffers.hand_out([None] * 3).shape == SMALL


def test_memory_is_bounded() -> None:
    buffers = FrameBuffers(SMALL)
    held = [buffers.hand_out([None] * 3) for _ in range(3 * KEPT)]
    bases = [weakref.ref(each.base) for each in held]
    held.clear()
    assert sum(base() is not None for base in bases) == KEPT
