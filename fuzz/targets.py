"""What is fuzzed: each target takes any bytes, and holds a parser, or the core, to its promises.

A target returns whether the input was accepted. Input that is refused raises ValueError inside and
nothing else; what was accepted has to keep what the docstring of the target says. Any other
exception, a failed assertion, or the end of the process is a finding.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.connect import fibs_board, gnubg_server, ubgi
from tavli_fast.exact import cache as tables

DATA = Path(__file__).parent.parent / "tests" / "data"
SHAPE = (4, 5)
"""Of the table whose file is fuzzed."""

NAMES = tuple(tf.RULES)
Target = Callable[[bytes], bool]
Seeds = Callable[[], list[bytes]]


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def positions() -> list[npt.NDArray[np.int8]]:
    """Return a few boards of backgammon as they come up in games, the start first."""
    return [tf.start("backgammon"), *tf.random_boards(6, "backgammon", seed=3)]


def position_texts() -> list[bytes]:
    """Seeds: each board in each format of positions."""
    found = []
    for board in positions():
        found.append(tf.position_id(board))
        found.append(tf.tfid(board, rules="backgammon"))
        xgid = tf.from_xgid("XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10")
        xgid = dataclasses.replace(xgid, board=board)
        found += [tf.to_xgid(xgid), tf.to_ogid(xgid), tf.gnubg_id(xgid), tf.to_fibs(xgid)]
    found += [tf.tfid(tf.start(name), rules=name) for name in NAMES]
    return [text.encode() for text in found]


def position(data: bytes) -> bool:
    """A position that any of the readers accepts is a position, and its Position ID or TFID is
    read as the same board."""
    text, accepted = text_of(data), False
    for read in (tf.from_xgid, tf.from_gnubg_id, tf.from_ogid, tf.from_fibs):
        try:
            xgid = read(text)
        except ValueError:
            continue
        accepted = True
        tf.validate(xgid.board, xgid.rules)
    try:
        board, name = tf.from_tfid(text)
    except ValueError:
        pass
    else:
        tf.validate(board, name)
        again, same = tf.from_tfid(tf.tfid(board, rules=name))
        assert same == name
        assert (again == board).all()
        accepted = True
    try:
        board = tf.from_position_id(text)
    except ValueError:
        pass
    else:
        assert (tf.from_position_id(tf.position_id(board)) == board).all()
        accepted = True
    try:
        tf.parse_position(text)
    except ValueError:
        return accepted
    return True


def play(data: bytes) -> bool:
    """A play that is read is one of the legal plays. The first bytes choose rules and roll."""
    if len(data) < 3:
        return False
    rules = NAMES[data[0] % len(NAMES)]
    board, dice = tf.start(rules), (1 + data[1] % 6, 1 + data[2] % 6)
    try:
        found = tf.parse_play(text_of(data[3:]), board, dice, rules)
    except ValueError:
        return False
    assert found.board.tobytes() in {
        after.tobytes() for after in tf.afterstates(board, dice, rules).boards
    }
    return True


def plays() -> list[bytes]:
    found = []
    for number, rules in enumerate(NAMES):
        board = tf.start(rules)
        for dice in ((3, 1), (5, 5), (6, 2)):
            head = bytes([number, dice[0] - 1, dice[1] - 1])
            found += [head + str(one).encode() for one in tf.legal_plays(board, dice, rules)[:2]]
    return found


def match(data: bytes) -> bool:
    """A match that is read can be written (or is refused with a reason), and what was written is
    read as a match with the same score: strictly, if nothing had to be mended."""
    text, accepted = text_of(data), False
    readers: tuple[Callable[[], Any], ...] = (
        lambda: tf.read_mat(data),
        lambda: tf.read_mat(data, strict=False),
        lambda: tf.read_match(data),
        lambda: tf.read_sgf(text),
    )
    for read in readers:
        try:
            found = read()
        except ValueError:
            continue
        accepted = True
        try:
            written = tf.write_mat(found)
        except ValueError:
            continue
        again = tf.read_mat(written, strict=not found.mended)
        assert again.session.score == found.session.score
    return accepted


def matches() -> list[bytes]:
    with zipfile.ZipFile(DATA / "match_files.zip") as archive:
        # The shortest of each folder: short inputs are changed where it matters.
        by_size = sorted(archive.infolist(), key=lambda entry: entry.file_size)
        shortest: dict[str, list[bytes]] = {}
        for entry in by_size:
            kept = shortest.setdefault(entry.filename.split("/")[0], [])
            if entry.file_size and len(kept) < 3:
                kept.append(archive.read(entry))
    seeds = [data for kept in shortest.values() for data in kept]
    for rules in ("portes_cube", "backgammon"):
        session = tf.Session(rules, target=1, seed=2)
        session.play_out("random", "random")
        seeds += [tf.write_mat(session).encode(), tf.write_sgf(session).encode()]
    return seeds


def session(data: bytes) -> bool:
    """A session that is read from JSON is written as a dict from which it is read again."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    try:
        found = tf.Session.from_dict(value)
    except ValueError:
        return False
    again = tf.Session.from_dict(found.to_dict())
    assert again.to_dict() == found.to_dict()
    assert str(again.legal_actions) == str(found.legal_actions)
    return True


