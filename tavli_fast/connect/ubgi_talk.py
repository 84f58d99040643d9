"""A conversation with a UBGI engine: how it is reached, and what its answers must look like."""

from __future__ import annotations

import queue
import re
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Final, Protocol

from tavli_fast._common.arguments import shown
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.position_id import from_position_id

__all__ = ["ProcessTransport", "Talk", "Transport", "WrongError"]

_STEP: Final = re.compile(r"(bar|[1-9]|1[0-9]|2[0-4])/(off|[1-9]|1[0-9]|2[0-4])")


class WrongError(Exception):
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


class Talk:
    """A conversation with an engine, in the sentences that the checks need."""

    def __init__(self, transport: Transport, patience: float) -> None:
        """Keep the way to it, and how long an answer may take."""
        self.transport, self.patience = transport, patience

    def send(self, line: str | bytes) -> None:
        """Send one line."""
        data = line.encode() if isinstance(line, str) else line
        try:
            self.transport.write(data + b"\n")
        except OSError:
            raise WrongError("the engine has ended") from None

    def line(self) -> str:
        """Return the next line that is no ``info``; it must come without further input."""
        ends = monotonic() + self.patience
        while True:
            try:
                line = self.transport.read_line(max(ends - monotonic(), 0.001))
            except queue.Empty:
                raise WrongError(
                    f"no answer in {self.patience:g} s: is every line flushed?"
                ) from None
            if line is None:
                raise WrongError("the engine has ended")
            if line and line != "info" and not line.startswith("info "):
                return line

    def until(self, last: str) -> list[str]:
        """Return the lines before one."""
        found: list[str] = []
        while (line := self.line()) != last:
            found.append(line)
            if len(found) > 1000:
                raise WrongError(f"1,000 lines without {last}")
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
            raise WrongError(f"{shown(lines[-1])}: expected 'error {code}', found {shown(found)}")
        given = found[0].split()[1] if len(found[0].split()) > 1 else ""
        if given not in allowed:
            raise WrongError(
                f"{shown(lines[-1])}: expected 'error {code}', found {shown(found[0])}"
            )

    def quiet(self, *lines: str) -> None:
        """Send lines that nothing may answer."""
        if found := self.answers(*lines):
            raise WrongError(f"{shown(lines[-1])}: expected no answer, found {shown(found)}")

    def move(self, id_: str, dice: tuple[int, int]) -> str:
        """Return the payload of ``go chequer``, the only line that may answer it."""
        self.quiet(f"position gnubgid {id_}", f"dice {dice[0]} {dice[1]}")
        self.send("go chequer")
        first = self.line()
        self.send("isready")
        found = [first, *self.until("readyok")]
        if len(found) != 1 or not found[0].startswith("bestmove "):
            raise WrongError(f"go chequer: expected one bestmove, found {shown(found)}")
        return found[0].removeprefix("bestmove ").strip()

    def legal_move(self, id_: str, dice: tuple[int, int]) -> str:
        """Return a move that is written as it should be and legal, by the resulting position."""
        payload = self.move(id_, dice)
        board = from_position_id(id_, "backgammon")
        plays = LegalPlays(board, dice, "backgammon")
        where = f"{id_} with {dice[0]}-{dice[1]}"
        if not len(plays):
            if payload != "pass":
                raise WrongError(f"{where}: expected 'bestmove pass', found {shown(payload)}")
            return payload
        for step in payload.split():
            if not _STEP.fullmatch(step):
                raise WrongError(
                    f"{where}: {shown(step)}: expected single moves such as 24/18, bar/20, 6/off"
                )
        if payload not in plays or len(payload.split()) != len(plays[payload].moves):
            raise WrongError(f"{where}: {shown(payload)} is no legal play")
        return payload
