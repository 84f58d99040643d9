"""Sessions: what a policy is asked, and answers that are none."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from typing import Any

import pytest
from sessions import moves_of, random_players, smallest

import tavli_fast as tf
from tavli_fast import PLAKOTO, PORTES, RULES, Rules
from tavli_fast.play.game import OpeningPolicy, RandomPolicy
from tavli_fast.play.session import Session


def test_what_a_policy_is_asked() -> None:
    asked = []

    def policy(board: Any, dice: Any, afterstates: Any, rules: Rules) -> int:
        asked.append((board, dice))
        assert rules is PLAKOTO
        assert not board.flags.writeable
        assert not afterstates.flags.writeable
        assert (afterstates == tf.afterstates(board, dice, rules).boards).all()
        return len(afterstates) - 1

    session = Session("plakoto", seed=1)
    session.play_out(policy, smallest, 1)
    board = tf.start("plakoto")
    mine = iter(asked)
    for turn in session.history[0].turns:
        if turn.player == 0 and turn.moves:
            seen, dice = next(mine)
            assert dice == turn.dice
            assert (seen == board).all()
        board = tf.flip(tf.apply(board, moves_of(turn), turn.dice, "plakoto")[0])
    assert next(mine, None) is None


@pytest.mark.parametrize("answer", [-1, 10**6, None, True, 0.5])
def test_a_policy_that_returns_no_index(answer: Any) -> None:
    session = Session("portes", seed=1)
    with pytest.raises(ValueError, match=r"play=|moves"):
        session.play_out(lambda *_: answer, lambda *_: answer, 1)
    assert session.game.phase == "play"
    session.play_out(smallest, smallest, 1)  # the game waits for another answer


def test_a_policy_that_raises() -> None:
    def fail(*_: Any) -> int:
        raise LookupError("no idea")

    session = Session("portes", seed=1)
    with pytest.raises(LookupError, match="no idea"):
        session.play_out(fail, fail, 1)
    assert session.game.phase == "play"
    whole = Session("portes", seed=1)
    assert session.play_out(smallest, smallest, 1) == whole.play_out(smallest, smallest, 1)
    assert session.history == whole.history


def test_the_starter_chooses_his_opening_dice() -> None:
    class Chooser:
        def __init__(self, answer: bool) -> None:
            self.answer, self.asked = answer, 0

        def __call__(self, *seen: Any) -> int:
            return smallest(*seen)

        def reroll(self, board: Any, dice: Any, afterstates: Any, rules: Rules) -> bool:
            self.asked += 1
            assert len(afterstates) == tf.count_plays(board, dice, rules)[0]
            return self.answer

    assert isinstance(Chooser(True), OpeningPolicy)
    assert not isinstance(smallest, OpeningPolicy)
    players = Chooser(True), Chooser(False)
    session = Session("backgammon_zh", seed=1)
    session.play_out(*players, 8)
    for record in session.history:
        assert record.rerolled == (record.starter == 0)
        kept = sorted(record.turns[0].dice) == sorted(record.contest[-1])
        assert kept or record.rerolled
    starters = Counter(record.starter for record in session.history)
    assert [player.asked for player in players] == [starters[0], starters[1]]
    session = Session("backgammon_zh", seed=1)
    session.play_out(smallest, smallest, 8)  # a policy without the method keeps them
    assert not any(record.rerolled for record in session.history)
    for name in ("portes", "backgammon"):
        Session(name, seed=1).play_out(*players, 1)
    assert sum(player.asked for player in players) == 8


def test_random_policies() -> None:
    board = tf.start()
    afterstates = tf.afterstates(board, (3, 1)).boards
    policy = RandomPolicy(1)
    counts = Counter(policy(board, (3, 1), afterstates, PORTES) for _ in range(3200))
    assert sorted(counts) == list(range(16))
    assert all(140 < count < 260 for count in counts.values())
    rerolls = sum(policy.reroll(board, (3, 1), afterstates, PORTES) for _ in range(1000))
    assert 430 < rerolls < 570


def test_a_game_that_freezes_is_given_up() -> None:
    frozen = dataclasses.replace(RULES["tapa"], mother="none")
    for seed in itertools.count():
        game = Session(frozen, seed=seed).game
        try:
            game.play_out(*random_players(seed), max_turns=1000)
        except RuntimeError as error:
            message = str(error)
            break
    assert message == "the game is not over after 1000 turns"
    assert game.phase == "roll"
    assert len(game.record.turns) == 1000
    assert {turn.moves for turn in game.record.turns[-100:]} == {()}
