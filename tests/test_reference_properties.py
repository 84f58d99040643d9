"""What must hold of the reference on any legal board under any house rules."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from boards import (
    BAR,
    HITTING,
    OFF,
    Int8Array,
    block_set,
    boards_and_rules,
    house_rules,
    made_boards,
    rolls,
    start_board,
    why_not_a_board,
)
from hypothesis import Phase, assume, find, given, settings
from hypothesis import strategies as st

from tavli_fast import reference
from tavli_fast.errors import IllegalMoveError
from tavli_fast.rules.fields import ENGINE_FIELDS
from tavli_fast.rules.presets import PORTES, RULES, Rules

Roll = tuple[int, int]


@given(boards_and_rules(), rolls())
@settings(max_examples=100, deadline=None)
def test_plays_and_afterstates_agree(made: tuple[Int8Array, Rules], roll: Roll) -> None:
    board, rules = made
    found = reference.plays(board, roll, rules)
    states = reference.afterstates(board, roll, rules)
    assert [part.dtype for part in found] == [np.int8, np.int8, np.int64]
    assert (found.boards == states.boards).all()
    assert found.offsets.tolist() == states.offsets.tolist() == [0, len(found.moves)]
    assert reference.count_plays(board, roll, rules).tolist() == [len(block_set(states.boards))]
    for moves, end in zip(found.moves, found.boards, strict=True):
        assert not why_not_a_board(end, rules)
        assert (reference.apply(board, moves, roll, rules)[0] == end).all()
        assert (reference.apply(board, moves, None, rules)[0] == end).all()


@given(boards_and_rules(), rolls())
@settings(max_examples=100, deadline=None)
def test_the_order_of_the_dice_is_the_players_choice(
    made: tuple[Int8Array, Rules], roll: Roll
) -> None:
    board, rules = made
    one, other = (reference.afterstates(board, dice, rules).boards for dice in (roll, roll[::-1]))
    assert block_set(one) == block_set(other)


@given(boards_and_rules(), rolls().filter(lambda roll: roll[0] != roll[1]))
@settings(max_examples=25, deadline=None)
def test_apply_allows_the_afterstates_and_nothing_else(
    made: tuple[Int8Array, Rules], roll: Roll
) -> None:
    """Every pair of moves that the dice could make, and every single move, put to `apply`."""
    board, rules = made
    by_die = [[(source, max(source - die, OFF)) for source in range(BAR, OFF, -1)] for die in roll]
    plays: list[tuple[tuple[int, int], ...]] = [(move,) for moves in by_die for move in moves]
    for one, two in (by_die, by_die[::-1]):
        plays += itertools.product(one, two)
    allowed = set()
    for play in plays:
        try:
            allowed.add(reference.apply(board, play, roll, rules).tobytes())
        except IllegalMoveError:
            continue
    assert allowed == block_set(reference.afterstates(board, roll, rules).boards)


@given(boards_and_rules(), rolls())
@settings(max_examples=100, deadline=None)
def test_a_duty_only_takes_plays_away(made: tuple[Int8Array, Rules], roll: Roll) -> None:
    board, rules = made
    # After the dice, the trap is judged among the plays that the duties leave: not so there.
    assume(rules.trap_first or rules.trap == "none")
    strict = replace(rules, max_dice=True, higher_die=True, win_needs_all_dice=True)
    fewest = block_set(reference.afterstates(board, roll, strict).boards)
    found = block_set(reference.afterstates(board, roll, rules).boards)
    assert fewest <= found
    assert bool(fewest) == bool(found)


@given(boards_and_rules(), rolls())
@settings(max_examples=100, deadline=None)
def test_outcomes_are_the_same_from_either_side(made: tuple[Int8Array, Rules], roll: Roll) -> None:
    board, rules = made
    over, points = reference.outcomes(np.stack([board, board[::-1]]), rules)
    assert over[0] == over[1]
    assert points[0] == -points[1]
    assert abs(points[0]) <= 3
    assert over[0] or not points[0]
    if over[0]:
        assert reference.count_plays(board, roll, rules).tolist() == [0]


@given(boards_and_rules(("pin",)), rolls())
@settings(max_examples=100, deadline=None)
def test_pinned_checkers_stay_where_they_are(made: tuple[Int8Array, Rules], roll: Roll) -> None:
    board, rules = made
    for end in reference.afterstates(board, roll, rules).boards:
        assert ((board[0] == -1) == (end[0] == -1)).all()
        assert (abs(end[1]) == abs(board[1])).all()


@given(boards_and_rules(("none",)), rolls())
@settings(max_examples=100, deadline=None)
def test_without_contact_the_opponent_is_left_alone(
    made: tuple[Int8Array, Rules], roll: Roll
) -> None:
    board, rules = made
    after = reference.afterstates(board, roll, rules).boards
    assert (after[:, 1] == board[1]).all()
    free = replace(rules, runner_gate=None, head_limit=None, head_first_turn=(), trap="none")
    free = replace(free, own_start_prime="allowed", opp_start_prime="allowed", opp_start_max=6)
    # Less is barred: so as many dice, or more, can be played.
    pips = np.arange(26)
    most = (reference.afterstates(board, roll, free).boards[:, 0] @ pips).min(initial=999)
    assert (after[:, 0] @ pips).min(initial=999) >= most


@pytest.mark.parametrize("field", ENGINE_FIELDS)
def test_house_rules_come_to_every_field(field: str) -> None:
    """All but those that have one value only, and the start's neighbours of the session."""
    one_value = {"off_board_start", "doubles", "cascade_from_roll", "cascade_rest"}
    one_value |= {"remaining_scoring"}
    if field not in one_value:
        default = getattr(PORTES, field)
        # The first that comes up will do: to make it simple takes most of the time.
        first = settings(phases=[Phase.generate], database=None, max_examples=2000)
        find(house_rules(), lambda rules: getattr(rules, field) != default, settings=first)


