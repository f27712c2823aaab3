"""``train`` as launchers start it: two processes on real VLM classes end where one does, also when they go on from a checkpoint."""

import os
import subprocess
import sys

import pytest
from safetensors.torch import load_file

from agents.tiny_vlm import build_tiny_vlm

REWARD = """
from agents.rewards import register_reward


@register_reward("brevity")
def brevity(episode):
    return -sum(len(turn.completion_ids) + turn.completion_ids[0] / 1000 for turn in episode.turns)
"""
LAUNCHERS = {
    "alone": (),
    "torchrun": ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "--"),
    "accelerate": ("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1", "--mixed_precision", "no",
                   "--dynamo_backend", "no", "--main_process_port", "0", "-m"),
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """``run(launcher, kind, name, *arguments)``: the trained weights of a run of three steps."""
    root = tmp_path_factory.mktemp("runs")
    (root / "my_rewards.py").write_text(REWARD)
    settings = (
        "--model.threads 1 --env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 2 --policy.frame grid:10 --policy.system= "
        "--policy.max-new-tokens 6 --adapter.rank 4 --learner.micro-tokens 200 --rewards my_rewards:brevity --groups 2 --group-size 3 "
        "--eval-every 0 --eval-episodes 2 --save-every 1 --logs --json"
    ).split()
    env = os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "HF_HUB_OFFLINE": "1", "GLOO_SOCKET_IFNAME": "lo"}
    env["PYTHONPATH"] = os.pathsep.join(sys.path)

    def run(launcher, kind, name, *arguments, steps=3):
        if not (root / kind).exists():
            build_tiny_vlm(root / kind, kind=kind, image_size=56, hidden=32, layers=1)
        new = ("--model.name", kind, "--out", name, *settings, "--steps", str(steps))
        command = [sys.executable, *(LAUNCHERS[launcher] or ("-m",)), "agents.cli", "train", *(arguments or new)]
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, done.stderr[-2000:]
        return load_file(root / name / "weights" / "adapter_model.safetensors")

    return run


def gap(one, two):
    assert one.keys() == two.keys()
    return max(float((one[name] - two[name]).abs().max()) for name in one)


@pytest.mark.parametrize("kind", ["idefics3", "qwen2_5_vl"])
def test_two_processes_end_where_one_does(runs, kind):
    one = runs("alone", kind, f"{kind}-one")
    assert max(float(weight.abs().max()) for name, weight in one.items() if "lora_B" in name) > 1e-4
    assert gap(one, runs("torchrun", kind, f"{kind}-two")) <= 1e-6


def test_accelerate_launches_them_and_one_goes_on_where_two_stopped(runs):
    whole = runs("alone", "smolvlm", "whole")
    runs("accelerate", "smolvlm", "part", steps=2)
    assert gap(whole, runs("alone", "smolvlm", "part", "--resume", "part", "--steps", "3")) <= 1e-6
    runs("alone", "smolvlm", "other", steps=2)
    assert gap(whole, runs("torchrun", "smolvlm", "other", "--resume", "other", "--steps", "3")) <= 1e-6
