"""Two processes over gloo learn what one learns, and none waits for one that is gone."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from agents.distributed import Processes

WORKER = Path(__file__).parent / "distributed_worker.py"
sys.path.insert(0, str(WORKER.parent))
from distributed_worker import CASES, learn  # noqa: E402


def launch(*arguments):
    """Run the worker as a launcher runs it, in two processes; their exit statuses and what they said."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2", "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            [sys.executable, str(WORKER), *map(str, arguments)],
            env=os.environ | common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for rank in range(2)
    ]  # fmt: skip
    try:
        said = [process.communicate(timeout=200)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [process.returncode for process in processes], said


@pytest.fixture(scope="module")
def both(vlm_folder, tmp_path_factory):
    """Folders of what two processes learned and what one learned, and how the two ended after one of them was killed."""
    two, one = tmp_path_factory.mktemp("two"), tmp_path_factory.mktemp("one")
    ended, said = launch(vlm_folder(), two)
    for case in CASES:
        assert (two / f"{case}.pt").is_file(), said
        learn(case, Processes(), vlm_folder(), one)
    return two, one, ended, said


@pytest.mark.parametrize("case", CASES)
def test_the_update_of_two_processes_is_that_of_one(both, case):
    two, one = (load_file(next((folder / case).glob("*model.safetensors"))) for folder in both[:2])
    assert two.keys() == one.keys()
    assert max(float((two[name] - one[name]).abs().max()) for name in one) <= 1e-6
    figures, expected = (torch.load(folder / f"{case}.pt") for folder in both[:2])
    assert figures == pytest.approx(expected, rel=1e-4, abs=1e-5)
    assert expected["grad_norm"] > 1e-3


@pytest.mark.parametrize("case", CASES)
def test_a_checkpoint_of_two_processes_is_that_of_one(both, case):
    """It holds whole tensors, so that any number of processes goes on from it."""
    two, one = (torch.load(folder / f"{case}.state.pt")["optimiser"]["adamw"] for folder in both[:2])
    assert two["param_groups"] == one["param_groups"] and two["state"].keys() == one["state"].keys()
    for number, values in one["state"].items():
        assert all(torch.allclose(two["state"][number][name], value, rtol=1e-3, atol=1e-8) for name, value in values.items())


def test_the_reference_is_put_together_too(both):
    two, one = (load_file(folder / "fsdp-full-kl" / "reference.safetensors") for folder in both[:2])
    assert all(torch.equal(two[name], one[name]) for name in one)


def test_a_process_whose_fellow_is_gone_ends_and_says_so(both):
    (leader, follower), (said, _) = both[2:]
    assert follower == 9 and leader == 1, said
    assert "ProcessError: process 0 of 2 lost the others while learning: one of them failed" in said


def test_work_is_shared_by_its_cost():
    shares = [Processes(rank, 3).share([5, 9, 1, 1, 4, 8, 2], cost=float) for rank in range(3)]
    assert sorted(part for share in shares for part, _ in share) == [1, 1, 2, 4, 5, 8, 9]
    assert all(counts for share in shares for _, counts in share)
    assert max(sum(part for part, _ in share) for share in shares) == 10


def test_processes_that_share_a_model_compute_equally_often():
    for parts in ([7], [7, 3, 2], [9, 1, 1, 1]):
        shares = []
        for rank in range(2):
            processes = Processes(rank, 2)
            processes.sharded = True
            shares.append(processes.share(parts, cost=float))
        assert len(shares[0]) == len(shares[1])
        assert sorted(part for share in shares for part, counts in share if counts) == sorted(parts)
        assert all(part == min(parts) for share in shares for part, counts in share if not counts)


def test_alone_there_is_nobody_to_wait_for():
    alone = Processes.join()
    assert alone.main and alone.size == 1 and alone.gather(3) == [3] and alone.agree(lambda: 4) == [4]
    alone.order("update")
    alone.stop()
    alone.leave()
    with pytest.raises(ValueError, match="no luck"):
        alone.agree(lambda: (_ for _ in ()).throw(ValueError("no luck")))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_more_processes_than_gpus_are_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match="process 0 of this machine has no GPU"):
        Processes.join("cuda")
