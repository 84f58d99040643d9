"""The reference on pins, mothers, blocks, gates, heads, primes, traps and cascades, one by one.

Boards are written in the mover's numbers, as a player sees them; a trailing comment says why a
play is or is not there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from boards import OFF, Int8Array, other_number, why_not_a_board

from tavli_fast import reference
from tavli_fast.errors import IllegalMoveError
from tavli_fast.rules.presets import FEVGA, GUL_BARA, MOULTEZIM, NARDE, PLAKOTO, TAPA, Rules

Points = dict[int, int]


def board(mine: Points, theirs: Points, rules: Rules) -> Int8Array:
    """Return a board: both sides by the mover's numbers (a pinned checker -1), the rest off."""
    result = np.zeros((2, 26), np.int8)
    for point, count in mine.items():
        result[0, point] = count
    for point, count in theirs.items():
        result[1, other_number(point, rules)] = count
    result[:, OFF] = rules.checkers - abs(result).sum(1)
    assert not why_not_a_board(result, rules)
    return result


def points(plane: Int8Array) -> Points:
    return {point: int(plane[point]) for point in range(24, 0, -1) if plane[point]}


def ends(start: Int8Array, dice: tuple[int, int], rules: Rules) -> list[Points]:
    """Return what the mover has after each legal play, sorted; the first points count most."""
    return ordered(points(after[0]) for after in reference.afterstates(start, dice, rules).boards)


def ordered(held: Iterable[Points]) -> list[Points]:
    return sorted(held, key=lambda each: list(each.items()), reverse=True)


def theirs_after(start: Int8Array, moves: list[tuple[int, int]], rules: Rules) -> Points:
    """Return what the opponent has after the moves, in the mover's numbers."""
    plane = reference.apply(start, moves, None, rules)[0, 1]
    return {other_number(number, rules): count for number, count in points(plane).items()}


def why(start: Int8Array, moves: list[tuple[int, int]], rules: Rules) -> str:
    """Return why the moves are refused without dice."""
    with pytest.raises(IllegalMoveError) as error:
        reference.apply(start, moves, None, rules)
    return str(error.value).split(": ", 2)[2]


# --- pins -----------------------------------------------------------------------------------------


def test_a_capturer_may_leave_a_pin_and_pin_again_in_one_turn() -> None:
    start = board({12: 1, 20: 1}, {12: -1, 10: 1}, PLAKOTO)
    assert theirs_after(start, [(12, 10)], PLAKOTO) == {12: 1, 10: -1}
    assert theirs_after(start, [(12, 10), (10, 9)], PLAKOTO) == {12: 1, 10: 1}
    # Out and in again: the checker on 20 comes to 12 after it has been free for a moment.
    assert theirs_after(start, [(12, 10), (20, 16), (16, 12)], PLAKOTO) == {12: -1, 10: -1}


def test_a_pin_lasts_until_the_last_capturer_leaves() -> None:
    start = board({12: 3}, {12: -1}, PLAKOTO)
    assert theirs_after(start, [(12, 11), (12, 10)], PLAKOTO) == {12: -1}
    assert theirs_after(start, [(12, 11), (12, 10), (12, 9)], PLAKOTO) == {12: 1}


def test_bearing_off_the_capturer_frees_too() -> None:
    start = board({3: 1, 1: 1}, {3: -1}, TAPA)
    assert theirs_after(start, [(3, 0)], TAPA) == {3: 1}


def test_two_enemy_checkers_or_one_on_a_pin_close_a_point() -> None:
    start = board({12: 2, 8: -1}, {10: 2, 8: 1}, PLAKOTO)
    assert why(start, [(12, 10)], PLAKOTO) == "two enemy checkers close that point"
    assert why(start, [(12, 8)], PLAKOTO) == "one of the mover's own checkers is pinned there"
    assert why(start, [(8, 7)], PLAKOTO) == "a pinned checker cannot move"


def test_a_pinned_checker_stands_in_the_way_of_bearing_off() -> None:
    """Outside the home, inside it without the option, and as the farthest even with it."""
    option = replace(PLAKOTO, bearoff_while_pinned=True)
    outside = board({7: -1, 3: 1}, {7: 1}, PLAKOTO)
    inside = board({2: -1, 3: 1}, {2: 1}, PLAKOTO)
    farthest = board({5: -1, 3: 1}, {5: 1}, PLAKOTO)
    assert why(outside, [(3, 0)], option) == "not all checkers are home"
    assert why(inside, [(3, 0)], PLAKOTO) == "no checker may be borne off while one is pinned"
    assert ends(inside, (4, 4), option) == [{2: -1}]  # the pinned one cannot go with the rest
    assert ends(farthest, (4, 4), option) == []
    assert ends(farthest, (3, 3), option) == [{5: -1}]


