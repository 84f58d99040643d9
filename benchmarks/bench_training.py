"""Training by self-play, 128 hidden units."""

import numpy as np
import pytest
from rows import Bar

import tavli_fast as tf
from tavli_fast._core import train as core
from tavli_fast.nets.packing import aligned

GAMES = 300
FLOOR = 8_000 * 1.43
"""8,000 games a second of one processor where X is 1.43 ns."""


def playing(net, rate):
    """Return what plays and learns so many games from a copy of a net, always the same dice."""
    rules = net.rules

    def call():
        weights, words = aligned(net.packed), np.array([1, 2, 3, 4], np.uint64)
        stop = np.zeros(1, np.uint8)
        return core.learn_games(
            weights, tf.start(rules), rules, rules.opening != "fresh_roll", net.kind, net.columns,
            net.outputs, rate, words, GAMES, stop,
        )  # fmt: skip

    return call


@pytest.mark.parametrize("rules", ["backgammon", "plakoto", "fevga"])
def test_games_of_a_trained_net(timed, note, rules):
    net = tf.load_net(rules)
    call = playing(net, 1e-3)
    played, games, plies = call()
    assert (played, games, plies) == call()
    assert played == games == GAMES
    least, most = {"backgammon": (50, 62), "plakoto": (80, 105), "fevga": (80, 105)}[rules]
    assert least < plies / games < most  # games of players who know what they do
    bar = Bar(FLOOR, of="norm", at_least=True) if rules == "backgammon" else None
    times = timed(f"self-play games with learning, {rules}", GAMES, call, unit="game", bar=bar)
    if times:
        ply = times.seconds * games / plies
        note(f"  one ply, {rules}", unit="ply", seconds=ply, x=times.x)
