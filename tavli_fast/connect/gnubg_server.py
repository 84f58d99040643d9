"""The engine as an external player of GNU Backgammon: ``set player 0 external localhost:4321``.

GNU Backgammon sends one board line for each decision and reads one line back. A reply that is no
move it cannot survive, so a board line that cannot be read gets no reply: the connection is closed,
which GNU Backgammon reports. Anything else that is wrong is answered with ``Error: ...``.

Source: GNU Backgammon's manual, "External players", as observed on version 1.07.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

from tavli_fast._common.arguments import shown
from tavli_fast._common.version import version
from tavli_fast.connect.engine import Engine
from tavli_fast.connect.fibs_board import FibsBoard, read_board
from tavli_fast.connect.lines import Bye, LineLimits, LineServer
from tavli_fast.connect.situation import Action, Situation
from tavli_fast.cube.decisions import cube_equities
from tavli_fast.errors import NotationError
from tavli_fast.notation.play import Play
from tavli_fast.rules.presets import BACKGAMMON, HYPERGAMMON, Rules

__all__ = ["PORT", "GnubgServer", "Seat", "situation_of"]

PORT: Final = 4321
"""The port that GNU Backgammon's manual uses for external players."""

MONEY: Final = replace(BACKGAMMON, jacoby=True, beavers=True)
"""How GNU Backgammon plays for money by default."""

_SWITCHES: Final = {
    "jacobyrule": "jacoby",
    "jacoby": "jacoby",
    "beavers": "beavers",
    "crawfordrule": "crawford",
    "crawford": "crawford",
}
_ON_OFF: Final = {"on": True, "off": False, "1": True, "0": False, "yes": True, "no": False}
_VERSIONS: Final = "Interface: 2\nRFBF: 0\nEngine: {engine}\nSoftware: tavli_fast {engine}"
_HELP: Final = (
    "board:...    a board line: answered with a move, roll, double, take, drop or beaver\n"
    "evaluation fibsboard board:... [plies n] [cubeful|cubeless]    six numbers\n"
    "version    help    exit"
)


def situation_of(board: FibsBoard, rules: Rules) -> Situation:
    """Return what a board line of GNU Backgammon asks.

    In those lines positive numbers are player 1's checkers, whoever is asked, and the first of the
    values about the cube is player 1's; the turn is the sign of the side on roll. The name and the
    score of player 0 come first if the side on roll is asked, else those of player 1.

    Args:
        board: the line.
        rules: the rules of the board and of the table.

    Raises:
        BoardError, ValueError: it is no possible situation.
    """
    if board.turn == 0:
        raise NotationError("value 32 is 0: expected 1 or -1, as nobody is on roll")
    if board.length:
        rules = replace(rules, jacoby=False, beavers=False)
    on_roll = board.board[:: board.turn]
    mine, theirs = board.may_double[:: board.turn]
    dice = board.your_dice or board.opponents_dice
    owner = int(mine) - int(theirs)
    waiting: Any = None
    if dice is None and (board.was_doubled or not (mine or theirs)):
        # A double that the doubler could not have made is the opponent's beaver.
        waiting = "beaver" if board.was_doubled and owner < 0 else "double"
    # Player 1, whose checkers are positive, is on roll with turn 1.
    scores = board.score if (waiting == "double") == (board.turn == 1) else board.score[::-1]
    at_one = bool(board.length) and board.length - max(board.score) == 1
    return Situation(
        board=on_roll,
        rules=rules,
        dice=dice,
        cube=board.cube,
        owner=owner,
        score=scores,
        length=board.length,
        crawford=at_one and board.flags == (0, 0) and rules.crawford,
        waiting=waiting,
    )


def move_text(play: Play) -> str:
    """Return a play as GNU Backgammon reads it: every move, in numbers."""
    return " ".join(f"{source}/{target}" for source, target in play.moves)


@dataclass
class Seat:
    """What happened on one connection: one game after the other of one player."""

    resigned: str = ""
    """The last board line that was answered by a resignation."""
    refused: tuple[tuple[int, int], int] | None = None
    """The score and our checkers off when a resignation was refused; None in another game."""

    def may_resign(self, line: str, s: Situation) -> bool:
        """Return whether to resign: not if it has been refused in the same game, since GNU
        Backgammon ends the match at a second offer.

        It asks the same question again after a refusal. (For an external player it refuses by
        itself.)
        """
        now = s.score, int(s.board[0, 0])
        if self.refused is not None and (now[0] != self.refused[0] or now[1] < self.refused[1]):
            self.refused = None
        if line == self.resigned:
            self.refused = now
        self.resigned = line
        return self.refused is None


