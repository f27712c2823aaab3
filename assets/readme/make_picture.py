"""Draws assets/readme/desktop.png, the picture in README.md: the simulated desktop in the middle of a task.

python assets/readme/make_picture.py [TASK] [--seed N] [--steps N]
"""

import argparse
from pathlib import Path

import gymnasium as gym
from PIL import Image

import gui_gym  # noqa: F401  (registers the environments)

OUT = Path(__file__).with_name("desktop.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", nargs="?", default="mail-to-sheet", help="family or task id")
    parser.add_argument("--seed", type=int, default=4, help="seed of the instance")
    parser.add_argument("--steps", type=int, default=6, help="steps of the scripted solution to do first")
    args = parser.parse_args()

    env = gym.make("GuiDesktop-v0", task=args.task, width=960, height=540)
    frame, info = env.reset(seed=args.seed)
    for action in env.unwrapped.solution()[: args.steps]:
        frame, *_ = env.step(action)
    env.close()
    Image.fromarray(frame).save(OUT, optimize=True)
    print(f"{OUT}: {OUT.stat().st_size // 1000} kB, {info['instruction']}")


if __name__ == "__main__":
    main()
