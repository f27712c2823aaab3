"""The script for a GPU, run without one, and what it computes from what it measured."""

import json
import math

import pytest
import torch

from agents.gpu_check import GpuCheck, markdown, update_operations
from agents.models import ModelError


def test_a_dry_run_of_all_of_it(tmp_path):
    found = GpuCheck("cpu", "tiny", tmp_path).run()
    assert json.loads((tmp_path / "check.json").read_text()) == json.loads(json.dumps(found))
    assert 0 < max(found["engine_learner"].values()) < 1e-4
    assert 0 < found["cpu_mean"] < 0.02  # bfloat16 is not float32, and near it
    (update,) = found["updates"]
    assert update["tokens_s"] > 0 and update["time_forward"] > 0 and update["time_backward"] > 0
    assert update["grad_norm"] > 0 and abs(update["ratio_max"] - 1) < 0.1
    table = (tmp_path / "check.md").read_text()
    assert f"| 512 | {update['seconds']:.2f} |" in table and "nan" not in table
    assert found["rows"] == 3 and found["images_row"] == 2


def test_the_share_of_a_gpus_peak_is_shown_where_it_is_known():
    update = {"micro_tokens": 8, "seconds": 1.0, "tokens_s": 10.0, "peak_gib": 2.0, "ratio_max": 1.0, "time_forward": 0.1, "time_backward": 0.2}
    found = {
        "device": "H200", "torch": "2", "parameters": 1e9, "rows": 4.0, "turns": 2, "screen": (1280, 720), "tokens_row": 9.0, "images_row": 1.0,
        "seconds": 3.0, "engine_learner": {"qwen2_5_vl": 1e-6}, "cpu_tokens": 5.0, "cpu_mean": 0.01, "cpu_max": 0.1, "sampled_tokens_s": 7.0,
    }  # fmt: skip
    text = markdown(found | {"updates": [update | {"mfu": 0.25}, update]})
    assert "| 1.0000 | 25.0% |" in text and "| 1.0000 | - |" in text


def test_operations_of_an_update():
    # 100 weights, 2 layers of width 3, rows of 4 and 1 tokens: 4 x 100 x 5 for the weights, 12 x 2 x 3 x (16 + 1) / 2 for attention
    assert math.isclose(update_operations(100, [4, 1], hidden=3, layers=2), 2000 + 612)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so(tmp_path):
    with pytest.raises(ModelError, match="sees no GPU"):
        GpuCheck(out=tmp_path).run()