def sessions() -> list[bytes]:
    seeds = []
    for rules, turns in (("portes_cube", 3), ("plakoto", 5), ("fevga", 2), ("backgammon", 0)):
        made = tf.Session(rules, target=3, seed=turns)
        for _ in range(turns):
            if made.phase == "roll":
                made.act("roll")
            if made.phase == "play" and made.game is not None:
                made.act(str(made.game.plays[0]))
        seeds.append(json.dumps(made.to_dict()).encode())
    return seeds


def board_line(data: bytes) -> bool:
    """A line of a FIBS server or of GNU Backgammon that is read gives checkers that are written as
    a line, which is read as the same."""
    try:
        found = fibs_board.read_board(text_of(data))
    except ValueError:
        return False
    for rules in ("backgammon", "hypergammon"):
        try:
            gnubg_server.situation_of(found, tf.RULES[rules])
        except ValueError:
            continue
    again = fibs_board.read_board(fibs_board.write_board(found, checkers=int(found.board[0].sum())))
    assert np.array_equal(again.board, found.board)
    return True


def board_lines() -> list[bytes]:
    return [text for text in position_texts() if text.startswith(b"board:")]


@cache
def _ubgi() -> tuple[ubgi.UbgiEngine, list[str]]:
    sent: list[str] = []
    return ubgi.UbgiEngine(send=sent.append), sent


def protocol(data: bytes) -> bool:
    """Lines to the UBGI engine are answered or refused by an error line, and never raise. (`go` is
    left out: it takes its time.)"""
    engine, sent = _ubgi()
    sent.clear()
    for line in text_of(data[:2000]).splitlines()[:8]:
        if not line.lstrip().lower().startswith(("go", "quit")):
            engine.command(line)
    return not any(line.startswith("error") for line in sent)


def protocols() -> list[bytes]:
    lines = ["ubgi", "isready", "newgame", "keys", "get game.variant", "dice 3 1", "stop"]
    lines += ["set game.variant backgammon", "set engine.ply 1", "set game.cube 4"]
    lines += [f"position gnubgid {tf.position_id(board)}" for board in positions()[:3]]
    lines += ["position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10"]
    lines += [f"position tfid {tf.tfid(tf.start('fevga'), rules='fevga')}"]
    return ["\n".join(lines).encode(), *(line.encode() for line in lines)]


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))


def _file(data: bytes, name: str) -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


def net_file(data: bytes) -> bool:
    """A net that is read evaluates boards to numbers that are no chance below 0."""
    try:
        net = tf.Net.load(_file(data, "net.npz"))
    except ValueError:
        return False
    outcomes = tf.evaluate(tf.start(net.rules), net, net.rules).outcomes
    assert outcomes.shape == (1, 6)
    return True


def net_files() -> list[bytes]:
    tf.Net.random("hypergammon", 8, seed=1).save(_folder() / "seed.npz")
    return [(_folder() / "seed.npz").read_bytes()]


