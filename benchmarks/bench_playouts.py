"""Uniformly random games from the start: games a second, by threads and by rules."""

import pytest

import tavli_fast as tf

GAMES = 20_000


def check_rollout(rules, threads):
    """Assert that a rollout is the one-thread rollout and that all its games have ended."""
    board = tf.start(rules)
    result = tf.rollout(board, rules, trials=GAMES, seed=1, threads=threads)
    alone = tf.rollout(board, rules, trials=GAMES, seed=1, threads=1)
    assert result.counts.tolist() == alone.counts.tolist()
    assert result.plies.tolist() == alone.plies.tolist()
    assert result.counts.sum() == GAMES


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", ["backgammon", "portes", "hypergammon", "nackgammon", "tavla"])
def test_random_games(timed, rules, threads):
    check_rollout(rules, threads)
    timed(GAMES, tf.rollout, tf.start(rules), rules, trials=GAMES, seed=1, threads=threads)


def test_perft_3_nodes(timed):
    board = tf.start("backgammon")
    nodes = 116_154_993
    assert tf.perft(board, 3, "backgammon") == nodes
    timed(nodes, tf.perft, board, 3, "backgammon")