# --- mothers --------------------------------------------------------------------------------------

CAUGHT, LEFT, WAITING = -1, 0, 2
"""What a side has on its start: the pinned mother, nothing, or free checkers."""

READINGS = {
    "lose_unless_own_start": PLAKOTO,
    "lose_always": replace(PLAKOTO, mother="lose_always"),
    "3 points, no draw": replace(PLAKOTO, mother_points=3, mother_draw=False),
    "draw_only": TAPA,
    "none": replace(TAPA, mother="none"),
}


@pytest.mark.parametrize(
    ("mine", "theirs", "points_by_reading"),
    [
        # In the order of the readings; None where the game goes on.
        (LEFT, CAUGHT, [2, 2, 3, None, None]),
        (WAITING, CAUGHT, [None, 2, None, None, None]),
        (CAUGHT, CAUGHT, [0, 0, None, 0, None]),
        (WAITING, WAITING, [None] * 5),
        (LEFT, LEFT, [None] * 5),
        (LEFT, WAITING, [None] * 5),
    ],
)
def test_mothers(mine: int, theirs: int, points_by_reading: list[int | None]) -> None:
    there = {24: 1} if mine == CAUGHT else {}
    here = {1: 1} if theirs == CAUGHT else {}
    start = board(here | {24: mine, 10: 5}, there | {1: theirs, 20: 5}, PLAKOTO)
    for rules, expected in zip(READINGS.values(), points_by_reading, strict=True):
        over, found = reference.outcomes(np.stack([start, start[::-1]]), rules)
        assert over.tolist() == [expected is not None] * 2
        assert found.tolist() == [expected or 0, -(expected or 0)]
        if expected is not None:
            assert reference.count_plays(start, (2, 1), rules).tolist() == [0]
            with pytest.raises(IllegalMoveError, match="the game is over"):
                reference.apply(start, [(10, 9)], None, rules)


def test_the_mother_is_decided_when_the_turn_ends() -> None:
    """7/1^ with the 6; then the 1 must be played, and only the capturer can play it."""
    start = board({7: 1, 4: 1}, {1: 1, 3: 2, 20: 12}, PLAKOTO)
    assert ends(start, (6, 1), PLAKOTO) == [{4: 1}]
    with pytest.raises(IllegalMoveError, match="the 1 can still be played"):
        reference.apply(start, [(7, 1)], (6, 1), PLAKOTO)


def test_or_on_landing_which_completes_the_turn() -> None:
    """The capture counts with one die or with two, whatever the other plays do."""
    rules = replace(PLAKOTO, mother_ends="immediate")
    start = board({7: 1, 4: 1}, {1: 1, 3: 2, 20: 12}, rules)
    assert ends(start, (6, 1), rules) == [{4: 1, 1: 1}, {4: 1}]
    assert reference.apply(start, [(7, 1)], (6, 1), rules)[0, 0, 1] == 1
    with pytest.raises(IllegalMoveError, match="the game is over"):
        reference.apply(start, [(7, 1), (1, 0)], (6, 1), rules)
    assert ends(start, (6, 1), replace(rules, mother="draw_only")) == [{4: 1}]


def test_the_last_checker_to_leave_the_start_completes_the_win() -> None:
    """With the enemy's mother pinned earlier: 24/18 or 24/22 ends the game in the turn."""
    start = board({24: 1, 10: 1, 1: 1}, {1: -1, 20: 2}, PLAKOTO)
    immediate = replace(PLAKOTO, mother_ends="immediate")
    won_at_once = [{22: 1, 10: 1, 1: 1}, {18: 1, 10: 1, 1: 1}]
    whole_turns = [
        {24: 1, 2: 1, 1: 1},
        {22: 1, 4: 1, 1: 1},
        {18: 1, 8: 1, 1: 1},
        {16: 1, 10: 1, 1: 1},
    ]
    assert ends(start, (6, 2), PLAKOTO) == ordered(whole_turns)
    # Once 24 is left the turn is over, so 24/16 cannot be; the other checker may move first.
    assert ends(start, (6, 2), immediate) == ordered([*whole_turns[:3], *won_at_once])


# --- blocks, gates, heads -------------------------------------------------------------------------