@pytest.mark.parametrize("name", HITTING)
def test_made_boards_are_legal_and_various(name: str) -> None:
    rules = RULES[name]
    boards = made_boards(np.random.default_rng(1), 2_000, rules)
    assert not {why_not_a_board(board, rules) for board in boards} - {""}
    assert (made_boards(np.random.default_rng(1), 2_000, rules) == boards).all()
    assert len(block_set(boards)) > 1_500
    assert (boards[:, 0, BAR] > 1).sum() > 50
    assert ((boards[:, 0, BAR] > 0) & (boards[:, 1, BAR] > 0)).sum() > 50
    assert (boards[:, 0, 7:].sum(1) == 0).sum() > 200
    over, _ = reference.outcomes(boards, rules)
    assert 0 < over.sum() < 100
    closed = ((boards[:, 1, 1:7] > 1).sum(1) >= 4) & (boards[:, 0, BAR] > 0)
    assert closed.any() or rules.checkers < 8


@pytest.mark.parametrize("name", ["plakoto", "tapa"])
def test_made_boards_with_pins_are_legal_and_various(name: str) -> None:
    rules = RULES[name]
    boards = made_boards(np.random.default_rng(1), 2_000, rules)
    assert not {why_not_a_board(board, rules) for board in boards} - {""}
    assert len(block_set(boards)) > 1_700
    pins = (boards == -1).sum(2)
    assert (pins.sum(1) > 8).sum() > 50
    assert (pins.min(1) > 2).sum() > 50
    caught = boards[:, :, 24] == -1
    assert caught.all(1).sum() > 50
    assert (caught[:, 0] & (boards[:, 1, 24] == 0)).sum() > 50
    assert ((pins[:, 0] > 0) & (boards[:, 0, 7:] == 0).all(1)).sum() > 50
    over, points = reference.outcomes(boards, rules)
    assert (over & (points == 0)).sum() > 50  # draws


@pytest.mark.parametrize("name", ["fevga", "moultezim", "narde", "gul_bara"])
def test_made_boards_with_blocks_are_legal_and_various(name: str) -> None:
    rules = RULES[name]
    boards = made_boards(np.random.default_rng(1), 2_000, rules)
    assert not {why_not_a_board(board, rules) for board in boards} - {""}
    assert len(block_set(boards)) > 1_700
    assert (boards[:, 0, 24] >= 13).sum() > 100
    assert (boards[:, 0, 24] == 15).sum() > 50
    held = boards[:, 0, 1:25] > 0
    around = np.concatenate([held, held[:, :5]], 1)
    primes = np.stack([around[:, i : i + 24] for i in range(6)])
    primes = np.all(primes, axis=0)
    assert np.any(primes, axis=0).all()  # from every point on, over both seams
    assert primes[:, [19, 20, 21, 22, 23, 7, 8, 9, 10, 11]].sum() > 100
    assert (held[:, 18:].sum(1) == 5).sum() > 50
    assert (held[:, 6:12].sum(1) == 4).sum() > 30
    legal = reference.afterstates(boards[:, ::-1], (6, 5), replace(rules, cascade=False))
    assert 50 < (np.diff(legal.offsets) == 0).sum() < 1_000


@pytest.mark.parametrize("name", RULES)
def test_random_games_end(name: str) -> None:
    """Every position on the way is legal; a game that has no end comes up in no preset."""
    rules, rng = RULES[name], np.random.default_rng(5)
    for _ in range(2):
        board = start_board(rules)
        for _ in range(1_000):
            roll = tuple(rng.integers(1, 7, 2).tolist())
            if rules.cascade and roll[0] == roll[1] < 5:  # may be too many plays
                continue
            after = reference.afterstates(board, roll, rules).boards
            board = after[rng.integers(len(after))] if len(after) else board
            assert not why_not_a_board(board, rules)
            if reference.outcomes(board, rules)[0][0]:
                break
            board = board[::-1]
        assert reference.outcomes(board, rules)[0][0]


@given(house_rules(), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_made_boards_are_legal_under_any_rules(rules: Rules, seed: int) -> None:
    for board in made_boards(np.random.default_rng(seed), 50, rules):
        assert not why_not_a_board(board, rules)


def test_a_batch_is_the_sum_of_its_boards() -> None:
    rng = np.random.default_rng(7)
    boards, dice = made_boards(rng, 100, PORTES), rng.integers(1, 7, (100, 2))
    found = reference.afterstates(boards, dice)
    for index, (board, roll) in enumerate(zip(boards, dice, strict=True)):
        alone = reference.afterstates(board, roll).boards
        assert (found.boards[found.offsets[index] : found.offsets[index + 1]] == alone).all()
