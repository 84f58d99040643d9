"""Boards to judge, and a net of each kind to judge them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from boards import made_boards

import tavli_fast as tf
from tavli_fast import Linear, Net
from tavli_fast.rules.presets import Rules

FAMILIES = ["portes", "plakoto", "fevga"]


def some_boards(name: str, count: int, seed: int = 1) -> Any:
    """Return boards of random games, and as many that no game leads to."""
    rules = tf.RULES[name]
    made = made_boards(np.random.default_rng(seed), count, rules)
    return np.concatenate([tf.random_boards(count, name, seed=seed), made])


def in_a_race(board: Any, rules: Rules) -> bool:
    rear = [max([p for p in range(1, 26) if side[p]], default=0) for side in board]
    return max(rear[0], rear[1]) <= 12 if rules.parallel else rear[0] + rear[1] < 25


def evaluators_of(name: str, hidden: int = 40) -> Iterator[Any]:
    """Return one of each kind, with weights as large as trained ones may have."""
    rng = np.random.default_rng(5)
    features = tf.features(tf.start(name), name).shape[1]
    yield Net.random(name, hidden, seed=1, scale=0.7)
    yield Net.random(name, hidden, seed=2, scale=0.7, activation="clipped")
    yield Linear(name, rng.normal(0, 0.2, (2, features, 5)), rng.normal(0, 1, (2, 5)))
    for activation in ("sigmoid", "clipped"):
        yield Net.random(
            name, hidden, seed=3, scale=0.3, activation=activation, scalars=True, experts=True
        )
    features = tf.features(tf.start(name), name, scalars=True).shape[1]
    yield Linear(name, rng.normal(0, 0.2, (5, features, 5)), rng.normal(0, 1, (5, 5)))
