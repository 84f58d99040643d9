"""The FIBS bot against itself on a mock server: matches, lost connections, resuming, bad input."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from fibs_server import FibsServer
from processes import COMMAND, interruptible

import tavli_fast as tf
from tavli_fast.connect import Engine
from tavli_fast.connect.fibs_board import read_board, write_board
from tavli_fast.connect.fibs_bot import FibsBot, FibsError, situation_of_fibs

USERS = {"anna": "secret", "bo": "secret"}

# Lines that FIBS sent, from its interface description and the tests of its clients; the names of
# opponents replaced. What each means: on roll (1 you, -1 the opponent), your roll, and your points.
LINES = [
    (
        "board:You:B:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0"
        ":1:-1:0:25:0:0:0:0:2:0:0:0",
        (1, (6, 2), {24: 2, 13: 5, 8: 3, 6: 5}),
    ),
    (
        "board:You:B:2:0:1:0:0:0:-1:0:-1:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:1:0:0:0:1:0:1:0:0:0:0:1:1:1:0"
        ":-1:1:25:0:0:0:0:0:2:0:0:0",
        (-1, None, {22: 1, 20: 1, 13: 5, 8: 3, 6: 5}),
    ),
    (
        "board:You:B:1:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:2:6:0:0:1:1:1:0"
        ":-1:1:25:0:0:0:0:0:2:0:0:0",
        (1, (2, 6), {24: 2, 13: 5, 8: 3, 6: 5}),
    ),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_lines_of_fibs_are_read(line: str, expected: tuple[int, object, dict[int, int]]) -> None:
    board = read_board(line)
    turn, dice, points = expected
    mine = {point: int(n) for point, n in enumerate(board.board[0]) if n and point}
    assert (board.turn, board.your_dice, mine) == (turn, dice, points)
    assert board.board.sum(axis=1).tolist() == [15, 15]


@pytest.mark.parametrize("colour", [1, -1])
@pytest.mark.parametrize("direction", [1, -1])
def test_boards_are_read_as_they_are_written(colour: int, direction: int) -> None:
    first = read_board(LINES[0][0])
    for board in tf.random_boards(20, "backgammon", seed=colour + 3 * direction + 7):
        meant = replace(first, board=board, colour=colour, direction=direction)
        line = write_board(meant)
        found = read_board(line)
        assert (found.board == board).all()
        assert write_board(found) == line


def test_a_double_is_the_opponents() -> None:
    line = LINES[0][0].replace(":1:6:2:0:0:1:1:1:0:", ":-1:0:0:0:0:1:1:1:1:")
    found = situation_of_fibs(read_board(line), "double")
    assert found.waiting == "double"
    assert (found.score, found.length, found.cube, found.owner) == ((1, 0), 3, 1, 0)
    assert np.array_equal(found.board[1], read_board(line).board[0])


async def play(
    server: FibsServer, matches: int, length: int, **options: object
) -> tuple[FibsBot, FibsBot]:
    """Let two bots play matches on a server."""
    port = await server.start()
    settings = {"matches": matches, "length": length, "attempts": 20, **options}
    anna = FibsBot("anna", "secret", Engine(), invite="bo", **settings)  # type: ignore[arg-type]
    bo = FibsBot("bo", "secret", Engine(), **settings)  # type: ignore[arg-type]
    anna.pause = bo.pause = 0.01
    try:
        await asyncio.wait_for(
            asyncio.gather(anna.run("127.0.0.1", port), bo.run("127.0.0.1", port)), 3600
        )
    finally:
        await server.close()
    return anna, bo


def check(server: FibsServer, anna: FibsBot, bo: FibsBot, matches: int) -> None:
    """Both bots have the results of the server, which has refused nothing."""
    assert server.complaints == []
    assert len(server.finished) == len(anna.results) == len(bo.results) == matches
    for match, mine, theirs in zip(server.finished, anna.results, bo.results, strict=True):
        winner = match.names[match.session.winner or 0]
        assert mine.won == (winner == "anna")
        assert theirs.won == (winner == "bo")
        score = sorted(match.session.score, reverse=True)
        assert (list(mine.score), list(theirs.score)) == (score, score)
        for bot in (anna, bo):
            assert bot.results[0].opponent == ("bo" if bot is anna else "anna")


def test_two_bots_play_matches() -> None:
    server = FibsServer(USERS, seed=3)
    check(server, *asyncio.run(play(server, 2, 3)), 2)
    calls = {call.action for m in server.finished for g in m.session.history for call in g.calls}
    assert {"double", "take"} <= calls or {"double", "drop"} <= calls


def test_lost_connections_are_made_again_and_matches_resumed() -> None:
    server = FibsServer(USERS, seed=30)
    server.drop_after = [(50, "anna"), (100, "bo"), (150, "anna")]
    anna, bo = asyncio.run(play(server, 2, 3))
    assert server.drop_after == []
    check(server, anna, bo, 2)


@pytest.mark.slow
def test_fifty_matches() -> None:
    server = FibsServer(USERS, seed=100)
    server.drop_after = [(500 * k, "anna" if k % 2 else "bo") for k in range(1, 20)]
    check(server, *asyncio.run(play(server, 50, 5)), 50)
    calls = [call.action for m in server.finished for g in m.session.history for call in g.calls]
    assert {"double", "take", "drop", "resign"} <= {*calls}


def test_an_invitation_that_is_lost_is_repeated() -> None:
    heard: list[str] = []

    class Writer:
        def write(self, data: bytes) -> None:
            heard.append(data.decode().strip())

        async def drain(self) -> None: ...

    async def run() -> None:
        bot = FibsBot("anna", "secret", invite="bo", length=3)
        bot._writer = Writer()  # type: ignore[assignment]
        for line in (
            "** You're now ready to invite or join someone.",
            "5 bo - - 1 0 1500.00 0 0 1041253132 host client -",
            "8 bo bo drops connection.",
            "7 bo bo logs in.",
            "5 bo - - 0 0 1500.00 0 0 1041253132 host client -",
            "5 bo carl - 1 0 1500.00 0 0 1041253132 host client -",
            "5 bo - - 1 0 1500.00 0 0 1041253132 host client -",
        ):
            await bot._hear(line)

    asyncio.run(run())
    assert heard == ["invite bo 3", "invite bo 3"]


def test_a_refused_login_is_an_error() -> None:
    async def run() -> None:
        server = FibsServer(USERS)
        port = await server.start()
        try:
            with pytest.raises(FibsError, match="the server refuses the login of anna"):
                await FibsBot("anna", "wrong").run("127.0.0.1", port)
        finally:
            await server.close()

    asyncio.run(run())


def test_a_server_that_is_gone_is_an_error_after_some_attempts() -> None:
    bot = FibsBot("anna", "secret", attempts=2)
    bot.pause = 0.01
    with pytest.raises(FibsError, match=r"127\.0\.0\.1:1: "):
        asyncio.run(bot.run("127.0.0.1", 1))


def test_garbage_from_the_server_does_not_stop_the_bot() -> None:
    heard: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\xff\xfelogin: ")
        await reader.readline()
        writer.write(b"1 anna 1 host\r\nboard:x\r\nPlease move 2 pieces.\r\n\xff\xff\r\n")
        writer.write(b"X doubles. Type 'accept' or 'reject'.\r\n12 X hello\r\n\r\n")
        heard.extend([(await reader.readline()).decode().strip() for _ in range(5)])
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        bot = FibsBot("anna", "secret", attempts=0)
        with pytest.raises(FibsError):
            await bot.run("127.0.0.1", port)
        server.close()

    asyncio.run(run())
    assert heard == ["set boardstyle 3", "toggle ready", "show saved", "board", "accept"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "a b"}, "name='a b': expected the name of a user"),
        ({"password": ""}, "password: expected one without blanks"),
        ({"length": 0}, "length=0: expected an integer 1 to 99"),
        ({"invite": "x\ny"}, "invite="),
    ],
)
def test_bad_arguments(arguments: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"name": "anna", "password": "secret", **arguments}
    with pytest.raises(ValueError, match=message):
        FibsBot(**given)  # type: ignore[arg-type]


def test_the_command_leaves_a_match_when_it_is_stopped() -> None:
    async def run() -> tuple[int, str, FibsServer]:
        server = FibsServer(USERS)
        port = await server.start()
        other = FibsBot("bo", "secret", length=20)
        waiting = asyncio.create_task(other.run("127.0.0.1", port))
        command = "fibs 127.0.0.1 {} --name anna --invite bo --length 20"
        with interruptible():
            child = subprocess.Popen(
                [*COMMAND, *command.format(port).split()],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "TAVLI_FAST_FIBS_PASSWORD": "secret"},
            )
        for _ in range(600):
            await asyncio.sleep(0.05)
            if "anna" in server.clients and server.clients["anna"].match is not None:
                break
        child.send_signal(signal.SIGINT)
        output, _ = await asyncio.to_thread(child.communicate, timeout=60)
        await other.leave()
        await asyncio.wait_for(waiting, 20)
        await server.close()
        return child.returncode, output, server

    code, output, server = asyncio.run(run())
    assert code == 0, output
    assert "0 of 0 matches won." in output
    assert frozenset(USERS) in server.saved
