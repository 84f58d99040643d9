"""The external player: GNU Backgammon's board lines, bad clients, and a real GNU Backgammon."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from board_lines import gnubg_line
from gnubg_program import QUIET, needs_gnubg, run_gnubg
from processes import COMMAND, interruptible

import tavli_fast as tf
from tavli_fast.connect import Engine, Situation
from tavli_fast.connect.fibs_board import read_board
from tavli_fast.connect.gnubg_server import GnubgServer, Seat, situation_of
from tavli_fast.connect.lines import LineLimits

# Lines that GNU Backgammon 1.07 sent, and what is true of each: the decision, the side that it is
# on roll, the dice, the stake and the owner, seen by the side on roll.
START = ":0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
LATE = ":0:-1:-1:0:0:0:5:0:3:0:0:0:-4:6:0:0:-1:-3:0:-5:0:0:0:0:1:0"
HIT = ":-2:-1:2:0:0:0:3:0:3:0:0:0:-3:6:0:-1:1:-3:0:-5:0:0:0:0:0:0"
END = ":0:0:0:1:-1:25:0:0:0:0:0:0:0:1"
SENT = [
    (f"board:gnubg:root:5:0:0{START}:-1:4:1:4:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1", "play", 1, 0),
    (f"board:gnubg:root:5:0:0{LATE}:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1", "roll", 1, 0),
    (f"board:gnubg:root:5:0:0{HIT}:-1:6:3:6:3:2:1:0:0:1:-1:0:25:0:0:0:0:0:0:0:1", "play", 2, -1),
    (f"board:root:gnubg:5:2:1{HIT}:1:0:0:0:0:2:1:0:1:1:-1:0:25:0:0:0:0:0:0:0:1", "double", 2, 1),
    (f"board:gnubg:root:0:0:0{START}:1:0:0:0:0:2:0:1:1:1:-1:0:25:0:0:0:0:0:0:0:1", "beaver", 2, -1),
]  # fmt: skip


@pytest.mark.parametrize(("line", "waiting", "stake", "owner"), SENT)
def test_lines_of_gnu_backgammon_mean_what_it_asks(
    line: str, waiting: str, stake: int, owner: int
) -> None:
    found = situation_of(read_board(line), tf.BACKGAMMON)
    assert (found.waiting, found.cube, found.owner) == (waiting, stake, owner)


def test_the_side_on_roll_is_the_one_with_the_sign_of_the_turn() -> None:
    found = situation_of(read_board(SENT[2][0]), tf.BACKGAMMON)
    assert found.board[0, 25] == 2  # by GNU Backgammon's record, two of player 0 are on the bar
    assert found.score == (0, 0)
    assert GnubgServer().reply(SENT[2][0]) == "25/22"


def test_scores_are_in_the_order_of_the_names() -> None:
    line = SENT[3][0]  # player 1 doubles, player 0 is asked: player 1 comes first
    assert situation_of(read_board(line), tf.BACKGAMMON).score == (2, 1)
    # Player 1 is to play, with 0 points against 3 of player 0, who comes first.
    line = SENT[0][0].replace("root:5:0:0:", "root:5:3:0:").replace(":-1:4:1", ":1:4:1")
    assert situation_of(read_board(line), tf.BACKGAMMON).score == (0, 3)


def test_a_double_that_deserves_a_beaver_is_only_taken_in_a_match() -> None:
    slots = ":-1:-1:2:2:2:0:4:0:0:1:0:0:-3:2:0:0:0:-2:-2:-4:0:0:0:-2:2:0"
    rest = f"{slots}:-1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
    assert GnubgServer().reply(f"board:root:gnubg:9999:0:0{rest}") == "beaver"
    assert GnubgServer().reply(f"board:root:gnubg:5:2:0{rest}") == "take"


BAD_LINES = [
    ("board:", "has 1 values: expected 52"),
    (SENT[0][0] + ":1", "has 53 values"),
    (SENT[0][0].replace(":4:1:4:1:", ":4:9:4:1:"), "dice 4 and 9: expected 1 to 6"),
    (SENT[0][0].replace(":5:0:0:0:-2", ":5:0:0:0:-20"), "20 checkers|checkers: expected at most"),
    (SENT[0][0].replace(":5:0:0:0:-2", ":5:0:0:x:-2"), "'x': expected a whole number"),
    (SENT[0][0].replace("root:5:0:0", "root:5:9:0"), "score=9: expected an integer 0 to 4"),
    (SENT[0][0].replace(":1:1:1:0:1:-1", ":3:1:1:0:1:-1"), "expected a power of two"),
    (SENT[0][0].replace(":1:1:1:0:1:-1", ":1:1:1:0:7:-1"), "value 41 is 7: expected 1 or -1"),
    (SENT[0][0] + " jacobyrule maybe", "option 'jacobyrule maybe'"),
    ("hello", "'hello': expected a board line"),
    ("evaluation fibsboard", "expected: evaluation fibsboard"),
    (f"evaluation fibsboard {SENT[1][0]} plies 9", "plies '9': expected 0 to 2"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_bad_lines_are_refused_with_the_reason(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GnubgServer().reply(line)


def test_the_evaluation_is_that_of_the_net() -> None:
    line = SENT[1][0]
    six = [*map(float, GnubgServer().reply(f"evaluation fibsboard {line} cubeless").split())]
    found = situation_of(read_board(line), tf.BACKGAMMON)
    direct = tf.evaluate(found.board, "net", "backgammon")
    assert six[:5] == pytest.approx(direct.outcomes[0, :5], abs=2e-6)
    assert six[5] == pytest.approx(direct.equity[0], abs=1e-5)


def play_by_lines(session: tf.Session, server: GnubgServer) -> int:
    """Play a session to its end, every decision asked as GNU Backgammon asks it; return how many.

    Every reply must be one that GNU Backgammon can read, and legal.
    """
    asked = 0
    while session.phase != "match_over" and len(session.history) <= 40:
        if session.phase == "game_over":
            session.next_game()
            continue
        game = session.game
        if game.phase == "roll" and not game.may_double:
            game.roll()  # GNU Backgammon does not ask then
            continue
        phase, reply = game.phase, server.reply(gnubg_line(session))
        asked += 1
        if reply.startswith("resign "):
            game.resign(int(reply[7:]))
            continue
        if phase == "play":
            steps = [tuple(map(int, step.split("/"))) for step in reply.split()]
            game.play(steps)
        else:
            assert reply in game.legal_actions
            game.act(reply)
    return asked


@pytest.mark.parametrize(
    ("rules", "target"), [("backgammon", 3), ("nackgammon", 2), ("hypergammon", 3)]
)
def test_matches_by_lines_alone(rules: str, target: int) -> None:
    session = tf.Session(rules, target=target, seed=5)
    assert play_by_lines(session, GnubgServer()) > 20
    assert max(session.score) >= target


def test_money_by_lines_has_beavers_that_can_be_read() -> None:
    rules = replace(tf.BACKGAMMON, jacoby=True, beavers=True, beaver_refusable=True)
    session = tf.Session(rules, seed=3)
    session.game.roll() if session.game.phase == "roll" else session.game.play(0)
    session.game.double()
    session.game.beaver()
    found = situation_of(read_board(gnubg_line(session)), rules)
    assert (found.waiting, found.cube, found.owner) == ("beaver", 2, -1)
    assert GnubgServer().reply(gnubg_line(session)) in ("take", "drop")


@pytest.mark.slow
def test_two_thousand_games_by_lines() -> None:
    server, games = GnubgServer(), 0
    for seed in range(2000):
        session = tf.Session("backgammon", target=5, seed=seed)
        play_by_lines(session, server)
        games += len(session.history)
        if games >= 2000:
            break
    assert games >= 2000


def test_a_resignation_that_is_refused_is_not_offered_again() -> None:
    # A match of GNU Backgammon's in which the other external player had declined the offer.
    head = "board:gnubg:root:3:0:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-4:-3:-5:0:-1:"
    tail = ":2:0:1:0:1:-1:0:25:14:1:0:0:0:0:0:1"
    before, after = f"{head}0:0:0:0{tail}", f"{head}3:2:3:2{tail}"
    server, seat = GnubgServer(), Seat()
    assert server.reply(before, seat) == "resign 1"
    assert server.reply(before, seat) == "roll"
    assert "/" in server.reply(after, seat)
    assert server.reply(before, Seat()) == "resign 1"
    assert server.reply(before.replace("root:3:0:0:", "root:3:0:2:"), seat) == "resign 1"


# --- the engine -----------------------------------------------------------------------------------


def test_a_game_that_no_roll_can_save_is_resigned_and_no_other() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 4]], board[1, [0, 1]] = [9, 6], [13, 2]
    lost = Situation(board, tf.BACKGAMMON)
    assert Engine().decide(lost).points == 1
    board[0, [0, 4]] = [0, 15]
    assert Engine().decide(Situation(board, tf.BACKGAMMON)).name == "roll"  # some rolls save gammon
    board[0] = 0
    board[0, 13] = 15
    assert Engine().decide(Situation(board, tf.BACKGAMMON)).points == 2
    board[1, [0, 1, 5]] = [12, 2, 1]
    assert Engine().decide(Situation(board, tf.BACKGAMMON)).name == "roll"


def test_a_resignation_is_accepted_if_playing_on_is_worth_no_more() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 1]], board[1, 13] = [13, 2], 15

    def answer(points: int, **more: Any) -> str:
        return (
            Engine()
            .decide(Situation(board, tf.BACKGAMMON, waiting="resign", resigned=points, **more))
            .name
        )

    assert [answer(1), answer(2), answer(3)] == ["reject", "accept", "accept"]
    assert answer(1, length=3, score=(2, 0)) == "accept"  # one point wins the match


def test_noise_is_the_same_for_the_same_seed_and_grows_with_the_level() -> None:
    boards = tf.random_boards(50, "backgammon", seed=1)

    def plays(engine: Engine) -> list[str]:
        return [str(engine.best_play(Situation(board, tf.BACKGAMMON, (3, 1)))) for board in boards]

    best = plays(Engine())
    weak = plays(Engine.of_level(1, seed=4))
    assert weak == plays(Engine.of_level(1, seed=4)) != plays(Engine.of_level(1, seed=5))

    def share(level: int) -> float:
        found = plays(Engine.of_level(level, seed=4))
        return sum(map(str.__eq__, found, best)) / len(best)

    assert share(1) < share(5) < share(8) < share(9) == 1


# --- bad clients ----------------------------------------------------------------------------------


@contextlib.contextmanager
def serving(limits: LineLimits) -> Iterator[int]:
    """Run a server in a thread of its own; yield its port."""
    ready, port, ends = threading.Event(), 0, []

    async def serve() -> None:
        nonlocal port
        server, stop = GnubgServer(limits=limits), asyncio.Event()
        port = await server.start(port=0)
        ends.append((asyncio.get_running_loop(), stop))
        ready.set()
        await stop.wait()
        await server.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(30)
    try:
        yield port
    finally:
        loop, stop = ends[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        assert not thread.is_alive()


async def good_turn(port: int) -> None:
    """Ask for one move, as a client that behaves."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(SENT[0][0].encode() + b"\n\0")
    assert (await asyncio.wait_for(reader.readline(), 20)).decode().count("/") == 2
    writer.close()


