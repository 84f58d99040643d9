"""One game in both action spaces: single moves lead to the afterstates of the roll, no others.

All orders of a turn are there, and none that plays fewer dice than it must.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import _core, reference
from tavli_fast.envs.single_game import SingleGame, action_text
from tavli_fast.envs.spaces import MOVES, PASS

ROOM = 1 << 20


def turns(name: str, count: int, seed: int) -> Any:
    """Return boards of random games and a roll for each; of cascades only short ones."""
    boards = tf.random_boards(count, name, seed=seed)
    dice = np.random.default_rng(seed).integers(1, 7, (count, 2)).astype(np.int8)
    if tf.RULES[name].cascade:
        low = (dice[:, 0] == dice[:, 1]) & (dice[:, 0] < 5)
        dice[low] = 5
    return boards, dice


def ways(board: Any, dice: Any, name: str) -> tuple[Any, dict[int, list[Any]]]:
    """Return the positions of a turn, and the steps from each."""
    high, low = dice.tolist()
    positions, steps = _core.vector_game.moves_of_turn(board, high, low, tf.RULES[name], ROOM)
    found: dict[int, list[Any]] = {}
    for position, *step in steps.tolist():
        found.setdefault(position, []).append(step)
    return positions, found


def walk(found: dict[int, list[Any]], rng: np.random.Generator) -> tuple[list[Any], int]:
    """Return random moves of a turn, as (from, to) pairs, and the position at their end."""
    moves, at = [], 0
    while at in found:
        source, die, at = found[at][rng.integers(len(found[at]))]
        moves.append((source, max(0, source - die)))
    return moves, at


def check(name: str, count: int, slow: int, seed: int) -> None:
    """Compare the ends of turns with the afterstates, and random ways to them with `apply`."""
    rng = np.random.default_rng(seed)
    boards, dice = turns(name, count, seed)
    listed = tf.afterstates(boards, dice, name)
    for i, (board, roll) in enumerate(zip(boards, dice, strict=True)):
        positions, found = ways(board, roll, name)
        ends = {positions[at].tobytes() for at in range(len(positions)) if at not in found}
        after = listed.boards[listed.offsets[i] : listed.offsets[i + 1]]
        assert ends == {bytes(one) for one in after} or (not len(after) and ends == {bytes(board)})
        if i < slow:
            expected = reference.afterstates(board, tuple(roll.tolist()), name).boards
            assert {bytes(one) for one in expected} == {bytes(one) for one in after}
        if not len(after):
            continue
        for at, steps in found.items():
            assert len({(source, die) for source, die, _ in steps}) == len(steps), at
        moves, end = walk(found, rng)
        for engine in (tf, reference)[: 2 if i < slow else 1]:
            made = engine.apply(board, moves, tuple(roll.tolist()), name)
            np.testing.assert_array_equal(made[0], positions[end])


@pytest.mark.parametrize("name", tf.RULES)
def test_moves_lead_to_the_afterstates(name: str) -> None:
    check(name, 80, 2, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", tf.RULES)
def test_moves_lead_to_the_afterstates_of_many_turns(name: str) -> None:
    check(name, 10_000, 500, seed=2)


@pytest.mark.parametrize("name", tf.RULES)
def test_every_order_is_there(name: str) -> None:
    """All sequences of two moves that `apply` takes, of rolls of two different dice."""
    boards, dice = turns(name, 40, seed=3)
    mixed = [i for i in range(40) if dice[i, 0] != dice[i, 1]][:3]
    for i in mixed:
        _, found = ways(boards[i], dice[i], name)
        listed: set[Any] = set()
        for source, die, at in found.get(0, []):
            first = (source, max(0, source - die))
            if at not in found:
                listed.add((first,))
            listed |= {(first, (s, max(0, s - d))) for s, d, _ in found.get(at, [])}
        legal: set[Any] = set()
        sources = range(1, 26)
        for one, two in permutations(dice[i].tolist()):
            for a, b in product(sources, sources):
                moves = ((a, max(0, a - one)), (b, max(0, b - two)))
                legal |= {
                    some for some in (moves, moves[:1]) if applies(boards[i], some, dice[i], name)
                }
        assert listed == legal


def applies(board: Any, moves: Any, dice: Any, name: str) -> bool:
    try:
        tf.apply(board, moves, dice, name)
    except tf.IllegalMoveError:
        return False
    return True


@pytest.mark.parametrize("actions", ["afterstates", "moves"])
@pytest.mark.parametrize("name", ["portes", "plakoto", "narde", "gul_bara"])
def test_a_game(name: str, actions: str) -> None:
    rng = np.random.default_rng(5)
    rules = tf.RULES[name]
    game = SingleGame(rules, actions, 1)
    passes = 0
    while not game.over:
        before, player, plies = game.board, game.player, game.plies
        dice = int(rng.integers(5, 7)), int(rng.integers(1, 7))
        game.lay(dice)
        after = tf.afterstates(before, dice, name).boards
        if actions == "afterstates":
            assert (game.options == after).all()
            assert game.mask().sum() == max(1, len(after))
        passes += not len(after)
        left = game.observation(player)[52:].sum()
        while not game.over and game.plies == plies:
            assert game.player == player
            assert game.mask().nonzero()[0].tolist() == game.legal.tolist()
            seen = game.observation(player)
            np.testing.assert_array_equal(seen[:52].reshape(2, 26), game.board)
            assert (game.observation(1 - player)[:26] == game.board[1]).all()
            if not len(after) and actions == "moves":
                assert game.legal.tolist() == [PASS]
            game.act(int(rng.choice(game.legal)))
            if game.plies == plies:
                assert game.observation(player)[52:].sum() == left - 1
                left -= 1
        reached = game.board if game.over else game.board[::-1]
        assert bytes(np.ascontiguousarray(reached)) in {bytes(one) for one in after} | {
            bytes(before)
        }
    over, points = tf.outcomes(game.board, name)
    assert over[0]
    assert game.points == (points[0] if game.player == 0 else -points[0])
    assert game.observation(0).shape == (58,)


def test_a_roll_with_too_many_plays_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tavli_fast.envs.single_game._MOST_TURNS", 50)
    game = SingleGame(tf.GUL_BARA, "moves", 0)
    game.board = tf.random_boards(1, "gul_bara", seed=4)[0]
    game.lay((5, 5))
    assert game.cut
    assert game.over
    assert game.points is None


def test_the_sizes_of_the_spaces() -> None:
    assert tf.envs.max_afterstates() == 3060
    assert tf.envs.max_afterstates("backgammon_zh") == 3876
    assert MOVES == 157
    for name, rules in tf.RULES.items():
        if not rules.cascade:
            boards, dice = turns(name, 3_000, seed=6)
            dice[::2, 1] = dice[::2, 0]
            assert tf.count_plays(boards, dice, name).max() <= tf.envs.max_afterstates(name)
    with pytest.raises(ValueError, match="rules='chess'"):
        tf.envs.max_afterstates("chess")


def test_actions_as_text() -> None:
    assert action_text(6 * 13 + 3, "moves") == "13/4"
    assert action_text(6 * 25, "moves") == "bar/1"
    assert action_text(PASS, "moves") == "pass"
    assert action_text(7, "afterstates") == "play 7"
