"""Phases of a game, each of 10,000 boards, with random rolls.

Of every family: the opening (both sides still have nine tenths of their pips), the middle, what
stops the mover there (a checker on the bar, a pinned one, a runner that has not passed the gate),
bearing in (one to four checkers outside the home board), and bearing off (none).
"""

from functools import cache

import numpy as np
import pytest
from rows import check_afterstates, check_counts

import tavli_fast as tf

FAMILIES = {"backgammon": "bar", "plakoto": "pinned", "fevga": "gate"}
"""A game of each family, and what may stop its mover."""
N = 10_000
SAMPLE = 150_000
LEAST = 2_000
"""Boards of a phase that there must be. (Behind a gate random games know only some 900 different
ones, and a branch predictor may know some of those.)"""
CHECKED = 40


@cache
def phases(rules):
    """Return the boards of each phase by its name; each board is in the first that holds."""
    boards = tf.random_boards(SAMPLE, rules, seed=2026)
    mine = boards[:, 0]
    stopped = {
        "bar": mine[:, 25] > 0,
        "pinned": (mine < 0).any(axis=1),
        "gate": (mine[:, : 1 + (tf.RULES[rules].runner_gate or 0)] == 0).all(axis=1),
    }[FAMILIES[rules]]
    outside = np.abs(mine[:, 7:]).sum(axis=1)
    start_pips = int(tf.pip_counts(tf.start(rules))[0, 0])
    marks = {
        FAMILIES[rules]: stopped,
        "opening": (tf.pip_counts(boards) >= 0.9 * start_pips).all(axis=1),
        "bear-off": outside == 0,
        "bear-in": outside <= 4,
        "middle": np.ones(len(boards), bool),
    }
    left = np.ones(len(boards), bool)
    found = {}
    for name, mark in marks.items():
        found[name] = boards[mark & left][:N]
        left &= ~mark
    return found


PHASES = [
    (rules, phase)
    for rules, stop in FAMILIES.items()
    for phase in ("opening", "middle", stop, "bear-in", "bear-off")
]


@pytest.fixture
def turns(rules, phase):
    boards = phases(rules)[phase]
    assert len(boards) >= LEAST
    dice = np.random.default_rng(2026).integers(1, 7, (len(boards), 2)).astype(np.int8)
    return boards, dice


@pytest.mark.parametrize(("rules", "phase"), PHASES)
def test_count_plays(timed, turns, rules, phase):
    boards, dice = turns
    check_counts(tf.count_plays(boards, dice, rules), boards, dice, rules, CHECKED)
    timed(
        f"count_plays, {rules}, {phase}",
        len(boards),
        lambda: tf.count_plays(boards, dice, rules),
        about={"call": "count_plays", "rules": rules, "phase": phase},
    )


@pytest.mark.parametrize(("rules", "phase"), PHASES)
def test_afterstates(timed, turns, rules, phase):
    boards, dice = turns
    result = tf.afterstates(boards, dice, rules)
    check_afterstates(*result, boards, dice, rules, CHECKED)
    plays = len(result.boards) / len(boards)
    timed(
        f"afterstates, {rules}, {phase}",
        len(boards),
        lambda: tf.afterstates(boards, dice, rules),
        about={"call": "afterstates", "rules": rules, "phase": phase, "plays": plays},
    )
