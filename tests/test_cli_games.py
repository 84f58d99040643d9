"""The commands with every game of the family, house rules, and what a player types by guess."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cli_calls import (
    ROLLOUT,
    START_ID,
    START_XGID,
    WON_ID,
    document,
    position,
    runner,
    shown,
    untimed,
)
from processes import in_a_terminal

import tavli_fast as tf
from tavli_fast.boards.tfid import from_tfid, tfid
from tavli_fast.cli import program
from tavli_fast.cli.show.estimates import Estimate, is_tied, win_levels

PINS_ID = "TFID1:k:1e_2A_1B3a2c3G_2d_3C1:0:0"
PLAKOTO_ID = "TFID1:k:1o22O1:0:0"
FEVGA_ID = "TFID1:f:12o11O1:0:0"
BOTH_MOTHERS_ID = "TFID1:k:1A_8M13a_1:0:13"
"""Each side has the other's last starter under it: a draw."""

HYPER_ID = "AACgAgAAKgAAAA"
HYPER_NOTE = (
    "note: 12 checkers of X and 12 of O are taken as borne off;"
    " for three a side: --rules hypergammon\n"
)

# --- every game -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tf.RULES)
def test_every_command_takes_every_game(name: str) -> None:
    start, rules = tf.start(name), tf.RULES[name]
    id_ = document("plays", "31", "--rules", name)["position"]
    read, _ = tf.parse_position(id_, name)
    np.testing.assert_array_equal(read, start)
    legal = tf.legal_plays(start, (3, 1), name)
    assert shown("plays", "31", "--rules", name).splitlines() == [
        f"{name}, position {id_}, roll 3-1: {len(legal)} legal play{'s' * (len(legal) != 1)}",
        *(f"{number:4d}  {play}" for number, play in enumerate(legal, start=1)),
    ]
    # A cascade's few very long turns take most of the time.
    trials, seed = 10 if rules.cascade else 200, 1
    args = ("--rules", name, "--seed", str(seed), "--trials", str(trials))
    rolled = document(*ROLLOUT, *args)
    result = tf.rollout(start, "random", rules, trials, seed)
    assert rolled["counts"] == result.counts[0].tolist()
    ranking = document(*ROLLOUT, "31", *args)
    assert sorted(play["play"] for play in ranking["plays"]) == sorted(map(str, legal))
    assert document("perft", "1", "--rules", name)["nodes"] == tf.perft(start, 1, name)
    split = document("perft", "2", "--rules", name, "--split")["split"]
    assert sum(split.values()) == tf.perft(start, 2, name)


def test_a_tfid_names_its_game() -> None:
    for args in (("--position", PINS_ID), (PINS_ID,), ("--position", PINS_ID, "--rules", "tapa")):
        found = document("plays", "64", *args)
        assert found["rules"] == ("tapa" if "tapa" in args else "plakoto")
        board, _ = tf.parse_position(found["position"], "plakoto")
        np.testing.assert_array_equal(board, from_tfid(PINS_ID)[0])
        for play in found["plays"]:
            after, _ = tf.parse_position(play["afterstate"])
            np.testing.assert_array_equal(tf.parse_position(play["next"])[0], after[::-1])
    assert document("perft", "1", PINS_ID)["position"] == PINS_ID
    assert document("rollout", f"{FEVGA_ID}:55", "--trials", "10")["roll"] == [5, 5]


def test_the_board_of_a_game_is_drawn() -> None:
    for command in (["plays", "--board"], [*ROLLOUT, "--trials", "10"]):
        for id_ in (PINS_ID, FEVGA_ID):
            output = shown(*command, "--position", id_, "--roll", "31")
            assert output.startswith(f"{tf.view(id_)}\n\n")
    assert "O's numbers" not in shown("plays", FEVGA_ID, "31")


def test_a_pin_is_marked() -> None:
    board = position({20: 1, 10: 1}, {18: 1})
    output = shown("plays", tfid(board, rules="plakoto"), "31")
    assert re.search(r"20/19 10/7\^$", output, re.MULTILINE)


