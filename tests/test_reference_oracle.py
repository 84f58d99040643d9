"""The reference against the plays of independent engines, on a fixed sample of positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from boards import block_crc32, start_board

from tavli_fast import reference
from tavli_fast.rules import PORTES

ORACLE = np.load(Path(__file__).parent / "data" / "hit_games_subset.npz")


@pytest.mark.parametrize(
    ("rules", "prefix", "every"),
    # One board in twenty of the first is a made position: 3 shares no factor with that.
    [
        pytest.param("portes", "", 3, id="portes"),
        pytest.param("tavla", "tavla_", 2, id="tavla"),
        pytest.param("backgammon_zh", "backgammon_zh_", 2, id="backgammon_zh"),
        pytest.param("hypergammon", "hypergammon_", 1, id="hypergammon"),
    ],
)
def test_afterstates_equal_the_oracles(rules: str, prefix: str, every: int) -> None:
    """Every board of the sample with all 21 rolls: as many afterstates, and the same ones."""
    dice = ORACLE["dice"]
    wrong = []
    for index in range(0, len(ORACLE[prefix + "boards"]), every):
        board = ORACLE[prefix + "boards"][index]
        found = reference.afterstates(np.repeat(board[None], len(dice), 0), dice, rules)
        counts = np.diff(found.offsets)
        checksums = [block_crc32(block) for block in np.split(found.boards, found.offsets[1:-1])]
        right = (counts == ORACLE[prefix + "counts"][index]) & (
            np.array(checksums) == ORACLE[prefix + "crc32"][index]
        )
        wrong += [(index, *dice[roll].tolist()) for roll in np.flatnonzero(~right)]
    assert not wrong, "(board, roll) in the oracle's numbers"


def test_the_oracle_begins_with_the_start() -> None:
    assert (ORACLE["boards"][0] == start_board(PORTES)).all()
