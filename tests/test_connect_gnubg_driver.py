"""A real GNU Backgammon as opponent and analyst: `tf.connect.Gnubg`; where it is installed."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from cli_calls import runner
from gnubg_program import needs_gnubg, run_gnubg

import tavli_fast as tf
from tavli_fast.cli import program
from tavli_fast.connect import Gnubg, Situation
from tavli_fast.connect.fibs_board import read_board
from tavli_fast.connect.gnubg import board_line
from tavli_fast.connect.gnubg_server import situation_of


def test_without_the_program_the_error_says_so() -> None:
    with pytest.raises(ValueError, match="program='no-such-gnubg': expected GNU Backgammon"):
        Gnubg(program="no-such-gnubg")


@pytest.mark.parametrize("waiting", ["roll", "double"])
@pytest.mark.parametrize("owner", [-1, 0, 1])
def test_lines_are_read_back_as_they_were_meant(waiting: str, owner: int) -> None:
    if (waiting == "double") and owner < 0:
        return  # who does not own the cube has not doubled
    for board in tf.random_boards(5, "backgammon", seed=1):
        meant = Situation(
            board,
            tf.BACKGAMMON,
            cube=2,
            owner=owner,
            score=(2, 4),
            length=7,
            waiting=waiting,  # type: ignore[arg-type]
        )
        line = board_line(meant, asked_on_roll=waiting == "roll")
        found = situation_of(read_board(line), tf.BACKGAMMON)
        assert (found.board == board).all()
        assert (found.waiting, found.owner, found.cube) == (waiting, owner, 2)
        assert (found.score, found.length, found.crawford) == ((2, 4), 7, False)


def test_the_crawford_game_is_told() -> None:
    def line(crawford: bool) -> str:
        return board_line(
            Situation(tf.start(), tf.BACKGAMMON, score=(2, 0), length=3, crawford=crawford)
        )

    assert situation_of(read_board(line(True)), tf.BACKGAMMON).crawford
    assert not situation_of(read_board(line(False)), tf.BACKGAMMON).crawford


@needs_gnubg
def test_it_evaluates_plays_and_handles_the_cube() -> None:
    with Gnubg() as gnubg:
        # GNU Backgammon 1.07's own values of the start: `hint`, `eval`.
        found = gnubg.evaluate(tf.start("backgammon"))
        expected = [0.521514, 0.153921, 0.007563, 0.129847, 0.007546, 0]
        assert found.outcomes[0] == pytest.approx(expected, abs=2e-4)
        assert found.equity[0] == pytest.approx(0.067119, abs=1e-3)
        direct = tf.best_plays(tf.start(), (3, 1), gnubg.evaluator, "backgammon")
        assert tf.format_play(direct.moves[0, 0], tf.start()) == "8/5 6/5"
        game = tf.Session("backgammon", seed=4).game
        choice = gnubg(game.board, game.dice or (1, 2), game.afterstates, game.rules)
        assert 0 <= choice < len(game.afterstates)
        with pytest.raises(ValueError, match="rules=plakoto: GNU Backgammon plays backgammon"):
            gnubg.evaluate(tf.start("plakoto"), "plakoto")


@needs_gnubg
def test_it_answers_by_the_score() -> None:
    boards = tf.random_boards(2000, "backgammon", seed=3)

    def question(score: tuple[int, int], waiting: str) -> tf.CubeQuestion:
        return Situation(
            board,
            tf.BACKGAMMON,
            score=score,
            length=7,
            waiting=waiting,  # type: ignore[arg-type]
        ).question

    with Gnubg() as gnubg:
        outcomes = gnubg.evaluate(boards).outcomes
        fair = (outcomes[:, 0] > 0.69) & (outcomes[:, 0] < 0.73) & (outcomes[:, 1] < 0.05)
        board = boards[fair][0]
        # After the Crawford game the trailer doubles, unless a gammon is near; the leader passes
        # freely, if one is to spare.
        assert gnubg.double(question((5, 6), "roll"))
        assert gnubg.answer(question((5, 6), "double")) == "drop"
        # Who loses the match by passing takes.
        assert gnubg.answer(question((6, 5), "double")) == "take"


@needs_gnubg
def test_a_process_that_has_died_is_reported_and_replaced() -> None:
    with Gnubg() as gnubg:
        first = gnubg.evaluate(tf.start())
        assert gnubg._process is not None
        gnubg._process.close()
        with pytest.raises(ConnectionError, match="GNU Backgammon does not answer"):
            gnubg.evaluate(tf.start())
        assert gnubg.evaluate(tf.start()).equity == first.equity
        copy = pickle.loads(pickle.dumps(gnubg))
        with copy:
            assert copy.evaluate(tf.start()).equity == first.equity


@needs_gnubg
def test_its_evaluator_is_asked_by_several_threads() -> None:
    boards = tf.random_boards(40, "backgammon", seed=6)
    with Gnubg() as gnubg, ThreadPoolExecutor(2) as threads:
        parts = [*threads.map(gnubg.evaluate, (boards[:20], boards[20:]))]
        both = np.concatenate([part.equity for part in parts])
        assert (both == gnubg.evaluate(boards).equity).all()


def same_history(first: tf.Session, second: tf.Session) -> None:
    """Compare two records of a match: every roll, play, call and score."""
    assert len(first.history) == len(second.history)
    for one, other in zip(first.history, second.history, strict=True):
        assert [turn.player for turn in one.turns] == [turn.player for turn in other.turns]
        assert [sorted(t.dice) for t in one.turns] == [sorted(t.dice) for t in other.turns]
        assert [sorted(t.moves) for t in one.turns] == [sorted(t.moves) for t in other.turns]
        calls = [
            [(call.turn, call.player, call.action) for call in each.calls] for each in (one, other)
        ]
        assert calls[0] == calls[1]
        assert (one.winner, one.points) == (other.winner, other.points)
    assert first.score == second.score


def match_against(folder: Path, length: int, seed: int) -> None:
    """Play a match against GNU Backgammon, and let it import and export the record."""
    session = tf.Session("backgammon", target=length, seed=seed)
    with Gnubg() as gnubg:
        players = (tf.connect.Engine(), gnubg)
        session.play_out(*(players if seed % 2 else players[::-1]))
    assert session.phase == "match_over"
    (folder / "ours.mat").write_text(tf.write_mat(session, ("A", "B")))
    run_gnubg(["import mat ours.mat", "export match mat theirs.mat"], folder)
    theirs = tf.read_mat((folder / "theirs.mat").read_text())
    same_history(session, theirs.session)


@needs_gnubg
def test_a_match_against_it_has_the_same_record_in_both_programs(tmp_path: Path) -> None:
    match_against(tmp_path, 2, seed=1)


@needs_gnubg
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ten_matches_against_it(tmp_path: Path, seed: int) -> None:
    match_against(tmp_path, 5, seed)


@needs_gnubg
def test_the_command_match_plays_it() -> None:
    found = runner().invoke(
        program, ["match", "net", "gnubg", "--rules", "backgammon", "--target", "1", "--seed", "1"]
    )
    assert found.exit_code == 0, found.output
    assert re.search(r"B: gnubg\n", found.output)
    assert "in 10 matches" in found.output
    wrong = runner().invoke(program, ["match", "net", "gnubg", "--rules", "plakoto"])
    assert wrong.exit_code == 2
    assert "GNU Backgammon plays backgammon" in wrong.output
