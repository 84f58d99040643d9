"""Nets in whole numbers: close to the net, exact in every order, and never beyond 16 bits."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast.nets import quantized

FAMILIES = ["backgammon", "hypergammon", "plakoto", "fevga"]


def clipped(name: str, seed: int = 1, scale: float = 0.3) -> tf.Net:
    return tf.Net.random(name, hidden=40, seed=seed, activation="clipped", scale=scale)


@pytest.mark.parametrize("name", FAMILIES)
def test_outcomes_are_close_to_the_nets(name: str) -> None:
    net = clipped(name)
    boards = tf.random_boards(5000, name, seed=2)
    off = np.abs(net(boards) - net.quantized()(boards))
    assert off.max() < 2e-3
    assert 0 < off.mean() < 2e-4  # 0 would mean that nothing was rounded


@pytest.mark.parametrize("name", FAMILIES)
def test_a_candidate_is_judged_as_a_board_of_its_own(name: str) -> None:
    whole = clipped(name).quantized()
    boards = tf.random_boards(1500, name, seed=3)
    dice = np.random.default_rng(4).integers(1, 7, (len(boards), 2))
    found = tf.best_plays(boards, dice, whole, name)
    played = found.counts > 0
    again = whole(found.boards[played, 0], name)
    np.testing.assert_array_equal(found.outcomes[played, 0].astype(np.float32), again)


def test_rules_of_more_checkers_go_beyond_no_sum() -> None:
    net = tf.load_net("hypergammon")
    boards = tf.random_boards(500, "backgammon", seed=1)
    off = np.abs(net(boards, "backgammon") - net.quantized()(boards, "backgammon"))
    assert off.max() < 0.01


def test_a_file_of_one_is_its_nets(tmp_path: Path) -> None:
    whole = clipped("plakoto").quantized()
    whole.save(tmp_path / "q.npz")
    again = tf.QuantizedNet.load(tmp_path / "q.npz")
    np.testing.assert_array_equal(again.packed, whole.packed)
    assert tf.Net.load(tmp_path / "q.npz").name == whole.net.name


def slow_sum(net: tf.QuantizedNet, board: np.ndarray) -> np.ndarray:
    """The contact weights' hidden layer in whole numbers of any size, cell by cell."""
    width = net.columns
    shorts = net.packed[: len(net.packed) // 2 - 16].view(np.int16).astype(np.int64)
    steps = shorts[: 52 * 5 * width].reshape(52, 5, width)
    total = shorts[292 * width : 293 * width].copy()
    for cell, count in enumerate(board.ravel()):
        if count < 0:
            total += steps[cell, 4]
        for checker in range(count):
            total += steps[cell, min(checker, 3)]
    flags = np.maximum(shorts[52 * 5 * width : 292 * width].reshape(32, width), 0).sum(axis=0)
    return total + flags  # as if all flags that add were up


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("scale", [0.01, 3.0])
def test_no_board_goes_beyond_16_bits(name: str, scale: float) -> None:
    net = clipped(name, scale=scale).quantized()
    rng = np.random.default_rng(5)
    for _ in range(200):
        # Any sharing out of 15 checkers, possible or not: the bound knows no rules either.
        board = np.zeros((2, 26), np.int64)
        for plane in board:
            cells = rng.choice(26, size=rng.integers(1, 6))
            np.add.at(plane, rng.choice(cells, size=15), 1)
        assert np.abs(slow_sum(net, board)).max() <= 32767


def test_the_largest_sum_is_one_that_a_board_has() -> None:
    # Three checkers a side and three cells of interest: all boards can be listed.
    rng = np.random.default_rng(6)
    steps = np.zeros((52, 5, 4))
    steps[[3, 7, 30, 40]] = rng.normal(size=(4, 5, 4))
    sides = []
    for cells in ((3, 7), (30, 40)):
        sums = []
        for first in range(-1, 4):
            for second in range(-1, 4):
                used = abs(first) + abs(second)
                if used > 3:
                    continue  # the others stand where nothing counts
                total = np.zeros(4)
                for cell, count in zip(cells, (first, second), strict=True):
                    total += steps[cell, 4] * (count < 0) + steps[cell, : max(count, 0)].sum(axis=0)
                sums.append(total)
        sides.append(np.max(sums, axis=0))
    np.testing.assert_allclose(quantized._most(steps, 3), sides[0] + sides[1], atol=1e-12)


def test_it_rolls_out_pickles_and_tells_its_name() -> None:
    whole = clipped("backgammon").quantized()
    again = pickle.loads(pickle.dumps(whole))
    assert again.name == whole.name != whole.net.name
    start = tf.start("backgammon")
    one, other = (
        tf.rollout(start, "backgammon", each, trials=40, seed=1) for each in (whole, again)
    )
    assert one == other
    assert "40 units" in repr(whole)


def test_other_nets_are_refused() -> None:
    for net in (tf.Net.random("backgammon", hidden=4, seed=1), "net"):
        with pytest.raises(ValueError, match="clipped"):
            tf.QuantizedNet(net)  # type: ignore[arg-type]
