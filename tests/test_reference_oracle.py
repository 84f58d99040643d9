"""The reference against the plays of independent engines, on a fixed sample of positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import block_crc32, start_board

from tavli_fast import reference
from tavli_fast.rules.presets import PORTES

DATA = Path(__file__).parent / "data"
ORACLE = np.load(DATA / "hit_games_subset.npz")
FAMILY = np.load(DATA / "family_games.npz")


@pytest.mark.parametrize(
    ("oracle", "rules", "prefix", "every"),
    # One board in twenty of the first is a made position: 7 shares no factor with that.
    [
        pytest.param(ORACLE, "portes", "", 7, id="portes"),
        pytest.param(ORACLE, "tavla", "tavla_", 2, id="tavla"),
        pytest.param(ORACLE, "backgammon_zh", "backgammon_zh_", 2, id="backgammon_zh"),
        pytest.param(ORACLE, "hypergammon", "hypergammon_", 1, id="hypergammon"),
        *(
            pytest.param(FAMILY, rules, rules + "_", 3, id=rules)
            for rules in ("plakoto", "tapa", "fevga", "moultezim", "narde")
        ),
    ],
)
def test_afterstates_equal_the_oracles(oracle: Any, rules: str, prefix: str, every: int) -> None:
    """Every board of the sample with all 21 rolls: as many afterstates, and the same ones."""
    dice = oracle["dice"]
    wrong = []
    for index in range(0, len(oracle[prefix + "boards"]), every):
        board = oracle[prefix + "boards"][index]
        found = reference.afterstates(np.repeat(board[None], len(dice), 0), dice, rules)
        counts = np.diff(found.offsets)
        checksums = [block_crc32(block) for block in np.split(found.boards, found.offsets[1:-1])]
        right = (counts == oracle[prefix + "counts"][index]) & (
            np.array(checksums) == oracle[prefix + "crc32"][index]
        )
        wrong += [(index, *dice[roll].tolist()) for roll in np.flatnonzero(~right)]
    assert not wrong, "(board, roll) in the oracle's numbers"


def test_the_oracle_begins_with_the_start() -> None:
    assert (ORACLE["boards"][0] == start_board(PORTES)).all()
