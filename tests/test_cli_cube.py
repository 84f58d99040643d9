"""The command ``rollout`` with the cube: its settings are those of `CubeSetting`."""

from __future__ import annotations

from typing import Any

import pytest
from cli_calls import document, runner, shown

import tavli_fast as tf
from tavli_fast.cli import program

RULES = "hypergammon"  # short games; with Jacoby's rule and a cap of 64
START = tf.start(RULES)
BASE = ("rollout", "--rules", RULES, "--seed", "3", "--trials", "60", "--truncate", "6")
MONEY: dict[str, Any] = {"jacoby": True, "cap": 64}
XGID = "XGID=-b----E-C---eE---c-e----B-"

SETTINGS: list[tuple[list[str], dict[str, Any]]] = [
    (["--cube"], MONEY),
    (["--cube", "--set", "jacoby=no", "--set", "cube_cap=none"], {}),
    (["--cube", "--set", "beavers=yes", "--set", "beaver_refusable=no"], MONEY | {"beavers": True}),
    (["--cube-value", "4", "--cube-owner", "o"], MONEY | {"cube": 4, "owner": "opponent"}),
    (["--cube", "--cube-owner", "X"], MONEY | {"owner": "player"}),
    (["--target", "5"], MONEY | {"away": (5, 5)}),
    (["--cube", "--target", "5", "--score", "2-1"], MONEY | {"away": (3, 4)}),
    (["--target", "5", "--score", "4:1"], MONEY | {"away": (1, 4)}),
    (
        ["--target", "5", "--score", "1-4", "--post-crawford"],
        MONEY | {"away": (4, 1), "post_crawford": True},
    ),
    (
        ["--target", "5", "--score", "1-4", "--set", "crawford=no"],
        MONEY | {"away": (4, 1), "post_crawford": True},
    ),
]


@pytest.mark.parametrize(("options", "fields"), SETTINGS)
def test_the_options_are_a_setting(options: list[str], fields: dict[str, Any]) -> None:
    refusable = "beaver_refusable=no" not in options
    setting = tf.CubeSetting(**fields, beaver_refusable=refusable)
    expected = tf.rollout(START, "net", RULES, 60, 3, truncate=6, cube=setting)
    found = document(*BASE, *options)["cube"]
    cubeful = expected.cubeful
    assert cubeful is not None
    for name in ("centred", "owned", "opponents"):
        assert found["equities"][name] == getattr(cubeful, name)[0]
        assert found["std_errors"][name] == getattr(cubeful, f"{name}_error")[0]
    assert found["may_double"] == cubeful.may_double
    taken = cubeful.double_take[0] if cubeful.may_double else None
    assert found["equities"]["double_take"] == taken
    assert found["equities"]["double_pass"] == (1 if cubeful.may_double else None)
    assert found["needed"] == (None if setting.away is None else list(setting.away))
    told = ("post_crawford", "cap", "jacoby", "beavers")
    assert {name: found[name] for name in told} == {name: getattr(setting, name) for name in told}
    assert (found["value"], found["efficiency"]) == (setting.cube, 0.68)
    if setting.away is None:
        assert found["match_chances"] is None
    else:
        chance = expected.match_chance(cubeful.centred[0])
        assert found["match_chances"]["centred"] == pytest.approx(chance)


def test_the_efficiency() -> None:
    expected = tf.rollout(
        START, "net", RULES, 60, 3, truncate=6, efficiency=0, cube=tf.CubeSetting(**MONEY)
    )
    assert expected.cubeful is not None
    found = document(*BASE, "--efficiency", "0")["cube"]
    assert (found["equities"]["centred"], found["efficiency"]) == (expected.cubeful.centred[0], 0)


XGIDS: list[tuple[str, list[str], dict[str, Any]]] = [
    (":0:0:1:00:0:0:0:0:10", [], {"cap": 64}),
    (":2:-1:1:00:0:0:3:0:3", [], {"cube": 4, "owner": "opponent", "jacoby": True, "cap": 8}),
    (":2:-1:1:00:0:0:3:0:3", ["--set", "jacoby=no"], {"cube": 4, "owner": "opponent", "cap": 8}),
    (":1:1:1:00:2:4:0:7:10", [], {"cube": 2, "owner": "player", "away": (5, 3), "cap": 64}),
    (":1:1:-1:00:2:4:0:7:10", [], {"cube": 2, "owner": "opponent", "away": (3, 5), "cap": 64}),
    (":0:0:1:00:4:2:1:5:10", [], {"away": (1, 3), "cap": 64}),
    (":0:0:1:00:4:2:0:5:10", [], {"away": (1, 3), "post_crawford": True, "cap": 64}),
    (":0:0:1:00:4:2:0:5:10", ["--score", "4-2"], {"away": (1, 3), "cap": 64}),
    (":0:0:1:00:4:2:0:5:10", ["--target", "9"], {"away": (9, 9), "cap": 64}),
    (":1:1:1:00:0:0:0:0:10", ["--cube-owner", "centre"], {"cube": 2, "cap": 64}),
]


