"""The commands `analyse` and `hint`."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from cli_calls import ONE_TO_GO, WON_ID, document, runner, shown
from match_files import match_files

import tavli_fast as tf
from tavli_fast.cli import program

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:4:0:7:10"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("match.mat").write_bytes(match_files("galaxy")["g002.txt"])
    Path("mended.txt").write_bytes(match_files("galaxy")["g009.txt"])


def failure(*args: str) -> str:
    result = runner().invoke(program, args)
    assert result.exit_code == 2, result.output
    return " ".join(result.stderr.split())


def test_the_table_and_the_worst_errors() -> None:
    text = shown("analyse", "match.mat", "--worst", "2")
    found = tf.analyse(tf.read_match("match.mat"))
    assert text.startswith("match.mat: to 16 points, 0-1, judged by ")
    rates = [f"{each.error_rate:.2f}" for each in found.totals]
    line = next(line for line in text.split("\n") if line.startswith("error rate"))
    assert line.split()[3:] == rates
    first = found.worst(1)[0]
    assert f"1. Game 1, turn {first.turn}, {found.players[first.player]}: " in text
    assert f"costs {first.error:.3f}, {first.mark}; best {first.best.text}" in text
    assert text.count("pips, on roll") == 2
    assert "2. Game 1" in text
    assert "3. Game 1" not in text
    bare = shown("analyse", "match.mat", "--worst", "1", "--no-board")
    assert "pips, on roll" not in bare
    assert "worst" not in shown("analyse", "match.mat", "--worst", "0")


def test_files_and_players() -> None:
    options = ("--json", "a.json", "--csv", "a.csv", "--quiet", "--player", "bbbbb")
    text = shown("analyse", "match.mat", *options, "--plies", "1")
    found = tf.analyse(tf.read_match("match.mat"), plies=1)
    assert json.loads(Path("a.json").read_text()) == json.loads(found.to_json())
    rows = list(csv.DictReader(Path("a.csv").read_text().splitlines()))
    assert len(rows) == len(found.decisions)
    assert found.players[0] not in text.partition("The worst")[2]


def test_mended_matches_and_several() -> None:
    note = "note: mended.txt, line 31: 'Wins 1': counted, though as played, the left side wins 2\n"
    text = shown("analyse", "match.mat", "mended.txt", "--worst", "0", stderr=note)
    assert "match.mat: " in text
    assert "\nmended.txt: " in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("analyse no.mat", "no.mat: No such file"),
        ("analyse other.txt", "other.txt: .mat text"),
        ("analyse match.mat --player Eve", "'--player': player='Eve': expected"),
        ("analyse match.mat --plies 9", "'9': expected 0 to 8, or rollout"),
        ("analyse match.mat --policy random", "random play, which evaluates nothing"),
        ("analyse match.mat match.mat --json a.json", "--json with several matches"),
        ("analyse match.mat --json no/a.json", "'--json': 'no/a.json': No such file"),
        (f"hint {WON_ID}", "the game is over"),
        ("hint --policy random", "random play, which evaluates nothing"),
        ("hint --efficiency 1", "--efficiency with hint"),
    ],
)
def test_what_is_refused(call: str, message: str) -> None:
    Path("other.txt").write_text("hello\n")
    assert re.search(message, failure(*call.split()))


def test_hints_for_a_roll() -> None:
    text = shown("hint", "31", "--rules", "backgammon", "--no-board")
    assert text.splitlines()[2].split()[:3] == ["1.", "8/5", "6/5"]
    found = document("hint", "31", "--rules", "backgammon", "--top", "3", "--plies", "1")
    assert found["choices"][0]["text"] == "8/5 6/5"
    assert len(found["choices"]) == 3
    best = tf.best_plays(tf.start("backgammon"), (3, 1), tf.load_net("backgammon"), plies=1)
    assert found["choices"][0]["equity"] == pytest.approx(best.equity[0, 0])
    assert "24/19 24/18" in shown("hint", "65", "--rules", "plakoto")
    rolled = document("hint", "65", "--rules", "plakoto", "--plies", "rollout")
    assert len(rolled["choices"]) == 2


def test_hints_before_the_roll() -> None:
    text = shown("hint", XGID, "--no-board")
    assert "centred cube; X needs 5, O 3" in text
    assert "no double:\n" in text
    cube = document("hint", ONE_TO_GO, "--rules", "backgammon", "--cube")
    # The opponent has borne off no checker: a gammon is worth more than a pass.
    assert cube["choices"][0]["text"] == "no double"
    assert cube["choices"][0]["equity"] > 1.5
    assert cube["choices"][1]["equity"] == pytest.approx(1)
    doubled = shown("hint", XGID.replace(":1:00:", ":1:D:"), "--no-board")
    assert "O's answer: take (take " in doubled
    plain = shown("hint", "--rules", "fevga", "--no-board")
    assert "Equity without a cube" in plain
    assert "double" not in plain
