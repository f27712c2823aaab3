"""Checks an installed wheel from outside the repository: what it holds, and that the environment runs from it."""

import sys
import zipfile
from pathlib import Path

import gymnasium as gym

import gui_gym
from gui_gym.assets_path import asset
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.labels import label

wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
tops = {name.split("/")[0] for name in names}
assert {top for top in tops if not top.endswith(".dist-info")} == {"gui_gym", "wrappers", "agents"}, tops
assert {f"{package}/py.typed" for package in ("gui_gym", "wrappers", "agents")} <= set(names)
assert any(name.startswith("gui_gym/assets/") for name in names) and "gui_gym/cli/play.html" in names

package = Path(gui_gym.__file__).parent
assert package.is_relative_to(sys.prefix), package
assert asset("fonts").is_relative_to(package), asset("fonts")
assert font("sans", 14).render(label("Save", "ja") + "😀").pictures and label("Save", "de") == "Speichern"
heavy = {"torch", "transformers", "xcffib", "tyro", "rich"} & set(sys.modules)
assert not heavy, heavy

env = gym.make("GuiDesktop-v0")
frame, info = env.reset(seed=0)
for action in env.unwrapped.solution():
    frame, reward, terminated, truncated, info = env.step(action)
env.close()
assert reward == 1.0 and frame.shape == (720, 1280, 3), (reward, frame.shape)
print(f"{len(names)} files; {info['instruction']!r} solved from {package}")