def test_one_checker_closes_a_point_and_passing_over_does_not_matter() -> None:
    start = board({13: 1, 1: 14}, {12: 14, 9: 1}, FEVGA)
    assert why(start, [(13, 9)], FEVGA) == "the point is closed"
    assert ends(start, (6, 4), FEVGA) == [{3: 1, 1: 14}]  # 13/7/3


def test_a_parallel_opponent_starts_on_my_12_and_bears_off_past_my_13() -> None:
    """From the opponent's side: his point 1 is my 13, his 13 is my 1, his 24 my 12."""
    start = board({24: 15}, {13: 1, 1: 1, 12: 13}, FEVGA)
    assert points(start[1]) == {24: 13, 13: 1, 1: 1}


@pytest.mark.parametrize(
    ("gate", "first", "free"),
    [(11, 12, False), (11, 11, True), (12, 13, False), (12, 12, True), (6, 7, False), (6, 6, True)],
)
def test_the_gate_is_just_closed_or_just_open(gate: int, first: int, free: bool) -> None:
    rules = replace(FEVGA, runner_gate=gate)
    start = board({24: 14, first: 1}, {14: 15}, rules)
    if free:
        assert reference.apply(start, [(24, 21)], None, rules)[0, 0, 21] == 1
    else:
        expected = f"the first checker must come to {gate} before another moves"
        assert why(start, [(24, 21)], rules) == expected


def test_the_gate_opens_from_one_die_to_the_next() -> None:
    """14/11 with the 3 passes the enemy's start; then the 1 is anybody's. 14/13 does not."""
    start = board({24: 14, 14: 1}, {12: 15}, FEVGA)
    assert ends(start, (3, 1), FEVGA) == [{24: 14, 10: 1}, {24: 13, 23: 1, 11: 1}]


def test_a_blocked_runner_blocks_everybody() -> None:
    start = board({24: 14, 18: 1}, {17: 1, 16: 1, 12: 13}, FEVGA)
    assert ends(start, (2, 1), FEVGA) == []
    assert ends(start, (2, 1), replace(FEVGA, runner_gate=None)) != []


def test_of_several_checkers_before_the_gate_the_foremost_moves() -> None:
    """No game comes to this, but a board can show it."""
    start = board({24: 13, 20: 1, 18: 1}, {12: 15}, FEVGA)
    assert ends(start, (2, 1), FEVGA) == [{24: 13, 20: 1, 15: 1}]


def test_a_borne_off_checker_has_passed_every_gate() -> None:
    start = board({24: 14}, {12: 15}, FEVGA)
    assert start[0, OFF] == 1
    assert reference.apply(start, [(24, 23)], None, FEVGA)[0, 0, 23] == 1


def test_a_courier_game_may_be_opposed() -> None:
    """Tawla 31: single blocks, and the first checker must come home."""
    rules = Rules(start=((24, 15),), contact="none", block_at=1, runner_gate=6)
    start = board({24: 14, 9: 1}, {1: 14, 8: 1}, rules)
    # 9/6 with the 3 opens the gate; then every checker may play the 1.
    assert ends(start, (3, 1), rules) == [{24: 14, 5: 1}, {24: 13, 23: 1, 6: 1}]
    assert why(start, [(9, 8)], rules) == "the point is closed"


@pytest.mark.parametrize(("limit", "most"), [(1, 1), (2, 2), (None, 4)])
def test_so_many_checkers_leave_the_head(limit: int | None, most: int) -> None:
    rules = replace(NARDE, head_limit=limit, head_first_turn=())
    start = board({24: 14, 3: 1}, {1: 15}, rules)
    left = {24 - 10 - held.get(24, 0) for held in ends(start, (2, 2), rules)}
    assert max(left) == most


@pytest.mark.parametrize("doubles", range(1, 7))
def test_one_more_leaves_the_head_in_the_first_turn(doubles: int) -> None:
    """With 3-3, 4-4 and 6-6, and only while all fifteen are there."""
    dice = (doubles, doubles)
    start = board({24: 15}, {13: 15}, NARDE)
    later = board({24: 14}, {13: 15}, NARDE)
    most = 2 if doubles in (3, 4, 6) else 1
    assert max(15 - held[24] for held in ends(start, dice, NARDE)) == most
    assert max(14 - held[24] for held in ends(later, dice, NARDE)) == 1
    # Without dice as many may leave as any roll allows.
    assert reference.apply(start, [(24, 23), (24, 22)], None, NARDE)[0, 0, 24] == 13
    assert why(start, [(24, 23)] * 3, NARDE) == "no more checkers may leave the head in this turn"


