"""The worked cases of the cube, the match and the score."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
from match_play import play_to_end, said, short_game, throws, with_cube

from tavli_fast import RULES, Cube, Game, Rules, Session

DATA = Path(__file__).parent / "data" / "cube_cases.jsonl"
CASES = {case["id"]: case for case in map(json.loads, DATA.read_text("utf-8").splitlines())}
PLAYERS = {"A": 0, "B": 1}


def case(name: str) -> tuple[Rules, dict[str, Any], dict[str, Any]]:
    """Return the rules of a case, what is given and what is expected."""
    found = CASES[name]
    variant = {"bg_chinese": "backgammon_zh"}.get(found["variant"], found["variant"])
    rules, given = RULES[variant], found["given"]
    names = {"auto_double": "auto_double_max"}
    known = [field.name for field in dataclasses.fields(Rules)]
    options: dict[str, Any] = {
        names.get(key, key): int(value) if key in names else value
        for key, value in given.items()
        if names.get(key, key) in known and key != "cube"
    }
    return dataclasses.replace(rules, **options), given, found["expected"]


def position(rules: Rules, given: dict[str, Any], **options: Any) -> Session:
    """Return a session as a case of the kind ``cube`` gives it."""
    if "match_to" in given:
        options |= {
            "target": given["match_to"],
            "score": (given["score"]["A"], given["score"]["B"]),
        }
    if "crawford_game" in given:
        options["crawford"] = given["crawford_game"]
    return with_cube(
        rules,
        given["cube"],
        PLAYERS.get(given.get("owner", "")),
        PLAYERS[given["to_roll"]],
        **options,
    )


def test_every_case_has_its_test() -> None:
    assert len(CASES) == 17
    assert {case["kind"] for case in CASES.values()} == {"cube", "match", "score", "opening"}
    tests = [name for name in globals() if name.startswith("test_")]
    for name in CASES:
        short = "_".join(name.lower().split("-"))
        assert f"test_{short}" in tests, name


def test_gr_09_jacoby() -> None:
    rules, given, expected = case("GR-09-jacoby")
    assert rules.jacoby
    assert (given["cube_turned"], given["loser_off"]) == (False, 0)
    for end in ("mars", "koks"):
        game = play_to_end(short_game(end, rules), end)
        assert game.record.points == expected["points"]


def test_gr_10_jacoby_turned() -> None:
    rules, given, expected = case("GR-10-jacoby-turned")
    game = short_game(given["type"], rules)
    game.double()
    game.take()
    assert (game.cube.value, game.cube.doubled) == (given["cube"], given["cube_turned"])
    assert play_to_end(game, given["type"]).record.points == expected["points"]


def test_gr_11_autodouble() -> None:
    rules, given, expected = case("GR-11-autodouble")
    assert rules.auto_double_max == 1
    game = Game(rules, throws(*map(tuple, given["contest"])))
    assert (game.cube, expected["cube_owner"]) == (Cube(expected["cube"], automatic=1), "centre")
    assert (game.player, game.dice) == (0, tuple(expected["starter_dice"]))
    assert game.record.stake == expected["cube"]


@pytest.mark.parametrize(
    "name",
    [
        "GR-12-double-rights",
        "GR-15-cap",
        "GR-16-dead-cube",
        "GR-17-dead-cube-other",
        "GR-19-crawford-leader-later",
    ],
)
def test_may_double(name: str) -> None:
    rules, given, expected = case(name)
    session = position(rules, given)
    game = session.game
    assert (game.phase, game.player) == ("roll", PLAYERS[given["to_roll"]])
    assert game.may_double is expected["may_double"]
    assert ("double" in session.legal_actions) is expected["may_double"]
    if expected["may_double"]:
        session.act("double")
        assert session.phase == "double"
    else:
        before = session.to_dict()
        with pytest.raises(ValueError, match="cannot double: "):
            session.act("double")
        assert session.to_dict() == before


def test_gr_12_double_rights() -> None:
    rules, given, _ = case("GR-12-double-rights")
    with pytest.raises(ValueError, match="cannot double: the cube belongs to player 0"):
        position(rules, given).act("double")


def test_gr_13_refuse() -> None:
    rules, given, expected = case("GR-13-refuse")
    session = with_cube(rules, given["cube"], owner=0, to_roll=0)
    session.act("double")
    assert session.game.record.calls[-1].value == given["A_doubles_to"]
    session.act("drop")
    assert session.phase == "game_over"
    assert session.score == (expected["A_scores"], 0)
    assert said(session.game.record.calls)[-2:] == [(0, "double", 4), (1, "drop", 2)]


def test_gr_14_accept() -> None:
    rules, given, expected = case("GR-14-accept")
    session = with_cube(rules, given["cube"], owner=0, to_roll=0)
    session.act("double")
    session.act("take")
    cube = session.game.cube
    assert (cube.value, cube.owner) == (expected["cube"], PLAYERS[expected["owner"]])
    assert (session.phase, session.game.player) == ("roll", 0)
    assert session.legal_actions == ("roll",)


def test_gr_15_cap() -> None:
    rules, given, _ = case("GR-15-cap")
    with pytest.raises(ValueError, match="cannot double: 64 is the highest stake"):
        position(rules, given).act("double")
    free = dataclasses.replace(rules, cube_cap=None)
    session = position(free, given)
    session.act("double")
    session.act("take")
    assert session.game.cube == Cube(128, 1, doubled=True)


def test_gr_16_dead_cube() -> None:
    rules, given, _ = case("GR-16-dead-cube")
    match = "cannot double: the stake of 2 already wins player 0 the match"
    with pytest.raises(ValueError, match=match):
        position(rules, given).act("double")
    assert position(dataclasses.replace(rules, dead_cube_rule=False), given).game.may_double


def test_gr_17_dead_cube_other() -> None:
    rules, given, _ = case("GR-17-dead-cube-other")
    session = position(rules, given)
    session.act("double")
    session.act("take")
    assert session.game.cube.value == 4


def test_gr_18_crawford() -> None:
    rules, given, expected = case("GR-18-crawford")
    scores = [*map(tuple, given["scores_before"])]
    session = Session(rules, target=given["match_to"], score=scores[0], seed=1)
    found = []
    for number, score in enumerate(scores):
        assert session.score == score
        found.append(session.crawford)
        assert session.game.record.crawford is session.crawford
        session.game.resign(player=1 - number % 2)  # players 0, 1, 0 win a point
        if number < 2:
            session.act("next_game")
    assert found == expected["crawford"]
    assert session.phase == "match_over"


def test_gr_19_crawford_leader_later() -> None:
    rules, given, _ = case("GR-19-crawford-leader-later")
    with pytest.raises(ValueError, match="the stake of 1 already wins player 0 the match"):
        position(rules, given).act("double")
    assert position(rules, given | {"to_roll": "B"}).game.may_double  # the trailer may


def test_gr_20_beaver() -> None:
    rules, given, expected = case("GR-20-beaver")
    assert (rules.beavers, rules.beaver_refusable) == (True, expected["A_may_refuse_beaver"])
    session = with_cube(rules, given["cube"], to_roll=0)
    session.act("double")
    assert session.game.record.calls[-1].value == given["A_doubles_to"]
    session.act("beaver")
    assert session.game.cube == Cube(expected["cube"], PLAYERS[expected["owner"]], doubled=True)
    assert (session.phase, session.game.player, session.legal_actions) == ("roll", 0, ("roll",))
    # Elsewhere he may: he loses what he had doubled to.
    session = with_cube(dataclasses.replace(rules, beaver_refusable=True), to_roll=0)
    session.act("double")
    session.act("beaver")
    assert (session.phase, session.game.player) == ("beaver", 0)
    assert session.legal_actions == ("take", "drop")
    session.act("drop")
    assert session.score == (0, given["A_doubles_to"])


def test_gr_21_doubling_before_roll() -> None:
    rules, given, expected = case("GR-21-doubling-before-roll")
    session = with_cube(rules, given["cube"])
    assert session.game.may_double
    session.act("roll")
    assert session.phase == "play"
    assert session.game.may_double is expected["may_double"]
    with pytest.raises(ValueError, match=r"cannot double: player 0 has to play \d-\d"):
        session.act("double")


def test_zh_07_cube_start() -> None:
    rules, given, expected = case("ZH-07-cube-start")
    cube = Session(rules, seed=1).game.cube
    assert (cube.face, cube.value) == (given["face_shown"], expected["stake"])


def test_is_39_crawford_annul() -> None:
    rules, given, expected = case("IS-39-crawford-annul")
    assert expected["effect"] == "double annulled"
    session = with_cube(rules, target=5, score=(4, 2), crawford=given["crawford_game"])
    before = session.to_dict()
    assert session.legal_actions == ("roll",)
    with pytest.raises(ValueError, match="cannot double: this is the Crawford game"):
        session.act("double")
    assert session.to_dict() == before
    session.act("roll")  # and B plays on


def test_is_40_rule_of_gin() -> None:
    """There is no automatic claim; a game given up scores as if it had been played out."""
    rules, _, expected = case("IS-40-rule-of-gin")
    assert re.match("score computed as if played out", expected["must_keep"])
    for worth, end in enumerate(("single", "mars", "koks"), 1):
        for jacoby in (False, True):
            games = [short_game(end, rules, jacoby=jacoby) for _ in range(2)]
            play_to_end(games[0], end)
            games[1].resign(worth, player=1)
            records = [game.record for game in games]
            assert records[0].points == records[1].points == (1 if jacoby else worth)
            assert records[0].winner == records[1].winner == 0


def test_is_41_post_crawford_leader() -> None:
    rules, _, expected = case("IS-41-post-crawford-leader")
    for score, leader in (((6, 3), 0), ((2, 6), 1)):
        options: dict[str, Any] = {"target": 7, "score": score, "crawford": False}
        assert with_cube(rules, to_roll=leader, **options).game.may_double is expected["may_double"]
        assert with_cube(rules, to_roll=1 - leader, **options).game.may_double
