"""Four desktops at once: random actions for a few steps, then what they look like as one picture.

python examples/quickstart.py [--out quickstart.png]
"""

import argparse

import gymnasium as gym
import numpy as np
from PIL import Image

import gui_gym  # noqa: F401  (registers the environments)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="quickstart.png", help="picture to write (default: quickstart.png)")
    args = parser.parse_args()

    envs = gym.make_vec("GuiDesktop-v0", num_envs=4, width=640, height=480)
    frames, infos = envs.reset(seed=0)  # (4, 480, 640, 3) uint8
    for task_id, instruction in zip(infos["task_id"], infos["instruction"], strict=True):
        print(f"{task_id}: {instruction}")

    envs.action_space.seed(0)
    for _ in range(20):
        frames, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
        for i in np.flatnonzero(terminated | truncated):
            print(f"desktop {i} ended: {infos['end'][i]}, score {infos['score'][i] if infos['scored'][i] else infos['unscored'][i]}")
    envs.close()

    Image.fromarray(np.vstack([np.hstack(frames[:2]), np.hstack(frames[2:])])).save(args.out)
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()
