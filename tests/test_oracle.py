"""The core against independent engines, all 21 rolls of each board: GNU Backgammon's own generator
on 2,600 boards of hitting games, and a brute force written from the rules on the other games."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import block_crc32

import tavli_fast as tf

FOLDER = Path(__file__).parent / "data"
DATA = np.load(FOLDER / "hit_games_subset.npz")
FAMILY = np.load(FOLDER / "family_games.npz")
GAMES = [
    ("portes", DATA, ""),
    *((name, DATA, f"{name}_") for name in ("tavla", "backgammon_zh", "hypergammon")),
    *((name, FAMILY, f"{name}_") for name in ("plakoto", "tapa", "fevga", "moultezim", "narde")),
]


@pytest.mark.parametrize(("rules", "data", "prefix"), GAMES, ids=[game[0] for game in GAMES])
def test_every_set_of_afterstates_is_the_oracles(rules: str, data: Any, prefix: str) -> None:
    boards, counts = data[f"{prefix}boards"], data[f"{prefix}counts"]
    assert counts.shape == (len(boards), 21)
    all_boards = np.repeat(boards, 21, axis=0)
    all_dice = np.tile(data["dice"], (len(boards), 1))
    found = tf.count_plays(all_boards, all_dice, rules).reshape(counts.shape)
    np.testing.assert_array_equal(found, counts)
    after, offsets = tf.afterstates(all_boards, all_dice, rules)
    crcs = [block_crc32(after[a:b]) for a, b in itertools.pairwise(offsets)]
    np.testing.assert_array_equal(np.array(crcs).reshape(counts.shape), data[f"{prefix}crc32"])


def test_the_order_of_the_two_dice_does_not_matter() -> None:
    boards = np.repeat(DATA["boards"][:300], 21, axis=0)
    dice = np.tile(DATA["dice"], (300, 1))
    one, other = tf.plays(boards, dice), tf.plays(boards, dice[:, ::-1])
    for first, second in zip(one, other, strict=True):
        np.testing.assert_array_equal(first, second)
