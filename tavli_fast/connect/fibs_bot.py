"""A bot for FIBS, the First Internet Backgammon Server: it logs in, plays and resumes matches.

Source: E. McLean, "FIBS Client Protocol Detailed Specification", revision 1.3 (2008), for CLIP
1008. The bot acts on what the server shows (boards and questions), not on what it has done before,
so that it can go on after a lost connection.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tavli_fast._common.arguments import shown, whole_number
from tavli_fast.connect.engine import Engine
from tavli_fast.connect.fibs_board import FibsBoard, read_board
from tavli_fast.connect.lines import LineLimits, TooLongError, read_line
from tavli_fast.connect.situation import Action, Situation
from tavli_fast.notation.play import Play
from tavli_fast.rules.presets import BACKGAMMON

__all__ = ["FibsBot", "FibsError", "MatchResult", "situation_of_fibs"]

_NAME: Final = re.compile(r"[A-Za-z_<>][A-Za-z0-9_<>]{0,24}")
_CLIENT: Final = "tavli_fast 1008"
_RULES: Final = replace(BACKGAMMON, cube_cap=None)
_LIMITS: Final = LineLimits(line=1 << 14, idle=900.0, half_line=30.0)
_SETTINGS: Final = ("set boardstyle 3", "toggle ready")
_PAUSE: Final = 2.0
"""Seconds before the first new attempt after a lost connection; doubled after each."""

_WANTS: Final = re.compile(r"^(\S+) wants to play an? (\d+) point match with you\.")
_RESUMES: Final = re.compile(r"^(\S+) wants to resume a saved match with you\.")
_RESIGNS: Final = re.compile(r"^(\S+) wants to resign\. You will win (\d+) points?\.")
_WINS: Final = re.compile(r"^(\S+) wins? the (\d+) point match +(\d+)-(\d+)")
_SAVED: Final = re.compile(r"^ +[* ]?(\S+) +(\d+) +(\d+) +- +(\d+)")
_COMES_OR_GOES: Final = re.compile(r"^[78] (\S+) ")
_WHO: Final = re.compile(r"^5 (\S+) (\S+) \S+ ([01]) ([01]) ")


class FibsError(ConnectionError):
    """The server refuses the login, or cannot be reached any more."""


@dataclass(frozen=True)
class MatchResult:
    """A match that has been played to its end."""

    opponent: str
    length: int
    won: bool
    score: tuple[int, int]
    """The winner's points and the loser's, as the server says."""


def situation_of_fibs(board: FibsBoard, waiting: Any = None, resigned: int = 0) -> Situation:
    """Return what a FIBS board means.

    Args:
        board: the board, "you" first.
        waiting: ``"double"`` or ``"resign"`` if that is to be answered; None for a roll or a play.
        resigned: the points of a resignation, before the cube.

    Raises:
        BoardError, ValueError: it is no possible situation.
    """
    mine = board.turn != -1
    if waiting == "double":
        mine = False  # the opponent is on roll
    side = 1 if mine else -1
    may, other = board.may_double
    owner = int(may) - int(other)
    if waiting == "double" or not (may or other):
        owner = 0 if board.cube == 1 else -1 if waiting == "double" else 0
    one_away = bool(board.length) and board.length - max(board.score) == 1
    dice = None
    if waiting != "double":
        dice = board.your_dice if mine else board.opponents_dice
    return Situation(
        board=board.board[::side],
        rules=_RULES,
        dice=dice,
        cube=board.cube,
        owner=owner * side,
        score=board.score if mine else (board.score[1], board.score[0]),
        length=board.length,
        crawford=one_away and not board.flags[0],
        waiting=waiting,
        resigned=resigned,
        asked_on_roll=mine,
    )


def move_text(play: Play, board: FibsBoard) -> str:
    """Return a play as FIBS reads it: the numbers of its board, ``bar`` and ``off``."""

    def name(point: int) -> str:
        number = point if board.direction == -1 else 25 - point
        return {25: "bar", 0: "off"}.get(point, str(number))

    return " ".join(f"{name(source)}-{name(target)}" for source, target in play.moves)


@dataclass
class _Session:
    """What is known of the present connection."""

    board: FibsBoard | None = None
    wanted: str = ""
    """What to do with the next board: roll, if the last one did not show our turn."""
    refused: bool = False
    """Whether the opponent has refused our resignation of this game."""
    playing: bool = False
    saved: dict[str, int] = field(default_factory=dict)
    invited: str = ""


class FibsBot:
    """Plays matches on a FIBS server.

    Args:
        name: the user's name on the server.
        password: the user's password.
        engine: who plays; None for the bundled net.
        invite: whom to invite; None to wait for invitations.
        length: the points of the matches to invite to, 1 to 99; and the most to accept.
        matches: how many matches to finish, 1 or more.
        attempts: how often to connect anew after a lost connection.
        report: called with a line about each thing that happens.

    Raises:
        ValueError: an argument is invalid.
    """

    def __init__(
        self,
        name: str,
        password: str,
        engine: Engine | None = None,
        *,
        invite: str | None = None,
        length: int = 5,
        matches: int = 1,
        attempts: int = 5,
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Keep the arguments."""
        for what, value in (("name", name), ("invite", invite)):
            if value is not None and not _NAME.fullmatch(value):
                raise ValueError(f"{what}={shown(value)}: expected the name of a user, of letters")
        if not password or any(each.isspace() for each in password):
            raise ValueError("password: expected one without blanks")
        self.name, self._password = name, password
        self.engine = engine or Engine()
        self.invite = invite
        self.length = whole_number(length, "length", 1, 99)
        self.matches = whole_number(matches, "matches", 1)
        self.attempts = whole_number(attempts, "attempts", 0)
        self._report = report
        self.results: list[MatchResult] = []
        """The matches finished."""
        self.pause = _PAUSE
        self._writer: asyncio.StreamWriter | None = None
        self._now = _Session()
        self._leaving = False

    async def run(self, host: str, port: int) -> list[MatchResult]:
        """Play until the matches are finished, or `leave` is called; return the results.

        Raises:
            FibsError: the login is refused, or the server cannot be reached any more.
        """
        failures = 0
        while True:
            finished = len(self.results)
            try:
                await self._connection(host, port)
                return self.results
            except FibsError:
                raise
            except (OSError, TimeoutError, TooLongError, asyncio.IncompleteReadError) as error:
                failures = 0 if len(self.results) > finished else failures
                failures += 1
                if failures > self.attempts:
                    raise FibsError(f"{host}:{port}: {error or type(error).__name__}") from error
                self._report(f"connection lost ({error or type(error).__name__}): again")
                await asyncio.sleep(min(self.pause * 2 ** (failures - 1), 300))

    async def leave(self) -> None:
        """Leave the match, which the server saves, and log out."""
        self._leaving = True
        if self._now.playing:
            await self._send("leave")
        await self._send("bye")

    async def _connection(self, host: str, port: int) -> None:
        """Log in and play over one connection, until the matches are finished.

        Raises:
            OSError, TimeoutError: it is lost.
        """
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 30)
        self._writer = writer
        self._now = _Session()
        buffer = bytearray()
        try:
            await self._log_in(reader, buffer)
            while (raw := await read_line(reader, buffer, _LIMITS)) is not None:
                await self._hear(raw.decode("utf-8", "replace"))
            if not self._leaving:
                raise ConnectionResetError("the server has closed the connection")
        finally:
            writer.close()

    async def _log_in(self, reader: asyncio.StreamReader, buffer: bytearray) -> None:
        """Log in, and make the settings that the bot needs."""
        # The prompt has no line end.
        while b"login:" not in buffer:
            block = await asyncio.wait_for(reader.read(4096), 30)
            if not block:
                raise ConnectionResetError("no login prompt")
            buffer += block
            if len(buffer) > _LIMITS.line:
                del buffer[:-16]
        buffer.clear()
        await self._send(f"login {_CLIENT} {self.name} {self._password}")
        while True:
            block = await asyncio.wait_for(reader.read(4096), 30)
            if not block:
                raise ConnectionResetError("the server has closed the connection")
            buffer += block
            if re.search(rb"(^|\n)1 \S+ ", buffer):
                break
            if b"login:" in buffer:
                raise FibsError(f"the server refuses the login of {self.name}")
        self._report(f"logged in as {self.name}")
        for line in _SETTINGS:
            await self._send(line)
        await self._send("show saved")

    async def _send(self, line: str) -> None:
        """Send one command."""
        assert self._writer is not None
        self._writer.write(line.encode() + b"\r\n")
        await asyncio.wait_for(self._writer.drain(), 30)

    async def _hear(self, line: str) -> None:
        """Act on one line of the server."""
        line = line.removeprefix("> ")
        if line.startswith("board:"):
            await self._see(line)
        elif line.startswith("Please move "):
            await self._move()
        elif line.startswith("It's your turn"):
            await self._turn()
        elif "Type 'accept' or 'reject'" in line:
            await self._asked(line)
        elif line.startswith("Type 'join' if you want to play the next game"):
            self._now.refused = False
            await self._send("join")
        elif found := _WANTS.match(line):
            await self._invited(found[1], int(found[2]))
        elif found := _RESUMES.match(line):
            await self._send(f"join {found[1]}")
        elif found := _WINS.match(line):
            await self._match_over(found)
        else:
            await self._news(line)

    async def _news(self, line: str) -> None:
        """Act on what happens around the games."""
        now = self._now
        if "You are now playing" in line or "has joined you" in line:
            now.playing, now.invited = True, ""
            self._report(line.removeprefix("** "))
        elif "The game was saved" in line:
            now.playing, now.board = False, None
            self._report(line.removeprefix("** "))
            await self._look_for_an_opponent()
        elif "now ready to invite or join" in line:
            await self._look_for_an_opponent()
        elif "now refusing to play" in line:
            await self._send("toggle ready")  # it was on before
        elif found := _SAVED.match(line):
            now.saved[found[1].lower()] = int(found[2])
        elif (found := _COMES_OR_GOES.match(line)) and self._wants(found[1]):
            now.invited = ""  # what was said to it before is lost
        elif (found := _WHO.match(line)) and self._wants(found[1]) and found[2] == "-":
            if found[3] == "1":
                await self._look_for_an_opponent()
        elif line.endswith("rejects. The game continues."):
            now.refused, now.wanted = True, "move"
            await self._send("board")
        elif line.startswith("** There is no one called") or "is refusing games" in line:
            now.invited = ""
        elif line.startswith("** ") and ("can't" in line or "must" in line.lower()):
            self._report(f"the server says: {line}")
            await self._send("board")
            now.wanted = "anything"

    def _wants(self, name: str) -> bool:
        """Return whether a user is the one to invite."""
        return self.invite is not None and name.lower() == self.invite.lower()

    async def _look_for_an_opponent(self) -> None:
        """Invite, if that is what the bot does and nobody is invited yet."""
        now = self._now
        if self.invite is None or now.playing or now.invited or self._leaving:
            return
        now.invited = self.invite
        resume = self.invite.lower() in now.saved
        await self._send(f"invite {self.invite}" + ("" if resume else f" {self.length}"))

    async def _invited(self, name: str, length: int) -> None:
        """Answer an invitation to a new match."""
        if length > self.length or len(self.results) >= self.matches or self._leaving:
            self._report(f"{name} wants to play to {length}: not accepted")
            return
        await self._send(f"join {name}")

    async def _see(self, line: str) -> None:
        """Take a board, and do with it what has been waiting for it."""
        try:
            self._now.board = read_board(line)
        except ValueError as error:
            self._report(f"a board that cannot be read: {error}")
            return
        wanted, self._now.wanted = self._now.wanted, ""
        if wanted:
            if self._now.board.your_dice is not None and self._now.board.turn == 1:
                await self._move()
            elif self._now.board.turn == 1:
                await self._turn()

    async def _move(self) -> None:
        """Play the roll on the board."""
        board = self._now.board
        if board is None or board.turn != 1 or board.your_dice is None:
            self._now.wanted = "move"
            await self._send("board")
            return
        action = self._decided(situation_of_fibs(board))
        if action.name == "resign":
            await self._send(f"resign {'ngb'[action.points - 1]}")
            return
        assert action.play is not None
        await self._send(f"move {move_text(action.play, board)}")

    async def _turn(self) -> None:
        """Roll or double."""
        board = self._now.board
        if board is None or board.turn != 1 or board.your_dice is not None:
            self._now.wanted = "roll"
            await self._send("board")
            return
        situation = situation_of_fibs(board)
        action = self._decided(situation)
        if action.name == "double" and not board.may_double[0]:
            action = replace(action, name="roll")
        if action.name == "resign":
            action = replace(action, name="roll")  # after the roll is soon enough
        await self._send(action.name)

    async def _asked(self, line: str) -> None:
        """Answer a double or a resignation."""
        board = self._now.board
        if board is None:
            await self._send("reject" if "resign" in line else "accept")
            return
        if found := _RESIGNS.match(line):
            points = min(max(int(found[2]) // board.cube, 1), 3)
            action = self._decided(situation_of_fibs(board, "resign", points))
            await self._send(action.name)
            return
        action = self._decided(situation_of_fibs(board, "double"))
        await self._send("reject" if action.name == "drop" else "accept")

    def _decided(self, situation: Situation) -> Action:
        """Return what the engine does; it does not resign again what has been refused."""
        action = self.engine.decide(situation)
        refused = action.name == "resign" and self._now.refused
        return self.engine.go_on(situation) if refused else action

    async def _match_over(self, found: re.Match[str]) -> None:
        """Note a match that is over, and go on or leave."""
        won = found[1] == "You"
        board = self._now.board
        opponent = board.opponent if board is not None else found[1]
        result = MatchResult(opponent, int(found[2]), won, (int(found[3]), int(found[4])))
        self.results.append(result)
        self._now = _Session()
        self._report(
            f"{'won' if won else 'lost'} the {result.length} point match against {opponent} "
            f"{result.score[0]}-{result.score[1]}"
        )
        if len(self.results) >= self.matches:
            self._leaving = True
            await self._send("bye")
        else:
            await self._look_for_an_opponent()
