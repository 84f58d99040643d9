"""Hold one build's nets against another's: every candidate's outcomes, the plays chosen, rollouts.

    python benchmarks/net_answers.py write POSITIONS.npz ANSWERS.npz   # in each environment
    python benchmarks/net_answers.py compare ANSWERS.npz OTHER.npz

The first `write` makes the positions, the next ones read them, so that all answer for the same.
It needs nothing but public functions, and reads no file of the checkout.
"""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tavli_fast as tf

NETS = [
    "portes", "backgammon", "hypergammon", "nackgammon", "tavla", "plakoto", "tapa", "fevga",
    "moultezim", "narde", "gul_bara",
]  # fmt: skip
POSITIONS = int(os.environ.get("POSITIONS", "10000"))
FEW = 40
"""Positions for what takes long: looking ahead, rollouts."""


def positions(rules):
    """Return positions of games between the net and itself, and of random games, with rolls."""
    rng = np.random.default_rng(5)
    net = tf.load_net(rules)
    boards = np.repeat(tf.start(rules)[np.newaxis], 100, axis=0)
    met: list[Any] = []
    while sum(map(len, met)) < POSITIONS // 2:
        met.append(boards)
        dice = rng.integers(1, 7, (len(boards), 2))
        after = tf.best_plays(boards, dice, evaluator=net, rules=rules).boards[:, 0]
        over, _ = tf.outcomes(after, rules=rules)
        boards = tf.flip(after)
        boards[over] = tf.start(rules)
    random = tf.random_boards(POSITIONS - POSITIONS // 2, rules=rules, seed=11)
    random = random[~tf.outcomes(random, rules=rules)[0]]
    boards = np.concatenate([*met, random])
    dice = rng.integers(1, 7, (len(boards), 2)).astype(np.int8)
    if rules == "gul_bara":  # cascades of doubles have thousands of plays
        dice[dice[:, 0] == dice[:, 1], 1] = dice[dice[:, 0] == dice[:, 1], 0] % 6 + 1
    return boards, dice


def answers(rules, boards, dice):
    """Return what the net of these rules says, by name."""
    net = tf.load_net(rules)
    after, offsets = tf.afterstates(boards, dice, rules=rules)
    best = tf.best_plays(boards, dice, evaluator=net, rules=rules)
    top = int(np.diff(offsets).max())
    # In an order of its own: that in which a build lists afterstates is no answer.
    owner = np.repeat(np.arange(len(boards)), np.diff(offsets))
    order = np.lexsort((*after.reshape(-1, 52).T, owner))
    found = {
        "alone": net(after[order]),
        "now": net(boards),
        "best": best.boards[:, 0],
        "best equity": best.equity,
        "best outcomes": best.outcomes,
    }
    for first in range(0, len(boards), 500):
        part = slice(first, first + 500)
        every = tf.best_plays(boards[part], dice[part], evaluator=net, rules=rules, top=top)
        found[f"order {first}"] = every.boards[~np.isnan(every.equity)]
        found[f"equities {first}"] = every.equity[~np.isnan(every.equity)]
    if rules == "gul_bara":
        return found
    few = boards[:: len(boards) // FEW]
    found["1 ply"] = tf.evaluate(few, evaluator=net, rules=rules, plies=1).outcomes
    found["2 plies"] = tf.evaluate(few[:2], evaluator=net, rules=rules, plies=2).outcomes
    ways: dict[str, dict[str, Any]] = {
        "games": {},
        "truncated": {"truncate": 7},
        "luck": {"truncate": 7, "variance_reduction": True, "stratified": True},
    }
    for name, options in ways.items():
        rolled = tf.rollout(
            few[:8], rules=rules, policy=net, trials=32, seed=3, threads=1, **options
        )
        found[name] = np.stack([rolled.equity, rolled.std_error])
        found[name + " counts"] = rolled.counts
    if rules in ("backgammon", "portes"):
        rolled = tf.rollout(
            few[:4], rules=rules, policy=net, trials=32, seed=3, threads=1, truncate=9, cube=True,
            variance_reduction=True,
        )  # fmt: skip
        found["cube"] = np.asarray(rolled.moments)
    return found


def write(place, to):
    """Write the answers for the positions in a file, which is made if it is not there."""
    if not Path(place).exists():
        made = {}
        for rules in NETS:
            made[f"{rules} boards"], made[f"{rules} dice"] = positions(rules)
        np.savez_compressed(place, **made)
    given = np.load(place)
    found = {}
    for rules in NETS:
        boards, dice = given[f"{rules} boards"], given[f"{rules} dice"]
        for name, values in answers(rules, boards, dice).items():
            found[f"{rules}: {name}"] = values
        print(rules, len(boards), flush=True)
    np.savez_compressed(to, **found)


def compare(one, other):
    """Return how many answers differ in a bit, and say which."""
    first, second = np.load(one), np.load(other)
    assert set(first) == set(second), set(first) ^ set(second)
    differ = 0
    for name in first:
        a, b = first[name], second[name]
        if a.shape != b.shape or a.tobytes() != b.tobytes():
            differ += 1
            most = np.nanmax(np.abs(a.astype(float) - b)) if a.shape == b.shape else "shapes"
            print(f"{name}: they differ, {most}")
    print(f"{len(first.files)} arrays compared, {differ} differ")
    return differ


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"] and len(sys.argv) == 4:
        write(*sys.argv[2:])
    elif sys.argv[1:2] == ["compare"] and len(sys.argv) == 4:
        sys.exit(compare(*sys.argv[2:]) > 0)
    else:
        sys.exit(__doc__)