@pytest.mark.parametrize(("tail", "options", "fields"), XGIDS)
def test_an_xgid_tells_the_cube_and_the_score(
    tail: str, options: list[str], fields: dict[str, Any]
) -> None:
    args = ("rollout", XGID + tail, "--rules", "backgammon", "--trials", "2", "--truncate", "1")
    found = document(*args, "--cube", "--seed", "1", *options)["cube"]
    setting = tf.CubeSetting(**fields)
    assert (found["value"], found["needed"], found["post_crawford"], found["cap"]) == (
        setting.cube,
        None if setting.away is None else list(setting.away),
        setting.post_crawford,
        setting.cap,
    )
    assert found["owner"] == {"player": "X", "opponent": "O"}.get(setting.owner, "centre")
    assert found["jacoby"] == setting.jacoby
    # The score of a match is not dropped without a word; --no-cube drops it.
    match = tail.split(":")[-2] != "0"
    assert (document(*args, "--seed", "1")["cube"] is None) != match
    assert document(*args, "--seed", "1", "--no-cube")["cube"] is None


def test_of_a_match_id_only_the_roll_is_read() -> None:
    args = ("rollout", "4HPwATDgc/ABMA:cAkAAAAAAAAA", "--rules", "backgammon", "--trials", "2")
    note = "note: --cube does not read the cube and the score of a Match ID; see --target\n"
    assert document(*args, "--cube", stderr=note)["cube"]["value"] == 1
    assert document(*args, "--target", "3")["cube"]["needed"] == [3, 3]


def test_what_a_player_sees() -> None:
    found = document(*BASE, "--target", "5", "--score", "2-1")["cube"]
    lines = shown(*BASE, "--target", "5", "--score", "2-1", "--no-board").splitlines()
    first = lines.index(
        "with the cube at 1, in the middle, X needs 3 and O needs 4, Jacoby, at most 64; "
        "efficiency 0.68"
    )
    names = ["centred", "double_take", "double_pass", "owned", "opponents"]
    heads = ["no double", "double, take", "double, pass", "X's cube", "O's cube"]
    for line, name, head in zip(lines[first + 2 :], names, heads, strict=False):
        assert line.startswith(head)
        cells = line[len(head) :].split()
        assert cells[0] == f"{found['equities'][name]:+.4f}"
        assert cells[-1] == f"{found['match_chances'][name]:.2%}"
        if name != "double_pass":
            assert cells[1] == f"{found['std_errors'][name]:.4f}"
    assert lines[first + 7] == f"best of these: {found['action']}"
    crawford = shown(*BASE, "--target", "5", "--score", "4-1", "--no-board")
    assert "X needs 1 and O needs 4, the Crawford game, Jacoby" in crawford
    assert "double" not in crawford
    assert "with the cube" not in shown(*BASE, "--no-board")


