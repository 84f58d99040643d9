"""Cube equities and decisions from outcomes: known points, and what must always hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tavli_fast as tf

RACE = [0.5, 0, 0, 0, 0, 0]
"""Shares of a race: no gammons."""


def race(win: float) -> list[float]:
    """Return the outcomes of a race."""
    return [win, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("efficiency", "take", "double", "redouble", "cash"),
    [
        (0, 1 / 4, 1 / 2, 1 / 2, 3 / 4),  # the last roll
        (1, 1 / 5, 4 / 5, 4 / 5, 4 / 5),  # Keeler and Spencer, 1975
        (2 / 3, 3 / 14, 11 / 16, 5 / 7, 11 / 14),  # Janowski, 1993
    ],
)
def test_points_for_money_without_gammons(
    efficiency: float, take: float, double: float, redouble: float, cash: float
) -> None:
    points = tf.cube_points(RACE, efficiency=efficiency)
    found = [float(values[0]) for values in points]
    assert found == pytest.approx([take, double, redouble, cash, 1], abs=1e-7)


def test_points_for_money_with_gammons() -> None:
    """Janowski's formulas, W and L being the mean size of wins and losses."""
    win, lose = 1.3, 1.2
    outcomes = [0.5, 0.15, 0, 0.1, 0, 0]
    for x in (0.0, 0.5, 0.68, 1.0):
        points = tf.cube_points(outcomes, efficiency=x)
        whole = win + lose + 0.5 * x
        assert points.take[0] == pytest.approx((lose - 0.5) / whole, abs=1e-9)
        assert points.cash[0] == pytest.approx(1 - (win - 0.5) / whole, abs=1e-9)
        equities = tf.cube_equities(outcomes, efficiency=x)
        assert equities.owned[0] == pytest.approx(0.5 * whole - lose, abs=1e-12)
        assert equities.opponents[0] == pytest.approx(0.5 * whole - lose - 0.5 * x, abs=1e-12)
        assert equities.cubeless[0] == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize(
    ("win", "action", "take"),
    [(0.5, "no double", True), (0.72, "double, take", True), (0.8, "double, pass", False)],
)
def test_actions_for_money(win: float, action: str, take: bool) -> None:
    decision = tf.cube_decision(race(win))
    assert (decision.action, decision.take) == (action, take)
    assert decision.match_chance is None
    assert str(decision).startswith(action)


def test_too_good() -> None:
    outcomes = [0.9, 0.6, 0.1, 0, 0, 0]
    assert tf.cube_decision(outcomes).action == "too good"
    # By Jacoby's rule the gammons do not count yet.
    assert tf.cube_decision(outcomes, tf.CubeSetting(jacoby=True)).action == "double, pass"
    own = tf.CubeSetting(owner="player", cube=2, jacoby=True)
    assert tf.cube_decision(outcomes, own).action == "too good"


def test_jacoby_makes_doubling_earlier() -> None:
    outcomes = [0.6, 0.25, 0, 0.1, 0, 0]
    plain, jacoby = (tf.cube_points(outcomes, tf.CubeSetting(jacoby=on)) for on in (False, True))
    assert jacoby.double < plain.double
    assert jacoby.redouble == plain.redouble
    assert jacoby.take == plain.take


def test_beavers() -> None:
    for refusable in (False, True):
        setting = tf.CubeSetting(beavers=True, beaver_refusable=refusable)
        low = tf.cube_equities(np.array([race(0.3), race(0.52), race(0.7)]), setting)
        plain = tf.cube_equities(np.array([race(0.3), race(0.52), race(0.7)]))
        assert low.beaver.tolist() == [True, True, False]
        assert low.double_take[1] == pytest.approx(2 * plain.double_take[1])
        assert low.double_take[2] == plain.double_take[2]
        worst = 2 * plain.double_take[0]
        assert low.double_take[0] == pytest.approx(max(worst, -2) if refusable else worst)
    # With Jacoby's rule it can be right to double though the taker is the favourite.
    gammonish = [0.47, 0.44, 0.1, 0.05, 0, 0]
    setting = tf.CubeSetting(jacoby=True, beavers=True)
    assert tf.cube_decision(gammonish, setting, efficiency=0).double


