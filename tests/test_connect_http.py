"""The HTTP server: its answers beside direct calls, BEP's vectors, limits, bad clients, load."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from http_calls import call, exchange, http_server

import tavli_fast as tf

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tavli_fast.connect import Engine
from tavli_fast.connect.web.answers import ANSWERS
from tavli_fast.connect.web.fields import RequestError
from tavli_fast.connect.web.server import HttpLimits, application

START = "4HPwATDgc/ABMA"
VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "bep_vectors.jsonl").read_text().splitlines()
]
APP = application(limits=HttpLimits(seconds=300))


def post(path: str, **body: Any) -> Any:
    status, found = call(APP, "POST", path, body)
    assert status == 200, found
    return found


def test_moves_are_those_of_best_plays() -> None:
    for rules, position in (
        ("backgammon", START),
        ("plakoto", "TFID1:k:1o22O1:0:0"),
        ("fevga", "TFID1:f:12o11O1:0:0"),
        ("portes", START),
    ):
        found = post("/moves", position=position, rules=rules, dice=[6, 4], top=3)["plays"]
        board, _ = tf.parse_position(position, rules)
        direct = tf.best_plays(board, (6, 4), "net", rules, top=3)
        count = direct.counts[0]
        assert len(found) == count
        equities = direct.equity[0, :count]
        assert [each["equity"] for each in found] == pytest.approx(equities, abs=1e-6)
        plays = tf.legal_plays(board, (6, 4), rules)
        for each, after in zip(found, direct.boards[0, :count], strict=True):
            assert (plays[each["play"]].board == after).all()
            assert (tf.parse_position(each["position"], rules)[0] == tf.flip(after)).all()


def test_legal_lists_all_plays() -> None:
    found = post("/legal", position=START, dice=[3, 1], top=500)
    assert found["count"] == len(found["plays"]) == 16
    assert {each["play"] for each in found["plays"]} == {*map(str, tf.legal_plays(START, (3, 1)))}


def test_evaluation_is_that_of_evaluate() -> None:
    boards = tf.random_boards(5, "backgammon", seed=2)
    found = post("/evaluation", positions=[tf.position_id(board) for board in boards], plies=1)
    direct = tf.evaluate(boards, "net", "backgammon", 1)
    assert [each["equity"] for each in found["positions"]] == pytest.approx(direct.equity, abs=1e-6)


@pytest.mark.parametrize("away", [None, (2, 4), (1, 3)])
def test_cube_is_the_decision_of_cube_decision(away: tuple[int, int] | None) -> None:
    for board in tf.random_boards(4, "backgammon", seed=5):
        match = {} if away is None else {"length": 5, "score": [5 - each for each in away]}
        crawford = {"crawford": True} if away and min(away) == 1 else {}
        found = post("/cube", position=tf.position_id(board), **match, **crawford)
        setting = tf.CubeSetting() if away is None else tf.CubeSetting(away=away)
        direct = tf.cube_decision(board, setting, "backgammon", evaluator="net")
        assert (found["double"], found["too_good"]) == (
            direct.double,
            direct.action == "too good",
        )
        assert (found["answer"] != "pass") == direct.take
        assert found["no_double"] == pytest.approx(direct.no_double, abs=1e-6)
        assert found["double_take"] == pytest.approx(direct.double_take, abs=1e-6)


def test_analysis_says_what_a_play_loses() -> None:
    found = post("/analysis", position=START, dice=[3, 1], play="24/23 24/21", top=2)
    best = tf.best_plays(tf.start(), (3, 1), "net", "backgammon", top=16)
    plays = tf.legal_plays(tf.start(), (3, 1), "backgammon")
    rank = [plays.index(board) for board in best.boards[0]].index(plays.index("24/23 24/21"))
    assert found["played"]["rank"] == rank + 1
    loss = best.equity[0, 0] - best.equity[0, rank]
    assert found["played"]["loss"] == pytest.approx(loss, abs=2e-6)
    assert len(found["plays"]) == 2
    before = post("/analysis", position=START)
    assert before["cube"]["double"] is False
    assert post("/analysis", position="TFID1:f:12o11O1:0:0")["cube"] is None


def test_action_is_that_of_the_engine() -> None:
    assert post("/action", position=START, dice=[3, 1])["play"] == "8/5 6/5"
    assert post("/action", position=START) == {"action": "roll"}
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:7:10"
    assert post("/action", position=xgid) == {"action": "take"}
    lost = "AwAAAID/AR8AAA"  # two checkers of the opponent on the ace point, X far from home
    assert post("/action", position=lost)["action"] == "resign"
    weak = {post("/action", position=START, dice=[4, 1], level=1)["play"] for _ in range(3)}
    assert len(weak) == 1  # the same position, the same seed


def test_a_rollout_streams_and_ends_with_the_direct_result() -> None:
    found = post("/rollouts", position=START, trials=256, seed=4)
    assert [each["final"] for each in found] == [False, False, True]
    direct = tf.rollout(
        tf.start(),
        "net",
        "backgammon",
        256,
        4,
        truncate=11,
        variance_reduction=True,
        cube=True,
    )
    assert found[-1]["equity"] == pytest.approx(direct.equity[0], abs=1e-6)
    assert found[-1]["trials"] == 256
    ranked = post("/rollouts", position=START, dice=[3, 1], trials=36, seed=1)
    assert ranked[-1]["plays"][0]["play"] == "8/5 6/5"


def test_a_rollout_ends_in_time() -> None:
    found = post("/rollouts", position=START, trials=50_000, seconds=1)
    assert found[-1]["final"] is True
    assert found[-1]["trials"] < 50_000


def test_other_paths() -> None:
    assert {each["name"] for each in call(APP, "GET", "/games")[1]["games"]} == set(tf.RULES)
    assert call(APP, "GET", "/v1/health")[1]["protocolVersion"] == "1"
    _, document = call(APP, "GET", "/openapi.json")
    assert document["openapi"] == "3.1.0"
    paths = {f"{m.upper()} {path}" for path, each in document["paths"].items() for m in each}
    routes: list[Any] = list(APP.routes)
    assert paths == {
        f"{method} {route.path}"
        for route in routes
        for method in route.methods - {"HEAD"}
        if route.path not in ("/", "/openapi.json")
    }
    status, page = call(APP, "GET", "/")
    assert status == 200
    assert "POST /moves" in page


# --- BEP ------------------------------------------------------------------------------------------


def key_after(board: dict[str, Any], steps: list[dict[str, Any]]) -> str:
    """Return the key of the vectors for a board after steps; hits are found as they happen."""
    points = [*board["points"]]
    bar, off = (
        [board["barOnRoll"], board["barOpponent"]],
        [board["offOnRoll"], board["offOpponent"]],
    )
    for step in steps:
        if step["from"] == 0:
            assert (step["fromContainer"], step["moveKind"]) == ("bar", "reenter")
            bar[0] -= 1
        else:
            points[step["from"] - 1] -= 1
        if step["to"] == 0:
            assert (step["toContainer"], step["moveKind"]) == ("off", "bear-off")
            off[0] += 1
            continue
        assert step["isHit"] == (points[step["to"] - 1] == -1)
        if points[step["to"] - 1] == -1:
            points[step["to"] - 1] = 0
            bar[1] += 1
        points[step["to"] - 1] += 1
    return f"{','.join(map(str, points))}|bar:{bar[0]},{bar[1]}|off:{off[0]},{off[1]}"


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_bep_vectors_by_resulting_board(vector: dict[str, Any]) -> None:
    for convention, name in (("opponent-first", "positionId"), ("on-roll-first", "onRollFirst")):
        found = post(
            "/v1/move",
            positionId=vector[name],
            positionIdConvention=convention,
            dice=vector["dice"],
            activePlayerColor=vector["color"],
            activePlayerDirection="clockwise",
            cubeValue=1,
            cubeOwner=None,
            matchScore=[0, 0],
            matchLength=0,
            crawford=False,
            jacoby=True,
            beavers=False,
        )
        assert key_after(vector["board"], found["moves"]) in vector["legal"]
        assert all(step["player"] == vector["color"] for step in found["moves"])


def bep(path: str, board: np.ndarray, **more: Any) -> Any:
    return post(path, positionId=tf.position_id(board), activePlayerColor="white", **more)


def test_bep_cube_and_resignation() -> None:
    found: set[str] = set()
    for board in tf.random_boards(60, "backgammon", seed=9):
        decision = tf.cube_decision(board, tf.CubeSetting(), "backgammon", evaluator="net")
        action = bep("/v1/double", board)["action"]
        expected = "double" if decision.double else "no-double"
        assert action == ("too-good" if decision.action == "too good" else expected)
        # On a take request the board is the taker's.
        answer = bep("/v1/take", tf.flip(board))
        assert (answer["action"] == "take") == decision.take
        found |= {action, answer["action"]}
    assert {"double", "no-double", "take", "drop"} <= found
    lost = np.zeros((2, 26), np.int8)
    lost[0, 13], lost[1, [0, 1]] = 15, [13, 2]
    assert bep("/v1/resign", lost) == {"action": "gammon"}
    assert bep("/v1/resign", tf.start()) == {"action": "none"}
    owned = bep("/v1/double", tf.start(), cubeValue=2, cubeOwner="black")
    assert owned["action"] == "no-double"


# --- bad requests ---------------------------------------------------------------------------------

BAD = [
    ("/moves", b"{", 400, "invalid_request", None),
    ("/moves", b"[1]", 400, "invalid_request", None),
    ("/moves", b'{"position": NaN}', 400, "invalid_request", None),
    ("/moves", b"[" * 60_000, 400, "invalid_request", None),
    ("/moves", b"1" * 60_000, 400, "invalid_request", None),
    ("/moves", b"\xff\xfe", 400, "invalid_request", None),
    ("/moves", b"{}", 400, "invalid_request", "position"),
    ("/moves", {"position": START}, 400, "invalid_request", "dice"),
    ("/moves", {"position": START, "dice": [3, 7]}, 400, "invalid_request", "dice"),
    ("/moves", {"position": START, "dice": [3, True]}, 400, "invalid_request", "dice"),
    ("/moves", {"position": START, "dice": [3, 1], "plies": 9}, 400, "invalid_request", "plies"),
    ("/moves", {"position": "x", "dice": [3, 1]}, 400, "invalid_position_id", "position"),
    ("/moves", {"position": START, "dice": [3, 1], "file": "x"}, 400, "invalid_request", "file"),
    ("/moves", {"position": START, "rules": "chess"}, 400, "invalid_request", "rules"),
    ("/cube", {"position": START, "cube": 3}, 400, "invalid_request", None),
    ("/cube", {"position": START, "crawford": True}, 400, "invalid_request", None),
    ("/cube", {"position": START, "rules": "portes"}, 400, "invalid_request", "rules"),
    ("/evaluation", {"positions": []}, 400, "invalid_request", "positions"),
    ("/evaluation", {"positions": [START] * 501}, 400, "invalid_request", "positions"),
    (
        "/analysis",
        {"position": START, "dice": [3, 1], "play": "9/1"},
        400,
        "invalid_request",
        "play",
    ),
    ("/action", {"position": START, "waiting": "play"}, 400, "invalid_request", None),
    ("/rollouts", {"position": START, "trials": 10**9}, 400, "invalid_request", "trials"),
    ("/v1/move", {"positionId": START}, 400, "invalid_request", "activePlayerColor"),
    (
        "/v1/move",
        {"positionId": "x", "activePlayerColor": "white", "dice": [1, 2]},
        400,
        "invalid_position_id",
        "positionId",
    ),
    (
        "/v1/move",
        {"positionId": START, "activePlayerColor": "white", "dice": [0, 2]},
        400,
        "invalid_request",
        "dice",
    ),
    ("/nothing", b"", 404, "not_found", None),
    ("/moves", b"x" * 70_000, 413, "too_large", None),
]


@pytest.mark.parametrize(("path", "body", "status", "code", "field"), BAD)
def test_bad_requests_are_refused_with_a_code_and_the_field(
    path: str, body: Any, status: int, code: str, field: str | None
) -> None:
    found_status, found = call(APP, "POST", path, body)
    assert (found_status, found["error"]["code"]) == (status, code)
    assert found["error"]["message"]
    assert found["error"].get("field") == field


def test_what_takes_too_long_or_is_too_much_is_refused() -> None:
    slow = application(limits=HttpLimits(seconds=0.001))
    boards = [tf.position_id(board) for board in tf.random_boards(100, "backgammon", seed=1)]
    status, found = call(slow, "POST", "/evaluation", {"positions": boards, "plies": 1})
    assert (status, found["error"]["code"]) == (504, "timeout")
    busy = application(limits=HttpLimits(workers=1, waiting=-1))
    status, found = call(busy, "POST", "/moves", {"position": START, "dice": [3, 1]})
    assert (status, found["error"]["code"]) == (503, "busy")


# --- a real server --------------------------------------------------------------------------------


def requests(count: int) -> list[tuple[str, dict[str, Any]]]:
    """Return requests of all kinds."""
    made: list[tuple[str, dict[str, Any]]] = []
    boards = tf.random_boards(count, "backgammon", seed=11)
    rolls = np.random.default_rng(11).integers(1, 7, (count, 2)).tolist()
    for number, (board, dice) in enumerate(zip(boards, rolls, strict=True)):
        position = tf.position_id(board)
        kinds: list[tuple[str, dict[str, Any]]] = [
            ("/moves", {"position": position, "dice": dice, "top": 3}),
            ("/evaluation", {"positions": [position]}),
            ("/cube", {"position": position, "length": 7, "score": [2, 4]}),
            ("/legal", {"position": position, "dice": dice}),
            ("/action", {"position": position, "dice": dice}),
            ("/moves", {"position": position, "dice": [0, 7]}),
        ]
        made.append(kinds[number % len(kinds)])
    return made


def direct(path: str, body: dict[str, Any]) -> Any:
    try:
        return json.loads(json.dumps(ANSWERS[path].answer(body, Engine())))
    except RequestError as error:
        return error.field


async def under_load(
    port: int, todo: list[tuple[str, dict[str, Any]]], answers: list[Any], clients: int
) -> list[float]:
    """Send requests on so many connections at once; return the time of each answer."""
    waiting = iter(zip(todo, answers, strict=True))
    times = []

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for (path, body), expected in waiting:
            began = time.perf_counter()
            status, found = await exchange(reader, writer, path, body)
            times.append(time.perf_counter() - began)
            if status == 200:
                assert found == expected
            else:
                assert (status, found["error"]["field"]) == (400, expected)
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return times


async def bad_clients(port: int) -> None:
    """Half a request, garbage, 10 MB, a client that leaves a rollout; none may stop the others."""
    half = await asyncio.open_connection("127.0.0.1", port)
    half[1].write(b"POST /moves HTTP/1.1\r\nContent-Le")
    cut = await asyncio.open_connection("127.0.0.1", port)
    cut[1].write(b"POST /moves HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    trash = await asyncio.open_connection("127.0.0.1", port)
    trash[1].write(b"\xff\xfe\x00garbage\r\n\r\n")
    assert b"400" in await asyncio.wait_for(trash[0].readline(), 30)
    big = await asyncio.open_connection("127.0.0.1", port)
    big[1].write(b"POST /moves HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        for _ in range(160):
            big[1].write(b"x" * 65536)
            await asyncio.wait_for(big[1].drain(), 30)
    with contextlib.suppress(ConnectionError):
        assert b"413" in await asyncio.wait_for(big[0].readline(), 30)
    leaver = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"position": START, "trials": 50_000, "seconds": 60}).encode()
    head = f"POST /rollouts HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    leaver[1].write(head.encode() + body)
    assert b"200" in await asyncio.wait_for(leaver[0].readline(), 30)
    leaver[1].transport.abort()
    for each in (half, cut, trash, big):
        each[1].close()
    # The worker of the rollout is free again.
    for _ in range(200):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        request = {"position": START, "trials": 1}
        data = json.dumps(request).encode()
        head = f"POST /rollouts HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        status = int((await asyncio.wait_for(reader.readline(), 30)).split()[1])
        writer.close()
        if status == 200:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the rollout of a client that has left goes on")


@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow)])
def test_a_server_under_load_and_with_bad_clients_ends_cleanly(name: str) -> None:
    count = 120 if name == "SIGINT" else 12
    with http_server() as (port, child):
        if name == "SIGINT":
            asyncio.run(bad_clients(port))
        todo = requests(count)
        expected = [direct(*each) for each in todo]
        assert len(asyncio.run(under_load(port, todo, expected, 16))) == count
        child.send_signal(getattr(signal, name))
        output, errors = child.communicate(timeout=60)
        assert (child.returncode, output, errors) == (0, "Stopped.\n", "")


@pytest.mark.slow
def test_ten_thousand_requests_on_64_connections() -> None:
    with http_server() as (port, child):
        todo = requests(10_000)
        began = time.perf_counter()
        expected = [direct(*each) for each in todo]
        alone = time.perf_counter() - began
        asyncio.run(under_load(port, todo[:500], expected[:500], 64))
        before = memory_of(child.pid)
        began = time.perf_counter()
        times = asyncio.run(under_load(port, todo, expected, 64))
        seconds = time.perf_counter() - began
        assert len(times) == 10_000
        assert memory_of(child.pid) < before + 50_000
        print(f"directly {len(todo) / alone:.0f}/s; server {len(todo) / seconds:.0f}/s,")
        print(f"p50 {np.quantile(times, 0.5) * 1e3:.1f} ms,")
        print(f"p99 {np.quantile(times, 0.99) * 1e3:.1f} ms, {memory_of(child.pid)} kB")


def memory_of(pid: int) -> int:
    """Return the resident kB of a process; 0 where that is not known."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    return 0
