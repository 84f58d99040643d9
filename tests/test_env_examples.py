"""The examples that learn, for a few seconds each: they run, and play better than at random."""

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
MINUTES = 60
"""More than it takes: the number of turns ends the training, whatever the machine does."""


def learned(name: str, turns: int) -> tuple[dict[str, Any], float]:
    """Return an example, and the points a game that it wins after so many turns."""
    example: dict[str, Any] = runpy.run_path(str(EXAMPLES / name))
    trained = example["train"]("hypergammon", MINUTES, turns)
    return example, example["points"](trained, "hypergammon", 400)


def test_torch_td() -> None:
    pytest.importorskip("torch")
    assert learned("torch_td.py", 96)[1] > 0.4


def test_torch_policy_gradient() -> None:
    pytest.importorskip("torch")
    assert learned("policy_gradient.py", 112)[1] > 0.3


def test_jax_td_compiles_once() -> None:
    pytest.importorskip("jax")
    example, points = learned("jax_td.py", 200)
    assert points > 0.3
    assert example["compilations"]() == (1, 1)
