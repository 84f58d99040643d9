"""A check of any UBGI engine: its answers, its recovery from errors, and the moves that it makes.

Each check starts from a known state and says what it expected and what it got.
"""

from __future__ import annotations

import queue
import re
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final, Protocol

from tavli_fast._common.arguments import shown
from tavli_fast.boards.positions import random_boards
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.position_id import from_position_id, position_id

__all__ = ["CHECKS", "Finding", "ProcessTransport", "Transport", "check_engine"]

_CODES: Final = ("bad_command", "bad_value", "bad_state", "unsupported")
_KEY: Final = re.compile(
    r"key \S+ (int( \S+)? -?[0-9]+|bool (true|false)|enum \S+ \S+|string \* \S+)( !)?( .*)?"
)
_STEP: Final = re.compile(r"(bar|[1-9]|1[0-9]|2[0-4])/(off|[1-9]|1[0-9]|2[0-4])")
_START: Final = "4HPwATDgc/ABMA"
_BAR: Final = ("Np7BQSCYZ/AAWA", (5, 3))
_OFF: Final = ("/z0AADDeaxsAAA", (5, 5))
_BOTH_DICE: Final = ("t02oASACAAAAAA", (5, 1))
_POSITIONS: Final = 30


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    check: str
    """The name of the check."""
    passed: bool
    detail: str
    """What was expected and found, or what the engine does not support."""


class _WrongError(Exception):
    """The engine did something else than expected."""


