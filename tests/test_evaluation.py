"""Evaluating and choosing: against a slow recursion, deterministic, and clear about bad answers."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from evaluators import (
    by_cells,
    equity_of,
    few_checkers,
    slow_judged,
    slow_plays,
    slow_value,
    turned,
)

import tavli_fast as tf
from tavli_fast import EvaluatorError
from tavli_fast.evaluation import outcomes, search
from tavli_fast.evaluation.evaluate import FILTERS

PRESETS = sorted(tf.RULES)
BOARDS = {
    name: tf.random_boards(120, name, seed=5)[::3] if name == "gul_bara"  # its games are slow
    else tf.random_boards(3000, name, seed=5)[::75]
    for name in PRESETS
}  # fmt: skip
DICE = np.random.default_rng(3).integers(1, 7, (40, 2))
# A cascade of 1-1 in the middle of a game is no work for the slow reference.
DICE_OF = {name: np.where(DICE == 1, 5, DICE) if name == "gul_bara" else DICE for name in PRESETS}

ENDINGS = [
    ("portes", few_checkers("portes", {3: 1, 1: 2}, {2: 1, 4: 1})),
    ("portes", few_checkers("portes", {25: 1}, {1: 1, 3: 1})),
    ("hypergammon", few_checkers("hypergammon", {6: 1, 2: 1}, {24: 1, 1: 1})),
    ("plakoto", few_checkers("plakoto", {4: 1, 23: 1}, {2: -1, 6: 1})),
    ("fevga", few_checkers("fevga", {9: 1, 2: 1}, {3: 1})),
]


@pytest.mark.parametrize("name", PRESETS)
def test_at_once_it_is_what_the_opponent_thinks(name: str) -> None:
    judge = by_cells()
    found = tf.evaluate(BOARDS[name], judge, name)
    expected = [slow_value(board, judge, tf.RULES[name], 0) for board in BOARDS[name]]
    np.testing.assert_allclose(found.outcomes, expected, atol=1e-12)
    np.testing.assert_allclose(found.equity, equity_of(expected), atol=1e-12)


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "gul_bara"])
def test_one_ply_ahead(name: str) -> None:
    boards, judge = BOARDS[name][7:10], by_cells()
    found = tf.evaluate(boards, judge, name, plies=1)
    expected = [slow_value(board, judge, tf.RULES[name], 1) for board in boards]
    np.testing.assert_allclose(found.outcomes, expected, atol=1e-12)
    np.testing.assert_allclose(found.equity, equity_of(expected), atol=1e-12)


@pytest.mark.parametrize(("name", "board"), ENDINGS)
def test_two_plies_ahead(name: str, board: Any) -> None:
    judge = by_cells()
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 10**9),
        ({"replies": [(1, 0)]}, 1),
        ({"replies": [(2, 99)]}, 2),
    ]
    for settings, width in cases:
        found = tf.evaluate(board, judge, name, plies=2, **settings)
        expected = slow_value(board, judge, tf.RULES[name], 2, width)
        np.testing.assert_allclose(found.outcomes[0], expected, atol=1e-12)
        np.testing.assert_allclose(found.equity[0], equity_of(expected), atol=1e-12)


def test_far_enough_ahead_it_is_exact_whatever_the_evaluator() -> None:
    # 27 of 36 rolls bear a checker off from the 6 point, and the opponent's comes off with any.
    board = few_checkers("portes", {6: 1}, {1: 1})
    found = tf.evaluate(board, lambda boards: np.zeros(len(boards)), plies=2)
    assert found.equity.tolist() == [pytest.approx(27 / 36 - 9 / 36)]
    assert found.outcomes.tolist() == [pytest.approx([27 / 36, 0, 0, 0, 0, 0])]


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "gul_bara"])
@pytest.mark.parametrize("plies", [0, 1])
def test_best_plays_against_the_slow_list(name: str, plies: int) -> None:
    judge, rules = by_cells(2), tf.RULES[name]
    boards, dice = BOARDS[name], DICE_OF[name]
    if plies:
        few = tf.count_plays(boards, dice, name) <= 8
        boards, dice = boards[few][:1], dice[few][:1]
    found = tf.best_plays(boards, dice, judge, name, plies, top=3, filters="all")
    for i, board in enumerate(boards):
        plays = sorted(slow_plays(board, dice[i], judge, rules, plies), key=equity_of)[::-1][:3]
        legal = min(3, tf.count_plays(board, dice[i], name)[0])
        assert found.counts[i] == legal
        listed = max(1, legal)
        np.testing.assert_allclose(found.outcomes[i, :listed], plays, atol=1e-12)
        np.testing.assert_allclose(found.equity[i, :listed], equity_of(plays), atol=1e-12)
        assert np.isnan(found.equity[i, listed:]).all()
        assert np.isnan(found.outcomes[i, listed:]).all()
        assert (found.boards[i, listed:] == -1).all()
        assert (found.moves[i, legal:] == -1).all()
        for k in range(legal):
            after = tf.apply(board, found.moves[i, k], dice[i], name)
            np.testing.assert_array_equal(after[0], found.boards[i, k])
            again = slow_judged(after[0], judge, rules, plies)
            np.testing.assert_allclose(found.outcomes[i, k], again, atol=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_a_net_and_its_callable_choose_alike(name: str) -> None:
    net, boards, dice = tf.Net.random(name, 20, seed=1), BOARDS[name], DICE_OF[name]
    for plies, part in ((0, slice(None)), (1, slice(3))):
        if plies and name == "gul_bara":
            continue
        given = boards[part], dice[part]
        fast = tf.best_plays(*given, net, name, plies, filters="all")
        slow = tf.best_plays(*given, lambda after: net(after, name), name, plies, filters="all")
        more = tf.best_plays(*given, net, name, plies, top=9, filters="all")
        for one, other, some in zip(fast[:4], slow[:4], more[:4], strict=True):
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(one, np.asarray(some)[:, :1])
        np.testing.assert_array_equal(fast.counts, np.minimum(more.counts, 1))


def test_values_ahead_are_those_of_the_opponent_turned() -> None:
    net = tf.Net.random("portes", 20, seed=2)
    found = tf.best_plays(BOARDS["portes"][:9], DICE[:9], net, plies=1, top=2, filters="all")
    for k in range(2):
        listed = found.counts > k
        there = tf.evaluate(tf.flip(found.boards[listed, k]), net, plies=1)
        np.testing.assert_allclose(found.equity[listed, k], -there.equity, atol=1e-12)
        np.testing.assert_allclose(found.outcomes[listed, k], turned(there.outcomes), atol=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_of_equals_the_first_afterstate_is_chosen(name: str) -> None:
    after, offsets = tf.afterstates(BOARDS[name], DICE_OF[name], name)
    nothing = np.zeros((tf.features(after[:1], name).shape[1], 5))
    # Half of all games are won, and all by one point: the board has no part in it.
    linear = tf.Linear(name, nothing, np.array([0, -100, -100, -100, -100.0]))
    for evaluator in (linear, lambda boards: np.zeros(len(boards))):
        found = tf.best_plays(BOARDS[name], DICE_OF[name], evaluator, name, top=4)
        over = tf.outcomes(after, name)[0]
        for i, (begin, end) in enumerate(pairwise(offsets)):
            if not over[begin:end].any():
                count = min(4, end - begin)
                np.testing.assert_array_equal(found.boards[i, :count], after[begin : begin + count])


def test_filters_keep_the_best_and_no_more() -> None:
    judge, boards, dice = by_cells(3), BOARDS["portes"], DICE
    can_move = tf.count_plays(boards, dice) > 0
    boards, dice = boards[can_move][:12], dice[can_move][:12]
    for top in (1, 2):
        found = tf.best_plays(boards, dice, judge, plies=1, top=top, filters=[(4, 0.02)])
        kept = []
        for i, board in enumerate(boards):
            after = tf.afterstates(board, dice[i]).boards
            at_once = np.array([equity_of(slow_judged(one, judge, tf.PORTES, 0)) for one in after])
            order = np.argsort(-at_once, kind="stable")
            near = at_once[order] >= at_once[order[0]] - 0.02
            chosen = [k for rank, k in enumerate(order) if rank < top or (rank < 4 and near[rank])]
            kept.append(len(chosen))
            ahead = -tf.evaluate(tf.flip(after[sorted(chosen)]), judge, plies=1).equity
            best = after[sorted(chosen)][np.argsort(-ahead, kind="stable")[:top]]
            np.testing.assert_array_equal(found.boards[i, : len(best)], best)
        assert max(kept) == 4  # each limit has been at work
        assert min(kept) < 4


def test_levels_follow_one_another() -> None:
    # Two levels of filters: those that the second one drops are not looked at two plies ahead.
    board, roll, judge = few_checkers("portes", {6: 1, 5: 2, 3: 1}, {4: 1}), (2, 1), by_cells(4)
    after = tf.afterstates(board, roll).boards
    one = -tf.evaluate(tf.flip(after), judge, plies=1).equity
    two = -tf.evaluate(tf.flip(after), judge, plies=2).equity
    left = np.argsort(-one, kind="stable")[:2]
    found = tf.best_plays(board, roll, judge, plies=2, filters=[None, (2, 9)])
    np.testing.assert_allclose(found.equity[0, 0], two[left].max(), atol=1e-12)
    np.testing.assert_allclose(
        tf.best_plays(board, roll, judge, plies=2, filters=None).equity[0, 0], two.max(), atol=1e-12
    )


def test_names_of_filters() -> None:
    judge, boards, dice = by_cells(3), BOARDS["portes"][:3], DICE[:3]
    for name, levels in FILTERS.items():
        by_name = tf.best_plays(boards, dice, judge, plies=1, filters=name)
        given = tf.best_plays(boards, dice, judge, plies=1, filters=list(levels))
        np.testing.assert_array_equal(by_name.boards, given.boards)
    assert FILTERS["normal"][0] == (8, 0.16)


@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("compiled", [True, False])
def test_who_cannot_move_stays(plies: int, compiled: bool) -> None:
    shut_out = few_checkers("portes", {25: 2, 3: 2}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})
    over = few_checkers("portes", {}, {1: 1})
    over[1, [0, 24]] = 0, 14
    boards = np.stack([tf.start(), shut_out, over])
    net = tf.Net.random("portes", 8, seed=1)
    evaluator: Any = net if compiled else lambda after: net(after)
    found = tf.best_plays(boards, (6, 6), evaluator, plies=plies, top=2)
    assert found.counts.tolist() == [2, 0, 0]
    assert (found.moves[1:] == -1).all()
    np.testing.assert_array_equal(found.boards[1:, 0], boards[1:])
    assert (found.boards[1:, 1] == -1).all()
    there = tf.evaluate(tf.flip(shut_out), evaluator, plies=plies)
    assert found.equity[1, 0] == pytest.approx(-there.equity[0])
    assert found.equity[2, 0] == tf.outcomes(over)[1][0] == 2
    assert np.isnan(found.equity[1:, 1]).all()
    assert found.outcomes[2, 0].tolist() == [1, 1, 0, 0, 0, 0]
    # At once, the worth of a turn that cannot be played is what the mover's own side sees.
    if plies == 0:
        assert found.outcomes[1, 0].tolist() == net(shut_out)[0].tolist()


def test_nothing_in_nothing_out() -> None:
    none, no_dice = np.empty((0, 2, 26), np.int8), np.empty((0, 2), np.int8)
    for evaluator in (by_cells(), tf.Net.random("portes", 4, seed=1)):
        assert tf.evaluate(none, evaluator, plies=2).equity.shape == (0,)
        found = tf.best_plays(none, no_dice, evaluator, top=3)
        assert [array.shape for array in found] == [
            (0, 3, 4, 2),
            (0, 3, 2, 26),
            (0, 3),
            (0, 3, 6),
            (0,),
        ]


def test_cascades_have_room_for_their_moves() -> None:
    found = tf.best_plays(tf.start("gul_bara"), (6, 6), tf.Net.random("gul_bara", 8), "gul_bara")
    assert found.moves.shape == (1, 1, 24, 2)


@pytest.mark.parametrize("plies", [0, 1])
def test_equities_alone_have_no_outcomes(plies: int) -> None:
    judge = by_cells()
    found = tf.evaluate(BOARDS["portes"][:5], lambda after: equity_of(judge(after)), plies=plies)
    both = tf.evaluate(BOARDS["portes"][:5], judge, plies=plies)
    np.testing.assert_allclose(found.equity, both.equity, atol=1e-12)
    assert np.isnan(found.outcomes).all()


def test_five_outcomes_have_no_draw() -> None:
    found = tf.evaluate(BOARDS["portes"], by_cells(outputs=5))
    assert (found.outcomes[:, 5] == 0).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, list])
def test_answers_of_any_real_kind(dtype: Any) -> None:
    def pips(after: Any) -> Any:
        lead = after[:, 1] @ np.arange(26) - after[:, 0] @ np.arange(26)
        return lead.tolist() if dtype is list else lead.astype(dtype)

    lead = BOARDS["portes"][:, 1] @ np.arange(26) - BOARDS["portes"][:, 0] @ np.arange(26)
    assert tf.evaluate(BOARDS["portes"], pips).equity.tolist() == lead.tolist()


def test_a_callable_sees_boards_of_its_own_and_none_that_is_over() -> None:
    seen = []

    def judge(after: Any) -> Any:
        assert after.dtype == np.int8
        assert after.flags.c_contiguous
        assert not tf.outcomes(after)[0].any()
        seen.append(len(after))
        values = 2 - after[:, 0, 1:7].sum(axis=1)
        after[:] = 0  # its own copy
        return values

    # 1-2 leaves a checker, 1-1 bears off all.
    board, rolls = few_checkers("portes", {1: 2, 2: 1}, {3: 1}), np.array([(1, 2), (1, 1)])
    after = tf.afterstates(board, rolls[0]).boards
    found = tf.best_plays(np.repeat(board[np.newaxis], 100, axis=0), np.tile(rolls, (50, 1)), judge)
    assert found.equity[:, 0].tolist() == [1] * 100
    assert sum(seen) == 50 * len(after)
    tf.evaluate(board, judge, plies=2)


def test_slices_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, boards, dice = by_cells(), BOARDS["portes"][:8], DICE[:8]
    sizes = []

    def watched(after: Any) -> Any:
        sizes.append(len(after))
        return judge(after)

    whole = (
        tf.evaluate(boards, watched, plies=1),
        tf.best_plays(boards, dice, watched, plies=1, top=3),
    )
    assert max(sizes) <= 1 << 14
    monkeypatch.setattr(search, "_CANDIDATES", 450)
    sizes.clear()
    parts = (
        tf.evaluate(boards, watched, plies=1),
        tf.best_plays(boards, dice, watched, plies=1, top=3),
    )
    most = max(tf.count_plays(np.repeat(boards, 21, axis=0), np.tile(outcomes.ROLLS, (8, 1))))
    assert max(sizes) <= max(450, most)
    for one, other in zip(whole, parts, strict=True):
        for array, again in zip(one, other, strict=True):
            np.testing.assert_array_equal(array, again)


# --- answers that are no use ----------------------------------------------------------------------

BAD = BOARDS["portes"][17]


def bad_only(bad: Callable[[Any, int], Any]) -> Callable[[Any], Any]:
    """Return a callable that goes wrong where `BAD`, turned, is among the boards."""

    def judge(after: Any) -> Any:
        answer = np.zeros((len(after), 5))
        places = np.flatnonzero((after == BAD[::-1]).all(axis=(1, 2)))
        return bad(answer, int(places[0])) if len(places) else answer

    return judge


def spoilt(value: Any) -> Callable[[Any, int], Any]:
    def spoil(answer: Any, place: int) -> Any:
        answer[place, 3] = value
        return answer

    return spoil


def torn(answer: Any, place: int) -> Any:
    raise ZeroDivisionError("no such luck")


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (spoilt(np.nan), "nan"),
        (spoilt(np.inf), "inf"),
        (spoilt(-np.inf), "-inf"),
        (spoilt(-0.25), "expected probabilities from 0 to 1"),
        (spoilt(1.5), "expected probabilities from 0 to 1"),
        (torn, "raised ZeroDivisionError (no such luck)"),
    ],
)
def test_the_first_bad_board_is_named(bad: Any, why: str) -> None:
    boards = np.concatenate([BOARDS["portes"]] * 3)
    with pytest.raises(EvaluatorError) as caught:
        tf.evaluate(boards, bad_only(bad))
    message = str(caught.value)
    assert why in message
    assert "afterstates[17]" in message
    text = re.search(r"TFID\S+", message)
    assert text is not None
    np.testing.assert_array_equal(tf.from_tfid(text[0].rstrip(","))[0], BAD[::-1])
    assert (type(caught.value.__cause__) is ZeroDivisionError) == (bad is torn)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda n: np.zeros(n + 1), "shape"),
        (lambda n: np.zeros((n, 1)), "shape"),
        (lambda n: np.zeros((n, 4)), "shape"),
        (lambda n: np.zeros((5, n)), "shape"),
        (lambda n: 0.5, "shape"),
        (lambda n: None, "dtype"),
        (lambda n: ["win"] * n, "dtype"),
        (lambda n: np.zeros(n, np.complex64), "dtype"),
        (lambda n: np.zeros(n, bool), "dtype"),
        (lambda n: [[1, 2], [3]], "no array"),
        (lambda n: np.full(n, np.nan), "nan"),
        (lambda n: np.full(n, -np.inf), "inf"),
        (lambda n: np.full(n, 1e31), "1e30|1e\\+30"),
        (lambda n: np.ma.masked_array(np.zeros(n), np.ones(n, bool)), "masked"),
    ],
)
@pytest.mark.parametrize("plies", [0, 1])
def test_answers_of_another_kind(answer: Any, why: str, plies: int) -> None:
    with pytest.raises(EvaluatorError, match=why) as caught:
        tf.evaluate(BOARDS["portes"][:3], lambda after: answer(len(after)), plies=plies)
    assert "TFID1:p:" in str(caught.value)
    with pytest.raises(EvaluatorError, match=why):
        tf.best_plays(BOARDS["portes"][:3], (3, 1), lambda after: answer(len(after)), plies=plies)


def test_one_that_cannot_do_with_batches_is_told_so() -> None:
    def picky(after: Any) -> Any:
        if len(after) > 1:
            raise RuntimeError("one at a time")
        return np.zeros(1)

    with pytest.raises(
        EvaluatorError, match=r"raised RuntimeError \(one at a time\).*40 afterstates"
    ):
        tf.evaluate(BOARDS["portes"], picky)


def test_an_interruption_is_none_of_its_errors() -> None:
    def interrupted(after: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tf.evaluate(tf.start(), interrupted)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"evaluator": "random"}, "evaluator='random': expected a Net"),
        ({"evaluator": None}, "evaluator=None: expected"),
        ({"evaluator": tf.Net}, "evaluator=.*expected"),
        (
            {"evaluator": tf.Net.random("plakoto", 4), "rules": "portes"},
            "rules=portes.*plakoto|plakoto.*portes",
        ),
        ({"plies": -1}, "plies=-1: expected an integer 0 to 8"),
        ({"plies": 9}, "plies=9"),
        ({"plies": 1.0}, "plies=1.0"),
        ({"rules": "chess"}, "rules"),
        ({"boards": np.zeros((2, 26), np.int8)}, "boards"),
        ({"replies": "some"}, "replies='some': expected one of tiny"),
        ({"replies": 3}, "replies=3: expected a name"),
        ({"replies": [3]}, r"replies\[0\]=3: expected \(most, within\)"),
        ({"replies": [(0, 1)]}, r"replies\[0\]\[0\]=0: expected an integer of 1 or more"),
        ({"replies": [None, (3, -1)]}, r"replies\[1\] is within -1"),
        ({"replies": [(3, np.nan)]}, "within nan"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], why: str) -> None:
    given = {"boards": tf.start(), "evaluator": by_cells(), **arguments}
    with pytest.raises(ValueError, match=why):
        tf.evaluate(**given)
    with pytest.raises(ValueError, match=why):
        tf.best_plays(**given, dice=(3, 1))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"top": 0}, "top=0"),
        ({"top": True}, "top=True"),
        ({"dice": (0, 1)}, "die of 0"),
        ({"filters": "most"}, "filters='most'"),
        ({"filters": [(1, "x")]}, r"filters\[0\]"),
    ],
)
def test_bad_arguments_of_best_plays(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        tf.best_plays(
            **{"boards": tf.start(), "dice": (3, 1), "evaluator": by_cells(), **arguments}
        )


def test_from_features() -> None:
    for name in ("portes", "plakoto", "fevga"):
        weights = np.random.default_rng(1).normal(
            0, 0.01, tf.features(tf.start(name), name).shape[1]
        )
        found = tf.evaluate(
            BOARDS[name], tf.from_features(lambda seen, w=weights: seen @ w, name), name
        )
        expected = -(tf.features(tf.flip(BOARDS[name]), name) @ weights)
        np.testing.assert_allclose(found.equity, expected, atol=1e-6)
    with pytest.raises(ValueError, match="function=3: expected a callable"):
        tf.from_features(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rules"):
        tf.from_features(len, "chess")
    whole = tf.from_features(len, "portes")
    for wrong in (np.zeros((1, 1, 1), np.int8), np.zeros((3, 2, 26)), np.zeros((2, 26), np.int8)):
        with pytest.raises(ValueError, match=r"afterstates is .*: expected int8\[N, 2, 26\]"):
            whole(wrong)  # type: ignore[arg-type]
