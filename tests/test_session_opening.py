"""Sessions: the worked cases, who starts, and with which dice."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from typing import Any

import pytest
from sessions import CASES, OPENINGS, TRIO_RULES, drawn_second_game, played, smallest, throws

import tavli_fast as tf
from tavli_fast import FEVGA, PLAKOTO, PORTES, RULES
from tavli_fast.play.game import Game, Turn
from tavli_fast.play.session import TRIO, Session

# --- the worked cases -----------------------------------------------------------------------------


def test_every_case_has_its_test() -> None:
    names = {name.removeprefix("test_") for name in globals()}
    assert len(CASES) == 6
    assert {case.lower().replace("-", "_") for case in CASES} <= names


def test_en_25_opening() -> None:
    case = CASES["EN-25-opening"]
    contest = [*map(tuple, case["given"]["contest"])]
    assert case["expected"]["tie"] == "reroll"
    game = Game(case["variant"], throws(*contest, (5, 5), (3, 1)))
    assert list(game.record.contest) == contest
    assert (game.record.starter, game.player) == (0, 0)  # "first player"
    assert (game.phase, game.dice) == ("roll", None)  # "two fresh dice (doubles possible)"
    assert game.roll() == (5, 5) == game.dice
    game.play(0)
    assert game.player == 1
    assert game.record.turns[0].dice == (5, 5)


def test_en_26_next_starter() -> None:
    for name in ("portes", TRIO):
        seen = set()
        for seed in range(12):
            session = played(name, seed, 1)
            winner = session.history[0].winner
            game = session.next_game()
            assert game.record.contest == ()
            assert game.player == game.record.starter == winner
            assert game.phase == "roll"
            seen.add(winner)
        assert seen == {0, 1}  # "won by B" among them


def test_en_27_after_draw() -> None:
    starters = set()
    for session in itertools.islice(drawn_second_game(TRIO), 6):
        before = session.score
        game = session.next_game()
        assert len(game.record.contest) >= 1
        first, second = game.record.contest[-1]
        assert game.record.starter == int(second > first)
        assert session.score == before
        starters.add(game.record.starter)
    assert starters == {0, 1}


def test_en_27_rematch_is_a_new_session_with_a_contest() -> None:
    session = played(TRIO, 3, target=3)
    assert Session(session.games, target=session.target).game.record.contest


def test_gr_01_contest_dice_are_played() -> None:
    game = Game("portes_cube", throws((3, 5), (2, 2)))
    assert (game.player, game.phase, game.dice) == (1, "play", (5, 3))
    assert len(game.plays) == 9
    game.play("8/3 6/3")
    assert game.record.turns == [Turn(1, (5, 3), ((8, 3), (6, 3)))]
    assert (game.player, game.phase) == (0, "roll")
    assert game.roll() == (2, 2)


def test_gr_11_ties_are_thrown_again_without_limit() -> None:
    contest = ((3, 3), (5, 5), (6, 1))
    game = Game("portes_cube", throws(*contest))
    assert game.record.contest == contest
    assert (game.player, game.dice) == (0, (6, 1))
    game = Game("portes_cube", throws(*[(4, 4)] * 1000, (1, 2)))
    assert len(game.record.contest) == 1001
    assert (game.player, game.dice) == (1, (2, 1))


def test_zh_06_reroll() -> None:
    case = CASES["ZH-06-reroll"]
    contest = tuple(case["given"]["contest"])
    assert case["expected"]["starter_options"][0] == "play 5-2"
    game = Game("backgammon_zh", throws(contest, (4, 4)))
    assert (game.phase, game.player, game.dice) == ("opening", 0, (5, 2))
    game.keep()
    assert (game.phase, game.dice, game.record.rerolled) == ("play", (5, 2), False)

    game = Game("backgammon_zh", throws(contest, (4, 4)))  # "roll both own dice once"
    assert game.reroll() == (4, 4)
    assert (game.phase, game.player, game.dice) == ("play", 0, (4, 4))
    assert game.record.rerolled
    assert len(game.plays) == tf.count_plays(game.board, (4, 4), "backgammon_zh")[0]
    with pytest.raises(ValueError, match="cannot throw anew: player 0 has to play 4-4"):
        game.reroll()
    game.play(0)
    assert game.record.turns[0].dice == (4, 4)


def test_tr_01_cycle() -> None:
    case = CASES["TR-01-cycle"]
    wanted = itertools.cycle(case["given"]["games"][:3])
    session = played(TRIO, 1, 14)
    assert [record.rules for record in session.history] == [
        RULES[name] for name in itertools.islice(wanted, 14)
    ]
    assert " -> ".join(TRIO) in case["expected"]["order"]
    assert session.winner is None
    for before, record in itertools.pairwise(session.history):
        assert record.starter == before.winner or before.winner is None


def test_tr_02_draw() -> None:
    expected = CASES["TR-02-draw"]["expected"]
    session = next(drawn_second_game(TRIO))
    assert session.game.rules == PLAKOTO
    assert (session.game.board[:, 24] == -1).all()  # both mothers pinned
    record = session.history[1]
    assert (record.winner, record.points) == (None, expected["points"])
    assert session.score[session.history[0].winner or 0] == session.history[0].points
    assert session.next_game().rules == RULES[expected["next_game"]]
    assert session.game.record.contest


def test_tr_02_the_cycle_may_stay_after_a_draw() -> None:
    series = dataclasses.replace(PORTES, trio=TRIO, trio_advance_on_draw=False)
    session = next(drawn_second_game(series))
    assert session.next_game().rules == PLAKOTO
    assert session.game.record.contest
    session.play_out(smallest, smallest, 1)
    assert session.game.record.winner is not None
    assert session.next_game().rules == FEVGA


# --- who starts, and with which dice --------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_first_dice_of_each_preset(name: str) -> None:
    rules = RULES[name]
    wins, doubles = 0, 0
    for seed in range(300):
        game = Session(rules, seed=seed).game
        *ties, last = game.record.contest
        assert all(first == second for first, second in ties)
        assert last[0] != last[1]
        assert game.player == game.record.starter == last.index(max(last))
        if rules.opening == "fresh_roll":
            assert game.phase == "roll"
            doubles += len(set(game.roll())) == 1
        else:
            assert game.dice == (max(last), min(last))
            if rules.opening == "contest_or_reroll":
                assert game.phase == "opening"
                doubles += len(set(game.reroll())) == 1
            else:
                assert game.phase == "play"
        wins += game.record.starter
    assert abs(wins - 150) < 40
    assert (20 < doubles < 90) if rules.opening != "contest_dice" else doubles == 0


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("next_starter", ["winner", "contest"])
def test_later_games(opening: Any, next_starter: Any) -> None:
    rules = dataclasses.replace(PORTES, opening=opening, next_starter=next_starter)
    for seed in range(10):
        session = played(rules, seed, 1)
        game = session.next_game()
        assert bool(game.record.contest) == (next_starter == "contest")
        fresh = not game.record.contest or opening == "fresh_roll"
        expected = "roll" if fresh else {"contest_dice": "play"}.get(opening, "opening")
        assert game.phase == expected


def test_the_series_fields_hold_for_all_its_games() -> None:
    series = dataclasses.replace(
        PORTES, opening="contest_dice", next_starter="contest", trio=TRIO, target=100
    )
    of_a_trio = played(series, 5, 5)
    of_several = played((dataclasses.replace(series, trio=()), "plakoto", "fevga"), 5, 5)
    for session in (of_a_trio, of_several):
        assert session.target == 100
        assert [record.rules.start for record in session.history] == [
            TRIO_RULES[number % 3].start for number in range(5)
        ]
        for record in session.history:
            assert sorted(record.turns[0].dice) == sorted(record.contest[-1])
    # And the other way round: narde would play the contest's dice, the series throws fresh ones.
    session = played(("portes", "narde"), 1, 1)
    assert session.next_game().phase == "roll"


def test_house_rules_in_a_series() -> None:
    house = dataclasses.replace(PLAKOTO, mother="lose_always")
    session = played(("portes", house, "fevga"), 2, 6)
    assert [record.rules for record in session.history] == [PORTES, house, FEVGA] * 2


def test_every_throw_is_as_likely() -> None:
    dice = Counter(
        turn.dice
        for seed in range(25)
        for record in played("portes", seed, 10).history
        for turn in record.turns
    )
    expected = dice.total() / 36
    assert len(dice) == 36
    assert dice.total() > 15_000
    assert sum((count - expected) ** 2 / expected for count in dice.values()) < 66.6  # p = 0.001
