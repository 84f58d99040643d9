"""The reference on the rules one by one, in positions made so that one rule decides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from boards import BAR, OFF, Int8Array

from tavli_fast import reference
from tavli_fast.rules.presets import BACKGAMMON, BACKGAMMON_ZH, PORTES, TAVLA, Rules


def board(mine: dict[int, int], theirs: dict[int, int], checkers: int = 15) -> Int8Array:
    """Return a board: both sides by the mover's numbers (25 my bar, 0 theirs), the rest off."""
    result = np.zeros((2, 26), np.int8)
    for point, count in mine.items():
        result[0, point] = count
    for point, count in theirs.items():
        result[1, 25 - point] = count
    result[:, OFF] = checkers - result.sum(1)
    return result


def ends(start: Int8Array, dice: tuple[int, int], rules: Rules) -> list[dict[int, int]]:
    """Return what the mover has, bar and points, after each legal play."""
    found = reference.afterstates(start, dice, rules).boards
    return [
        {point: int(after[0, point]) for point in range(BAR, OFF, -1) if after[0, point]}
        for after in found
    ]


def test_a_hit_at_home_holds_only_the_checker_that_hit() -> None:
    """The second 8/5 puts two on the point of the hit: one of them may go on, the other not."""
    start = board({8: 2}, {5: 1, 23: 2})
    assert ends(start, (3, 3), TAVLA) == [{5: 1, 2: 1}]
    assert ends(start, (3, 3), PORTES) == [{2: 2}]


def test_a_checker_that_hits_at_home_may_not_be_borne_off_in_the_same_turn() -> None:
    """Both 6/5*/off and 6/1/off in Portes; only the latter, which does not hit, in Tavla."""
    start = board({6: 1}, {5: 1, 23: 2})
    assert ends(start, (5, 1), PORTES) == [{}, {}]
    assert ends(start, (5, 1), TAVLA) == [{}]
    assert reference.afterstates(start, (5, 1), TAVLA).boards[0, 1, BAR] == 0


def test_home_begins_at_the_6_point() -> None:
    """A hit on 6 holds the checker; one on 7, just outside, does not. 8/5 leads through either."""
    for blot, ways in [(6, 1), (7, 2)]:
        start = board({8: 1}, {blot: 1, 23: 2})
        assert ends(start, (2, 1), PORTES) == [{5: 1}] * 2
        assert ends(start, (2, 1), TAVLA) == [{5: 1}] * ways


def test_a_held_checker_is_still_the_farthest() -> None:
    """After 6/5* with the 1 the 6 may bear off neither from 5 (held) nor from 2 (farther out)."""
    start = board({6: 1, 2: 1}, {5: 1, 23: 2})
    found = ends(start, (6, 1), TAVLA)
    # 6/off 2/1, and no play that begins with 6/5*, for that would leave the 6.
    assert found == [{1: 1}]
    assert {2: 1} in ends(start, (6, 1), PORTES)


# Worked case EN-04: only 24/22 8/2 plays both dice; 8/6 with the 2 leaves no 6.
BOTH_DICE = board({24: 1, 8: 1, 6: 13}, {20: 4, 19: 4, 18: 3, 16: 2, 4: 2})
# Worked case EN-05: 10/4 or 10/7, and nothing after either.
ONE_DIE = board({10: 1}, {1: 2})


def test_without_max_dice_an_order_may_end_where_its_next_die_cannot_be_played() -> None:
    loose = replace(PORTES, max_dice=False)
    assert ends(BOTH_DICE, (6, 2), PORTES) == [{22: 1, 6: 13, 2: 1}]
    for rules in (loose, BACKGAMMON_ZH):
        assert ends(BOTH_DICE, (6, 2), rules) == [{22: 1, 6: 13, 2: 1}, {24: 1, 6: 14}]


def test_the_higher_die_is_a_duty_of_its_own() -> None:
    assert ends(ONE_DIE, (6, 3), PORTES) == [{4: 1}]
    assert ends(ONE_DIE, (6, 3), replace(PORTES, max_dice=False)) == [{4: 1}]
    assert ends(ONE_DIE, (6, 3), replace(PORTES, higher_die=False)) == [{4: 1}, {7: 1}]
    assert ends(ONE_DIE, (6, 3), BACKGAMMON_ZH) == [{4: 1}, {7: 1}]


def test_a_winner_who_need_not_play_all_dice_may_stop() -> None:
    """6/off at once, or 6/5* first and then off: the afterstates differ by the hit."""
    start = board({6: 1}, {5: 1, 12: 2})
    assert reference.count_plays(start, (6, 1), PORTES).tolist() == [1]
    loose = replace(PORTES, win_needs_all_dice=False)
    assert reference.count_plays(start, (6, 1), loose).tolist() == [2]


def test_a_game_that_is_over_has_no_plays() -> None:
    mine_over = board({}, {12: 2})
    for start in (mine_over, mine_over[::-1]):
        found = reference.plays(start, (6, 1))
        assert found.moves.shape == (0, 4, 2)
        assert found.boards.shape == (0, 2, 26)
        assert found.offsets.tolist() == [0, 0]


def test_checkers_decide_when_a_game_is_over() -> None:
    """Three off end a game of three checkers, and no other."""
    hyper, fifteen = board({}, {12: 3}, checkers=3), board({12: 12}, {12 + 1: 15})
    assert reference.outcomes(hyper, "hypergammon")[0].tolist() == [True]
    assert fifteen[0, OFF] == 3
    assert reference.outcomes(fifteen, "portes")[0].tolist() == [False]


@pytest.mark.parametrize(
    ("loser", "portes", "backgammon", "bar_only"),
    [
        pytest.param({20: 14}, 1, 1, 1, id="one-off"),
        pytest.param({1: 13, 0: 1}, 1, 1, 1, id="one-off-and-on-the-bar"),
        pytest.param({7: 15}, 2, 2, 2, id="none-off"),
        pytest.param({7: 14, 6: 1}, 2, 3, 2, id="in-the-winners-home"),
        pytest.param({7: 14, 1: 1}, 2, 3, 2, id="on-the-winners-1-point"),
        pytest.param({7: 14, 0: 1}, 2, 3, 3, id="on-the-bar"),
    ],
)
def test_points(loser: dict[int, int], portes: int, backgammon: int, bar_only: int) -> None:
    won = board({}, loser)
    both_views = np.stack([won, won[::-1]])
    for rules, points in [
        (PORTES, portes),
        (BACKGAMMON, backgammon),
        (replace(BACKGAMMON, backgammon_needs="bar_only"), bar_only),
    ]:
        over, found = reference.outcomes(both_views, rules)
        assert over.tolist() == [True, True]
        assert found.tolist() == [points, -points]


def test_a_game_under_way_has_no_points() -> None:
    over, points = reference.outcomes(board({24: 1}, {24: 1}), PORTES)
    assert over.dtype == np.bool_
    assert points.dtype == np.int8
    assert (over.tolist(), points.tolist()) == ([False], [0])
