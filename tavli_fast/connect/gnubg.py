"""A real GNU Backgammon as opponent and analyst: a process that listens, asked by board lines.

Source: GNU Backgammon's manual, "External players", as observed on version 1.07.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import weakref
from time import monotonic, sleep
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import BoardLike, Int8Array, board_batch, shown, whole_number
from tavli_fast.boards.positions import flip, outcomes
from tavli_fast.connect.fibs_board import FibsBoard, write_board
from tavli_fast.connect.situation import Situation
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.evaluation.evaluate import Evaluation
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.rules.fields import ENGINE_FIELDS
from tavli_fast.rules.presets import BACKGAMMON, Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["Gnubg", "GnubgEvaluator", "board_line", "require_playable"]

_SECONDS: Final = 60.0
"""The longest that an answer may take."""
_START: Final = 20.0
"""The longest that the program may take to listen."""
_PLACES: Final = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")
_NAMES: Final = ("tavli_fast", "opponent")


def board_line(s: Situation, *, asked_on_roll: bool = True) -> str:
    """Return the line that asks GNU Backgammon for a decision, or for an evaluation.

    The side that is asked is player 1, whose checkers are positive; its score comes second if it is
    on roll, else first. Both values 51 and 52 are 0 in the Crawford game only.

    Args:
        s: the situation.
        asked_on_roll: whether the side on roll is asked, or its opponent.
    """
    score, owner = s.score, s.owner
    away = s.away
    post = away is not None and min(away) == 1 and not s.crawford
    line = write_board(
        FibsBoard(
            you=_NAMES[0],
            opponent=_NAMES[1],
            length=s.length,
            score=(score[1], score[0]),
            board=s.board if asked_on_roll else flip(s.board),
            turn=1 if asked_on_roll else -1,
            your_dice=s.dice if asked_on_roll else None,
            opponents_dice=None if asked_on_roll else s.dice,
            cube=s.cube,
            may_double=(owner >= 0, owner <= 0) if asked_on_roll else (owner <= 0, owner >= 0),
            was_doubled=int(s.waiting in ("double", "beaver")),
            colour=1,
            direction=-1,
            flags=(int(post), int(not s.crawford and not post)),
        ),
        checkers=s.rules.checkers,
    )
    values = line.split(":")
    values[3] = str(s.length)  # 0 for money, where FIBS writes 9999
    return ":".join(values)


class Gnubg:
    """A GNU Backgammon that plays, handles the cube and evaluates; in a process of its own.

    It is a `Policy` with a cube, so it can play in `arena`, `Session.play_out` and
    ``tavli-fast match net gnubg``. The process starts when it is first asked, and ends with
    `close`, with the ``with`` block, or with the object. A copy in another process (pickled by an
    executor) starts one of its own.

    Args:
        plies: how many plies GNU Backgammon looks ahead, for plays and cube decisions, 0 to 3.
        program: the program; None for ``gnubg`` where it is installed.

    Raises:
        ValueError: an argument is invalid, or the program is not there.

    Examples:
        >>> import tavli_fast as tf
        >>> with tf.connect.Gnubg(plies=0) as gnubg:  # doctest: +SKIP
        ...     session = tf.Session("backgammon", target=7, seed=1)
        ...     session.play_out("net", gnubg)
        (7, 4)
    """

    name = "gnubg"

    def __init__(self, plies: int = 0, program: str | None = None) -> None:
        """Look for the program."""
        self.plies = whole_number(plies, "plies", 0, 3)
        self.program = _found(program)
        self._lock = threading.RLock()
        self._process: _Process | None = None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the process out: a copy starts its own."""
        return {"plies": self.plies, "program": self.program}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the arguments of another one."""
        self.__init__(**state)  # type: ignore[misc]

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            if self._process is not None:
                self._process.close()
                self._process = None

    def ask(self, line: str) -> str:
        """Send a line, and return the answer.

        Raises:
            ConnectionError: GNU Backgammon has ended, or does not answer.
            ValueError: it refuses the line.
        """
        with self._lock:
            if self._process is None:
                self._process = _Process(self.program, self.plies)
            try:
                found = self._process.ask(line)
            except OSError as error:
                self.close()
                raise ConnectionError(f"GNU Backgammon does not answer: {error}") from error
        if found.startswith("Error"):
            raise ValueError(f"GNU Backgammon says {shown(found)} to {shown(line)}")
        return found

    def __call__(
        self, board: Int8Array, dice: tuple[int, int], afterstates: Int8Array, rules: Rules, /
    ) -> int:
        """Return the index of the play that GNU Backgammon chooses; see `Policy`."""
        if len(afterstates) == 1:
            return 0
        answer = self.ask(board_line(Situation(board, require_playable(rules), dice)))
        plays = LegalPlays(board, dice, rules)
        after = plays[answer].board
        return int((afterstates == after).all(axis=(1, 2)).argmax())

    def double(self, question: CubeQuestion, /) -> bool:
        """Return whether it doubles; see `CubePolicy`."""
        return self.ask(_question_line(question, "roll", asked_on_roll=True)) == "double"

    def answer(self, question: CubeQuestion, /) -> str:
        """Return its answer to a double; see `CubePolicy`. It takes every beaver of its double."""
        if question.beavered:
            return "take"
        answer = self.ask(_question_line(question, "double", asked_on_roll=False))
        return "take" if answer == "beaver" and not question.may_beaver else answer

    def evaluate(
        self,
        boards: BoardLike,
        rules: RulesLike | None = None,
        plies: int | None = None,
        *,
        cubeful: bool = False,
    ) -> Evaluation:
        """Return what boards are worth to the player on roll, for money, as GNU Backgammon says.

        Args:
            boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``; games that are not over.
            rules: the rules; None for backgammon.
            plies: how many plies to look ahead, 0 to 3; None for those of the object.
            cubeful: whether the equity is that with a centred cube.

        Returns:
            ``Evaluation(outcomes float64[N, 6], equity float64[N])``.

        Raises:
            BoardError: a board is not a possible position.
            ValueError: a game is over, or GNU Backgammon does not play these rules.
            ConnectionError: GNU Backgammon has ended, or does not answer.
        """
        checked = require_playable(BACKGAMMON if rules is None else resolve_rules(rules))
        depth = self.plies if plies is None else whole_number(plies, "plies", 0, 3)
        batch = board_batch(boards, checked)
        over, _ = outcomes(batch, checked)
        if over.any():
            raise ValueError(f"boards[{int(over.argmax())}] is over: expected games that go on")
        found = np.zeros((len(batch), 6))
        equity = np.zeros(len(batch))
        how = f"plies {depth} {'cubeful' if cubeful else 'cubeless'}"
        for place, board in enumerate(batch):
            line = board_line(Situation(board, checked))
            numbers = self.ask(f"evaluation fibsboard {line} {how}").split()
            found[place, :5], equity[place] = [*map(float, numbers[:5])], float(numbers[5])
        return Evaluation(found, equity)

    @property
    def evaluator(self) -> GnubgEvaluator:
        """It as an evaluator: a callable from afterstates to outcome probabilities."""
        return GnubgEvaluator(self)

    def __repr__(self) -> str:
        """Return the call that makes another one."""
        return f"Gnubg(plies={self.plies})"


class GnubgEvaluator:
    """GNU Backgammon's evaluation of afterstates; works in `evaluate`, `rollout` and `arena`.

    Args:
        gnubg: who is asked.
    """

    name = "gnubg"

    def __init__(self, gnubg: Gnubg) -> None:
        """Keep who is asked."""
        self.gnubg = gnubg
        self.rules = BACKGAMMON

    def __call__(self, afterstates: Int8Array) -> npt.NDArray[np.float64]:
        """Return the outcomes ``[M, 6]`` of the player who has just moved.

        Args:
            afterstates: ``int8[M, 2, 26]``.
        """
        theirs = self.gnubg.evaluate(flip(afterstates)).outcomes
        win, gammon, backgammon, lose_gammon, lose_backgammon, draw = theirs.T
        mine = [1 - win - draw, lose_gammon, lose_backgammon, gammon, backgammon, draw]
        return np.stack(mine, axis=1).clip(0, 1)


class _Process:
    """The process of a GNU Backgammon that listens, and the connection to it."""

    def __init__(self, program: str, plies: int) -> None:
        """Start it and connect.

        Raises:
            OSError: it does not listen.
        """
        folder = tempfile.TemporaryDirectory(prefix="tavli-fast-gnubg-", ignore_cleanup_errors=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = subprocess.Popen(
            [program, "-t", "-q", "-r"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder.name,
            env={**os.environ, "HOME": folder.name},
            start_new_session=True,  # Ctrl-C is for us
        )
        opened: list[Any] = []
        self.close = weakref.finalize(self, _end, process, folder, opened)
        assert process.stdin is not None
        commands = [
            f"set evaluation chequerplay evaluation plies {plies}",
            f"set evaluation cubedecision evaluation plies {plies}",
            f"external 127.0.0.1:{port}",
        ]
        process.stdin.write("".join(f"{line}\n" for line in commands).encode())
        process.stdin.flush()
        ends = monotonic() + _START
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), _SECONDS)
                break
            except OSError:
                if process.poll() is not None or monotonic() > ends:
                    self.close()
                    raise
                sleep(0.02)
        self._stream = self._socket.makefile("rb")
        opened += [self._stream, self._socket]

    def ask(self, line: str) -> str:
        """Send a line, and return the answer.

        Raises:
            OSError: there is none.
        """
        self._socket.sendall(line.encode() + b"\n")
        found = self._stream.readline(4096)
        if not found.endswith(b"\n"):
            raise ConnectionResetError("the connection has ended")
        return found.decode("utf-8", "replace").strip("\0 \r\n")


def _end(
    process: subprocess.Popen[bytes], folder: tempfile.TemporaryDirectory[str], opened: list[Any]
) -> None:
    """End a process, close the connection to it, and remove its folder."""
    for each in opened:
        each.close()
    process.kill()
    if process.stdin is not None:
        process.stdin.close()
    process.wait()
    folder.cleanup()


def _found(program: str | None) -> str:
    """Return the path of the program.

    Raises:
        ValueError: it is not there.
    """
    path = os.pathsep.join([os.environ.get("PATH", ""), *_PLACES])
    found = shutil.which(program or "gnubg", path=path)
    if found is None:
        raise ValueError(
            f"program={shown(program)}: expected GNU Backgammon's command-line program, gnubg; "
            "on Debian it is in the package gnubg"
        )
    return found


def require_playable(rules: Rules) -> Rules:
    """Return the rules, if GNU Backgammon's moves are theirs.

    Raises:
        ValueError: they are others.
    """
    moves = set(ENGINE_FIELDS) - {"start", "single_points", "gammon_points", "backgammon_points"}
    if any(getattr(rules, name) != getattr(BACKGAMMON, name) for name in moves):
        raise ValueError(
            f"rules={rules_name(rules)}: GNU Backgammon plays backgammon, nackgammon and rules "
            "with the same moves"
        )
    return rules


def _question_line(question: CubeQuestion, waiting: Any, *, asked_on_roll: bool) -> str:
    """Return the line that asks about the cube."""
    away = question.away
    length = 0 if away is None else max(away)
    jacoby = question.jacoby and away is None
    line = board_line(
        Situation(
            question.board,
            require_playable(question.rules),
            cube=question.stake,
            owner=question.owner,
            score=(0, 0) if away is None else (length - away[0], length - away[1]),
            length=length,
            crawford=question.crawford,
            waiting=waiting,
        ),
        asked_on_roll=asked_on_roll,
    )
    return f"{line} jacobyrule {'on' if jacoby else 'off'}"