# --- primes ---------------------------------------------------------------------------------------

FREE = replace(FEVGA, runner_gate=None, own_start_prime="allowed", trap="none")
"""Fevga without its own rules: each test below puts one back."""


def test_the_own_start_quadrant_is_never_full_not_even_for_one_die() -> None:
    """24/19 would hold all six until the other checker leaves 24."""
    start = board(
        {24: 2, 23: 1, 22: 1, 21: 1, 20: 1, 1: 9}, {18: 1, 17: 1, 16: 1, 15: 1, 13: 11}, FEVGA
    )
    assert ends(start, (5, 5), FEVGA) == []
    assert len(ends(start, (5, 5), replace(FEVGA, prime_check="turn_end"))) == 3
    full = "the six points of the own start quadrant may not all be held"
    assert why(start, [(24, 19)], FEVGA) == full


def test_a_turn_may_not_end_with_the_quadrant_full() -> None:
    """A die that could only be played towards such an end is not played at all."""
    rules = replace(FREE, own_start_prime="forbidden", prime_check="turn_end")
    six_blocked = {18: 1, 17: 1, 16: 1, 15: 1, 14: 1, 13: 1}
    start = board({24: 2, 23: 1, 22: 1, 21: 1, 20: 1, 8: 1}, six_blocked, rules)
    # The only 6 is 8/2, the 5s are 24/19 and 8/3: both dice can only be 24/19 8/2.
    assert ends(start, (6, 5), FREE) == [{24: 1, 23: 1, 22: 1, 21: 1, 20: 1, 19: 1, 2: 1}]
    assert ends(start, (6, 5), rules) == [{24: 2, 23: 1, 22: 1, 21: 1, 20: 1, 2: 1}]
    both, full = [(8, 2), (24, 19)], "the six points of the own start quadrant may not all be held"
    with pytest.raises(IllegalMoveError, match=full):
        reference.apply(start, both, (6, 5), rules)
    assert reference.apply(start, both, None, rules)[0, 0, 19] == 1


def test_a_full_quadrant_that_stands_freezes_nothing_else() -> None:
    """Only what lands in it is barred, whatever has brought it about."""
    start = board({24: 1, 23: 2, 22: 1, 21: 1, 20: 1, 19: 1, 9: 1}, {12: 15}, FEVGA)
    assert {point for held in ends(start, (1, 1), FEVGA) for point in held} >= {9 - 4, 18}
    for prime_check in ("submove", "turn_end"):
        rules = replace(FREE, own_start_prime="forbidden", prime_check=prime_check)
        found = ends(start, (2, 1), rules)
        assert {24: 1, 23: 2, 22: 1, 21: 1, 20: 1, 19: 1, 6: 1} in found
        assert {24: 1, 23: 1, 22: 2, 21: 1, 20: 1, 19: 1, 7: 1} not in found  # 23/22 lands in it


def test_so_many_points_of_the_opponents_start_quadrant() -> None:
    start = board({13: 1, 11: 1, 10: 1, 9: 1, 8: 1, 1: 10}, {14: 15}, MOULTEZIM)
    barred = "no more than 4 points of the opponent's start quadrant may be held"
    assert why(start, [(13, 7)], MOULTEZIM) == barred
    assert why(start, [(13, 12)], MOULTEZIM) == barred
    assert reference.apply(start, [(13, 9)], None, MOULTEZIM)[0, 0, 9] == 2
    all_six = replace(FREE, opp_start_prime="forbidden")
    assert reference.apply(start, [(13, 7)], None, all_six)[0, 0, 7] == 1


def test_a_prime_over_my_1_and_24_points_needs_an_enemy_past_it() -> None:
    """For the enemy 1 and 24 are neighbours: he comes from 12, and goes on from 24 to 13."""
    held = {3: 1, 2: 1, 1: 1, 24: 1, 23: 2}
    past, not_past = board(held, {12: 14, 21: 1}, NARDE), board(held, {12: 14, 4: 1}, NARDE)
    assert why(not_past, [(23, 22)], NARDE) == "a prime needs an enemy checker past it"
    assert reference.apply(past, [(23, 22)], None, NARDE)[0, 0, 22] == 1
    borne_off = board(held, {12: 14}, NARDE)
    assert reference.apply(borne_off, [(23, 22)], None, NARDE)[0, 0, 22] == 1