class Transport(Protocol):
    """How an engine is reached."""

    def write(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            OSError: the engine has ended.
        """

    def read_line(self, timeout: float) -> str | None:
        """Return the next line, None at the end.

        Raises:
            queue.Empty: there is none in time.
        """

    def wait(self, timeout: float) -> int | None:
        """Return the exit status once the engine has ended; None if it has not in time."""

    def close(self) -> None:
        """End the engine, however it is."""


class ProcessTransport:
    """An engine in a process of its own."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the engine."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Take lines as they come, at most 64 KiB each."""
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            while line := stream.readline(1 << 16):
                self._lines.put(line.decode("utf-8", "replace").strip())
        self._lines.put(None)

    def write(self, data: bytes) -> None:
        """Send bytes; see `Transport`."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def read_line(self, timeout: float) -> str | None:
        """Return the next line; see `Transport`."""
        return self._lines.get(timeout=timeout)

    def wait(self, timeout: float) -> int | None:
        """Return the exit status; see `Transport`."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """End the process; see `Transport`."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        if self.wait(1) is None:
            self._process.kill()
            self._process.wait()


class _Engine:
    """An engine, and what the checks say to it."""

    def __init__(self, transport: Transport, patience: float) -> None:
        """Keep the way to it, and how long an answer may take."""
        self.transport, self.patience = transport, patience

    def send(self, line: str | bytes) -> None:
        """Send one line."""
        data = line.encode() if isinstance(line, str) else line
        try:
            self.transport.write(data + b"\n")
        except OSError:
            raise _WrongError("the engine has ended") from None

    def line(self) -> str:
        """Return the next line that is no ``info``; it must come without further input."""
        ends = monotonic() + self.patience
        while True:
            try:
                line = self.transport.read_line(max(ends - monotonic(), 0.001))
            except queue.Empty:
                raise _WrongError(
                    f"no answer in {self.patience:g} s: is every line flushed?"
                ) from None
            if line is None:
                raise _WrongError("the engine has ended")
            if line and line != "info" and not line.startswith("info "):
                return line

    def until(self, last: str) -> list[str]:
        """Return the lines before one."""
        found: list[str] = []
        while (line := self.line()) != last:
            found.append(line)
            if len(found) > 1000:
                raise _WrongError(f"1,000 lines without {last}")
        return found

    def answers(self, *lines: str) -> list[str]:
        """Send lines, and return the answers; ``isready`` shows where they end."""
        for line in lines:
            self.send(line)
        self.send("isready")
        return self.until("readyok")

    def error(self, code: str, *lines: str, or_else: tuple[str, ...] = ()) -> None:
        """Send lines, the last of which must be answered by one error line of that code."""
        found = self.answers(*lines)
        allowed = (code, *or_else)
        if len(found) != 1 or not found[0].startswith("error "):
            raise _WrongError(f"{shown(lines[-1])}: expected 'error {code}', found {shown(found)}")
        given = found[0].split()[1] if len(found[0].split()) > 1 else ""
        if given not in allowed:
            raise _WrongError(
                f"{shown(lines[-1])}: expected 'error {code}', found {shown(found[0])}"
            )

    def quiet(self, *lines: str) -> None:
        """Send lines that nothing may answer."""
        if found := self.answers(*lines):
            raise _WrongError(f"{shown(lines[-1])}: expected no answer, found {shown(found)}")

    def move(self, id_: str, dice: tuple[int, int]) -> str:
        """Return the payload of ``go chequer``, the only line that may answer it."""
        self.quiet(f"position gnubgid {id_}", f"dice {dice[0]} {dice[1]}")
        self.send("go chequer")
        first = self.line()
        self.send("isready")
        found = [first, *self.until("readyok")]
        if len(found) != 1 or not found[0].startswith("bestmove "):
            raise _WrongError(f"go chequer: expected one bestmove, found {shown(found)}")
        return found[0].removeprefix("bestmove ").strip()

    def legal_move(self, id_: str, dice: tuple[int, int]) -> str:
        """Return a move that is written as it should be and legal, by the resulting position."""
        payload = self.move(id_, dice)
        board = from_position_id(id_, "backgammon")
        plays = LegalPlays(board, dice, "backgammon")
        where = f"{id_} with {dice[0]}-{dice[1]}"
        if not len(plays):
            if payload != "pass":
                raise _WrongError(f"{where}: expected 'bestmove pass', found {shown(payload)}")
            return payload
        for step in payload.split():
            if not _STEP.fullmatch(step):
                raise _WrongError(
                    f"{where}: {shown(step)}: expected single moves such as 24/18, bar/20, 6/off"
                )
        if payload not in plays or len(payload.split()) != len(plays[payload].moves):
            raise _WrongError(f"{where}: {shown(payload)} is no legal play")
        return payload


def _handshake(engine: _Engine) -> str:
    engine.send("ubgi")
    found = engine.until("ubgiok")
    for wanted in ("id name ", "id author ", "proto 0.2"):
        if not any(line.startswith(wanted) for line in found):
            raise _WrongError(
                f"ubgi: expected {wanted.strip()!r} before ubgiok, found {shown(found)}"
            )
    return next(line for line in found if line.startswith("id name "))[8:]


def _ready(engine: _Engine) -> str:
    if found := engine.answers() or engine.answers():
        raise _WrongError(f"isready: expected readyok alone, found {shown(found)}")
    return ""


def _keys(engine: _Engine) -> str:
    found = engine.answers("keys")
    for line in found:
        if not _KEY.fullmatch(line):
            raise _WrongError(f"keys: {shown(line)} is not 'key <name> <type> ... <default> ...'")
        name = line.split()[1]
        value = engine.answers(f"get {name}")
        if len(value) != 1 or not value[0].startswith(f"value {name} "):
            raise _WrongError(f"get {name}: expected 'value {name} ...', found {shown(value)}")
    return f"{len(found)} keys"


def _set_and_get(engine: _Engine) -> str:
    lines = [line.split() for line in engine.answers("keys") if _KEY.fullmatch(line)]
    spans = re.compile(r"[0-9]+\.\.[0-9]+")
    numbers = [line for line in lines if line[2] == "int" and spans.fullmatch(line[3])]
    numbers = [line for line in numbers if not line[1].startswith("game.")] or numbers
    if not numbers:
        return "no key of numbers to try"
    _, name, _, span, default, *_ = numbers[0]
    low, high = span.split("..")
    other = high if default == low else low
    if name == "engine.ply":
        other = str(int(low) + 1) if default == low else low
    engine.quiet(f"set {name} {other}")
    found = engine.answers(f"get {name}")
    if found != [f"value {name} {other}"]:
        raise _WrongError(f"after set {name} {other}: found {shown(found)}")
    engine.error("bad_value", f"set {name} {int(high) + 1}")
    engine.error("bad_value", f"set {name} many")
    if engine.answers(f"get {name}") != found:
        raise _WrongError(f"a bad value changed {name}")
    engine.quiet(f"set {name} {default}")
    return name


def _unknown(engine: _Engine) -> str:
    engine.error("bad_command", "fly to the moon")
    engine.error("bad_command", "UBGI")  # keywords are case-sensitive
    engine.error("bad_command", "set", or_else=("bad_value",))
    engine.error("unsupported", "get no.such.key", or_else=("bad_value",))
    engine.error("unsupported", "go dancing", or_else=("bad_command", "bad_value"))
    engine.legal_move(_START, (6, 1))
    return ""


def _values(engine: _Engine) -> str:
    engine.quiet(f"position gnubgid {_START}")
    engine.error("bad_value", "dice 7 1")
    engine.error("bad_value", "dice 0 1")
    engine.error("bad_value", "dice one two")
    engine.error("bad_command", "dice 1", or_else=("bad_value",))
    engine.error("bad_value", "position gnubgid not-an-id")
    engine.error("bad_value", f"position gnubgid {_START[:-1]}")
    engine.error("bad_value", "position gnubgid //////////////")
    engine.error("unsupported", f"position morse {_START}", or_else=("bad_command", "bad_value"))
    engine.legal_move(_START, (6, 1))
    return ""


def _state(engine: _Engine) -> str:
    engine.quiet("newgame")
    engine.error("bad_state", "go chequer")
    engine.quiet(f"position gnubgid {_START}")
    engine.error("bad_state", "go chequer")
    engine.quiet("dice 3 1")
    engine.quiet(f"position gnubgid {_START}")
    engine.error("bad_state", "go chequer")  # a new position has no dice
    engine.legal_move(_START, (3, 1))
    engine.quiet("newgame")
    engine.error("bad_state", "go chequer")
    return ""


def _bar(engine: _Engine) -> str:
    payload = engine.legal_move(*_BAR)
    if not payload.startswith("bar/") and " bar/" not in payload:
        raise _WrongError(f"{_BAR[0]}: expected 'bar' in {shown(payload)}")
    return payload


def _off(engine: _Engine) -> str:
    payload = engine.legal_move(*_OFF)
    if "/off" not in payload:
        raise _WrongError(f"{_OFF[0]}: expected 'off' in {shown(payload)}")
    return payload


def _pass(engine: _Engine) -> str:
    board = from_position_id(_START, "backgammon").copy()
    board[:] = 0
    board[0, [25, 6]] = [1, 14]
    board[1, 1:7], board[1, 7] = 2, 3
    return engine.legal_move(position_id(board), (6, 3))


def _legal(engine: _Engine) -> str:
    engine.legal_move(*_BOTH_DICE)
    boards = random_boards(_POSITIONS, "backgammon", seed=7)
    for number, board in enumerate(boards):
        first, second = number % 6 + 1, number // 6 % 6 + 1
        engine.legal_move(position_id(board), (first, second))
    return f"{_POSITIONS + 1} positions"


def _cube(engine: _Engine) -> str:
    found = engine.answers("newgame", f"position gnubgid {_START}", "go cube")
    if len(found) == 1 and found[0].startswith("error unsupported"):
        return "not supported"
    if found not in (["bestcube double"], ["bestcube nodouble"]):
        raise _WrongError(
            f"go cube: expected one bestcube double or nodouble, found {shown(found)}"
        )
    return found[0]


def _turn(engine: _Engine) -> str:
    found = engine.answers("newgame", f"position gnubgid {_START}", "dice 3 1", "go turn")
    if len(found) == 1 and found[0].startswith("error unsupported"):
        return "not supported"
    form = r"bestturn cube=(double|nodouble) move=(\S+/\S+( \S+/\S+)*)"
    match = re.fullmatch(form, found[0]) if len(found) == 1 else None
    if match is None:
        raise _WrongError(f"go turn: expected bestturn cube=... move=..., found {shown(found)}")
    if match[2] not in LegalPlays(from_position_id(_START, "backgammon"), (3, 1), "backgammon"):
        raise _WrongError(f"go turn: {shown(match[2])} is no legal play")
    return found[0]


def _garbage(engine: _Engine) -> str:
    for line in (b"\xff\xfe\x00\x01", b"x" * 1_000_000, "posición".encode()):
        engine.send(line)
        engine.send("isready")
        found = engine.until("readyok")
        if len(found) != 1 or not found[0].startswith("error "):
            raise _WrongError(
                f"{len(line)} bytes of garbage: expected one error, found {shown(found)}"
            )
        if found[0].split()[1:2] and found[0].split()[1] not in _CODES:
            raise _WrongError(f"an error code that does not exist: {shown(found[0])}")
    engine.legal_move(_START, (6, 1))
    return ""


def _quit(engine: _Engine) -> str:
    engine.send("quit")
    code = engine.transport.wait(engine.patience)
    if code is None:
        raise _WrongError(f"quit: still there after {engine.patience:g} s")
    if code:
        raise _WrongError(f"quit: exit status {code}, expected 0")
    return ""


CHECKS: Final[dict[str, Callable[[_Engine], str]]] = {
    "handshake": _handshake,
    "isready": _ready,
    "keys": _keys,
    "set and get": _set_and_get,
    "unknown commands": _unknown,
    "bad values": _values,
    "missing state": _state,
    "bar": _bar,
    "off": _off,
    "pass": _pass,
    "legal moves": _legal,
    "cube": _cube,
    "turn": _turn,
    "garbage": _garbage,
    "quit": _quit,
}
"""The checks by name, in the order in which they are made; after one that fails the engine is
started anew."""


def check_engine(
    engine: Sequence[str] | Callable[[], Transport],
    *,
    patience: float = 10.0,
    progress: Callable[[Finding], object] | None = None,
) -> list[Finding]:
    """Check a UBGI engine.

    Args:
        engine: the program and its arguments; or what starts it in some other way.
        patience: the seconds that an answer may take.
        progress: called with each finding.

    Returns:
        What each of the `CHECKS` found.

    Raises:
        OSError: the program cannot be started.
    """
    findings: list[Finding] = []
    talking: _Engine | None = None
    for name, check in CHECKS.items():
        if findings and not findings[0].passed:
            finding = Finding(name, False, "not tried, as the handshake failed")
        else:
            started = talking is None
            talking = talking or _Engine(_started(engine), patience)
            try:
                if started and name != "handshake":
                    talking.send("ubgi")
                    talking.until("ubgiok")
                finding = Finding(name, True, check(talking))
            except _WrongError as error:
                finding = Finding(name, False, str(error))
                talking.transport.close()
                talking = None
        findings.append(finding)
        if progress is not None:
            progress(finding)
    if talking is not None:
        talking.transport.close()
    return findings


def _started(engine: Sequence[str] | Callable[[], Transport]) -> Transport:
    """Start an engine."""
    return engine() if callable(engine) else ProcessTransport(engine)