def test_a_draw_is_an_outcome() -> None:
    found = document("rollout", BOTH_MOTHERS_ID)
    assert (found["over"], found["outcome"], found["equity"]) == (True, 0, 0)
    assert found["rates"]["draw"] == 1
    assert shown("rollout", BOTH_MOTHERS_ID).endswith("The game is over: a draw.\n")


# --- kinds of wins --------------------------------------------------------------------------------

LEVELS = [
    (tf.PORTES, {"": 1, "gammon": 2}),
    (tf.BACKGAMMON, {"": 1, "gammon": 2, "backgammon": 3}),
    (tf.PLAKOTO, {"": 1, "gammon": 2}),
    (replace(tf.PLAKOTO, mother_points=3), {"": 1, "gammon": 2, "mother": 3}),
    (replace(tf.PLAKOTO, mother_points=1), {"": 1, "gammon": 2}),
    (replace(tf.PLAKOTO, gammon_points=3, backgammon_points=3), {"": 1, "mother": 2, "gammon": 3}),
    (replace(tf.PLAKOTO, backgammon_points=3), {"": 1, "gammon": 2, "backgammon": 3}),
    (
        replace(tf.PLAKOTO, single_points=2, mother_points=1),
        {"": 1, "single": 2},
    ),
    (replace(tf.TAPA, mother_points=3), {"": 1, "gammon": 2}),
    (replace(tf.PORTES, gammon_points=1, backgammon_points=1), {"": 1}),
]


@pytest.mark.parametrize(("rules", "expected"), LEVELS)
def test_the_kinds_of_wins_that_rules_tell_apart(rules: tf.Rules, expected: dict[str, int]) -> None:
    assert win_levels(rules) == expected
    assert list(win_levels(rules).values()) == sorted(expected.values())


def test_columns_for_the_mother() -> None:
    args = [*ROLLOUT, "--rules", "plakoto", "--trials", "2000", "--seed", "1", "--no-board"]
    output = shown(*args)
    assert re.search(r"^ +all  gammon \(2\)$", output, re.MULTILINE)
    assert re.search(r"^draw +\d", output, re.MULTILINE)
    assert "A game lost by the mother counts as a gammon.\n" in output
    args += ["--set", "mother_points=3"]
    output = shown(*args)
    assert re.search(r"^ +all  gammon \(2\)  mother \(3\)$", output, re.MULTILINE)
    assert "Gammons include mothers.\n" in output
    rates = document(*args)["rates"]
    assert list(rates) == (
        ["win", "win_gammon", "win_mother", "lose", "lose_gammon", "lose_mother", "draw"]
    )
    result = tf.rollout(
        tf.start("plakoto"), "random", replace(tf.PLAKOTO, mother_points=3), 2000, 1
    )
    assert rates["win_mother"] == result.probabilities[0, 6] > 0
    assert rates["lose_gammon"] == pytest.approx(result.probabilities[0, :2].sum())
    heads = shown(*args, "--roll", "31").splitlines()[3:6]
    assert heads[1].split() == ["gam.", "mother"] * 2
    assert heads[2].split()[-7:] == ["win", "(2)", "(3)", "lose", "(2)", "(3)", "draw"]


# --- house rules ----------------------------------------------------------------------------------

HOUSES = [
    ("portes", ["higher_die=no"], {"higher_die": False}),
    ("portes", ["higher_die=False", "max_dice=OFF"], {"higher_die": False, "max_dice": False}),
    ("plakoto", ["mother=lose_always", "mother_points=3"], None),
    ("fevga", ["runner_gate=none"], {"runner_gate": None}),
    ("fevga", ["runner_gate = 12"], {"runner_gate": 12}),
    ("narde", ["head_first_turn=3,6"], {"head_first_turn": (3, 6)}),
    ("narde", ["head_first_turn=none"], {"head_first_turn": ()}),
    ("narde", ["trio=portes, fevga"], {"trio": ("portes", "fevga")}),
    ("portes", ["checkers=2", "start=24:1,6:1"], {"checkers": 2, "start": ((24, 1), (6, 1))}),
]