def test_a_cap_makes_the_last_cube_dead() -> None:
    top = tf.CubeSetting(cube=64, owner="player", cap=64)
    decision = tf.cube_decision(race(0.8), top)
    assert decision.action == "no double"
    assert decision.no_double == pytest.approx(0.6)
    below = tf.cube_decision(race(0.77), tf.CubeSetting(cube=32, owner="player", cap=64))
    assert below.action == "double, pass"
    assert below.double_take == pytest.approx(1.08)
    far = tf.cube_equities(race(0.6), tf.CubeSetting(cap=2**20))
    endless = tf.cube_equities(race(0.6))
    assert far.owned == pytest.approx(endless.owned, abs=1e-5)


def test_long_matches_are_like_money() -> None:
    outcomes = [0.68, 0.2, 0.01, 0.08, 0.0, 0]
    table = tf.MatchEquityTable.compute(40)
    match = tf.cube_decision(outcomes, tf.CubeSetting(away=(40, 40), table=table))
    money = tf.cube_decision(outcomes)
    assert match.action == money.action
    for name in ("cubeless", "centred", "owned", "opponents", "double_take"):
        assert getattr(match, name) == pytest.approx(getattr(money, name), abs=0.06)


def test_at_two_away_each_whoever_leads_doubles() -> None:
    """The cube is dead once turned, and a take plays for the match."""
    decision = tf.cube_decision(race(0.65), tf.CubeSetting(away=(2, 2)), efficiency=1)
    assert decision.double_take * (1 - 0) == pytest.approx(decision.no_double)
    points = tf.cube_points(RACE, tf.CubeSetting(away=(2, 2)))
    table = tf.MatchEquityTable.compute(25)
    assert points.take[0] == pytest.approx(float(table.chance(2, 1)), abs=1e-9)
    assert points.cash[0] == pytest.approx(float(table.chance(1, 2)), abs=1e-9)


def test_nobody_doubles_in_the_crawford_game_nor_a_stake_that_suffices() -> None:
    for score in ((1, 4), (4, 1)):
        decision = tf.cube_decision([0.75, 0.2, 0, 0, 0, 0], tf.CubeSetting(away=score))
        assert (decision.action, decision.double) == ("no double", False)
        assert decision.no_double == pytest.approx(decision.cubeless)
    dead = tf.CubeSetting(away=(2, 5), cube=2, owner="player")
    assert tf.cube_decision(race(0.7), dead).action == "no double"
    with pytest.raises(ValueError, match="nobody can double here"):
        tf.cube_points(RACE, tf.CubeSetting(away=(4, 1)))


def test_after_the_crawford_game_the_side_that_trails_doubles_at_once() -> None:
    for need in (2, 3, 4, 7):
        setting = tf.CubeSetting(away=(need, 1), post_crawford=True)
        for win in (0.2, 0.5, 0.6):
            assert tf.cube_decision([win, win / 4, 0, 0.1, 0, 0], setting).double
        leader = tf.CubeSetting(away=(1, need), post_crawford=True)
        assert not tf.cube_decision(race(0.75), leader).double
    # With an even number to go the leader may pass for free: he takes with half the games or more.
    setting = tf.CubeSetting(away=(2, 1), post_crawford=True)
    assert tf.cube_decision(race(0.49), setting).take
    assert not tf.cube_decision(race(0.51), setting).take


def test_match_chances() -> None:
    setting = tf.CubeSetting(away=(4, 3), cube=2, owner="player")
    table = tf.MatchEquityTable.compute(25)
    equities = tf.cube_equities([race(1), race(0), race(0.55)], setting)
    chances = equities.match_chance(equities.cubeless)
    won, lost = float(table.after(4, 3, 2)), float(table.after(4, 3, -2))
    assert chances == pytest.approx([won, lost, 0.55 * won + 0.45 * lost])
    assert equities.cubeless[:2] == pytest.approx([1, -1])
    assert tf.cube_decision(race(1), setting).match_chance == pytest.approx(won)
    with pytest.raises(ValueError, match="these equities are for money"):
        tf.cube_equities(RACE).match_chance(0)


def test_draws_count_nothing() -> None:
    drawn = tf.cube_equities([0, 0, 0, 0, 0, 1])
    assert [float(drawn.cubeless[0]), float(drawn.owned[0])] == [0, 0]
    half = tf.cube_equities([0.4, 0, 0, 0, 0, 0.5])
    whole = tf.cube_equities(race(0.8))
    assert half.owned == pytest.approx(whole.owned / 2)


