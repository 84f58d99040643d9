"""Bear-off tables against values of other solvers, against each other, and against bad input."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import tavli_fast as tf

DATA = np.load(Path(__file__).parent / "data" / "bearoff.npz")
"""1,000 one-sided and 1,500 two-sided positions of 6 points, by double-precision solvers that agree
with GNU Backgammon 1.07's tables to the precision of its files."""


def test_one_sided_distributions_are_those_of_other_tables() -> None:
    table = tf.one_sided()
    rolls = table.distribution(DATA["sides"])
    np.testing.assert_allclose(rolls[:, :32], DATA["distribution"], atol=1e-9, rtol=0)
    assert not rolls[:, 32:].any()
    np.testing.assert_allclose(
        table.first_off(DATA["sides"])[:, :32], DATA["first_off"], atol=1e-9, rtol=0
    )
    np.testing.assert_allclose(rolls @ np.arange(rolls.shape[1]), table.mean(DATA["sides"]))


def test_known_means() -> None:
    table = tf.one_sided()
    sides = [[0, 0, 0, 0, 0, 15], [15, 0, 0, 0, 0, 0], [2, 2, 2, 3, 3, 3]]
    known = [12.266187172, 6.979591764, 8.138923203]
    np.testing.assert_allclose(table.mean(sides), known, atol=1e-9)
    assert table.effective_pips(sides[0])[0] == pytest.approx(100.1739, abs=1e-4)
    stacks = [[count, 0, 0, 0, 0, 0] for count in (1, 3, 5, 15)]
    exact = [Fraction(1), Fraction(11, 6), Fraction(97, 36), Fraction(1953839, 279936)]
    np.testing.assert_allclose(table.mean(stacks), [float(mean) for mean in exact], atol=1e-12)


@pytest.mark.parametrize("points", [3, 6, 7])
def test_every_side_of_few_checkers_by_the_rules_in_plain_python(points: int) -> None:
    rules = tf.Rules(checkers=2, start=((24, 2),))
    table = tf.one_sided(rules, points)
    known: dict[tuple[int, ...], float] = {}

    def mean(side: tuple[int, ...]) -> float:
        if not any(side):
            return 0.0
        if side not in known:
            board = np.zeros((2, 26), np.int8)
            board[0, 1 : points + 1], board[1, 1] = side, 2
            board[0, 0] = 2 - sum(side)
            total = 0.0
            for high in range(1, 7):
                for low in range(1, high + 1):
                    after = tf.reference.afterstates(board, (high, low), rules=rules).boards
                    rest = min(mean(tuple(map(int, row[0, 1 : points + 1]))) for row in after)
                    total += (1 if high == low else 2) * rest
            known[side] = 1 + total / 36
        return known[side]

    sides = [
        tuple(int(np.sum(np.array(pair) == point)) for point in range(1, points + 1))
        for pair in [(a, b) for a in range(points + 1) for b in range(a, points + 1)]
    ]
    np.testing.assert_allclose(table.mean(sides), [mean(side) for side in sides], atol=1e-12)


def test_two_sided_equities_are_those_of_other_tables() -> None:
    table = tf.two_sided()
    for column, cube in enumerate(("none", "own", "centred", "other")):
        found = table.equity(DATA["mover"], DATA["other"], cube=cube)
        np.testing.assert_allclose(found, DATA["no_double"][:, column], atol=1e-9, rtol=0)
    two = [0, 0, 0, 0, 0, 2]
    known = {"none": 0.5089887, "own": 0.6217405, "centred": 0.6031238, "other": 0.4806297}
    for cube, equity in known.items():
        assert table.equity(two, two, cube)[0] == pytest.approx(equity, abs=1e-7)


def test_the_best_action_is_the_better_of_rolling_and_doubling() -> None:
    table = tf.two_sided()
    sides = DATA["mover"][DATA["mover"].any(1) & DATA["other"].any(1)]
    others = DATA["other"][DATA["mover"].any(1) & DATA["other"].any(1)]
    doubled = np.minimum(2 * table.equity(sides, others, "other"), 1)
    for cube in ("own", "centred"):
        rolled = table.equity(sides, others, cube)
        best = table.equity(sides, others, cube, best_action=True)
        np.testing.assert_array_equal(best, np.maximum(rolled, doubled))
        assert (best > rolled).any()
    for cube in ("none", "other"):
        rolled = table.equity(sides, others, cube)
        np.testing.assert_array_equal(table.equity(sides, others, cube, best_action=True), rolled)