def table_file(data: bytes) -> bool:
    """A table of the cache is what was written, to the bit, or it is refused."""
    try:
        found = tables._read(_file(data, "table"), "table", SHAPE)
    except ValueError:
        return False
    assert np.array_equal(found, np.arange(20).reshape(SHAPE) / 8)
    return True


def table_files() -> list[bytes]:
    data = (np.arange(20).reshape(SHAPE) / 8).astype("<f8").tobytes()
    return [tables._head("table", SHAPE, data) + data]


def equity_file(data: bytes) -> bool:
    """A match equity table that is read has chances from 0 to 1."""
    accepted = False
    for name in ("met.csv", "met.xml"):
        try:
            table = tf.MatchEquityTable.load(_file(data, name))
        except ValueError:
            continue
        accepted = True
        assert 0 <= float(table.chance(1, 1)) <= 1
    return accepted


def equity_files() -> list[bytes]:
    return [(DATA / "kazaross_xg2.csv").read_bytes()]


def journal(data: bytes) -> bool:
    """A rollout that goes on from a journal ends with the same bits, or refuses the journal."""
    try:
        found = tf.rollout(
            tf.start(),
            policy="random",
            trials=256,
            seed=1,
            threads=1,
            journal=_file(data, "journal"),
        )
    except ValueError:
        return False
    assert found == _rolled()
    return True


@cache
def _rolled() -> tf.RolloutResult:
    return tf.rollout(tf.start(), policy="random", trials=256, seed=1, threads=1)


def journals() -> list[bytes]:
    path = _folder() / "seed"
    path.unlink(missing_ok=True)
    tf.rollout(tf.start(), policy="random", trials=256, seed=1, threads=1, journal=path)
    return [path.read_bytes()]


def board(data: bytes) -> bool:
    """Any 52 bytes as a board, in the functions that take boards: all refuse it, or none does; the
    plays are as many as counted, each a position again, and those of the reference (in one input
    of forty: it is slow)."""
    if len(data) < 55:
        return False
    rules = tf.RULES[NAMES[data[0] % len(NAMES)]]
    dice = (1 + data[1] % 6, 1 + data[2] % 6)
    given = np.frombuffer(data[3:55], np.int8).reshape(2, 26)
    try:
        tf.validate(given, rules)
    except ValueError:
        for call in (tf.count_plays, tf.afterstates, tf.plays):
            for boards in (given, given[np.newaxis]):
                try:
                    call(boards, dice if boards is given else [dice], rules)
                except ValueError:
                    continue
                raise AssertionError(f"{call.__name__} accepts a bad board") from None
        return False
    if rules.cascade and dice[0] == dice[1]:  # millions of plays
        return True
    listed = tf.afterstates(given, dice, rules).boards
    assert len(listed) == tf.count_plays(given, dice, rules)[0]
    batch = tf.plays(np.array([given, given]), np.array([dice, dice], np.int8), rules)
    assert np.array_equal(batch.boards, np.concatenate([listed, listed]))
    over, points = tf.outcomes(given, rules)
    assert over[0] or points[0] == 0
    if len(listed):
        tf.validate(listed, rules)
        assert np.array_equal(
            tf.apply(np.array([given] * len(listed)), batch.moves[: len(listed)], rules=rules),
            listed,
        )
    if data[2] // 6 == 0 and not over[0]:
        slow = reference.plays(given, dice, rules).boards
        assert sorted(map(bytes, slow)) == sorted(map(bytes, listed))
    return True


def boards() -> list[bytes]:
    found = []
    for number, rules in enumerate(NAMES):
        head = bytes([number, 11, 200])
        found += [head + one.tobytes() for one in tf.random_boards(4, rules, seed=number)]
    return found


TARGETS: dict[str, tuple[Target, Seeds]] = {
    "position": (position, position_texts),
    "play": (play, plays),
    "match": (match, matches),
    "session": (session, sessions),
    "board line": (board_line, board_lines),
    "protocol": (protocol, protocols),
    "net file": (net_file, net_files),
    "table file": (table_file, table_files),
    "equity file": (equity_file, equity_files),
    "journal": (journal, journals),
    "board": (board, boards),
}
"""The targets by name, each with what makes its first inputs."""
