"""Taking back actions, and the board that each turn keeps."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import tavli_fast as tf

HOUSE = replace(
    tf.HYPERGAMMON, jacoby=False, beavers=True, cube_cap=16, opening="contest_or_reroll"
)


def state(session: tf.Session) -> tuple[object, ...]:
    game = session.game
    return session.to_dict(), game.phase, game.player, game.board.tobytes(), game.dice, game.cube


@pytest.mark.parametrize("seeded", [True, False])
@pytest.mark.parametrize("by_hand", [True, False])
def test_every_action_can_be_taken_back_and_done_again(seeded: bool, by_hand: bool) -> None:
    draw = random.Random(4)
    dice = random.Random(5)
    session = tf.Session(
        HOUSE,
        target=25,
        seed=7 if seeded else None,
        throw=None if seeded else lambda: (dice.randint(1, 6), dice.randint(1, 6)),
        by_hand=by_hand,
    )
    states, done = [state(session)], []
    while session.phase != "match_over":
        actions = [str(action) for action in session.legal_actions]
        action = draw.choice(actions)
        if draw.random() < 0.02 and session.phase in ("roll", "double", "play"):
            session.game.resign(2, draw.randrange(2))
            action = "resigned"
        else:
            session.act(action)
        done.append(action)
        states.append(state(session))
    assert {"double", "take", "drop", "reroll", "next_game", "resigned"} <= set(done)
    for before in reversed(states[:-1]):
        session.undo()
        assert state(session) == before
    with pytest.raises(ValueError, match="cannot undo: nothing has been done"):
        session.undo()
    for action, after in zip(done, states[1:], strict=True):
        if action == "resigned":
            break
        session.act(action)
        assert state(session) == after


def test_other_choices_get_the_same_dice() -> None:
    session = tf.Session("backgammon", seed=3)
    session.act(0)
    first = session.game.roll()
    session.act(0)
    second = session.game.roll()
    for _ in range(4):
        session.undo()
    assert session.game.record.turns == []
    session.act(1)
    assert session.game.roll() == first
    session.act(1)
    assert session.game.roll() == second
    again = tf.Session.from_dict(session.to_dict())
    assert again.to_dict() == session.to_dict()


def test_an_award_is_taken_back() -> None:
    session = tf.Session("portes_cube", target=3, seed=1)
    session.game.award(3, 1)
    assert (session.score, session.phase) == ((0, 3), "match_over")
    assert tf.Session.from_dict(session.to_dict()).score == (0, 3)
    session.game.award(0, 0)
    assert (session.score, session.game.record.winner) == ((0, 0), None)
    session.undo()
    session.undo()
    assert session.game.record.points is None
    with pytest.raises(ValueError, match="points=-1: expected"):
        session.game.award(-1, 0)


@pytest.mark.parametrize("rules", ["backgammon", "plakoto", "fevga"])
def test_turns_keep_the_board_before_the_roll(rules: str) -> None:
    record = tf.Session(rules, seed=2).game.play_out("random", "random")
    board = tf.start(rules)
    for turn in record.turns:
        assert np.array_equal(turn.board, board)
        after = tf.apply(board, turn.moves, turn.dice, rules)[0] if turn.moves else board
        board = tf.flip(after)
    with pytest.raises(ValueError, match="read-only"):
        record.turns[0].board[0, 0] = 1
