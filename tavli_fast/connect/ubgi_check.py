"""A check of any UBGI engine: its answers, its recovery from errors, and the moves that it makes.

Each check starts from a known state and says what it expected and what it got.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tavli_fast._common.arguments import shown
from tavli_fast.boards.positions import random_boards
from tavli_fast.connect.ubgi_talk import ProcessTransport, Talk, Transport, WrongError
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.position_id import from_position_id, position_id

__all__ = ["CHECKS", "Finding", "check_engine"]

_CODES: Final = ("bad_command", "bad_value", "bad_state", "unsupported")
_KEY: Final = re.compile(
    r"key \S+ (int( \S+)? -?[0-9]+|bool (true|false)|enum \S+ \S+|string \* \S+)( !)?( .*)?"
)
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


def _handshake(engine: Talk) -> str:
    engine.send("ubgi")
    found = engine.until("ubgiok")
    for wanted in ("id name ", "id author ", "proto 0.2"):
        if not any(line.startswith(wanted) for line in found):
            raise WrongError(
                f"ubgi: expected {wanted.strip()!r} before ubgiok, found {shown(found)}"
            )
    return next(line for line in found if line.startswith("id name "))[8:]


def _ready(engine: Talk) -> str:
    if found := engine.answers() or engine.answers():
        raise WrongError(f"isready: expected readyok alone, found {shown(found)}")
    return ""


def _keys(engine: Talk) -> str:
    found = engine.answers("keys")
    for line in found:
        if not _KEY.fullmatch(line):
            raise WrongError(f"keys: {shown(line)} is not 'key <name> <type> ... <default> ...'")
        name = line.split()[1]
        value = engine.answers(f"get {name}")
        if len(value) != 1 or not value[0].startswith(f"value {name} "):
            raise WrongError(f"get {name}: expected 'value {name} ...', found {shown(value)}")
    return f"{len(found)} keys"


def _set_and_get(engine: Talk) -> str:
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
        raise WrongError(f"after set {name} {other}: found {shown(found)}")
    engine.error("bad_value", f"set {name} {int(high) + 1}")
    engine.error("bad_value", f"set {name} many")
    if engine.answers(f"get {name}") != found:
        raise WrongError(f"a bad value changed {name}")
    engine.quiet(f"set {name} {default}")
    return name


def _unknown(engine: Talk) -> str:
    engine.error("bad_command", "fly to the moon")
    engine.error("bad_command", "UBGI")  # keywords are case-sensitive
    engine.error("bad_command", "set", or_else=("bad_value",))
    engine.error("unsupported", "get no.such.key", or_else=("bad_value",))
    engine.error("unsupported", "go dancing", or_else=("bad_command", "bad_value"))
    engine.legal_move(_START, (6, 1))
    return ""


def _values(engine: Talk) -> str:
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


def _state(engine: Talk) -> str:
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


def _bar(engine: Talk) -> str:
    payload = engine.legal_move(*_BAR)
    if not payload.startswith("bar/") and " bar/" not in payload:
        raise WrongError(f"{_BAR[0]}: expected 'bar' in {shown(payload)}")
    return payload


def _off(engine: Talk) -> str:
    payload = engine.legal_move(*_OFF)
    if "/off" not in payload:
        raise WrongError(f"{_OFF[0]}: expected 'off' in {shown(payload)}")
    return payload


def _pass(engine: Talk) -> str:
    board = from_position_id(_START, "backgammon").copy()
    board[:] = 0
    board[0, [25, 6]] = [1, 14]
    board[1, 1:7], board[1, 7] = 2, 3
    return engine.legal_move(position_id(board), (6, 3))


def _legal(engine: Talk) -> str:
    engine.legal_move(*_BOTH_DICE)
    boards = random_boards(_POSITIONS, "backgammon", seed=7)
    for number, board in enumerate(boards):
        first, second = number % 6 + 1, number // 6 % 6 + 1
        engine.legal_move(position_id(board), (first, second))
    return f"{_POSITIONS + 1} positions"


def _cube(engine: Talk) -> str:
    found = engine.answers("newgame", f"position gnubgid {_START}", "go cube")
    if len(found) == 1 and found[0].startswith("error unsupported"):
        return "not supported"
    if found not in (["bestcube double"], ["bestcube nodouble"]):
        raise WrongError(f"go cube: expected one bestcube double or nodouble, found {shown(found)}")
    return found[0]


def _turn(engine: Talk) -> str:
    found = engine.answers("newgame", f"position gnubgid {_START}", "dice 3 1", "go turn")
    if len(found) == 1 and found[0].startswith("error unsupported"):
        return "not supported"
    form = r"bestturn cube=(double|nodouble) move=(\S+/\S+( \S+/\S+)*)"
    match = re.fullmatch(form, found[0]) if len(found) == 1 else None
    if match is None:
        raise WrongError(f"go turn: expected bestturn cube=... move=..., found {shown(found)}")
    if match[2] not in LegalPlays(from_position_id(_START, "backgammon"), (3, 1), "backgammon"):
        raise WrongError(f"go turn: {shown(match[2])} is no legal play")
    return found[0]


def _garbage(engine: Talk) -> str:
    for line in (b"\xff\xfe\x00\x01", b"x" * 1_000_000, "posición".encode()):
        engine.send(line)
        engine.send("isready")
        found = engine.until("readyok")
        if len(found) != 1 or not found[0].startswith("error "):
            raise WrongError(
                f"{len(line)} bytes of garbage: expected one error, found {shown(found)}"
            )
        if found[0].split()[1:2] and found[0].split()[1] not in _CODES:
            raise WrongError(f"an error code that does not exist: {shown(found[0])}")
    engine.legal_move(_START, (6, 1))
    return ""


def _quit(engine: Talk) -> str:
    engine.send("quit")
    code = engine.transport.wait(engine.patience)
    if code is None:
        raise WrongError(f"quit: still there after {engine.patience:g} s")
    if code:
        raise WrongError(f"quit: exit status {code}, expected 0")
    return ""


CHECKS: Final[dict[str, Callable[[Talk], str]]] = {
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
    talking: Talk | None = None
    for name, check in CHECKS.items():
        if findings and not findings[0].passed:
            finding = Finding(name, False, "not tried, as the handshake failed")
        else:
            started = talking is None
            talking = talking or Talk(_started(engine), patience)
            try:
                if started and name != "handshake":
                    talking.send("ubgi")
                    talking.until("ubgiok")
                finding = Finding(name, True, check(talking))
            except WrongError as error:
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
