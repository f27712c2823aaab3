"""Coordinate frames: exact where they say so, bounded elsewhere, never off the screen, never clipped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_gym.codecs import make_frame
from gui_gym.codecs.frames import CoordinateError
from gui_gym.registry import UnknownNameError

SPECS = ["pixels", "resized:1024x576", "resized:100x2000", "unit", "thousand", "grid:1", "grid:10", "grid:300"]
SCREENS = [(16, 16), (112, 112), (1000, 1001), (1280, 720), (1920, 1080), (3840, 2160)]
sizes = st.tuples(st.integers(1, 5000), st.integers(1, 5000))


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("screen", SCREENS)
def test_every_pixel_comes_back_within_half_a_cell(spec: str, screen: tuple[int, int]) -> None:
    frame = make_frame(spec)
    for axis in (0, 1):
        size = screen[axis]
        cells = {"unit": size, "pixels": size, "thousand": 1000}.get(spec) or (frame.cells[axis])
        worst = max(abs(frame.decode(frame.encode(p, screen, axis), screen, axis) - p) for p in range(size))
        assert worst == frame.max_error(screen)[axis]
        assert worst <= (0 if frame.exact or cells >= size else size / cells / 2 + 0.5)


@given(sizes, st.data())
def test_exact_frames_are_exact_on_any_screen(screen: tuple[int, int], data: st.DataObject) -> None:
    axis = data.draw(st.sampled_from([0, 1]))
    pixel = data.draw(st.integers(0, screen[axis] - 1))
    for spec in ("pixels", "unit"):
        assert make_frame(spec).exact
        frame = make_frame(spec)
        assert frame.decode(frame.encode(pixel, screen, axis), screen, axis) == pixel


@given(sizes, st.sampled_from(SPECS), st.one_of(st.integers().map(str), st.floats().map(str), st.decimals().map(str), st.text()))
def test_a_numeral_gives_a_pixel_of_the_screen_or_an_error(screen: tuple[int, int], spec: str, numeral: str) -> None:
    try:
        pixel = make_frame(spec).decode(numeral, screen, 0)
    except CoordinateError as error:
        assert "expected" in str(error)
    else:
        assert 0 <= pixel < screen[0]


@pytest.mark.parametrize(
    ("spec", "numeral", "pixel"),
    [("unit", "0.5", 960), ("unit", "1.0", 1919), ("unit", "1", 1919), ("unit", "0", 0), ("thousand", "1000", 1919), ("thousand", "500", 960)]
    + [("pixels", "1919", 1919), ("grid:10", "9", 1824), ("resized:960x540", "0", 1)],
)
def test_known_points(spec: str, numeral: str, pixel: int) -> None:
    assert make_frame(spec).decode(numeral, (1920, 1080), 0) == pixel


@pytest.mark.parametrize(
    ("spec", "numeral"),
    [("pixels", "1920"), ("pixels", "-1"), ("pixels", "0.5"), ("pixels", "3.0"), ("unit", "1.0001"), ("unit", "-0.1"), ("unit", "nan")]
    + [("unit", "inf"), ("unit", "1e-3"), ("unit", "0.5.5"), ("unit", ""), ("thousand", "1001"), ("thousand", "0.5"), ("grid:10", "10")]
    + [("resized:100x100", "100"), ("pixels", "9" * 5000), ("unit", "0." + "1" * 5000), ("pixels", "٣"), ("pixels", " 3")],
)
def test_numbers_off_the_frame_are_errors(spec: str, numeral: str) -> None:
    with pytest.raises(CoordinateError, match="expected"):
        make_frame(spec).decode(numeral, (1920, 1080), 0)


@pytest.mark.parametrize("spec", ["pixel", "grid", "grid:0", "grid:x", "resized:10", "resized:0x5", "unit:3", "", "grid:-1"])
def test_unknown_specs_name_the_known_ones(spec: str) -> None:
    with pytest.raises(UnknownNameError, match="grid:10"):
        make_frame(spec)


def test_unit_uses_no_more_digits_than_needed() -> None:
    frame = make_frame("unit")
    assert frame.encode(5, (10, 10), 0) == "0.5"
    assert len(frame.encode(1234, (1920, 1080), 0)) == 6
