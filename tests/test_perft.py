"""perft against known numbers: computed by three independent generators, a dance counting 1."""

from pathlib import Path

import numpy as np
import pytest

import tavli_fast as tf

# Known values: own C and Python generators that agree with GNU Backgammon's, OpenSpiel's and
# wildbg's lists; gnubg-ubgi's bgperft counts the same way.
KNOWN = [
    ("backgammon", 1, 447),
    ("backgammon", 2, 202_782),
    ("backgammon", 3, 116_154_993),
    ("hypergammon", 1, 195),
    ("hypergammon", 2, 38_017),
    ("hypergammon", 3, 6_645_799),
    ("nackgammon", 1, 547),
    ("nackgammon", 2, 324_161),
    pytest.param("hypergammon", 4, 1_135_126_695, marks=pytest.mark.slow),
]

# Recorded from the reference, which goes a depth or two.
LINES = (Path(__file__).parent / "data" / "perft.tsv").read_text("utf-8").splitlines()[1:]
RECORDED = [(name, int(depth), int(nodes)) for name, depth, nodes in map(str.split, LINES)]


@pytest.mark.parametrize(("rules", "depth", "nodes"), [*KNOWN, *RECORDED])
def test_known_numbers(rules: str, depth: int, nodes: int) -> None:
    assert tf.perft(tf.start(rules), depth, rules) == nodes


def test_depth_0_is_the_board_itself() -> None:
    assert tf.perft(tf.start(), 0) == 1


def test_a_finished_game_has_no_children() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, 1], board[0, 0] = 2, 13  # two on the ace point: every roll wins
    board[1, 6] = 15
    assert tf.perft(board, 1) == 21
    assert tf.perft(board, 2) == 0


def test_a_dance_counts_as_one_play() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, 25] = 15
    board[1, 1:7], board[1, 24] = 2, 3  # a closed board
    assert tf.perft(board, 1) == 21
    assert tf.perft(board, 2) == 21 * tf.perft(tf.flip(board), 1)
