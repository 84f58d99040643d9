"""Sessions: every play is legal, and what is not allowed is refused and changes nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sessions import AnyPlay, drawn_second_game, moves_of, played, smallest, state, throws

import tavli_fast as tf
from tavli_fast import PORTES, RULES, IllegalMoveError
from tavli_fast.play.game import Game, GameRecord, RandomPolicy, Turn
from tavli_fast.play.session import TRIO, Session

# --- every play is legal --------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_random_games(name: str) -> None:
    """Replay 300 games over all presets: dice, plays, dances and results are what the rules say."""
    games = 2 if name == "gul_bara" else 23
    session = played(name, 1, games)
    assert len(session.history) == games
    for record in session.history:
        assert record.rules is RULES[name]
        replay(record)


def replay(record: GameRecord) -> None:
    rules = record.rules
    board = tf.start(rules)
    for number, turn in enumerate(record.turns):
        assert turn.player == (record.starter + number) % 2
        over, _ = tf.outcomes(board, rules)
        assert not over[0]
        # Without a move this raises unless there is no legal play.
        board = tf.flip(tf.apply(board, moves_of(turn), turn.dice, rules)[0])
    over, points = tf.outcomes(board, rules)  # of the player after the last
    assert over[0]
    last = record.turns[-1].player
    gains = (0, 0) if not points[0] else (-points[0], points[0])
    # Nobody has doubled, so by Jacoby's rule every win counts one.
    assert record.points == (1 if rules.jacoby else abs(points[0]))
    assert record.winner == (None if not points[0] else last if gains[0] > 0 else 1 - last)
    assert [*map(list, tf.reference.outcomes(board, rules))] == [[True], [points[0]]]


@pytest.mark.parametrize("name", RULES)
def test_plays_and_afterstates_have_one_order(name: str) -> None:
    session = Session(name, seed=2)
    game = session.game
    policy = AnyPlay(2)
    for _ in range(20):
        if game.phase == "roll":
            game.roll()
        if game.phase == "opening":
            game.keep()
        if game.phase == "play":
            assert len(game.plays) == len(game.afterstates) >= 1
            assert game.plays is game.plays
            for play, after in zip(game.plays, game.afterstates, strict=True):
                assert (play.board == after).all()
            game.play(policy(game.board, game.dice, game.afterstates, game.rules))


def test_who_cannot_move_passes_by_himself() -> None:
    dances = 0
    policy = AnyPlay(5)
    game = Session("portes", seed=5).game
    while game.phase != "over":
        player, board = game.player, game.board
        dice = game.roll()
        count = tf.count_plays(board, dice)[0]
        assert game.phase == ("play" if count else "roll")
        if not count:
            dances += 1
            assert game.record.turns[-1] == Turn(player, dice, ())
            assert game.player == 1 - player
            assert (game.board == tf.flip(board)).all()
        else:
            game.play(policy(board, dice, game.afterstates, PORTES))
    assert dances > 0


# --- illegal actions ------------------------------------------------------------------------------


def assert_refused(game: Game, action: Callable[[], object], match: str) -> None:
    before = state(game)
    with pytest.raises(ValueError, match=match):
        action()
    assert state(game) == before


def test_actions_of_another_phase() -> None:
    session = Session("backgammon_zh", seed=1)
    game = session.game
    waits = f"player {game.player} has to"
    keep = rf"{waits} keep \d-\d or throw anew"
    assert_refused(game, game.roll, f"cannot roll: {keep}")
    assert_refused(game, lambda: game.play(0), f"cannot play: {keep}")
    assert_refused(game, session.next_game, f"cannot begin the next game: {keep}")
    game.keep()
    for action in (game.keep, game.reroll, game.roll, session.next_game):
        assert_refused(game, action, rf"{waits} play \d-\d")
    game.play(0)
    waits = f"player {game.player} has to roll"
    for action in (game.keep, game.reroll, lambda: game.play(0), session.next_game):
        assert_refused(game, action, waits)
    assert_refused(game, lambda: game.plays, f"cannot list the plays: {waits}")
    assert_refused(game, lambda: game.afterstates, waits)
    session.play_out(smallest, smallest, 1)
    late: tuple[Callable[[], object], ...]
    late = (game.keep, game.reroll, game.roll, lambda: game.play(0), lambda: game.plays)
    for call in late:
        assert_refused(game, call, f"player {game.record.winner} won {game.record.points}$")


def test_a_drawn_game_says_so() -> None:
    game = next(drawn_second_game(TRIO)).game
    assert_refused(game, game.roll, "cannot roll: drawn")


def test_plays_that_are_not_legal() -> None:
    game = Game("portes", throws((6, 2), (3, 1), (6, 6)))
    game.roll()
    elsewhere = tf.legal_plays(game.board, (6, 5))[0]
    count = len(game.plays)
    choices: tuple[tuple[Any, str], ...] = (
        (elsewhere, "is not legal: player 0 has to play 3-1"),
        ("24/18 13/11", "cannot be played with 3-1"),
        ("pass", "can be played"),
        ("eight to five", "."),
        (count, f"play={count}: expected an integer 0 to {count - 1}"),
        (-1, "play=-1"),
        (True, "play=True"),
        (((8, 5),), "not a legal play"),
        ((), "no move"),
        (((13, 7), (8, 2)), "."),
        ((8, 5, 6, 5), "shape"),
        (None, "."),
        (1.0, "."),
    )
    for choice, match in choices:
        assert_refused(game, partial(game.play, choice), match)
    with pytest.raises(IllegalMoveError):
        game.play(elsewhere)
    game.play(((8, 5), (6, 5)))
    assert game.record.turns == [Turn(0, (3, 1), ((8, 5), (6, 5)))]


def test_no_array_can_be_written_to() -> None:
    session = Session("backgammon", seed=1)
    assert session.game.phase == "play"
    with pytest.raises(ValueError, match="read-only"):
        session.game.board[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        session.game.afterstates[0, 0, 0] = 1
    session.play_out(smallest, smallest, 1)
    with pytest.raises(ValueError, match="read-only"):
        session.game.board[0, 0] = 1


def test_arguments() -> None:
    for games in ("chess", (), ("portes", "chess"), 5, None, ("portes", 5)):
        with pytest.raises(ValueError, match="expected"):
            Session(games)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no trio among them"):
        Session((dataclasses.replace(PORTES, trio=TRIO), "fevga"))
    for options in ({"target": 0}, {"target": 1.5}, {"seed": -1}, {"seed": "one"}):
        with pytest.raises(ValueError, match=f"{next(iter(options))}=.*: expected an integer"):
            Session("portes", **options)
    with pytest.raises(ValueError, match="seed=-1"):
        RandomPolicy(-1)
    with pytest.raises(ValueError, match="opening='first': expected one of fresh_roll"):
        Game("portes", throws((2, 1)), opening="first")
    with pytest.raises(ValueError, match="starter=2: expected an integer 0 to 1"):
        Game("portes", throws((2, 1)), starter=2)
    with pytest.raises(ValueError, match="has a die of 7"):
        Game("portes", throws((7, 1)))
    with pytest.raises(ValueError, match="max_games=-1"):
        Session().play_out(smallest, smallest, -1)
