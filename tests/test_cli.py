"""The commands: what they print, in JSON and in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from cli_calls import (
    DANCE,
    NEAR_THE_END,
    ONE_TO_GO,
    ROLLOUT,
    START_ID,
    START_XGID,
    WON_ID,
    document,
    position,
    shown,
    untimed,
)

import tavli_fast as tf

# --- rollout --------------------------------------------------------------------------------------


def test_a_rollout_in_json_has_the_figures_of_the_api() -> None:
    found = document(*ROLLOUT, "--seed", "7", "--trials", "500", "--rules", "backgammon")
    expected = tf.rollout(tf.start("backgammon"), "random", "backgammon", 500, 7)
    shares = expected.probabilities[0]
    assert found.pop("seconds") > 0
    rates = found.pop("rates")
    outcomes, errors = found.pop("outcomes"), found.pop("outcome_std_errors")
    np.testing.assert_array_equal(outcomes, expected.outcomes[0])
    np.testing.assert_array_equal(errors, expected.outcome_errors[0])
    assert found == {
        "rules": "backgammon",
        "set": {},
        "position": START_ID,
        "roll": None,
        "over": False,
        "outcome": None,
        "partial": False,
        "policy": "random",
        "settings": {
            "truncate": None,
            "variance_reduction": False,
            "stratified": False,
            "opening": False,
            "same_dice": False,
            "evaluator": "",
            "cube": "",
            "efficiency": 0,
            "tables": False,
        },
        "trials": 500,
        "first_trial": 0,
        "seed": 7,
        "max_plies": 10_000,
        "version": tf.__version__,
        "points": [-3, -2, -1, 0, 1, 2, 3],
        "counts": expected.counts[0].tolist(),
        "equity": expected.equity[0],
        "std_error": expected.std_error[0],
        "plies": expected.plies[0],
        "unfinished": 0,
        "truncated": 0,
        "cube": None,
    }
    assert rates == pytest.approx(
        {
            "win": shares[4:].sum(),
            "win_gammon": shares[5:].sum(),
            "win_backgammon": shares[6],
            "lose": shares[:3].sum(),
            "lose_gammon": shares[:2].sum(),
            "lose_backgammon": shares[0],
            "draw": 0,
        }
    )


def test_the_rates_are_those_that_the_rules_tell_apart() -> None:
    rates = document(*ROLLOUT, "--trials", "50")["rates"]
    assert list(rates) == ["win", "win_gammon", "lose", "lose_gammon", "draw"]


def test_a_roll_in_json_is_the_ranking_of_the_api() -> None:
    found = document(*ROLLOUT, "--roll", "31", "--seed", "3", "--trials", "300")
    expected = tf.rank_plays(tf.start(), (3, 1), "random", trials=300, seed=3)
    assert found["roll"] == [3, 1]
    assert found["dance"] is False
    assert found["legal_plays"] == len(found["plays"]) == len(expected) == 16
    assert (found["trials"], found["unfinished"], found["first_trial"]) == (300, 0, 0)
    assert (found["policy"], found["settings"]["same_dice"]) == ("random", True)
    for listed, ranked in zip(found["plays"], expected, strict=True):
        assert listed["play"] == str(ranked.play)
        assert listed["moves"] == [list(move) for move in ranked.play.moves]
        assert listed["afterstate"] == tf.position_id(ranked.play.board)
        assert listed["next"] == tf.position_id(tf.flip(ranked.play.board))
        assert (listed["equity"], listed["std_error"]) == (ranked.equity, ranked.std_error)
        assert listed["difference"] == ranked.difference
        assert listed["outcomes"] == list(ranked.outcomes)
        assert listed["outcome_std_errors"] == list(ranked.outcome_errors)
        if ranked is not expected[0]:
            error = ranked.difference_error
            assert listed["difference_std_error"] == error
            assert listed["tied_with_best"] == (abs(ranked.difference) <= 2 * error)
        win, win2, _, lose2, _, draw = ranked.outcomes
        assert listed["rates"] == pytest.approx(
            {
                "win": win,
                "win_gammon": win2,
                "lose": 1 - win - draw,
                "lose_gammon": lose2,
                "draw": draw,
            }
        )


def test_top_limits_what_is_shown_and_nothing_else() -> None:
    args = (*ROLLOUT, "--roll", "64", "--seed", "1", "--trials", "100")
    every, some = document(*args), document(*args, "--top", "3")
    assert some["plays"] == every["plays"][:3]
    assert some["legal_plays"] == every["legal_plays"] == len(every["plays"])
    output = shown(*args, "--top", "3")
    assert f"({every['legal_plays'] - 3} more)" in output
    assert re.findall(r"^\d+  (\S+(?: \S+)*)  ", output, re.MULTILINE) == [
        listed["play"] for listed in some["plays"]
    ]
    assert "more)" not in shown(*args, "--top", "1000")


@pytest.mark.parametrize("roll", ["31", "3-1", "3,1", "3 1", " 31 "])
def test_a_roll_may_be_written_in_several_ways(roll: str) -> None:
    assert document("plays", "--roll", roll)["roll"] == [3, 1]


def test_the_roll_of_an_xgid_is_taken_unless_another_is_given() -> None:
    for command in (("plays",), (*ROLLOUT, "--trials", "20")):
        args = (*command, "--position", START_XGID)
        assert document(*args)["roll"] == [3, 1]
        assert document(*args, "--roll", "65")["roll"] == [6, 5]
        assert document(*args)["position"] == START_ID


def test_a_roll_that_dances_is_rolled_out_with_the_opponent_on_roll() -> None:
    args = (*ROLLOUT, "--position", DANCE, "--roll", "21", "--trials", "200", "--seed", "1")
    found = document(*args)
    board = tf.from_position_id(DANCE)
    expected = tf.rollout(tf.flip(board), "random", trials=200, seed=1, same_dice=True)
    assert found["dance"] is True
    assert found["legal_plays"] == 0
    assert [listed["play"] for listed in found["plays"]] == ["Cannot Move"]
    assert found["plays"][0]["moves"] == []
    assert found["plays"][0]["afterstate"] == DANCE
    assert found["plays"][0]["equity"] == -expected.equity[0]
    assert "roll 2-1: Cannot Move, X dances; 200 games\n" in shown(*args)


def test_a_play_that_ends_the_game_is_worth_its_outcome() -> None:
    found = document(*ROLLOUT, "--position", ONE_TO_GO, "--roll", "21", "--trials", "10")
    assert [(listed["play"], listed["equity"]) for listed in found["plays"]] == [("1/off", 2)]
    assert found["plays"][0]["std_error"] == 0
    assert str(found["plays"][0]["rates"]["lose"]) == "0.0"


def test_a_finished_position_gives_its_outcome() -> None:
    for args in ((), ("--roll", "31")):
        found = document(*ROLLOUT, "--position", WON_ID, "--trials", "10", *args)
        assert (found["over"], found["outcome"], found["equity"]) == (True, 2, 2)
        output = shown(*ROLLOUT, "--position", WON_ID, *args)
        assert output.endswith("The game is over: X has won 2 points.\n")
    lost = tf.position_id(tf.flip(tf.from_position_id(WON_ID)))
    assert document(*ROLLOUT, "--position", lost)["outcome"] == -2
    assert "O has won 2 points" in shown(*ROLLOUT, "--position", lost)


def test_games_that_are_cut_have_no_equity() -> None:
    args = (*ROLLOUT, "--max-plies", "4", "--trials", "30")
    found = document(*args)
    assert (found["equity"], found["std_error"], found["unfinished"]) == (None, None, 30)
    assert "30 games cut at 4 plies" in shown(*args)
    plays = document(*args, "--roll", "11")["plays"]
    assert {(listed["equity"], listed["difference"]) for listed in plays} == {(None, None)}
    output = shown(*args, "--roll", "11")
    assert len(re.findall(r" none\b", output)) == 2 * len(plays) - 1
    assert "30 trials with a game cut at 4 plies" in output


def test_one_game_has_no_standard_error() -> None:
    assert document(*ROLLOUT, "--trials", "1")["std_error"] is None
    output = shown(*ROLLOUT, "--trials", "1")
    assert re.search(r"^equity of X [+-][12]\.0000 points a game$", output, re.MULTILINE)
    assert "1 game, mean" in output


def test_what_a_player_sees_of_a_position() -> None:
    output = shown(*ROLLOUT, "--seed", "5", "--trials", "2000")
    result = tf.rollout(tf.start(), "random", trials=2000, seed=5)
    p = result.probabilities[0]
    assert untimed(output) == (
        f"{tf.view(tf.start())}\n\n"
        f"portes, position {START_ID}, seed 5\n\n"
        "           all  gammon (2)\n"
        f"X wins  {p[4:].sum():.2%}      {p[5]:.2%}\n"
        f"O wins  {p[:3].sum():.2%}      {p[1]:.2%}\n\n"
        f"equity of X {result.equity[0]:+.4f} ± {result.std_error[0]:.4f} points a game\n\n"
        f"2,000 games, mean {result.plies[0] / 2000:.1f} plies, _\n"
        "± is one standard error.\n"
        "How: both sides play at random, so this compares positions, but is no advice; whole "
        "games; 2,000 games.\n"
    )


def test_what_a_player_sees_of_a_roll() -> None:
    args = (*ROLLOUT, "--seed", "5", "--trials", "100", "--roll", "6-5", "--rules", "backgammon")
    output = shown(*args, "--no-board")
    lines = output.splitlines()
    assert lines[1] == "roll 6-5: 7 legal plays; 100 games each"
    assert lines[3].split() == ["win", "win", "lose", "lose"]
    assert lines[4].split() == ["gam.", "bg.", "gam.", "bg."]
    assert lines[5].split() == (
        ["play", "equity", "±", "to", "best", "±", "win", "(2)", "(3)", "lose", "(2)", "(3)"]
    )
    listed = document(*args)["plays"]
    for number, (line, play) in enumerate(zip(lines[6:13], listed, strict=True), start=1):
        rates = play["rates"]
        assert line.split() == [
            str(number),
            *play["play"].split(),
            f"{play['equity']:+.4f}",
            f"{play['std_error']:.4f}",
            *([f"{play['difference']:+.4f}"] if number > 1 else []),
            *([f"{play['difference_std_error']:.4f}"] if number > 1 else []),
            *(["~"] if number > 1 and play["tied_with_best"] else []),
            *(f"{rates[name]:.1%}" for name in rates if name != "draw"),
        ]
    assert lines[-3:-1] == [
        "Gammons include backgammons.",
        "± is one standard error; ~ is within two of them of the best.",
    ]


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("portes", "all  gammon (2)"),
        ("portes_cube", "all  gammon (2)  backgammon (3)"),
        ("tavla", "all  gammon (2)"),
        ("hypergammon", "all  gammon (2)  backgammon (3)"),
    ],
)
def test_the_heads_say_what_a_win_counts(name: str, head: str) -> None:
    output = shown(*ROLLOUT, "--trials", "20", "--rules", name)
    assert re.search(rf"^ +{re.escape(head)}$", output, re.MULTILINE)


def test_draws_are_shown_where_there_are_any() -> None:
    assert "draw" not in shown(*ROLLOUT, "--trials", "10")
    args = (*ROLLOUT, "--rules", "plakoto", "--trials", "100", "--seed", "1", "--no-board")
    share = tf.rollout(tf.start("plakoto"), "random", "plakoto", 100, 1).outcomes[0, 5]
    assert f"\ndraw    {share:.2%}\n" in shown(*args)
    assert document(*args)["rates"]["draw"] == share
    play = document(*args, "--roll", "31")["plays"][0]
    assert play["rates"]["draw"] > 0
    lines = shown(*args, "--roll", "31", "--top", "1").splitlines()
    assert lines[5].endswith(" draw")
    assert lines[6].endswith(f" {play['rates']['draw']:.1%}")


@pytest.mark.parametrize("mode", [(), ("--roll", "42"), ("--json",)])
def test_a_seed_repeats_the_output_for_any_number_of_threads(mode: Sequence[str]) -> None:
    args = (*ROLLOUT, "--trials", "300", *mode)
    first = untimed(shown(*args, "--seed", "11", "--threads", "1"))
    assert first == untimed(shown(*args, "--seed", "11", "--threads", "3"))
    assert first != untimed(shown(*args, "--seed", "12"))


def test_a_fresh_seed_is_told_and_repeats_the_rollout() -> None:
    found = document(*ROLLOUT, "--trials", "100")
    assert found["seed"] < 2**53
    again = document(*ROLLOUT, "--trials", "100", "--seed", str(found["seed"]))
    assert again["counts"] == found["counts"]
    assert document(*ROLLOUT, "--trials", "100")["seed"] != found["seed"]


# --- plays ----------------------------------------------------------------------------------------


def test_plays_are_those_of_the_api() -> None:
    legal = tf.legal_plays(tf.start(), (6, 4))
    lines = shown("plays", "--roll", "64").splitlines()
    assert lines[0] == f"portes, position {START_ID}, roll 6-4: {len(legal)} legal plays"
    assert lines[1:] == [f"{i:4d}  {play}" for i, play in enumerate(legal, start=1)]
    found = document("plays", "--roll", "64")
    listed = found.pop("plays")
    assert found == {
        "rules": "portes",
        "set": {},
        "position": START_ID,
        "roll": [6, 4],
        "over": False,
        "dance": False,
    }
    assert listed == [
        {
            "play": str(play),
            "moves": [list(move) for move in play.moves],
            "afterstate": tf.position_id(play.board),
            "next": tf.position_id(tf.flip(play.board)),
        }
        for play in legal
    ]


def test_plays_follow_the_rules_named() -> None:
    hit_and_run = tf.position_id(position({6: 2, 13: 13}, {21: 1, 6: 14}))
    args = ("plays", "--position", hit_and_run, "--roll", "21")
    portes, tavla = document(*args), document(*args, "--rules", "TAVLA")
    assert tavla["rules"] == "tavla"
    assert "6/4*/3" in {listed["play"] for listed in portes["plays"]}
    assert "6/4*/3" not in {listed["play"] for listed in tavla["plays"]}


def test_a_dance_and_a_finished_game_have_no_plays() -> None:
    found = document("plays", "--position", DANCE, "--roll", "66")
    assert (found["plays"], found["dance"], found["over"]) == ([], True, False)
    output = shown("plays", "--position", DANCE, "--roll", "66")
    assert output.splitlines()[1:] == ["Cannot Move: X dances."]
    found = document("plays", "--position", WON_ID, "--roll", "66")
    assert (found["plays"], found["dance"], found["over"]) == ([], False, True)
    output = shown("plays", "--position", WON_ID, "--roll", "66")
    assert output.splitlines()[1:] == ["The game is over."]


# --- perft ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["portes", "hypergammon", "backgammon_zh"])
def test_perft_and_its_split_count_as_the_api(name: str) -> None:
    args = ("perft", "--depth", "2", "--rules", name)
    nodes = tf.perft(tf.start(name), 2, name)
    found = document(*args)
    assert found["nodes"] == nodes
    assert (found["rules"], found["depth"], "split" in found) == (name, 2, False)
    split = document(*args, "--split")
    assert split["nodes"] == nodes == sum(split["split"].values())
    assert list(split["split"]) == [f"{a}-{b}" for a in range(1, 7) for b in range(1, a + 1)]
    output = shown(*args, "--split")
    assert f"\n6-5: {split['split']['6-5']:,}\n" in output
    assert untimed(output).endswith(f"\n{nodes:,} nodes, _\n")


def test_perft_split_of_one_ply_is_the_number_of_plays() -> None:
    split = document("perft", "--depth", "1", "--split")["split"]
    assert split["3-1"] == len(tf.legal_plays(tf.start(), (3, 1)))


@pytest.mark.parametrize(
    ("text", "depth"), [(DANCE, 1), (DANCE, 2), (WON_ID, 2), (NEAR_THE_END, 3)]
)
def test_perft_of_dances_and_finished_games(text: str, depth: int) -> None:
    found = document("perft", "--depth", str(depth), "--split", "--position", text)
    assert found["nodes"] == tf.perft(tf.from_position_id(text), depth)
    assert found["position"] == text


# --- rules ----------------------------------------------------------------------------------------


def test_rules_lists_every_preset_with_a_line() -> None:
    lines = shown("rules").splitlines()
    assert [line.split()[0] for line in lines] == list(tf.RULES)
    found = document("rules")
    assert [entry["name"] for entry in found] == list(tf.RULES)
    for line, entry in zip(lines, found, strict=True):
        assert entry["about"]
        assert line.split(maxsplit=1)[1] == entry["about"]


@pytest.mark.parametrize("name", tf.RULES)
def test_rules_shows_the_fields_of_a_preset(name: str) -> None:
    found = document("rules", name)
    rules = tf.RULES[name]
    fields: dict[str, Any] = {
        field: tuple(map(tuple, value) if field == "start" else value)
        if isinstance(value, list)
        else value
        for field, value in found["fields"].items()
    }
    assert tf.Rules(**fields) == rules
    differing = [field for field in fields if fields[field] != getattr(tf.PORTES, field)]
    assert found["differs"] == differing
    output = shown("rules", name)
    starred = [line.split()[1] for line in output.splitlines() if line.startswith("*")]
    assert starred == differing
    assert all(f" {field} " in output for field in fields)


def test_rules_shows_values_as_a_player_reads_them() -> None:
    lines = [line.split() for line in shown("rules", "tavla").splitlines()]
    assert ["*", "hit_and_run_home", "no", "yes"] in lines
    assert ["start", "24:2", "13:5", "8:3", "6:5"] in lines
    assert ["runner_gate", "none"] in lines
    lines = [line.split() for line in shown("rules", "narde").splitlines()]
    assert ["*", "start", "24:15", "24:2", "13:5", "8:3", "6:5"] in lines
    assert ["*", "head_limit", "1", "none"] in lines
    assert ["*", "head_first_turn", "3", "4", "6", "none"] in lines
    assert ["trio", "none"] in lines