@pytest.mark.parametrize(("name", "sets", "changes"), HOUSES)
def test_house_rules(name: str, sets: Sequence[str], changes: dict[str, Any] | None) -> None:
    args = list(itertools.chain.from_iterable(("--set", text) for text in sets))
    changes = changes or {"mother": "lose_always", "mother_points": 3}
    house = replace(tf.RULES[name], **changes)
    fields = document("rules", name, *args)["fields"]
    assert {field: fields[field] for field in changes} == {
        field: [list(item) if isinstance(item, tuple) else item for item in value]
        if isinstance(value, tuple)
        else value
        for field, value in changes.items()
    }
    found = document(*ROLLOUT, "--rules", name, *args, "--trials", "100", "--seed", "3")
    expected = tf.rollout(tf.start(house), "random", house, 100, 3)
    assert found["counts"] == expected.counts.tolist()[0]
    assert list(found["set"]) == list(changes)
    plays = document("plays", "--rules", name, *args, "--roll", "61")["plays"]
    legal = tf.legal_plays(tf.start(house), (6, 1), house)
    assert [play["play"] for play in plays] == list(map(str, legal))
    assert document("perft", "1", "--rules", name, *args)["nodes"] == tf.perft(
        tf.start(house), 1, house
    )
    told = ", ".join(
        f"{text.partition('=')[0].strip()}={text.partition('=')[2].strip()}" for text in sets
    )
    assert shown("plays", "61", "--rules", name, *args).startswith(f"{name} with {told}, position ")
    # The ID that is printed is read again with the same options.
    assert document("plays", found["position"], "61", "--rules", name, *args)["plays"] == plays


def test_a_house_rule_of_the_game_of_a_tfid() -> None:
    found = document("plays", FEVGA_ID, "61", "--set", "runner_gate=12")
    assert (found["rules"], found["set"]) == ("fevga", {"runner_gate": "12"})
    assert found["position"] == FEVGA_ID


def test_rules_shows_what_a_house_changes() -> None:
    lines = [line.split() for line in shown("rules", "portes", "--set", "doubles=4").splitlines()]
    assert lines[0][:3] == ["portes", "with", "doubles=4:"]
    assert not any(line[:1] == ["*"] for line in lines)
    output = shown("rules", "portes", "--set", "max_dice=no")
    assert re.search(r"^\* +max_dice +no +yes$", output, re.MULTILINE)


# --- what a player types by guess -----------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ("31",),
        ("3-1", START_ID),
        (START_ID, "31"),
        ("--position", START_ID, "3,1"),
        (START_ID, "--roll", "3 1"),
        (f"XGID={START_XGID}",),
        ("--position", START_XGID),
    ],
)
def test_position_and_roll_may_stand_alone(args: Sequence[str]) -> None:
    expected = document("plays", "--roll", "31")
    assert document("plays", *args) == expected
    found = document(*ROLLOUT, *args, "--trials", "10")
    assert (found["roll"], found["position"]) == ([3, 1], START_ID)


@pytest.mark.parametrize("args", [("2",), ("2", START_ID), (START_ID, "2"), ("--depth", "2")])
def test_depth_may_stand_alone(args: Sequence[str]) -> None:
    assert document("perft", *args)["nodes"] == tf.perft(tf.start(), 2)


@pytest.mark.parametrize("text", ["10000", "10,000", "10_000", "1e4", "1E4", "1.0e+4", " 10000 "])
def test_numbers_may_be_written_in_several_ways(text: str) -> None:
    found = document(*ROLLOUT, "--trials", text, "--seed", "1,000", "--threads", "2e0")
    assert (found["trials"], found["seed"]) == (10_000, 1000)


def test_the_default_number_of_trials() -> None:
    assert document(*ROLLOUT, "--seed", "1")["trials"] == 20_000
    assert "(20,000; with a roll at most 5,120;" in " ".join(shown("rollout", "-h").split())


@pytest.mark.parametrize("args", [("--position", "-"), ("-",)])
def test_a_position_from_stdin(args: Sequence[str]) -> None:
    for text in (PINS_ID, f"  {PINS_ID}\nrest", f"{PINS_ID}\r\n"):
        assert document_from(text, "plays", "31", *args) == document("plays", "31", PINS_ID)
    result = runner().invoke(program, ["plays", "31", *args], input="")
    assert "standard input has no first line: expected a position" in result.stderr
    assert result.exit_code == 2