@pytest.mark.parametrize(
    ("stay", "taken", "action"),
    [
        (0.2, 0.1, "no double"),
        (0.2, 0.3, "double, take"),
        (0.9, 1.2, "double, pass"),
        (1.1, 1.2, "too good"),
    ],
)
def test_the_action(
    stay: float, taken: float, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = tf.rollout(START, "net", RULES, 4, 1, truncate=1, cube=True)
    assert result.cubeful is not None
    made = result.cubeful._replace(
        centred=result.cubeful.centred * 0 + stay, double_take=result.cubeful.centred * 0 + taken
    )
    monkeypatch.setattr(tf.RolloutResult, "cubeful", made)
    from tavli_fast.cli.show.cube import cube_document

    found = cube_document(result)
    assert found is not None
    assert found["action"] == action


def test_a_game_that_is_over_is_told_as_before() -> None:
    output = shown("rollout", "4HPwATAAAAAAAA", "--rules", "backgammon", "--cube", "--no-board")
    assert "The game is over" in output


BAD = [
    ("--cube", "--cube: the rules of portes have none, expected a game with it, or --set cube=yes"),
    ("--target 3 --rules fevga", "--cube: the rules of fevga have none"),
    ("--rules backgammon --no-cube --target 3", "--no-cube beside an option of the cube"),
    (f"{XGID}:1:-1:1:D:0:0:0:0:10", "the XGID waits for the answer to a double, but X may not"),
    (f"{XGID}:0:0:1:D:4:2:1:5:10", "the XGID waits for the answer to a double, but X may not"),
    (f"{XGID}:1:1:1:B:0:0:2:0:10", "the XGID waits for the answer to a beaver"),
    ("--rules backgammon --score 2-3", "--score without a match: expected --target with it"),
    ("--rules backgammon --cube --post-crawford", "--post-crawford without a match"),
    ("--rules backgammon --target 5 --post-crawford", "at 0-0 to 5: expected a side that needs 1"),
    ("--rules backgammon --target 5 --score 5-3", "5-3: expected less than the 5 points"),
    ("--rules backgammon --target 5 --score 5", "'5': expected the points of X and O"),
    ("--rules backgammon --target 101", "'101': expected a whole number, 1 to 100"),
    ("--rules backgammon --cube-value 3", "cube=3: expected a power of two"),
    ("--rules backgammon --cube-value 128", "cube=128 is above cap=64"),
    ("--rules backgammon --cube-owner me", "'me' is not one of"),
    ("--rules backgammon --efficiency nan", "'nan': expected a number, 0 to 1"),
    ("--rules backgammon --efficiency 1.1", "'1.1': expected a number, 0 to 1"),
    (
        "--rules backgammon --cube --policy random",
        "--cube with random play, which",
    ),
    ("--rules backgammon --cube --set cube_cap=4096", "cube=1 with cap=4096: expected at most 11"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call: str, message: str) -> None:
    result = runner().invoke(program, ["rollout", *call.split()])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_random_player_may_be_judged() -> None:
    args = ("rollout", "--rules", RULES, "--seed", "3", "--trials", "20", "--policy", "random")
    from_net = document(*args, "--cube", "--evaluator", "net")
    setting = tf.CubeSetting(**MONEY)
    expected = tf.rollout(START, "random", RULES, 20, 3, evaluator="net", cube=setting).cubeful
    assert expected is not None
    assert from_net["cube"]["equities"]["centred"] == expected.centred[0]


def test_a_chance_takes_a_match() -> None:
    result = tf.rollout(START, "net", RULES, 4, 1, truncate=1, cube=True)
    with pytest.raises(ValueError, match="expected a rollout at a score"):
        result.match_chance(0.5)
    score = tf.CubeSetting(away=(1, 1))
    found = tf.rollout(START, "net", RULES, 4, 1, truncate=1, cube=score)
    assert found.match_chance([-1, 0, 1]).tolist() == pytest.approx([0, 0.5, 1])


def test_the_plays_of_an_xgid_are_ranked_at_its_score() -> None:
    """The score was dropped without a word."""
    args = ("rollout", "--trials", "100", "--seed", "1", "--candidates", "3")
    found = document(*args, f"{XGID}:1:1:1:31:2:4:0:7:10")
    assert (found["rules"], found["roll"]) == ("backgammon", [3, 1])
    assert (found["cube"]["needed"], found["cube"]["value"]) == ([5, 3], 2)
    setting = tf.CubeSetting(cube=2, owner="player", score=(2, 4), target=7, cap=64)
    expected = tf.rank_plays(
        tf.start(),
        (3, 1),
        "net",
        "backgammon",
        100,
        1,
        candidates=3,
        truncate=7,
        variance_reduction=True,
        cube=setting,
    )
    assert [play["equity"] for play in found["plays"]] == [each.equity for each in expected]
    assert [play["cubeless"] for play in found["plays"]] == [each.cubeless for each in expected]
    lines = shown(*args, f"{XGID}:1:1:1:31:2:4:0:7:10", "--no-board").splitlines()
    assert lines[3].startswith("with the cube at 2, X's, X needs 5 and O needs 3")
    assert any("without" in line for line in lines[4:9])
    money = document(*args, f"{XGID}:0:0:1:31:0:0:0:0:10")
    assert (money["cube"], money["rules"]) == (None, "portes")
    with_cube = document(*args, f"{XGID}:0:0:1:31:0:0:0:0:10", "--cube", "--rules", "backgammon")
    assert with_cube["cube"]["needed"] is None


def test_a_score_is_of_points_won() -> None:
    """2-4 to 7 was 2 and 4 away in one place, 5 and 3 in another, with opposite verdicts."""
    args = ("rollout", "31", "--rules", "backgammon", "--trials", "8", "--seed", "1")
    found = document(*args, "--target", "7", "--score", "2-4")
    assert found["cube"]["needed"] == [5, 3]


def test_an_xgid_with_a_double_is_answered() -> None:
    args = ("rollout", "--trials", "60", "--seed", "1", "--truncate", "5", "--no-board")
    start = f"{XGID}:0:0:1:D:2:4:0:7:10"
    found = document(*args, start)
    assert (found["cube"]["answer"], found["cube"]["value"]) == ("take", 1)
    lines = shown(*args, start).splitlines()
    assert "X has doubled to 2. O should take." in lines
    assert not any(line.startswith("best of these") for line in lines)
    # X has borne off all but one checker, O none.
    won = "XGID=-A-----------o------------:0:0:1:D:0:0:0:0:10"
    assert document(*args, won)["cube"]["answer"] == "pass"
    assert "X has doubled to 2. O should pass." in shown(*args, won)


def test_without_a_cube_in_the_rules_the_score_is_left_out_in_words() -> None:
    note = "note: the rules of portes have no cube: the XGID's score is left out\n"
    args = ("rollout", f"{XGID}:0:0:1:00:2:4:0:7:10", "--rules", "portes", "--trials", "4")
    assert document(*args, stderr=note)["cube"] is None
