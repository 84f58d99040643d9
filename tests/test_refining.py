"""Refining: nets come nearer to rollouts of their own positions, the same for any workers."""

from dataclasses import replace

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast._core import evaluate, train
from tavli_fast.training.refine import positions_met


@pytest.fixture(scope="module", params=["hypergammon", "plakoto"])
def net(request: pytest.FixtureRequest) -> tf.Net:
    return tf.train(request.param, games=400, hidden=32, seed=1, measured=0)


def test_positions_are_met_once_and_not_over(net: tf.Net) -> None:
    boards = positions_met(net, 500, seed=3)
    assert boards.shape == (500, 2, 26)
    assert len(np.unique(boards, axis=0)) == 500
    tf.validate(boards, net.rules)
    assert not tf.outcomes(boards, net.rules)[0].any()
    np.testing.assert_array_equal(boards, positions_met(net, 500, seed=3))
    assert not np.array_equal(boards, positions_met(net, 500, seed=4))


def test_it_comes_nearer_to_what_rollouts_say() -> None:
    net = tf.train("hypergammon", games=400, hidden=32, seed=1, measured=0)
    better = tf.refine(net, positions=1500, trials=4, truncate=5, passes=6, seed=5)
    # Judged by positions and dice that the fit has not seen.
    boards = positions_met(net, 300, seed=6)
    truth = tf.rollout(
        boards, net.rules, net, trials=16, seed=7, truncate=5, variance_reduction=True
    ).equity
    before, after = (
        np.abs(tf.evaluate(boards, each, net.rules).equity - truth).mean() for each in (net, better)
    )
    assert after < 0.97 * before
    assert better.info["refined"]["positions"] == 1500
    assert better.info["games"] == net.info["games"]


def test_threads_do_not_change_a_bit(net: tf.Net) -> None:
    one, two = (
        tf.refine(net, positions=60, trials=2, truncate=3, passes=2, seed=8, threads=threads)
        for threads in (1, 2)
    )
    np.testing.assert_array_equal(one.packed, two.packed)
    assert not np.array_equal(one.packed, net.packed)


def test_a_step_goes_towards_the_target() -> None:
    net = tf.Net.random("backgammon", hidden=32, seed=1)
    board = tf.random_boards(1, "backgammon", seed=2)
    target = np.array([[0.9, 0.5, 0.1, 0.05, 0.01, 0.0]], np.float32)
    weights = net.packed.copy()
    order = np.zeros(200, np.int64)
    shape = (net.kind, net.columns, net.outputs)
    train.learn_boards(weights, board, target, order, net.rules, *shape, 0.1, 0.01)
    assert np.abs(net(board) - target)[0, :5].max() > 0.2
    learnt = np.zeros((1, 6), np.float32)

    evaluate.outcomes(board, net.rules, weights, *shape, learnt)
    assert np.abs(learnt - target)[0, :5].max() < 0.02


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"net": "net"}, "net="),
        ({"positions": 0}, "positions"),
        ({"trials": 0}, "trials"),
        ({"truncate": 0}, "truncate"),
        ({"passes": 1.5}, "passes"),
        ({"seed": -1}, "seed"),
        ({"progress": 3}, "progress=3"),
        ({"executor": 3}, "executor=3"),
        ({"threads": 0}, "threads=0"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], word: str) -> None:
    net = tf.Net.random("hypergammon", hidden=8, seed=1)
    with pytest.raises(ValueError, match=word):
        tf.refine(**({"net": net, "positions": 2} | arguments))


def test_cascades_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="net is for gul_bara: expected rules without cascades"):
        tf.refine(tf.load_net("gul_bara"), positions=20)


@pytest.mark.parametrize(("point", "few"), [(1, 0), (12, 20)])
def test_more_positions_than_there_are(point: int, few: int) -> None:
    rules = replace(tf.HYPERGAMMON, checkers=1, start=((point, 1),))
    net = tf.Net.random(rules, hidden=8, seed=1)
    with pytest.raises(ValueError, match=r"positions=100000: expected at most the \d+ that"):
        tf.refine(net, positions=100_000, seed=1)
    if few:
        assert len(positions_met(net, few, seed=1)) == few