def test_a_race_by_two_distributions_is_near_the_exact_one() -> None:
    one, two = tf.one_sided(), tf.two_sided()
    rows = DATA["mover"].any(1) & DATA["other"].any(1)
    mover, other = DATA["mover"][rows], DATA["other"][rows]
    outcomes = one.race(mover, other)
    equity = 2 * outcomes[:, 0] - 1
    exact = two.equity(mover, other)
    assert np.abs(equity - exact).max() < 0.03
    assert np.abs(equity - exact).mean() < 0.003
    assert not outcomes[:, 1:].any()  # both have checkers off


def test_gammons_of_a_race_with_all_checkers() -> None:
    table = tf.one_sided()
    quick, slow = [7, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 15]
    outcomes = table.race([quick, slow], [slow, quick])
    # Seven on the ace need four rolls, or three with doubles; the other rolls one time less.
    three = table.distribution(quick)[0]
    first = table.first_off(slow)[0]
    later = first[::-1].cumsum()[::-1]
    assert outcomes[0, 1] == pytest.approx(float((three * later).sum()))
    assert outcomes[0, 0] > 0.999
    assert outcomes[1, 3] == pytest.approx(float((three[:-1] * later[1:]).sum()))
    assert not outcomes[:, [2, 4, 5]].any()


def test_tables_are_kept_and_shared_by_rules_with_the_same_bear_off() -> None:
    assert tf.one_sided() is tf.one_sided("backgammon")
    assert tf.one_sided("plakoto") is tf.one_sided("fevga")
    assert tf.two_sided("plakoto") is tf.two_sided("fevga")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"bearoff_oversize": False}, "bearoff_oversize"),
        ({"bearoff_internal": False}, "bearoff_internal"),
    ],
)
def test_rules_whose_dice_may_go_unplayed_are_refused(changes: dict[str, bool], field: str) -> None:
    rules = dataclasses.replace(tf.PORTES, **changes)  # type: ignore[arg-type]
    for table in (tf.one_sided, tf.two_sided):
        with pytest.raises(ValueError, match=f"rules=.*{field}=True"):
            table(rules)
    with pytest.raises(ValueError, match="cascade=False"):
        tf.one_sided("gul_bara")


def test_a_table_beyond_the_allowed_memory_is_refused_with_its_size() -> None:
    with pytest.raises(tf.ResultTooLargeError, match=r"3,268,760 entries and takes \d[\d,]+ bytes"):
        tf.one_sided(points=10)
    with pytest.raises(tf.ResultTooLargeError, match="most_bytes="):
        tf.two_sided(checkers=15)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ([1, 2, 3], r"sides has shape \(3,\): expected integers \[N, 6\]"),
        ([[16, 0, 0, 0, 0, 0]], r"sides\[0\] is \[16, 0, 0, 0, 0, 0\]: expected at most 15"),
        ([[0] * 6, [8, 8, 0, 0, 0, 0]], r"sides\[1\].*at most 15 checkers"),
        ([[-1, 0, 0, 0, 0, 0]], "none of them negative"),
        ([[10**9] * 6], r"sides\[0\]"),
        ([[0.5] * 6], "sides"),
        ("x", "sides"),
    ],
)
def test_bad_sides(sides: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.one_sided().mean(sides)  # type: ignore[arg-type]


def test_other_bad_arguments() -> None:
    for points in (0, 13, 2.5, "6", None):
        with pytest.raises(ValueError, match="points="):
            tf.one_sided(points=points)  # type: ignore[arg-type]
    for checkers in (0, 16):
        with pytest.raises(ValueError, match="checkers="):
            tf.two_sided(checkers=checkers)
    table = tf.two_sided()
    with pytest.raises(ValueError, match="cube='mine': expected one of none, own, centred, other"):
        table.equity([1] * 6, [1] * 6, "mine")
    with pytest.raises(ValueError, match="other has 2 sides: expected 3"):
        table.equity([[1] * 6] * 3, [[1] * 6] * 2)
    with pytest.raises(ValueError, match="best_action"):
        table.equity([1] * 6, [1] * 6, "own", best_action="yes")  # type: ignore[arg-type]