CHANCES = st.lists(st.floats(0, 1), min_size=6, max_size=6).map(
    lambda u: [
        u[0] * (1 - u[5]),
        u[0] * (1 - u[5]) * u[1],
        u[0] * (1 - u[5]) * u[1] * u[2],
        (1 - u[0]) * (1 - u[5]) * u[3],
        (1 - u[0]) * (1 - u[5]) * u[3] * u[4],
        u[5],
    ]
)
SETTINGS = st.one_of(
    st.builds(
        tf.CubeSetting,
        cube=st.sampled_from([1, 2, 8]),
        owner=st.sampled_from(["centre", "player", "opponent"]),
        cap=st.sampled_from([None, 8, 64]),
        beavers=st.booleans(),
        beaver_refusable=st.booleans(),
    ),
    st.builds(
        tf.CubeSetting,
        cube=st.sampled_from([1, 2, 4]),
        owner=st.sampled_from(["centre", "player", "opponent"]),
        away=st.tuples(st.integers(1, 15), st.integers(1, 15)),
        beavers=st.booleans(),
    ),
)


@given(outcomes=CHANCES, setting=SETTINGS, efficiency=st.floats(0, 1))
def test_what_always_holds(
    outcomes: list[float], setting: tf.CubeSetting, efficiency: float
) -> None:
    equities = tf.cube_equities(outcomes, setting, efficiency=efficiency)
    owned, centred, opponents = (
        float(values[0]) for values in (equities.owned, equities.centred, equities.opponents)
    )
    assert owned >= centred - 1e-9
    assert centred >= opponents - 1e-9
    assert equities.cubeless[0] <= owned + 1e-9
    assert equities.cubeless[0] >= opponents - 1e-9
    decision = tf.cube_decision(outcomes, setting, efficiency=efficiency)
    reply = min(decision.double_take, decision.double_pass)
    if decision.double:
        assert reply >= decision.no_double - 1e-8
        assert decision.take == (decision.double_take <= 1 + 1e-8)
    # The opponent sees the same game from the other side.
    win, gammon, backgammon, lost_gammon, lost_backgammon, draw = outcomes
    mirror = [max(0.0, 1 - win - draw), lost_gammon, lost_backgammon, gammon, backgammon, draw]
    turned = tf.cube_equities(mirror, setting.turned(), efficiency=efficiency)
    assert turned.no_double == pytest.approx(-equities.no_double, abs=1e-6)
    assert turned.cubeless == pytest.approx(-equities.cubeless, abs=1e-6)


def test_a_batch_is_its_rows() -> None:
    rng = np.random.default_rng(3)
    win = rng.random(50)
    rows = np.column_stack([win, win * 0.3, win * 0.01, (1 - win) * 0.2, win * 0, win * 0])
    setting = tf.CubeSetting(away=(5, 7), cube=2, owner="player")
    batch = tf.cube_equities(rows, setting)
    for index, row in enumerate(rows):
        one = tf.cube_decision(row, setting)
        assert one.no_double == pytest.approx(batch.no_double[index], abs=1e-12)
        assert one.double == batch.double[index]
        assert one.match_chance == pytest.approx(batch.match_chance(batch.best)[index], abs=1e-12)


def test_with_an_evaluator() -> None:
    seen = []

    def evaluator(afterstates: np.ndarray) -> np.ndarray:
        seen.append(afterstates)
        return np.array([[0.25, 0.05, 0.01, 0.2, 0.02]], np.float32)

    board = tf.random_boards(1, "portes", seed=1)[0]
    decision = tf.cube_decision(board, evaluator=evaluator, rules="portes")
    # The evaluator sees who has just moved first: the opponent of the player on roll.
    assert np.array_equal(seen[0], tf.flip(board)[np.newaxis])
    expected = tf.cube_decision([0.75, 0.2, 0.02, 0.05, 0.01, 0])
    assert decision.no_double == pytest.approx(expected.no_double, abs=1e-6)
    assert decision.action == expected.action == "double, pass"
    with pytest.raises(tf.BoardError):
        tf.cube_decision(np.zeros((2, 26), int), evaluator=evaluator)
    with pytest.raises(ValueError, match=r"returned shape \(1, 2\)"):
        tf.cube_decision(board, evaluator=lambda boards: np.zeros((1, 2)))
    with pytest.raises(ValueError, match="tells equities only"):
        tf.cube_decision(board, evaluator=lambda boards: np.zeros(1))
    with pytest.raises(ValueError, match="'random'"):
        tf.cube_decision(board, evaluator="random")  # type: ignore[arg-type]