def test_bad_clients_are_answered_or_dropped_and_the_game_beside_them_goes_on() -> None:
    limits = LineLimits(line=4096, connections=6, idle=20, half_line=0.5, bad_lines=3)

    async def clients(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        async def turn() -> None:
            writer.write(SENT[0][0].encode() + b"\n")
            assert b"/" in await asyncio.wait_for(reader.readline(), 20)

        await turn()
        # Half a line: dropped after half_line.
        half, half_writer = await asyncio.open_connection("127.0.0.1", port)
        half_writer.write(b"board:gnubg:ro")
        # Garbage: answered, then dropped.
        trash, trash_writer = await asyncio.open_connection("127.0.0.1", port)
        trash_writer.write(b"\xff\xfe\n" * 10)
        found = await asyncio.wait_for(trash.read(), 20)
        assert found.count(b"Error: ") == 3
        # A board line that is broken: no reply, or GNU Backgammon would crash.
        wrong, wrong_writer = await asyncio.open_connection("127.0.0.1", port)
        wrong_writer.write(b"board:1:2:3\n")
        assert await asyncio.wait_for(wrong.read(), 20) == b""
        await turn()
        # 10 MB without a line end.
        big, big_writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError):
            for _ in range(160):
                big_writer.write(b"x" * 65536)
                await asyncio.wait_for(big_writer.drain(), 20)
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(big.read(), 20) == b""
        # A client that asks and never reads.
        _slow, slow_writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError, TimeoutError):
            for _ in range(40):
                slow_writer.write((SENT[0][0] + "\n").encode() * 10)
                await asyncio.wait_for(slow_writer.drain(), 1)
        # One that leaves in the middle of a line, and one in the middle of an answer.
        _gone, gone_writer = await asyncio.open_connection("127.0.0.1", port)
        gone_writer.write(b"board:")
        gone_writer.transport.abort()
        _gone, gone_writer = await asyncio.open_connection("127.0.0.1", port)
        gone_writer.write(SENT[0][0].encode() + b"\n")
        gone_writer.transport.abort()
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(half.read(), 20) == b""
        slow_writer.transport.abort()
        await turn()
        await good_turn(port)
        for each in (writer, half_writer, trash_writer, wrong_writer, big_writer):
            each.close()

    with serving(limits) as port:
        asyncio.run(clients(port))