def test_six_points_over_my_13_and_12_are_no_prime() -> None:
    """For the enemy 13 is the last point and 12 the first: nobody walks from one to the other."""
    start = board({15: 1, 14: 1, 13: 1, 12: 1, 11: 2}, {9: 15}, NARDE)
    assert reference.apply(start, [(11, 10)], None, NARDE)[0, 0, 10] == 1
    six_on_his_walk = board({11: 1, 10: 1, 9: 1, 8: 1, 7: 2}, {12: 15}, NARDE)
    assert why(six_on_his_walk, [(7, 6)], NARDE) == "a prime needs an enemy checker past it"


def test_a_prime_that_stands_is_not_made_again_by_other_moves() -> None:
    start = board({11: 2, 10: 1, 9: 1, 8: 1, 7: 1, 6: 1, 23: 1}, {12: 15}, NARDE)
    assert reference.apply(start, [(23, 22)], None, NARDE)[0, 0, 22] == 1
    assert why(start, [(11, 10)], NARDE) == "a prime needs an enemy checker past it"


def test_a_prime_may_stand_for_one_die_if_it_is_read_at_the_end() -> None:
    """7/6 makes it, 11/10 undoes it."""
    start = board({11: 1, 10: 1, 9: 1, 8: 1, 7: 2}, {12: 15}, NARDE)
    at_the_end = replace(NARDE, prime_check="turn_end")
    moves = [(7, 6), (11, 10), (10, 9), (9, 8)]
    with pytest.raises(IllegalMoveError, match="a prime needs an enemy checker past it"):
        reference.apply(start, moves, (1, 1), NARDE)
    assert reference.apply(start, moves, (1, 1), at_the_end)[0, 0, 8] == 2


# --- traps ----------------------------------------------------------------------------------------

TRAP = replace(
    FREE, checkers=3, start=((24, 3),), trap="single_point", prime_len=3, own_start_prime="allowed"
)
"""Three checkers and primes of three: small boards on which the trap decides."""


def test_a_die_that_would_trap_the_enemy_is_not_played() -> None:
    """12/6 leaves a 4 (6/2), 12/8 a 6 (8/2), which close 3-2-1 before the enemy on 4."""
    start = board({12: 1, 3: 1, 1: 1}, {4: 3}, TRAP)
    assert ends(start, (6, 4), TRAP) == [{6: 1, 3: 1, 1: 1}]  # the higher of the two dice
    either = [{8: 1, 3: 1, 1: 1}, {6: 1, 3: 1, 1: 1}]
    assert ends(start, (6, 4), replace(TRAP, higher_die=False)) == either
    with pytest.raises(IllegalMoveError, match="it leaves the enemy trapped"):
        reference.apply(start, [(12, 6), (6, 2)], (6, 4), TRAP)


def test_or_it_is_where_the_dice_come_first() -> None:
    start = board({12: 1, 3: 1, 1: 1}, {4: 3}, TRAP)
    dice_first = replace(TRAP, trap_first=False)
    assert ends(start, (6, 4), dice_first) == [{3: 1, 2: 1, 1: 1}]
    # Where another play has as many dice, it is the one: 8/6 and then 3/2 or 6/5, not 8/2.
    start = board({8: 1, 4: 1, 3: 1}, {5: 3}, dice_first)
    assert {4: 1, 3: 1, 2: 1} in ends(start, (5, 1), replace(TRAP, trap="none"))
    assert {4: 1, 3: 1, 2: 1} not in ends(start, (5, 1), dice_first)


def test_a_trap_must_be_opened_unless_no_play_can() -> None:
    rules = replace(TRAP, checkers=4, start=((24, 4),))
    start = board({12: 1, 3: 1, 2: 1, 1: 1}, {4: 4}, rules)
    assert ends(start, (6, 5), rules) == [{3: 1, 2: 1, 1: 2}]  # 12/1: nothing opens it
    # 3/2 or 3/1 or 2/1 opens it; 12/9 does not, nor 12/11/9.
    assert {9: 1, 3: 1, 2: 1, 1: 1} not in ends(start, (2, 1), rules)
    assert {9: 1, 3: 1, 2: 1, 1: 1} in ends(start, (2, 1), FREE_OF_TRAPS)


FREE_OF_TRAPS = replace(TRAP, checkers=4, start=((24, 4),), trap="none")


