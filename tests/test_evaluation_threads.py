"""Evaluating large batches in several threads: the same for any number of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf

BOARDS = 10_003
"""Odd, and several parts of work at every depth."""
NETS = {rules: tf.Net.random(rules, hidden=8, seed=1, scale=0.5) for rules in ("portes", "plakoto")}
FEVGA = tf.Linear("fevga", np.linspace(-1, 1, 220 * 5).reshape(220, 5), np.zeros(5))


def judged(afterstates: np.ndarray) -> np.ndarray:
    """A callable of outcomes whose last bits depend on nothing but each board."""
    lead = (afterstates[:, 1] * np.arange(26)).sum(1) - (afterstates[:, 0] * np.arange(26)).sum(1)
    win = 1 / (1 + np.exp(-lead / 30))
    return np.stack([win, win / 4, win / 9, (1 - win) / 4, (1 - win) / 9, 0 * win], axis=1)


def blots(afterstates: np.ndarray) -> np.ndarray:
    """A callable of equities, with many that are equal."""
    return -(afterstates[:, 0, 1:25] == 1).sum(axis=1).astype(float)


def batch(rules: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    boards = tf.random_boards(count, rules, seed=7)
    boards[::101, 0] = 0
    boards[::101, 0, 0] = 15  # a game that is over
    if rules == "plakoto":  # whose checkers may have been pinned
        boards[::101, 1] = np.abs(boards[::101, 1])
    return boards, np.random.default_rng(3).integers(1, 7, (count, 2))


def same(one: Any, other: Any) -> bool:
    """Whether two results are the same to the last bit."""
    return all(mine.tobytes() == its.tobytes() for mine, its in zip(one, other, strict=True))


EVALUATORS = [
    ("portes", NETS["portes"]),
    ("plakoto", NETS["plakoto"]),
    ("portes", judged),
    ("fevga", FEVGA),
    ("fevga", blots),
]


@pytest.mark.parametrize(("rules", "evaluator"), EVALUATORS)
@pytest.mark.parametrize(("plies", "count"), [(0, BOARDS), (1, 301)])
def test_evaluations_are_the_same_for_any_number_of_threads(
    rules: str, evaluator: Any, plies: int, count: int
) -> None:
    boards, _ = batch(rules, count if not callable(evaluator) or plies else 40_003)
    one = tf.evaluate(boards, evaluator, rules, plies)
    for threads in (2, 4, 7, None):
        assert same(one, tf.evaluate(boards, evaluator, rules, plies, threads=threads))


@pytest.mark.parametrize(("rules", "evaluator"), EVALUATORS)
@pytest.mark.parametrize(
    ("arguments", "count"),
    [({}, BOARDS), ({"top": 3}, BOARDS), ({"plies": 1, "top": 2, "filters": "tiny"}, 301)],
)
def test_best_plays_are_the_same_for_any_number_of_threads(
    rules: str, evaluator: Any, arguments: dict[str, Any], count: int
) -> None:
    boards, dice = batch(rules, count)
    one = tf.best_plays(boards, dice, evaluator, rules, **arguments)
    for threads in (2, 4, 7, None):
        assert same(
            one, tf.best_plays(boards, dice, evaluator, rules, **arguments, threads=threads)
        )


def call_evaluate(evaluator: Any, **arguments: Any) -> Any:
    return tf.evaluate(batch("portes", 40_003)[0], evaluator, **arguments)


def call_best_plays(evaluator: Any, **arguments: Any) -> Any:
    return tf.best_plays(*batch("portes", 4_003), evaluator, **arguments)


CALLS = [call_evaluate, call_best_plays]


@pytest.mark.parametrize("call", CALLS)
def test_several_threads_are_at_work(call: Callable[..., Any]) -> None:
    here = threading.get_ident()
    both = threading.Barrier(2, timeout=60)
    first: set[int] = set()

    def met(afterstates: np.ndarray) -> np.ndarray:
        if (ident := threading.get_ident()) not in first:
            first.add(ident)
            both.wait()  # until another thread is here too
        return blots(afterstates)

    call(met, threads=2)
    assert len(first) == 2
    assert here not in first
    first.clear()
    both = threading.Barrier(1)
    call(met)
    assert first == {here}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_is_that_of_the_first_board(call: Callable[..., Any], threads: int) -> None:
    def bad(afterstates: np.ndarray) -> np.ndarray:
        return np.where(afterstates[:, 0, 6] == 0, np.nan, 0.0)

    with pytest.raises(tf.EvaluatorError) as one:
        call(bad)
    with pytest.raises(tf.EvaluatorError) as other:
        call(bad, threads=threads)
    assert str(one.value) == str(other.value)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("threads", [0, -1, 1025, 1.5, True, "2"])
def test_bad_threads(call: Callable[..., Any], threads: Any) -> None:
    with pytest.raises(ValueError, match=r"threads=.*expected an integer 1 to 1024"):
        call(NETS["portes"], threads=threads)