def test_contradictions_of_an_evaluator_are_cut() -> None:
    board = tf.start("backgammon")
    decision = tf.cube_decision(board, evaluator=lambda boards: [[0.5, 0.7, 0.8, 0.6, 0.1]])
    expected = tf.cube_decision([0.5, 0.5, 0.1, 0.5, 0.5, 0])
    assert decision == expected
    with pytest.raises(ValueError, match=r"returned \[nan"):
        tf.cube_decision(board, evaluator=lambda boards: [[float("nan"), 0, 0, 0, 0]])


def test_with_a_net() -> None:
    for rules in (tf.BACKGAMMON, tf.PLAKOTO):
        net = tf.Net.random(rules, 8, seed=1)
        board = tf.start(rules)
        decision = tf.cube_decision(board, evaluator=net, rules=rules)
        chances = net(tf.flip(board))[0].astype(float)
        lost = 1 - chances[0] - chances[5]
        won2, won3 = min(chances[1], chances[0]), min(chances[1], chances[0], chances[2])
        lost2, lost3 = min(chances[3], lost), min(chances[3], lost, chances[4])
        gain = chances[0] + won2 + won3 - lost - lost2 - lost3
        assert decision.cubeless == pytest.approx(-gain, abs=1e-6)


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([0.5] * 5, r"outcomes has shape \(5,\): expected floats \[N, 6\]"),
        ([0.5, 0.6, 0, 0, 0, 0], r"outcomes\[0\] is \[0.5, 0.6"),
        ([RACE, [0.5, 0, 0, 0.6, 0, 0]], r"outcomes\[1\] is"),
        ([0.5, 0, 0, 0, 0, 0.6], r"outcomes\[0\] is"),
        ([1.5, 0, 0, 0, 0, 0], r"outcomes\[0\] is"),
        ([-0.5, 0, 0, 0, 0, 0], r"outcomes\[0\] is"),
        ([float("nan"), 0, 0, 0, 0, 0], r"outcomes\[0\] is"),
        ("many", "outcomes is no array"),
    ],
)
def test_refuses_bad_outcomes(outcomes: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.cube_equities(outcomes)  # type: ignore[arg-type]


def test_refuses_bad_settings() -> None:
    for arguments, message in (
        ({"cube": 3}, "cube=3: expected a power of two"),
        ({"cube": 0}, "cube=0: expected an integer"),
        ({"owner": "me"}, "owner='me': expected one of centre, player, opponent"),
        ({"cap": 48}, "cap=48: expected a power of two"),
        ({"cube": 8, "cap": 4}, "cube=8 is above cap=4"),
        ({"post_crawford": True}, "belong to a match"),
        ({"table": tf.MatchEquityTable.compute(2)}, "belong to a match"),
        ({"away": 3}, "away=3: expected a pair"),
        ({"away": (0, 3)}, r"away\[0\]=0: expected an integer 1 to"),
        ({"away": (3, 2), "post_crawford": True}, "expected a side that needs 1"),
        ({"away": (3, 2), "table": tf.MatchEquityTable.compute(2)}, r"away\[0\]=3"),
        ({"away": (3, 2), "table": "kazaross"}, "table='kazaross': expected a MatchEquityTable"),
        ({"away": (3, 2), "post_crawford": 0}, "post_crawford=0: expected True or False"),
        ({"score": (3, 2)}, r"score=\(3, 2\) without target: .* still need are away="),
        ({"score": 3, "target": 5}, "score=3: expected a pair"),
        ({"score": (5, 2), "target": 5}, r"score\[0\]=5: expected an integer 0 to 4"),
        ({"score": (3, 2), "target": 5, "away": (3, 2)}, "expected one of the two"),
        ({"target": 500}, "expected at most 100 points to go"),
        ({"jacoby": "no"}, "jacoby='no': expected True or False"),
        ({"beavers": 3}, "beavers=3: expected True or False"),
        ({"beaver_refusable": None}, "beaver_refusable=None: expected True or False"),
        ({"owner": ["player"]}, r"owner=\['player'\]: expected one of"),
    ):
        with pytest.raises(ValueError, match=message):
            tf.CubeSetting(**arguments)
    assert hash(tf.CubeSetting(away=[3, 2])) == hash(tf.CubeSetting(away=(3, 2)))  # type: ignore[arg-type]
    for efficiency in (2, "0.5", True, np.array([0.5]), float("nan")):
        with pytest.raises(ValueError, match=r"efficiency=.*: expected a number, 0 to 1, a dead"):
            tf.cube_decision(RACE, efficiency=efficiency)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="2 positions: expected one"):
        tf.cube_decision([RACE, RACE])
