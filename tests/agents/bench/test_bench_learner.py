"""``gui-agents bench learner`` with tiny numbers: what it measures is the same update, whatever it costs here."""

import json
import mmap

import pytest
import torch

from agents.bench.learner import QUICK, LearnerBench
from agents.bench.memory import ProcessPeak, TensorPeak
from agents.cli import main


def test_the_command_prints_every_record_and_both_ways_give_the_same_gradient(capsys):
    assert main(["bench", "learner", "--quick", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["shape"]["hidden_size"] == 32 and out["shape"]["tokens_a_turn"] > QUICK.answer + out["shape"]["image_tokens"]
    records = {record["name"]: record for record in out["records"]}
    assert list(records) == ["learner.turns2", "learner.turns4", "learner.last_n.turns4", "learner.block.turns4"]
    for record in records.values():
        assert record["difference"] < 1e-5
        assert min(record[name] for name in ("tokens_per_s", "wall", "cpu", "ratio", "wall_ratio", "tensor_mb", "loop_tensor_mb")) > 0
    chained, forked = records["learner.turns4"], records["learner.last_n.turns4"]
    assert (chained["rows"], chained["images"], chained["distinct_images"]) == (2, 8, 7)  # the group shares its first screen
    assert (forked["rows"], forked["distinct_images"]) == (6, 7) and forked["trained_tokens"] == chained["trained_tokens"]
    assert out["vocabulary"]["at_once_mb"] > 5000 * 64 * 4 / 1e6 and out["vocabulary"]["trained_tokens"] == 64
    assert chained["growth"] > 0 and forked["growth"] is None


def test_a_different_update_would_be_noticed():
    bench = LearnerBench(QUICK)
    episodes = bench.episodes("append", 3)
    ours = bench.ours(bench.rows(episodes))
    for gradients, agree in ((bench.full_history(episodes), True), (bench.full_history(episodes, 1), False)):
        scale = max(float(gradient.abs().max()) for gradient in gradients)
        gap = max(float((a - b).abs().max()) for a, b in zip(ours, gradients, strict=True)) / scale
        assert (gap < 1e-5) is agree and scale > 0


def test_tensor_memory_is_counted():
    with TensorPeak() as peak:
        a = torch.zeros(1000)
        b = a.view(10, 100) + 1
        del a
        c = torch.ones(500)
        c.add_(1)
        del b, c
        torch.zeros(10)
    assert peak.peak == 4 * (1000 + 1000) and peak.largest == 1000
    with TensorPeak() as peak:
        kept = torch.ones(1000, requires_grad=True)
        (kept.exp().sin().sum()).backward()  # exp's and sin's results wait for the backward pass
    assert peak.peak >= 4 * 3000


def test_process_memory_is_watched():
    with ProcessPeak() as peak:
        block = mmap.mmap(-1, 64 * 2**20)  # never of memory that the process holds already
        block.write(b"x" * 2**20 * 64)
    assert len(block) and peak.peak > 32 * 2**20


@pytest.mark.parametrize("bad", [["bench"], ["bench", "everything"]])
def test_what_is_not_measured(bad, capsys):
    with pytest.raises(SystemExit):
        main(bad)
    assert "learner" in capsys.readouterr().err
