"""The core against GNU Backgammon's own generator: 2,600 boards with all 21 rolls."""

import itertools
from pathlib import Path

import numpy as np
from boards import block_crc32

import tavli_fast as tf

DATA = np.load(Path(__file__).parent / "data" / "hit_games_subset.npz")


def test_every_set_of_afterstates_is_the_oracles() -> None:
    boards, dice, counts = DATA["boards"], DATA["dice"], DATA["counts"]
    assert counts.shape == (len(boards), 21)
    all_boards = np.repeat(boards, 21, axis=0)
    all_dice = np.tile(dice, (len(boards), 1))
    found = tf.count_plays(all_boards, all_dice).reshape(counts.shape)
    np.testing.assert_array_equal(found, counts)
    after, offsets = tf.afterstates(all_boards, all_dice)
    crcs = [block_crc32(after[a:b]) for a, b in itertools.pairwise(offsets)]
    np.testing.assert_array_equal(np.array(crcs).reshape(counts.shape), DATA["crc32"])


def test_the_order_of_the_two_dice_does_not_matter() -> None:
    boards = np.repeat(DATA["boards"][:300], 21, axis=0)
    dice = np.tile(DATA["dice"], (300, 1))
    one, other = tf.plays(boards, dice), tf.plays(boards, dice[:, ::-1])
    for first, second in zip(one, other, strict=True):
        np.testing.assert_array_equal(first, second)
