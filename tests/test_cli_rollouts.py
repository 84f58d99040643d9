"""The command ``rollout`` with evaluators: its options are those of the library."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_calls import WON_ID, document, runner, shown
from processes import in_a_terminal

import tavli_fast as tf
from tavli_fast.cli import program

RULES = "hypergammon"  # short games
NET = tf.Net.random(RULES, hidden=8, seed=1, scale=0.5)
LINEAR = tf.Linear(RULES, np.zeros((228, 5)), np.linspace(0, -3, 5))
START = tf.start(RULES)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nets") / "net.npz"
    NET.save(path)
    return str(path)


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("nets") / "linear.npz"
    LINEAR.save(path)
    return str(path)


BASE = ("rollout", "--rules", RULES, "--seed", "3", "--trials", "150")

OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--truncate", "7"], {"truncate": 7}),
    (["--truncate", "5", "--variance-reduction"], {"truncate": 5, "variance_reduction": True}),
    (["--stratified", "--opening"], {"stratified": True, "opening": True}),
    (["--first-trial", "1280"], {"first_trial": 1280}),
    (["--max-plies", "20"], {"max_plies": 20}),
]


@pytest.mark.parametrize(("options", "arguments"), OPTIONS)
def test_a_net_from_a_file(net: str, options: list[str], arguments: dict[str, Any]) -> None:
    found = document(*BASE, "--policy", net, *options)
    expected = tf.rollout(START, NET, RULES, 150, seed=3, **arguments)
    assert found["equity"] == expected.equity[0]
    assert found["std_error"] == expected.std_error[0]
    assert found["outcomes"] == expected.outcomes[0].tolist()
    assert found["counts"] == expected.counts[0].tolist()
    assert found["truncated"] == expected.truncated[0]
    assert found["unfinished"] == expected.unfinished[0]
    assert found["policy"] == NET.name
    assert found["version"] == tf.__version__
    settings = expected.settings
    assert found["max_plies"] == settings.max_plies
    assert {name: getattr(settings, name) for name in found["settings"]} == found["settings"]
    assert found["first_trial"] == arguments.get("first_trial", 0)


def test_one_policy_for_each_side_and_a_judge(net: str, linear: str) -> None:
    sides = ("--policy", net, "--opponent", "random")
    found = document(*BASE, *sides, "--truncate", "9", "--evaluator", linear)
    expected = tf.rollout(START, (NET, "random"), RULES, 150, seed=3, truncate=9, evaluator=LINEAR)
    assert (found["equity"], found["policy"]) == (
        expected.equity[0],
        f"{NET.name} against random",
    )
    assert found["settings"]["evaluator"] == LINEAR.name
    output = shown(*BASE, *sides, "--truncate", "9", "--evaluator", linear, "--no-board")
    assert output.splitlines()[-1] == (
        f"How: {NET.name} plays X, random O; games cut after 9 plies at the net's estimate; "
        f"estimates by {LINEAR.name}; 150 games."
    )


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ([], {}),
        (["--candidates", "4"], {"candidates": 4}),
        (
            ["--truncate", "5", "--variance-reduction", "--stratified"],
            {"truncate": 5, "variance_reduction": True, "stratified": True},
        ),
    ],
)
def test_the_plays_of_a_roll(net: str, options: list[str], arguments: dict[str, Any]) -> None:
    options = ["--plain", *options]
    found = document(*BASE, "--policy", net, "--roll", "31", *options)
    expected = tf.rank_plays(START, (3, 1), NET, RULES, 150, seed=3, **arguments)
    assert [play["play"] for play in found["plays"]] == [str(each.play) for each in expected]
    assert [play["equity"] for play in found["plays"]] == [each.equity for each in expected]
    assert [play["difference_std_error"] for play in found["plays"][1:]] == [
        each.difference_error for each in expected[1:]
    ]
    assert found["plays"][0]["difference_std_error"] == 0
    assert found["legal_plays"] == len(tf.legal_plays(START, (3, 1), RULES))
    lines = shown(*BASE, "--policy", net, "--roll", "31", *options, "--no-board").splitlines()
    fewer = f", {len(expected)} rolled out" if "candidates" in arguments else ""
    assert lines[1] == f"roll 3-1: {found['legal_plays']} legal plays{fewer}; 150 games each"


def test_the_usual_number_of_trials(net: str) -> None:
    for options, trials in (((), 20_000), (("--variance-reduction",), 1296)):
        args = ("rollout", "--rules", RULES, "--policy", net, "--seed", "1", *options)
        assert document(*args)["trials"] == trials


def test_it_stops_when_the_error_is_small_enough(net: str) -> None:
    args = ("rollout", "--rules", RULES, "--policy", net, "--seed", "1", "--trials", "1e6")
    found = document(*args, "--stop-error", "0.04")
    expected = tf.rollout(START, NET, RULES, 10**6, seed=1, stop_error=0.04)
    assert found["trials"] == expected.trials[0] < 10**5
    assert found["trials"] % 1280 == 0
    assert found["std_error"] == expected.std_error[0] <= 0.04
    found = document(*args, "31", "--stop-jsd", "2", "--candidates", "2")
    _, second = found["plays"]
    assert -second["difference"] >= 2 * second["difference_std_error"]
    assert found["trials"] < 10**6


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(b"no archive")
    result = runner().invoke(program, ["rollout", "--policy", str(path)])
    assert result.exit_code == 2
    assert "is no file of weights" in result.stderr


def test_a_net_for_another_game_is_refused(net: str) -> None:
    result = runner().invoke(program, ["rollout", "--policy", net, "--rules", "fevga"])
    assert result.exit_code == 2
    assert "is for the rules hypergammon" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
@pytest.mark.parametrize("options", [[], ["--quiet"], ["--json"]])
def test_a_terminal_shows_the_ranking_on_the_way(net: str, options: list[str]) -> None:
    args = ["rollout", "31", "--rules", RULES, "--policy", net, "--trials", "20000"]
    args += ["--candidates", "3", "--seed", "1", "--no-board", "--plain", *options]
    code, text = in_a_terminal(*args, TERM="xterm")
    assert code == 0
    tables = len(re.findall(r"to best", text))
    if options:
        assert tables == ("--json" not in options)
        assert "of 60,000 games" not in text
    else:
        assert tables > 1
        # What has been seen on the way depends on the machine: something before the end.
        assert len(set(re.findall(r"([\d,]+) games each", text))) > 1
        assert "of 60,000 games" in text


@pytest.mark.parametrize("what", [(), ("--roll", "31")])
def test_a_chart(net: str, what: Sequence[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "chart.svg"
    args = ("rollout", "--rules", RULES, "--policy", net, "--truncate", "3", "--seed", "1")
    plain = shown(*args, "--trials", "2600", *what, "--no-board")
    drawn = shown(*args, "--trials", "2600", *what, "--no-board", "--plot", str(path))
    assert re.sub(r"[\d.]+ s, .*", "", drawn) == re.sub(r"[\d.]+ s, .*", "", plain)
    svg = path.read_text(encoding="utf-8")
    for text in ("trials", "equity of X, with the 95 % interval", RULES):
        assert f"<!-- {text}" in svg
    listed = document(*args, "--trials", "2600", *what)
    names = [play["play"] for play in listed.get("plays", [])]
    # A panel for each play, the best first.
    assert svg.count('<g id="axes_') == max(1, len(names))
    places = [svg.index(f"<!-- {place}. {name} -->") for place, name in enumerate(names, 1)]
    assert places == sorted(places)


def test_a_chart_of_one_point(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "chart.png"
    shown("rollout", "--trials", "50", "--plot", str(path))
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--plot", "chart.xyz"], "chart.xyz: expected a name that ends in one of"),
        (["--plot", "no/such/chart.png"], "no/such/chart.png: expected a folder that exists"),
        (["--plot", "a.png", "--rules", "portes", WON_ID], "--plot: the game is over"),
    ],
)
def test_what_cannot_be_drawn(options: list[str], message: str) -> None:
    pytest.importorskip("matplotlib")
    result = runner().invoke(program, ["rollout", *options])
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_chart_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = runner().invoke(program, ["rollout", "--plot", "chart.png"])
    assert result.exit_code == 2
    assert "--plot needs the extra: pip install 'tavli-fast[charts]'" in result.stderr


def test_the_usual_policy_is_the_net_that_comes_with_the_rules() -> None:
    assert tf.rollout(START, "net", RULES, 50, 3) == tf.rollout(
        START, tf.with_tables("net", RULES), RULES, 50, 3
    )
    found = document("rollout", "--rules", RULES, "--seed", "3", "--trials", "150")
    expected = tf.rollout(START, "net", RULES, 150, 3)
    name = tf.with_tables("net", RULES).name
    assert (found["equity"], found["policy"]) == (expected.equity[0], name)
    output = shown("rollout", "31", "--rules", RULES, "--trials", "10", "--no-board")
    assert f"\nHow: {name} plays both sides; " in output


def test_a_borrowed_net_is_told() -> None:
    note = "note: longgammon has no net of its own and borrows that of backgammon\n"
    args = ("rollout", "--rules", "longgammon", "--trials", "4", "--truncate", "3")
    found = document(*args, stderr=note)
    assert found["policy"] == tf.with_tables("net", "backgammon").name


FEW = ["--set", "checkers=2", "--set", "start=24:1,6:1"]


@pytest.mark.parametrize("what", [["rollout"], ["rollout", "31"], ["match"]])
def test_where_no_net_knows_the_game_play_is_random(what: list[str]) -> None:
    amount = ["--games" if what == ["match"] else "--trials", "10"]
    result = runner().invoke(program, [*what, *FEW, *amount])
    assert result.exit_code == 0
    assert result.stderr == (
        "note: no net in the package knows portes with checkers=2, start=((24, 1), (6, 1)): "
        "random play\n"
    )
    option = ["net", "random"] if what == ["match"] else ["--policy", "net"]
    refused = runner().invoke(program, [*what, *option, *FEW, *amount])
    assert refused.exit_code == 2
    assert "no net comes with the package for such boards" in refused.stderr


def test_a_ranking_answers_by_default() -> None:
    """`tavli-fast rollout 31` put 24/23 6/3 first, by plain games with errors of 0.1."""
    found = document("rollout", "31", "--seed", "1")
    assert found["plays"][0]["play"] == "8/5 6/5"
    settings = found["settings"]
    assert (settings["truncate"], settings["variance_reduction"]) == (7, True)
    assert found["policy"] == tf.with_tables("net", "portes").name
    assert found["legal_plays"] == 16 > len(found["plays"]) > 1
    assert found["trials"] == 1280  # it is clear at once
    second = found["plays"][1]
    assert -second["difference"] > 3 * second["difference_std_error"]
    words = " ".join(shown("rollout", "31", "--seed", "1", "--no-board").split())
    assert words.endswith(
        f"How: {found['policy']} plays both sides; games cut after 7 plies at the net's estimate; "
        "luck of the dice subtracted; exact values of the bear-off table where it has them; "
        f"{len(found['plays'])} of 16 plays, those that the net likes "
        "best; 1,280 games each, until the best led by 3 standard errors."
    )


def test_plain_ranks_every_play_by_whole_games() -> None:
    args = ("rollout", "61", "--rules", RULES, "--trials", "20", "--seed", "1")
    found = document(*args, "--plain")
    assert found["settings"]["truncate"] is None
    assert not found["settings"]["variance_reduction"]
    assert len(found["plays"]) == found["legal_plays"] > 5
    # An option speaks for itself, beside the defaults and beside --plain.
    some = document(*args, "--truncate", "3", "--no-variance-reduction", "--candidates", "4")
    assert (some["settings"]["truncate"], len(some["plays"])) == (3, 4)
    assert not some["settings"]["variance_reduction"]
    assert document(*args, "--plain", "--truncate", "3")["settings"]["truncate"] == 3
