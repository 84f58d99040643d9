"""Matches in SGF: GNU Backgammon's files, what is written, broken texts; and `convert`."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from cli_calls import runner, shown
from match_files import match_files

import tavli_fast as tf
from tavli_fast.cli import program

SGF = match_files("sgf")
SAME = "gnubgparser_p1-p2_7p_2025-11-08-2305"


def told(session: tf.Session) -> list[object]:
    """Return what both formats tell of a match."""
    return [
        (
            [(turn.player, sorted(turn.dice), sorted(turn.moves)) for turn in record.turns],
            [(call.turn, call.player, call.action) for call in record.calls],
            record.winner,
            record.points,
            record.crawford,
        )
        for record in session.history
    ]


@pytest.mark.parametrize("name", SGF)
def test_files_of_gnu_backgammon(name: str) -> None:
    match = tf.read_match(SGF[name])
    assert match.mended == ()
    assert (match.players, match.session.target) == (("A", "B"), 7)
    assert match.tags["EventDate"] == "2025-11-08"
    again = tf.read_sgf(tf.write_sgf(match), strict=True)
    assert again.session.to_dict() == match.session.to_dict()
    assert again.notes == match.notes
    assert tf.write_sgf(again) == tf.write_sgf(match)


def test_the_same_match_in_both_formats() -> None:
    sgf, mat = (
        tf.read_sgf(SGF[f"{SAME}.sgf"].decode()),
        tf.read_mat(match_files("mat")[f"{SAME}.mat"]),
    )
    assert told(sgf.session) == told(mat.session)


def test_the_analysis_is_kept() -> None:
    match = tf.read_match(SGF[f"{SAME}.sgf"])
    first = next(note for note in match.notes if note.kind == "play")
    assert (first.game, first.turn) == (1, 1)
    assert first.properties["A"][1].startswith("lpab E ver 3 0.496365")
    plays = [note for note in match.notes if note.kind == "play" and "A" in note.properties]
    assert len(plays) > 150
    assert any("DA" in note.properties for note in match.notes)


@pytest.mark.parametrize("name", sorted(match_files("mat")))
def test_mat_to_sgf_and_back(name: str) -> None:
    match = tf.read_match(match_files("mat")[name])
    again = tf.read_match(tf.write_sgf(match), strict=True)
    assert told(again.session) == told(match.session)
    assert again.session.score == match.session.score
    assert again.players == match.players


@pytest.mark.parametrize("rules", ["backgammon", "nackgammon", "hypergammon"])
def test_random_matches(rules: str) -> None:
    for seed in range(3):
        draw = random.Random(seed)
        session = tf.Session(rules, target=3 if seed else None, seed=seed)
        for _ in range(400):
            if session.phase in ("match_over", "game_over"):
                break
            session.act(draw.choice(session.legal_actions))
        again = tf.read_sgf(tf.write_sgf(session, ("A ]\\", "B")), strict=True)
        assert told(again.session) == told(session)
        assert again.players == ("A )\\", "B")


ROOT = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[Ann]PB[Bo]RU[Crawford]"


def test_nodes_by_hand() -> None:
    text = f"{ROOT};W[31hefe];B[42ln]C[a \\] b];W[double];B[take])"
    match = tf.read_sgf(text)
    record = match.session.history[0]
    assert [turn.moves for turn in record.turns] == [((8, 5), (6, 5))]
    assert "the rest of the game is left out" in match.mended[0].what
    assert match.notes[0].properties == {"C": ["a ] b"]}
    good = f"{ROOT};W[31hefe];B[42qusu](;W[double];B[double];W[take])(;W[61]))"
    match = tf.read_sgf(good)
    assert [call.action for call in match.session.history[0].calls] == ["double", "beaver", "take"]
    assert match.session.game.cube.value == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;FF[4]GM[6]", "the end: expected properties, and brackets that close"),
        ("", "expected game trees"),
        (f"{ROOT};W[3]", "the end"),
        (f"{ROOT};W[77ab])", r"line 1, column 70, 'W\[77ab\]': expected dice and moves"),
        (f"{ROOT};AE[a:y];W[31hefe])", "'AE': expected a game from the starting position"),
        (f"{ROOT};W[31hehe])", "'31: 8/5 8/5': play"),
        (ROOT.replace("Crawford", "Hypergammon2") + ")", "RU 'Hypergammon2'"),
        (f"{ROOT};W[31hefe]) x", "expected properties"),
    ],
)
def test_broken_texts(text: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=message):
        tf.read_sgf(text, strict=True)


def test_refused_by_the_writer() -> None:
    for rules in ("plakoto", "portes", "tavla"):
        with pytest.raises(ValueError, match="SGF has no word for this game"):
            tf.write_sgf(tf.Session(rules, seed=1))
    with pytest.raises(ValueError, match="3 games in turn"):
        tf.write_sgf(tf.Session(tf.TRIO, seed=1))
    with pytest.raises(ValueError, match="players=7: expected two names"):
        tf.write_sgf(tf.Session("backgammon", seed=1), 7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="match='x': expected"):
        tf.write_sgf("x")  # type: ignore[arg-type]


def test_mangled_texts() -> None:
    rng, text = random.Random(5), SGF[f"{SAME}.sgf"].decode()
    # Without the analysis, whose characters are most of the file.
    text = tf.write_sgf(tf.MatMatch(tf.read_sgf(text).session, ("A", "B"), {}))
    read = 0
    for _ in range(70):
        spoilt = text
        for _ in range(rng.randint(1, 6)):
            at, more = rng.randrange(len(spoilt)), rng.randint(0, 5)
            put = rng.choice(["", "]", "[", ";", ")", "(", "\\", "é", "W[61]"])
            spoilt = spoilt[:at] + put + spoilt[at + more :]
        try:
            match = tf.read_match(spoilt)
        except tf.NotationError:
            continue
        assert tf.read_sgf(tf.write_sgf(match)).session.score == match.session.score
        read += 1
    assert read > 7


def test_files_of_other_kinds(tmp_path: Path) -> None:
    match = tf.read_match(SGF[f"{SAME}.sgf"])
    session = tmp_path / "session.json"
    session.write_text(json.dumps(match.session.to_dict()))
    assert tf.read_match(session).session.to_dict() == match.session.to_dict()
    for wrong in ("{}", '{"session": 3}', "[1]", "hello"):
        with pytest.raises(tf.NotationError):
            tf.read_match(wrong)
    with pytest.raises(tf.NotationError, match="expected the name of a file"):
        tf.read_match(7)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        tf.read_match(tmp_path / "no.mat")


def test_convert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.sgf").write_bytes(SGF[f"{SAME}.sgf"])
    shown("convert", "a.sgf", "b.mat")
    shown("convert", "b.mat", "c.json")
    shown("convert", "c.json", "d.sgf")
    first = tf.read_match("a.sgf")
    for name in ("b.mat", "c.json", "d.sgf"):
        found = tf.read_match(name)
        assert told(found.session) == told(first.session)
        assert found.players == first.players
    assert shown("convert", "-", "e.mat", stdin=Path("b.mat").read_text()) == ""
    assert Path("e.mat").read_text() == Path("b.mat").read_text()
    for args, message in (
        (("a.sgf", "b.xg"), "'OUT': b.xg: a name that ends in '.xg': expected .mat, .txt, .sgf"),
        (("no.mat", "b.mat"), "'IN': no.mat: No such file"),
        (("bad.mat", "b.mat"), "'IN': bad.mat: .mat text 'x': expected"),
    ):
        Path("bad.mat").write_text("x")
        result = runner().invoke(program, ["convert", *args])
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())