class GnubgServer:
    """Answers GNU Backgammon's board lines with an engine.

    Args:
        engine: who plays.
        rules: the rules of the board and of money games; None for backgammon, or Hypergammon where
            a side has three checkers, for money as GNU Backgammon plays it by default.
        limits: what a connection may cost.
        threads: how many decisions are made at the same time.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        rules: Rules | None = None,
        limits: LineLimits | None = None,
        threads: int = 2,
    ) -> None:
        """Keep the arguments."""
        self.engine = engine or Engine()
        self.rules = rules
        self._pool = ThreadPoolExecutor(threads, "engine")
        self._server = LineServer(self._connection, self._complain, limits)
        self.decisions = 0
        """How many board lines have been answered."""

    async def start(self, host: str = "127.0.0.1", port: int = PORT) -> int:
        """Begin to listen, and return the port (a free one for 0).

        Raises:
            OSError: the address cannot be used.
        """
        return await self._server.start(host, port)

    async def close(self) -> None:
        """Stop listening and end all connections."""
        await self._server.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def reply(self, line: str, seat: Seat | None = None) -> str:
        """Return the answer to one line.

        Args:
            line: the line.
            seat: who has asked before on the same connection; None for nobody.

        Raises:
            Bye: the client ends the connection.
            NotationError, ValueError: the line cannot be read.
        """
        words = line.split()
        command = words[0].lower() if words else ""
        if command.startswith("board:") or command == "fibsboard":
            self.decisions += 1
            return self._decision(words[1:] if command == "fibsboard" else words, seat or Seat())
        if command == "evaluation":
            return self._evaluation(words[1:])
        if command == "version":
            return _VERSIONS.format(engine=version())
        if command == "help":
            return _HELP
        if command in ("exit", "quit"):
            raise Bye
        if command == "set" and len(words) == 3:
            return f"{words[1]} set to {words[2]}" if words[1] == "debug" else _unknown(line)
        return _unknown(line)

    def _connection(self) -> Callable[[str], Awaitable[str | None]]:
        """Return what answers the lines of a new connection, in threads of their own."""
        seat, loop = Seat(), asyncio.get_running_loop()

        async def answer(line: str) -> str | None:
            return await loop.run_in_executor(self._pool, self.reply, line, seat)

        return answer

    def _complain(self, line: str, error: ValueError) -> str | None:
        """Answer a line that cannot be read; a board line with the end of the connection."""
        return None if line.startswith("board:") else f"Error: {error}"

    def _situation(self, words: list[str]) -> Situation:
        """Read a board line and the options after it."""
        board = read_board(words[0])
        rules = self._rules_for(board)
        changes: dict[str, Any] = {}
        resigned, options = 0, iter(words[1:])
        for option in options:
            value = next(options, "")
            if option == "resignation" and value in ("1", "2", "3"):
                resigned = int(value)
            elif option in _SWITCHES and value.lower() in _ON_OFF:
                changes[_SWITCHES[option]] = _ON_OFF[value.lower()]
            else:
                raise NotationError(
                    f"option {shown(f'{option} {value}')}: expected resignation 1 to 3, or one of "
                    f"{', '.join(_SWITCHES)} with on or off"
                )
        found = situation_of(board, replace(rules, **changes))
        if resigned:
            found = replace(
                found, waiting="resign", resigned=resigned, asked_on_roll=board.turn == 1
            )
        return found

    def _rules_for(self, board: FibsBoard) -> Rules:
        """Return the rules of a board: those given, or by its number of checkers."""
        checkers = int(board.board[0].sum())
        given = self.rules
        if given is not None:
            if checkers != given.checkers:
                raise NotationError(f"{checkers} checkers a side: expected {given.checkers}")
            return given
        if checkers == 15:
            return MONEY
        if checkers > 3:
            raise NotationError(f"{checkers} checkers a side: expected 15, or 3 for Hypergammon")
        points = tuple((24 - place, 1) for place in range(checkers))
        return replace(HYPERGAMMON, checkers=checkers, start=points, beavers=True)

    def _decision(self, words: list[str], seat: Seat) -> str:
        """Answer a board line."""
        if not words:
            raise NotationError("expected a board line after fibsboard")
        situation = self._situation(words)
        action = self.engine.decide(situation)
        if action.name == "resign" and not seat.may_resign(words[0], situation):
            action = self.engine.go_on(situation)
        return reply_of(action)

    def _evaluation(self, words: list[str]) -> str:
        """Evaluate a position: six numbers, as GNU Backgammon writes them."""
        if len(words) < 2 or words[0] != "fibsboard":
            raise NotationError("expected: evaluation fibsboard board:... [plies n] [cubeful]")
        cubeful, plies, rest = True, self.engine.plies, iter(words[2:])
        for word in rest:
            if word in ("cubeful", "cubeless"):
                cubeful = word == "cubeful"
            elif word == "plies":
                text = next(rest, "")
                plies = int(text) if text in ("0", "1", "2") else -1
                if plies < 0:
                    raise NotationError(f"plies {shown(text)}: expected 0 to 2")
            elif word not in ("prune", "deterministic"):
                raise NotationError(f"{shown(word)}: expected plies, cubeful or cubeless")
        board = read_board(words[1])
        situation = situation_of(board, self._rules_for(board))
        outcomes = self.engine.outcomes(situation.board, situation.rules, plies)
        if outcomes is None:
            raise NotationError("the engine's evaluator gives no probabilities")
        win, gammon, backgammon, lose_gammon, lose_backgammon, draw = outcomes
        equity = 2 * win - 1 + draw + gammon + backgammon - lose_gammon - lose_backgammon
        if cubeful and situation.rules.cube:
            equity = cube_equities(outcomes, situation.setting).no_double[0]
        six = (win, gammon, backgammon, lose_gammon, lose_backgammon, equity)
        return " ".join(f"{value:.6f}" for value in six)


def reply_of(action: Action) -> str:
    """Return an action as GNU Backgammon reads it."""
    if action.name == "play":
        assert action.play is not None
        return move_text(action.play)
    if action.name == "resign":
        return f"resign {action.points}"
    return action.name


def _unknown(line: str) -> str:
    raise NotationError(f"{shown(line)}: expected a board line, evaluation, version, help or exit")
