"""The cube in play: what policies are asked, resigning, dice from elsewhere, and bad arguments."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import pickle
from typing import Any

import numpy as np
import pytest
from match_play import first_roll, pass_turn, play_to_end, said, short_game, throws, with_cube

import tavli_fast as tf
from tavli_fast import BACKGAMMON, PORTES_CUBE, Cube, CubeQuestion, CubeTerms, Game, Session

BEAVERS = dataclasses.replace(BACKGAMMON, beavers=True)


class Doubler:
    """A policy that doubles whenever it may, and gives the same answer always."""

    def __init__(self, answer: Any = "take") -> None:
        self.asked: list[CubeQuestion] = []
        self._answer = answer

    def __call__(self, board: Any, dice: Any, afterstates: Any, rules: Any) -> int:
        return len(afterstates) - 1

    def double(self, question: CubeQuestion) -> bool:
        self.asked.append(question)
        return True

    def answer(self, question: CubeQuestion) -> Any:
        self.asked.append(question)
        return self._answer


def plain(*seen: Any) -> int:
    return 0


# --- policies -------------------------------------------------------------------------------------


def test_a_policy_without_the_methods_never_doubles_and_always_takes() -> None:
    session = Session(BEAVERS, seed=1)
    session.play_out(plain, tf.RandomPolicy(1), 3)
    assert not any(record.calls for record in session.history)
    session = Session(BEAVERS, seed=1)
    session.play_out(Doubler(), plain, 3)
    for record in session.history:
        assert said(record.calls) == [(0, "double", 2), (1, "take", 2)]
        assert record.stake == 2


def test_the_one_who_took_may_double_next() -> None:
    session = Session(BACKGAMMON, seed=2)
    session.play_out(Doubler(), Doubler(), 1)
    (record,) = session.history
    values = [call.value for call in record.calls if call.action == "take"]
    assert values == [2, 4, 8, 16, 32, 64]
    players = [call.player for call in record.calls if call.action == "double"]
    assert players in ([0, 1] * 3, [1, 0] * 3)
    assert record.points
    assert record.points % 64 == 0


def test_what_is_asked_about_the_cube() -> None:
    one, other = Doubler(), Doubler()
    session = Session(PORTES_CUBE, target=9, score=(2, 5), seed=3)
    session.play_out(one, other, 1)
    for policy in (one, other):
        for question in policy.asked:
            assert not question.board.flags.writeable
            assert question.rules is question.table is PORTES_CUBE
            tf.validate(question.board, PORTES_CUBE)
            assert (question.crawford, question.crawford_over) == (False, False)
            assert (question.jacoby, question.beavered, question.may_beaver) == (False,) * 3
            # From the player on roll: the doubler's points first, whoever is asked.
            assert sorted(question.away or ()) == [4, 7]
    doubled = [call for call in session.history[0].calls if call.action == "double"]
    questions = [one.asked, other.asked]
    for call in doubled:
        mine, theirs = questions[call.player].pop(0), questions[1 - call.player].pop(0)
        assert mine.stake == theirs.stake == call.value // 2
        assert mine.owner == theirs.owner == (0 if call.value == 2 else 1)
        assert mine.away == theirs.away == ((7, 4), (4, 7))[call.player]
        assert (mine.board == theirs.board).all()


def test_a_beavered_doubler_is_asked() -> None:
    jacoby = dataclasses.replace(BEAVERS, jacoby=True)
    one, other = Doubler("drop"), Doubler("beaver")
    session = with_cube(jacoby, to_roll=0)
    session.game.play_out(one, other)
    assert said(session.game.record.calls) == [(0, "double", 2), (1, "beaver", 4), (0, "drop", 2)]
    assert session.score == (0, 2)
    ask, answer, last = one.asked[0], other.asked[0], one.asked[1]
    assert (ask.stake, ask.owner, ask.jacoby, ask.may_beaver, ask.beavered) == (1, 0, True, True, 0)
    assert (answer.stake, answer.may_beaver, answer.beavered) == (1, True, False)
    assert (last.stake, last.owner, last.jacoby, last.beavered) == (2, -1, False, True)
    assert not last.may_beaver
    assert (ask.board == answer.board).all()
    assert (ask.board == last.board).all()


def test_the_crawford_game_is_told() -> None:
    policy = Doubler()
    session = Session(BACKGAMMON, target=2, seed=1)
    session.game.resign(player=1)
    session.next_game()
    session.play_out(policy, policy, 1)
    assert policy.asked == []  # nobody may double
    session = with_cube(BACKGAMMON, to_roll=1, target=5, score=(4, 0), crawford=False)
    session.game.play_out(plain, policy)
    assert (policy.asked[0].crawford, policy.asked[0].crawford_over) == (False, True)


@pytest.mark.parametrize("answer", ["beaver", "pass", None, 1])
def test_an_answer_that_is_none(answer: Any) -> None:
    session = with_cube(PORTES_CUBE, to_roll=0)
    match = "beavers are not played" if answer == "beaver" else "answer=.*: expected one of take"
    with pytest.raises(ValueError, match=match):
        session.game.play_out(Doubler(), Doubler(answer))
    phases = [session.phase]  # the game waits for another answer
    session.game.play_out(plain, plain)
    assert [*phases, session.phase] == ["double", "game_over"]


def test_a_match_by_policies_is_the_same_again() -> None:
    def played() -> Session:
        session = Session(BEAVERS, target=15, seed=5)
        session.play_out(Doubler(), Doubler("beaver"))
        return session

    one = played()
    assert one.history == played().history
    assert one.winner is not None
    assert Session.from_dict(json.loads(json.dumps(one.to_dict()))).history == one.history


# --- the board, the phases, copies ----------------------------------------------------------------


def test_the_board_is_seen_by_who_has_to_act() -> None:
    game = with_cube(BEAVERS, to_roll=0).game
    board = game.board
    game.double()
    assert game.player == 1
    assert (game.board == tf.flip(board)).all()
    assert not game.board.flags.writeable
    game.beaver()
    assert game.player == 0
    assert (game.board == board).all()
    game.take()
    assert game.player == 0
    assert (game.board == board).all()
    assert game.cube == Cube(4, 1, doubled=True)


def test_what_a_game_says_it_waits_for() -> None:
    game = with_cube(BEAVERS, to_roll=0).game
    assert repr(game).endswith("player 0 has to roll or double>")
    game.double()
    assert repr(game).endswith("player 1 has to answer the double to 2>")
    game.beaver()
    assert repr(game).endswith("player 0 has to answer the beaver to 4>")
    game.take()
    assert repr(game).endswith("player 0 has to roll>")
    game = Game("portes", throws(), by_hand=True)
    assert repr(game).endswith("the players have to throw for the start>")


def test_legal_actions_can_be_done_in_every_form() -> None:
    for form in range(4):
        session = with_cube(BACKGAMMON, to_roll=0)
        session.act("roll")
        plays = session.legal_actions
        assert plays is session.game.plays
        choice: Any = plays[1]
        session.act((choice, str(choice), np.int64(1), choice.moves)[form])
        assert session.game.record.turns[-1].moves == choice.moves
        with pytest.raises(ValueError, match="cannot begin the next game"):
            session.act("next_game")
        with pytest.raises(ValueError, match="cannot play: player 1 has to roll or double"):
            session.act("waltz")


def test_copies_and_pickles_in_the_middle_of_a_double() -> None:
    session = with_cube(BACKGAMMON, target=3)
    session.act("double")
    for again in (copy.deepcopy(session), pickle.loads(pickle.dumps(session))):
        again.act("take")
        again.play_out(plain, plain)
        assert again.winner is not None
    assert session.phase == "double"


def test_contests_by_hand_lead_to_the_same_games() -> None:
    rules = dataclasses.replace(BACKGAMMON, auto_double_max=2)
    sessions = [Session(rules, seed=4, by_hand=by_hand) for by_hand in (False, True)]
    assert [session.phase for session in sessions] == ["play", "contest"]
    assert sessions[1].legal_actions == ("contest",)
    for session in sessions:
        session.play_out(Doubler(), Doubler(), 8)
    assert sessions[0].history == sessions[1].history
    contests = [record.contest for record in sessions[0].history]
    assert any(len(thrown) > 1 for thrown in contests)
    for record, thrown in zip(sessions[0].history, contests, strict=True):
        first = next((call.value for call in record.calls), 2 * record.stake)
        assert first == 2 ** (1 + min(len(thrown) - 1, 2))  # twice the stake after the ties


# --- resigning ------------------------------------------------------------------------------------


def test_resigning_in_every_phase() -> None:
    session = Session("backgammon_zh", seed=1)
    for steps in ((), ("keep",), ("reroll",), ("keep", 0), ("keep", 0, "double")):
        for action in steps:
            session.act(action)
        game = session.game
        dice, player, phase = game.dice, game.player, game.phase
        score = session.score
        game.resign(2)
        assert game.record.unplayed == dice
        assert (dice is None) == (phase in ("roll", "double"))
        assert session.score[1 - player] == score[1 - player] + 2
        again = Session.from_dict(json.loads(json.dumps(session.to_dict())))
        assert again.history == session.history
        session.act("next_game")
    with pytest.raises(ValueError, match="cannot resign: the players have to throw"):
        Game("portes", throws(), by_hand=True).resign()
    session.game.resign(player=0)
    with pytest.raises(ValueError, match="cannot resign: player 1 won 1"):
        session.game.resign()


def test_a_resignation_counts_with_the_cube() -> None:
    session = with_cube(BACKGAMMON, 4, 0, 0)
    session.game.resign(3, player=1)
    assert session.score == (12, 0)
    assert said(session.game.record.calls)[-1] == (1, "resign", 3)
    for points in (0, 4, "two"):
        with pytest.raises(ValueError, match="points="):
            with_cube(BACKGAMMON).game.resign(points)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="player=2"):
        with_cube(BACKGAMMON).game.resign(player=2)


# --- dice from elsewhere, the score at the start --------------------------------------------------


@pytest.mark.parametrize("opening", ["fresh_roll", "contest_dice", "contest_or_reroll"])
def test_dice_from_elsewhere(opening: Any) -> None:
    rules = dataclasses.replace(tf.HYPERGAMMON, opening=opening)
    rng = np.random.default_rng(1)

    def throw() -> tuple[int, int]:
        first, second = rng.integers(1, 7, 2).tolist()
        return first, second

    session = Session(rules, throw=throw)
    assert session.seed is None
    for _ in range(60):
        choices = session.legal_actions
        session.act(choices[len(session.history) % len(choices)])
        again = Session.from_dict(json.loads(json.dumps(session.to_dict())), throw=throw)
        assert again.history == session.history
        assert (again.phase, again.game.dice) == (session.phase, session.game.dice)
        session = again
    data = with_cube(rules, throw=throw).to_dict() if opening == "fresh_roll" else None
    if data is not None:
        with pytest.raises(ValueError, match="throw=None: expected a source of dice"):
            Session.from_dict(data).act("roll")
    with pytest.raises(ValueError, match="seed=1: expected None with throw="):
        Session(rules, throw=throw, seed=1)


def test_bad_scores_and_crawford_games() -> None:
    for score in ((5, 0), (0, -1), (1,), 3, None, ("a", 0)):
        with pytest.raises(ValueError, match="score="):
            Session(BACKGAMMON, target=5, score=score)  # type: ignore[arg-type]
    for options in ({}, {"target": 5}, {"target": 5, "score": (3, 3)}):
        with pytest.raises(ValueError, match="crawford=True: expected None, False, or"):
            Session(BACKGAMMON, crawford=True, **options)
    with pytest.raises(ValueError, match="crawford='yes'"):
        Session(BACKGAMMON, crawford="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="crawford=True"):
        Session("portes", crawford=True, target=1)  # no cube
    session = Session(BACKGAMMON, score=(100, 3), seed=1)
    assert (session.score, session.away, session.crawford) == ((100, 3), None, False)
    assert Session(BACKGAMMON, target=5, score=(4, 3)).away == (1, 2)


def test_dicts_with_false_calls() -> None:
    session = with_cube(BACKGAMMON, 2, 0, 0)
    first_roll(session.game)
    good = session.to_dict()
    assert Session.from_dict(good).to_dict() == good

    def change(number: int, **values: Any) -> Any:
        data = copy.deepcopy(good)
        data["history"][0]["calls"][number].update(values)
        return data

    bad = [change(0, action="beaver"), change(0, action="waltz"), change(1, action="double")]
    bad += [change(0, value=8), change(0, player=0), change(0, turn=99), change(1, action="drop")]
    for key, value in (("start", [1, 0]), ("crawford", True), ("dice", [1, 1])):
        bad.append(copy.deepcopy(good) | {key: value})
    bad.append(copy.deepcopy(good))
    bad[-1]["history"][0]["stake"] = 4
    bad.append(copy.deepcopy(good))
    bad[-1]["history"][0]["calls"] = bad[-1]["history"][0]["calls"][:1]
    for data in bad:
        with pytest.raises(ValueError, match=r"not the dict of a session|cannot|crawford="):
            Session.from_dict(data)


def test_a_drawn_crawford_game_is_not_repeated() -> None:
    rules = dataclasses.replace(tf.PLAKOTO, cube=True, target=5)
    for seed in itertools.count():
        session = Session(rules, score=(4, 0), seed=seed)
        session.game.play_out(plain, plain)
        if session.game.record.points == 0:
            break
    assert session.crawford
    assert (session.phase, session.score) == ("game_over", (4, 0))
    session.act("next_game")
    assert not session.crawford
    assert session.game.terms.crawford_over
    assert session.game.record.contest  # after a draw
    while session.game.player == 0:
        pass_turn(session.game)
    assert session.game.may_double


# --- the terms by themselves ----------------------------------------------------------------------


def test_terms_answer_without_a_game() -> None:
    terms = CubeTerms(PORTES_CUBE, away=(3, 1), crawford=True)
    assert terms.why_no_double(Cube(), 0) == "this is the Crawford game"
    terms = CubeTerms(BEAVERS, away=(3, 1))
    assert terms.why_no_double(Cube(), 0) is None
    assert "already wins player 1" in str(terms.why_no_double(Cube(), 1))
    assert terms.why_no_beaver(2, 0) is None
    assert "already wins player 0" in str(terms.why_no_beaver(4, 0))
    assert terms.why_no_beaver(64, 0) == "64 is the highest stake"
    assert terms.worth(Cube(8), 3) == 24
    assert CubeTerms(dataclasses.replace(BEAVERS, jacoby=True)).worth(Cube(1), 3) == 1


def test_a_game_has_the_terms_of_its_own_rules() -> None:
    game = short_game("mars", BEAVERS)
    assert game.terms == CubeTerms(game.rules)
    assert play_to_end(game, "mars").record.points == 2
    several = Session(("portes", "backgammon"), seed=1)  # the first one's fields: no cube
    several.game.resign()
    several.next_game()
    first_roll(several.game)
    assert several.legal_actions == ("roll",)
    several = Session(("backgammon", "portes"), seed=1)
    several.game.resign()
    several.next_game()
    first_roll(several.game)
    assert several.legal_actions == ("roll", "double")
    pass_turn(several.game)
