"""The examples run, and say what they claim to."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_numpy_evaluator(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "numpy_evaluator.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "\n8/5 6/5 " in printed
    assert "policy careful against random" in printed


def test_torch_evaluator(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    example = runpy.run_path(str(EXAMPLES / "torch_evaluator.py"))
    inputs = tf.features(tf.start()).shape[1]
    model = torch.nn.Sequential(
        torch.nn.Linear(inputs, 64), torch.nn.Sigmoid(), torch.nn.Linear(64, 5)
    )
    assert example["trained"](model, count=3_000, epochs=20) < 0.6
    boards = tf.random_boards(300, seed=1)
    net = example["compiled"](model)
    slow = tf.evaluate(boards, tf.coherent(example["evaluator"](model)))
    np.testing.assert_allclose(tf.evaluate(boards, net).outcomes, slow.outcomes, atol=1e-5)
    net.save(tmp_path / "net.npz")
    assert tf.Net.load(tmp_path / "net.npz").name == net.name