def test_more_clients_than_allowed_are_closed_at_once() -> None:
    async def clients(port: int) -> None:
        first = await asyncio.open_connection("127.0.0.1", port)
        first[1].write(b"version\n")
        assert b"Interface" in await asyncio.wait_for(first[0].readline(), 20)
        second = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(second[0].read(), 20) == b""
        first[1].write(b"exit\n")
        await asyncio.wait_for(first[0].read(), 20)
        second[1].close()
        first[1].close()
        await good_turn(port)

    with serving(LineLimits(connections=1)) as port:
        asyncio.run(clients(port))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("name", [pytest.param("SIGINT", marks=pytest.mark.slow), "SIGTERM"])
def test_a_signal_ends_the_server_cleanly(name: str) -> None:
    with interruptible():
        child = subprocess.Popen(
            [*COMMAND, "serve", "gnubg", "--port", "0"], stdout=subprocess.PIPE, text=True
        )
    assert child.stdout is not None
    assert "Listening" in child.stdout.readline()
    child.send_signal(getattr(signal, name))
    output, _ = child.communicate(timeout=30)
    assert child.returncode == 0
    assert "Stopped after 0 decisions." in output


# --- a real GNU Backgammon ------------------------------------------------------------------------


class Recording(GnubgServer):
    """A server that keeps what it was asked and what it answered."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[Situation, str]] = []

    def reply(self, line: str, seat: Seat | None = None) -> str:
        found = super().reply(line, seat)
        board = read_board(line.split()[0])
        self.seen.append((situation_of(board, self._rules_for(board)), found))
        return found


async def gnubg_plays(folder: Path, length: int, seed: int, seat: int) -> tuple[str, Recording]:
    """Let GNU Backgammon play a match against the server; return its .mat text."""
    server = Recording()
    port = await server.start(port=0)
    commands = [
        *QUIET,
        f"set seed {seed}",
        f"set player {seat} external 127.0.0.1:{port}",
        f"set player {1 - seat} gnubg",
        f"new match {length}",
        "export match mat match.mat",
    ]
    try:
        await asyncio.to_thread(run_gnubg, commands, folder)
    finally:
        await server.close()
    return (folder / "match.mat").read_text(), server


def check_match(text: str, server: Recording, length: int, seat: int) -> int:
    """Compare GNU Backgammon's record with what the server saw and did; return the games."""
    match = tf.read_mat(text)  # replays everything: rolls, plays, doubles, scores
    session = match.session
    assert session.target == length
    assert max(session.score) >= length
    asked = iter([each for each in server.seen if "/" in each[1] or each[1] == ""])  # the plays
    score = [0, 0]
    for played in session.history:
        game = [turn for turn in played.turns if turn.player == seat]
        board = tf.start("backgammon")
        boards = {}
        for turn in played.turns:
            if turn.player == seat:
                boards[id(turn)] = board
            if turn.moves:
                board = tf.apply(board, [turn.moves], [turn.dice])[0]
            board = tf.flip(board)
        for turn in game:
            situation, reply = next(asked)
            assert sorted(situation.dice or ()) == sorted(turn.dice)
            assert (situation.board == boards[id(turn)]).all()
            assert situation.score == (score[seat], score[1 - seat])
            steps = [tuple(map(int, step.split("/"))) for step in reply.split()]
            assert bool(steps) == bool(turn.moves)
            if steps:
                mine = tf.apply(situation.board, [steps], [turn.dice])[0]
                theirs = tf.apply(situation.board, [turn.moves], [turn.dice])[0]
                assert (mine == theirs).all()
        assert played.winner is not None
        score[played.winner] += played.points or 0
    assert next(asked, None) is None  # no play that is not in the record
    return len(session.history)


