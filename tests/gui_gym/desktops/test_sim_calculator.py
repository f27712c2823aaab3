import numpy as np
import pytest
from sim_rig import Rig, fuzz

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.arithmetic import ArithmeticalError, calculate, result_text
from gui_gym.desktops.sim.apps.calculator import KEYS, Calculator, open_calculator


class Calculating(Rig):
    """A calculator, used by mouse and keyboard."""

    def __init__(self, width: int = 640, height: int = 400):
        super().__init__(size=(width, height))
        window = open_calculator(self.session)
        assert isinstance(window, Calculator)
        self.window = window

    def keys(self, *names: str) -> str:
        """The display after a click on each key."""
        for name in names:
            self.click(name, self.window)
        return self.window.display.text

    def enter(self, text: str) -> str:
        """The display after typing."""
        self.type(text)
        return self.window.display.text


@pytest.mark.parametrize(
    "expression, result",
    [
        ("12×3.5", "42"), ("2+3×4", "14"), ("(2+3)×4", "20"), ("−5+2", "−3"), ("0.1+0.2", "0.3"), ("10÷4", "2.5"), ("2÷3", "0.6666666667"),
        ("200+10%", "220"), ("200−10%", "180"), ("50%", "0.5"), ("8×25%", "2"), ("2^10", "1024"), ("7", "7"), ("1.50", "1.5"), ("3E+20×2", "6E+20"),
    ],
)  # fmt: skip
def test_values(expression: str, result: str) -> None:
    assert result_text(calculate(expression)) == result


@pytest.mark.parametrize("expression", ["1÷0", "1+", "()", "2×÷3", "A1", "SUM(1)", '"a"', "1<2", "9^9^9^9^9", "(" * 99])
def test_what_has_no_value(expression: str) -> None:
    with pytest.raises(ArithmeticalError):
        calculate(expression)


def test_keys_on_the_screen() -> None:
    c = Calculating()
    assert c.keys("1", "2", "times", "3", "point", "5") == "12×3.5"
    assert c.keys("equals") == "42" and c.window.calculations == [("12×3.5", "42")]
    assert c.keys("plus", "8") == "42+8" and c.keys("equals") == "50"
    assert c.keys("7") == "7" and c.keys("back") == "" and c.keys("5", "clear") == ""
    assert c.keys("open", "1", "minus", "4", "close", "divide", "2", "equals") == "−1.5"
    assert [event.value for event in c.state.events("calculated")] == ["12×3.5 = 42", "42+8 = 50", "(1−4)÷2 = −1.5"]


def test_typing() -> None:
    c = Calculating()
    assert c.enter("1,200/8 x") == "1200÷8" and c.enter("\n") == "150"
    assert c.enter("*2=") == "300" and c.enter("9=") == "9"
    assert c.enter("5/0\n") == "5÷0" and c.window.widget("status").name == "Error"
    c.press(Key.ESCAPE)
    assert c.window.display.text == "" and c.window.widget("status").name == ""
    assert c.enter("6*7") == "6×7"
    c.press(Key.C, Modifier.CTRL)
    assert c.state.clipboard == "6×7"
    c.enter("=")
    c.press(Key.C, Modifier.CTRL)
    c.press(Key.ESCAPE)
    c.press(Key.V, Modifier.CTRL)
    assert c.window.display.text == "42"
    c.press(Key.LEFT)
    assert c.enter("1") == "412"


def test_memory_and_history() -> None:
    c = Calculating()
    c.enter("40+2")
    c.keys("m-plus", "m-plus")
    assert c.window.widget("status").name == "Memory: 84" and c.window.calculations == [("40+2", "42")]
    c.enter("4")
    c.keys("m-minus")
    assert c.keys("clear", "2", "times", "mr") == "2×80" and c.keys("equals") == "160"
    x, y, w, _ = c.window.rect_of(c.window.history)
    row = c.window.history.row_rect(c.session.look, 3)
    assert row is not None
    c.do(Action.click(x + w // 2, y + row[1] + 5, clicks=2))
    assert c.window.display.text == "42" and c.window.focus == "display"
    c.keys("mc")
    assert c.window.widget("status").name == ""


def test_a_decimal_comma_is_obeyed() -> None:
    c = Calculating()
    c.enter("1.5*3=")
    c.session.change_setting("decimal_comma", True)
    assert c.window.display.text == "4,5" and c.window.history.rows == [["1,5×3"], ["= 4,5"]] and c.window.widget("point").name == ","
    assert c.enter("+0.25=") == "4,75"


def test_it_fits_the_smallest_screen_of_tasks() -> None:
    c = Calculating(300, 190)
    assert c.window.w <= 300 and c.window.h <= c.session.work_area[3]
    assert all(c.window.widget(name).h >= 12 for row in KEYS for name, _ in row)


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (320, 200), (128, 96)])
def test_random_input(size: tuple[int, int]) -> None:
    for seed in range(2):
        fuzz(
            Calculating(*size),
            np.random.default_rng(seed),
            120,
            ["1+2=", "9^9=", "9^999^9=", "/0=", "x", "\ud800", "1" * 5000 + "=", "((", "=\n=", "5%"],
        )