@pytest.mark.parametrize(
    ("theirs", "trapped"),
    [
        ({4: 3}, True),
        ({4: 2}, True),  # those that are borne off do not count
        ({5: 3}, False),  # not directly behind
        ({4: 2, 5: 1}, False),  # not on one point
        ({24: 3}, False),  # past it
    ],
)
def test_only_an_enemy_on_the_one_point_behind_is_trapped(theirs: Points, trapped: bool) -> None:
    start = board({10: 1, 3: 1, 1: 1}, theirs, TRAP)
    assert ({3: 1, 2: 1, 1: 1} in ends(start, (6, 2), TRAP)) != trapped


def test_an_immobile_enemy_may_be_blocked_by_anything() -> None:
    """The enemy on 13 has one pip to go but may not bear off, the one on 12 is closed in."""
    rules = replace(FREE, trap="immobile")
    start = board({14: 1, 11: 1, 10: 1, 9: 1, 8: 1, 7: 1, 1: 9}, {13: 1, 12: 14}, rules)
    closed = {11: 1, 10: 1, 9: 1, 8: 1, 7: 1, 6: 1, 1: 9}
    assert closed in ends(start, (5, 3), FREE)
    assert closed not in ends(start, (5, 3), rules)
    assert closed in ends(start, (5, 3), replace(rules, trap="single_point"))


def test_to_win_traps_nobody() -> None:
    rules = replace(FREE, trap="immobile", checkers=2, start=((24, 2),))
    start = board({1: 1}, {13: 1, 12: 1}, rules)
    assert ends(start, (2, 1), rules) == [{}]


# --- bearing off and doubles ----------------------------------------------------------------------


def test_only_the_exact_die_may_bear_off() -> None:
    rules = replace(FEVGA, bearoff_oversize=False)
    start = board({4: 1, 2: 1}, {20: 15}, rules)
    assert ends(start, (6, 5), rules) == []
    assert ends(start, (6, 2), rules) == [{4: 1}, {2: 2}]
    assert ends(start, (6, 5), FEVGA) == [{}]


def test_dice_only_bear_off_once_all_are_home() -> None:
    rules = replace(FEVGA, bearoff_internal=False)
    start = board({4: 1, 2: 1}, {20: 15}, rules)
    assert ends(start, (2, 1), rules) == [{4: 1}]  # no 1 is played, and no 4/2
    assert ends(start, (6, 1), rules) == [{2: 1}]
    # While one is outside, those within may move; 7/4 would need a move with all home.
    outside = board({7: 1, 4: 1}, {20: 15}, rules)
    assert ends(outside, (2, 1), rules) == [{7: 1, 1: 1}, {6: 1, 2: 1}, {5: 1, 3: 1}]
    assert {4: 2} in ends(outside, (2, 1), FEVGA)


def test_a_cascade_goes_on_to_the_sixes_and_stops_at_the_first_that_fails() -> None:
    start = board({24: 1}, {13: 1}, GUL_BARA)
    found = reference.plays(start, (4, 4), GUL_BARA)
    assert found.moves.shape == (1, 24, 2)
    made = [tuple(move) for move in found.moves[0].tolist() if move != [-1, -1]]
    assert made == [(24, 20), (20, 16), (16, 12), (12, 8), (8, 3), (3, 0)]  # four 4, then 5s
    blocked = board({24: 1}, {13: 1, 12: 1}, GUL_BARA)
    assert ends(blocked, (4, 4), GUL_BARA) == [{16: 1}]  # the third 4 fails: no 5 is played
    assert ends(blocked, (4, 4), replace(GUL_BARA, cascade=False)) == [{16: 1}]


def test_a_cascade_plays_as_many_moves_as_it_can_over_all_its_numbers() -> None:
    """Of 24 and 16 (no more may leave the head), four 5s come to 4 16, 9 11 or 14 6.

    Then 16/10/4 or 14/8/2 are two 6s, but of 9 11 only the 9 has one, for 5 is closed.
    """
    start = board({24: 14, 16: 1}, {12: 13, 5: 1, 1: 1}, GUL_BARA)
    assert ends(start, (5, 5), GUL_BARA) == [{24: 13, 6: 1, 2: 1}, {24: 13, 4: 2}]
    loose = replace(GUL_BARA, max_dice=False)
    assert {24: 13, 11: 1, 3: 1} in ends(start, (5, 5), loose)


def test_a_parallel_winner_finds_the_loser_at_home_on_his_own_13_to_18() -> None:
    rules = replace(FEVGA, backgammon_points=3)
    for point, worth in [(6, 3), (1, 3), (7, 2), (24, 2), (13, 2)]:
        won = board({}, {point: 15}, rules)
        assert reference.outcomes(np.stack([won, won[::-1]]), rules)[1].tolist() == [worth, -worth]