def document_from(stdin: str, *args: str) -> Any:
    import json

    return json.loads(shown(*args, "--json", stdin=stdin))


def test_an_id_of_three_checkers_is_doubted() -> None:
    for args in (
        ("plays", "31"),
        ("perft", "1"),
        (*ROLLOUT, "--trials", "10"),
    ):
        found = document(*args, "--position", HYPER_ID, stderr=HYPER_NOTE)
        assert found["position"] == HYPER_ID
        document(*args, "--position", HYPER_ID, "--rules", "hypergammon")
        document(*args, "--position", tfid(tf.from_position_id(HYPER_ID)))


def test_perft_of_a_finished_game_says_so() -> None:
    lines = shown("perft", "3", WON_ID, "--split").splitlines()
    assert lines == [f"portes, position {WON_ID}, 3 plies", "The game is over: it has no children."]
    found = document("perft", "3", WON_ID)
    assert (found["over"], found["nodes"]) == (True, 0)
    assert document("perft", "1")["over"] is False


# --- which plays are told apart -------------------------------------------------------------------


def test_shares_of_what_is_won_and_lost() -> None:
    found = Estimate((0.5, 0.3, 0.1, 0.2, 0.05, 0.125), (0.0,) * 6, 0.1, 0.01)
    assert [found.won(points) for points in (1, 2, 3)] == [0.5, 0.3, 0.1]
    assert [found.lost(points) for points in (1, 2, 3)] == [0.375, 0.2, 0.05]
    assert found.drawn == 0.125


@pytest.mark.parametrize(
    ("difference", "error", "tied"),
    [(0, 0, True), (-0.1, 0, False), (-0.1, 0.05, True), (-0.1, 0.0499, False), (0.1, 0.05, True)],
)
def test_two_standard_errors(difference: float, error: float, tied: bool) -> None:
    assert is_tied(difference, error) is tied


def test_plays_that_are_not_told_apart_are_marked() -> None:
    args = (*ROLLOUT, "31", "--seed", "1", "--trials", "300", "--no-board")
    listed = document(*args)["plays"]
    assert (listed[0]["difference"], listed[0]["difference_std_error"]) == (0, 0)
    lines = shown(*args).splitlines()
    marked = [" ~ " in line for line in lines[6 : 6 + len(listed)]]
    assert marked == [False, *(play["tied_with_best"] for play in listed[1:])]
    assert any(marked)
    assert "~ is within two of them" in shown(*args)
    clear = (
        *ROLLOUT,
        "65",
        "--position",
        tf.position_id(position({6: 1, 1: 1}, {6: 15})),
    )
    assert "~" not in shown(*clear, "--trials", "50")


# --- terminals ------------------------------------------------------------------------------------


def test_a_board_wider_than_the_screen_is_not_drawn() -> None:
    width = max(map(len, str(tf.view(FEVGA_ID)).splitlines()))
    args = ("plays", FEVGA_ID, "31", "--board")
    assert "+-OFF-+" in shown(*args, columns=width)
    output = shown(*args, columns=width - 1)
    assert output.startswith("(a wider terminal shows the board)\n\n")
    assert "+-OFF-+" not in output


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
@pytest.mark.parametrize(
    ("environment", "escapes"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
    ],
)
def test_escape_codes_in_a_terminal(environment: dict[str, str], escapes: bool) -> None:
    args = ["rollout", "21", "--trials", "100", "--seed", "1", "--no-board"]
    code, text = in_a_terminal(*args, **environment)
    assert code == 0
    assert ("\x1b" in text) == escapes
    assert "\x1b[22m" not in text
    if escapes:
        # What is seen beside the bar is bold heads, and nothing else.
        table = text[text.rindex("portes, position") :]
        assert set(re.findall(r"\x1b\[[0-9;]*m", table)) == {"\x1b[1m", "\x1b[0m"}
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "")
    assert untimed(shown(*args, columns=100)) in untimed(plain)
