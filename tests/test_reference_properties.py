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
    why_not_a_board,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tavli_fast import reference
from tavli_fast.errors import IllegalMoveError
from tavli_fast.rules import PORTES, RULES, Rules

Roll = tuple[int, int]


@given(boards_and_rules(), rolls())
@settings(max_examples=200, deadline=None)
def test_plays_and_afterstates_agree(made: tuple[Int8Array, Rules], roll: Roll) -> None:
    board, rules = made
    found = reference.plays(board, roll, rules)
    states = reference.afterstates(board, roll, rules)
    assert (found.moves.dtype, found.boards.dtype, found.offsets.dtype) == ("i1", "i1", "i8")
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
    plays = [(move,) for moves in by_die for move in moves]
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
    strict = replace(rules, max_dice=True, higher_die=True, win_needs_all_dice=True)
    fewest = block_set(reference.afterstates(board, roll, strict).boards)
    found = block_set(reference.afterstates(board, roll, rules).boards)
    assert fewest <= found
    assert bool(fewest) == bool(found)


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