@needs_gnubg
def test_a_real_gnu_backgammon_plays_a_match(tmp_path: Path) -> None:
    text, server = asyncio.run(gnubg_plays(tmp_path, 1, seed=3, seat=0))
    assert check_match(text, server, 1, seat=0) == 1


@needs_gnubg
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ten_matches_of_a_real_gnu_backgammon(tmp_path: Path, seed: int) -> None:
    seat = seed % 2
    text, server = asyncio.run(gnubg_plays(tmp_path, 5, seed, seat))
    assert check_match(text, server, 5, seat) >= 1


@needs_gnubg
@pytest.mark.slow
@pytest.mark.parametrize(
    ("variation", "rules"),
    [("3-chequer-hypergammon", "hypergammon"), ("nackgammon", "nackgammon")],
)
def test_other_games_of_a_real_gnu_backgammon(tmp_path: Path, variation: str, rules: str) -> None:
    """The server plays both sides: GNU Backgammon itself has no database of Hypergammon."""

    async def play() -> None:
        server = GnubgServer()
        port = await server.start(port=0)
        commands = [
            *QUIET,
            "set seed 4",
            f"set variation {variation}",
            *(f"set player {seat} external 127.0.0.1:{port}" for seat in (0, 1)),
            "new match 3",
            "export match mat match.mat",
        ]
        try:
            await asyncio.to_thread(run_gnubg, commands, tmp_path)
        finally:
            await server.close()

    asyncio.run(play())
    session = tf.read_mat((tmp_path / "match.mat").read_text()).session
    assert session.games[0].start == tf.RULES[rules].start
    assert max(session.score) >= 3
