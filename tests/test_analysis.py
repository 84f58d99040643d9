"""Match analysis: decisions, totals, all games of the family, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evaluators import by_cells
from match_files import match_files

import tavli_fast as tf

TEXT = """ 3 point match

 Game 1
 Ann : 0                          Bo : 0
  1) 31: 8/5 6/5                  64: 24/18 13/9
  2)  Doubles => 2                 Drops
      Wins 1 point

 Game 2
 Ann : 1                          Bo : 0
  1)                              43: 24/20 13/10
  2)  Doubles => 2                 Takes
  3) 61: 13/7 8/7                 65: 20/14 13/8
  4) 65: ???
                                   Wins 2 points
"""


@pytest.fixture(scope="module")
def text_match() -> tf.MatMatch:
    return tf.read_mat(TEXT)


@pytest.fixture(scope="module")
def found(text_match: tf.MatMatch) -> tf.MatchAnalysis:
    return tf.analyse(text_match)


def test_the_decisions_of_a_match(found: tf.MatchAnalysis) -> None:
    told = [(each.game, each.turn, each.player, each.kind) for each in found.decisions]
    assert told == [
        (1, 1, 0, "play"),
        (1, 2, 1, "double"),
        (1, 2, 1, "play"),
        (1, 3, 0, "double"),
        (1, 3, 1, "answer"),
        (2, 1, 1, "play"),
        (2, 2, 0, "double"),
        (2, 2, 1, "answer"),
        (2, 2, 0, "play"),
        (2, 3, 1, "double"),
        (2, 3, 1, "play"),
    ]
    played = [each.played.text for each in found.decisions]
    assert played[:5] == ["8/5 6/5", "no double", "24/18 13/9", "double", "pass"]
    assert found.decisions[0].error == 0
    answers = {each.game: each for each in found.decisions if each.kind == "answer"}
    assert answers[1].best.text == "take"
    assert answers[1].error > 0.12
    assert answers[1].mark == "very bad"
    assert found.totals[1].wrong_passes == 1
    assert found.totals[0].wrong_doubles == 2
    assert (found.players, found.score, found.target) == (("Ann", "Bo"), (1, 2), 3)
    assert [(game.score, game.winner, game.points) for game in found.games] == [
        ((0, 0), 0, 1),
        ((1, 0), 1, 2),
    ]


def test_a_decision_by_its_parts(found: tf.MatchAnalysis) -> None:
    """Each figure, by the functions for single positions."""
    play = found.decisions[2]
    assert play.stage is not None
    assert play.dice is not None
    rules, net = play.rules, tf.load_net("backgammon")
    after = tf.afterstates(play.board, play.dice, rules).boards
    theirs = tf.evaluate(tf.flip(after), net, rules).outcomes
    setting = tf.CubeSetting(away=(3, 3), cap=play.stage.cap)
    equities = -tf.cube_equities(theirs, setting).best
    made = tf.apply(play.board, play.played.moves, play.dice, rules)[0]
    mine = equities[(after == made).all(axis=(1, 2))][0]
    assert play.played.equity == pytest.approx(mine)
    assert play.best.equity == pytest.approx(equities.max())
    assert play.error == pytest.approx(equities.max() - mine)
    chances = tf.cube_equities([theirs[0]], setting).match_chance([0, 1])
    assert play.cost == pytest.approx(play.error * (chances[1] - chances[0]))
    # The luck: the best play of this roll, less the mean over all.
    assert play.luck is not None
    worth = {}
    for a in range(1, 7):
        for b in range(1, 7):
            listed = tf.afterstates(play.board, (a, b), rules).boards
            values = tf.evaluate(tf.flip(listed), net, rules).outcomes
            worth[a, b] = (-tf.cube_equities(values, setting).best).max()
    mean = sum(worth.values()) / 36
    assert play.luck.value == pytest.approx(worth[6, 4] - mean)


def test_luck_of_the_opening_is_fair(found: tf.MatchAnalysis) -> None:
    opening = found.decisions[0]
    assert opening.luck is not None
    # At 0-0 both players could have had each roll, so its luck is what its best play is worth.
    assert opening.luck.value == pytest.approx(opening.best.equity)


def test_results_do_not_depend_on_threads_or_company(text_match: tf.MatMatch) -> None:
    other = tf.read_mat(match_files("galaxy")["g002.txt"])
    alone = tf.analyse(text_match, threads=1)
    assert tf.analyse(text_match, threads=2).to_dict() == alone.to_dict()
    several = tf.analyse([other, text_match, other], threads=2)
    assert [each.to_dict() for each in several] == [
        tf.analyse(each).to_dict() for each in (other, text_match, other)
    ]


def test_looking_ahead_and_rolling_out(text_match: tf.MatMatch) -> None:
    one = tf.analyse(text_match, plies=1)
    play = one.decisions[2]
    assert play.stage is not None
    rules, net = play.rules, tf.load_net("backgammon")
    after = tf.apply(play.board, play.best.moves, play.dice, rules)
    theirs = tf.evaluate(tf.flip(after), net, rules, 1, replies=[(1, 0)]).outcomes
    setting = tf.CubeSetting(away=(3, 3), cap=play.stage.cap)
    assert play.best.equity == pytest.approx(-tf.cube_equities(theirs, setting).best[0])
    assert one.evaluator.endswith("1 plies")
    rolled = tf.analyse(text_match, plies="rollout", trials=16, seed=3)
    assert (
        rolled.to_dict()
        == tf.analyse(text_match, plies="rollout", trials=16, seed=3, threads=2).to_dict()
    )
    assert rolled.decisions[2].best.equity == pytest.approx(play.best.equity, abs=0.25)


@pytest.mark.parametrize("name", list(tf.RULES))
def test_all_games_of_the_family(name: str) -> None:
    rules = tf.RULES[name]
    session = tf.Session(rules, seed=5)
    session.play_out("net", "random", max_games=1)
    found = tf.analyse(session)
    net, chance = found.totals
    assert net.unforced > 8
    # With a cube the best play is not always the one of the highest mean of points.
    assert net.error_rate < (6 if rules.cube else 0.1)
    assert chance.error_rate > 20
    assert all(each.rules == rules for each in found.decisions)
    assert (found.decisions[0].stage is None) == (not rules.cube)


def test_a_trio_and_house_rules() -> None:
    trio = tf.Session(tf.TRIO, target=5, seed=2)
    trio.play_out("random", "net")
    found = tf.analyse(trio)
    assert {each.rules for each in found.decisions} >= {tf.PORTES, tf.PLAKOTO}
    assert found.totals[0].error_rate > found.totals[1].error_rate
    house = replace(tf.PORTES, hit_and_run_home=False)
    session = tf.Session(house, seed=1, target=1)
    session.play_out("net", "random")
    assert tf.analyse(session).totals[0].error_rate < 0.1


def test_money_and_jacoby() -> None:
    session = tf.Session("hypergammon", seed=6)
    session.play_out(tf.CubePlayer("net"), tf.CubePlayer("net"), max_games=6)
    found = tf.analyse(session)
    assert {each.stage.jacoby for each in found.decisions if each.stage} == {True, False}
    assert found.totals[0].result == found.score[0] - found.score[1]
    assert found.totals[0].fibs is None
    for each in found.decisions:
        assert each.error >= 0
        if each.stage is not None and each.kind == "play":
            assert each.cost == pytest.approx(each.error * each.stage.cube)


def test_an_unfinished_match_and_none_at_all() -> None:
    session = tf.Session("backgammon", target=3, seed=1)
    empty = tf.analyse(session)
    assert empty.decisions == ()
    assert empty.totals[0].word == ""
    assert str(empty).startswith(" ")
    session.act(0)
    session.act("double")
    found = tf.analyse(session)
    assert [each.kind for each in found.decisions] == ["play", "double"]
    assert found.totals[0].result is None
    assert tf.analyse([]) == []


def test_worst_errors_and_players(found: tf.MatchAnalysis) -> None:
    worst = found.worst(3)
    assert [each.error for each in worst] == sorted((each.error for each in worst), reverse=True)
    assert worst[0].error == max(each.error for each in found.decisions)
    assert {each.player for each in found.worst(player="bo")} == {1}
    assert found.index_of("ANN") == 0
    with pytest.raises(ValueError, match="player='Eve': expected Ann or Bo"):
        found.worst(player="Eve")
    with pytest.raises(ValueError, match="player=2: expected"):
        found.index_of(2)


def test_rows_json_and_csv(found: tf.MatchAnalysis) -> None:
    rows = found.to_dicts()
    assert len(rows) == len(found.decisions)
    assert rows[2]["played"] == "24/18 13/9"
    assert rows[2]["dice"] == "64"
    assert rows[2]["name"] == "Bo"
    board, _ = tf.from_tfid(rows[2]["position"])
    assert np.array_equal(board, found.decisions[2].board)
    data = json.loads(found.to_json())
    assert data["totals"][0]["player"] == "Ann"
    assert data["decisions"] == rows
    read = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["played"] for row in read] == [row["played"] for row in rows]
    assert repr(found).startswith("<MatchAnalysis Ann 1-2 Bo: error rates ")
    assert "error rate (mEMG)" in str(found)


def test_callables_and_what_they_must_return(text_match: tf.MatMatch) -> None:
    judge = by_cells(3)
    assert tf.analyse(text_match, judge).evaluator == "judge, 0 plies"
    with pytest.raises(ValueError, match="tells equities only: expected outcome probabilities"):
        tf.analyse(text_match, lambda boards: boards[:, 0, 1] * 0.0)
    plain = tf.Session("portes", seed=1, target=1)
    plain.play_out("random", "random")
    assert tf.analyse(plain, lambda boards: boards[:, 0, 0] / 15).totals[0].plays > 0
    per_board = tf.analyse(text_match, efficiency=lambda boards: np.full(len(boards), 0.68))
    assert per_board.to_dict()["decisions"] == tf.analyse(text_match).to_dict()["decisions"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match": 7}, "match=7: expected a Session"),
        ({"match": "x.mat"}, "match='x.mat': expected a Session"),
        ({"match": [7]}, "match=7: expected a Session"),
        ({"evaluator": "random"}, "evaluator='random': expected a Net"),
        ({"plies": 9}, "plies=9: expected an integer 0 to 8"),
        ({"plies": "deep"}, "plies='deep': expected"),
        ({"threads": 0}, "threads=0: expected"),
        ({"table": 3}, "table=3: expected a MatchEquityTable or None"),
        ({"efficiency": 2}, "efficiency=2: expected"),
        ({"efficiency": lambda boards: boards}, "efficiency=.* returned"),
        ({"trials": 0}, "trials=0: expected"),
        ({"progress": 3}, "progress=3: expected a callable"),
        ({"replies": 5}, "replies=5: expected"),
    ],
)
def test_bad_arguments(text_match: tf.MatMatch, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.analyse(**{"match": text_match} | options)


def test_progress_and_interruption(text_match: tf.MatMatch) -> None:
    long = tf.read_mat(match_files("galaxy")["g004.txt"])
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        seen.append((done, total))
        if len(seen) == 2:
            raise KeyboardInterrupt

    first, second = tf.analyse([text_match, long], progress=note, threads=1)
    assert not first.partial
    assert second.partial
    assert 0 < len(second.decisions) < len(tf.analyse(long).decisions)
    assert seen[-1][0] < seen[-1][1]
    whole: list[tuple[int, int]] = []
    tf.analyse(long, progress=lambda done, total: whole.append((done, total)))
    assert whole[-1][0] == whole[-1][1]
    with pytest.raises(KeyboardInterrupt):
        tf.analyse(long, lambda boards: (_ for _ in ()).throw(KeyboardInterrupt()))
