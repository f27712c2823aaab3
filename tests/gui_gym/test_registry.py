import gymnasium as gym
import pytest

import gui_gym
from gui_gym.registry import Registry, UnknownNameError, unknown


def test_objects_and_lazy_names():
    table: Registry[object] = Registry("thing", {"pi": "math:pi", "five": 5})
    assert table.names() == ["five", "pi"] and "pi" in table and "tau" not in table
    assert 3.14 < table.get("pi") < 3.15
    assert table.get("pi") is table.get("pi")
    assert table.get("five") == 5


def test_register_directly_and_as_decorator():
    table: Registry[object] = Registry("thing")
    table.register("one", 1)

    @table.register("double")
    def double(x):
        return 2 * x

    assert table.get("one") == 1 and table.get("double") is double and double(2) == 4


def test_a_name_is_taken_once():
    table: Registry[object] = Registry("thing", {"one": 1})
    table.register("one", 1)
    with pytest.raises(ValueError, match="thing 'one' is registered already"):
        table.register("one", 2)


def test_unknown_names_list_near_matches():
    table: Registry[object] = Registry("suite", {"sim": 1, "osworld": 2})
    with pytest.raises(UnknownNameError, match=r"unknown suite 'smi': did you mean 'sim'\? known: osworld, sim"):
        table.get("smi")
    with pytest.raises(UnknownNameError, match=r"unknown suite 'zzz': known: osworld, sim"):
        table.get("zzz")


def test_a_long_list_is_cut():
    message = str(unknown("task", "x", [f"task-{n}" for n in range(100)]))
    assert "100 in all" in message and len(message) < 1000


@pytest.mark.parametrize("name", [None, 3, ""])
def test_odd_names_are_unknown_too(name):
    with pytest.raises(UnknownNameError):
        Registry("thing", {"one": 1}).get(name)


@pytest.mark.parametrize(("argument", "kind"), [({"suite": "smi"}, "suite"), ({"desktop": "x12"}, "desktop"), ({"task": "clik-buton"}, "task")])
def test_gym_make_passes_them_on(argument, kind):
    with pytest.raises(UnknownNameError, match=f"unknown .*{kind}.*(did you mean|known)"):
        gym.make("GuiDesktop-v0", **argument)


@pytest.mark.parametrize("env_id", gui_gym.ENVIRONMENTS)
def test_ids_are_registered_from_one_table(env_id):
    spec = gym.spec(env_id)
    assert spec.kwargs == gui_gym.ENVIRONMENTS[env_id][0]
    assert spec.nondeterministic is gui_gym.ENVIRONMENTS[env_id][1]
    assert spec.vector_entry_point
