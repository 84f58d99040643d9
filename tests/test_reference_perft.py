"""perft of the pin and block games by the reference, against the recorded numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from boards import start_board

from tavli_fast import reference
from tavli_fast.rules.presets import RULES, Rules

LINES = (Path(__file__).parent / "data" / "perft.tsv").read_text("utf-8").splitlines()[1:]
RECORDED = [(name, int(depth), int(nodes)) for name, depth, nodes in map(str.split, LINES)]
ROLLS = np.array([(high, low) for high in range(1, 7) for low in range(1, high + 1)])


def perft(rules: Rules, depth: int) -> int:
    """Count the positions `depth` plies on: all plays of all rolls, a dance counting one."""
    boards, times = start_board(rules)[None], np.array([1])
    for ply in range(depth):
        every, dice = np.repeat(boards, len(ROLLS), 0), np.tile(ROLLS, (len(boards), 1))
        found = reference.afterstates(every, dice, rules)
        counts = np.diff(found.offsets)
        if ply == depth - 1:
            return int((np.repeat(times, len(ROLLS)) * np.maximum(counts, 1)).sum())
        dances = counts == 0
        after = np.concatenate([found.boards, every[dances]])[:, ::-1]
        times = np.repeat(times, len(ROLLS))
        times = np.concatenate([np.repeat(times, counts), times[dances]])
        # Positions that come up twice count twice, but are followed once.
        boards, which = np.unique(after, axis=0, return_inverse=True)
        times = np.bincount(which.ravel(), times).astype(np.int64)
        assert not reference.outcomes(boards, rules)[0].any()
    raise AssertionError("depth 0")


@pytest.mark.parametrize(
    ("name", "depth", "nodes"),
    [pytest.param(*line, marks=pytest.mark.slow if line[2] > 40_000 else ()) for line in RECORDED],
)
def test_recorded_numbers(name: str, depth: int, nodes: int) -> None:
    assert perft(RULES[name], depth) == nodes
