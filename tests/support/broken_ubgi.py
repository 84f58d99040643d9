"""A UBGI engine with one planted fault: what `ubgi-check` has to find.

    python broken_ubgi.py FAULT

It wraps the real engine; each fault is one change of its commands or of its answers.
"""

from __future__ import annotations

import io
import queue
import sys
import threading
from collections.abc import Callable, Iterable

from tavli_fast.connect.ubgi import UbgiEngine, lines_of

Change = Callable[[str, str], list[str]]
"""From a command and one of its answers to the answers that are sent instead."""


def words_of(answer: str) -> list[str]:
    return answer.removeprefix("bestmove ").split()


def swapped(old: str, new: str) -> Change:
    return lambda _command, answer: [answer.replace(old, new)]


def joined(_command: str, answer: str) -> list[str]:
    """Write the moves of one checker as a chain."""
    if not answer.startswith("bestmove "):
        return [answer]
    chains: list[list[str]] = []
    for step in words_of(answer):
        source, target = step.split("/")
        if chains and chains[-1][-1] == source:
            chains[-1].append(target)
        else:
            chains.append([source, target])
    return ["bestmove " + " ".join("/".join(chain) for chain in chains)]


def one_die(_command: str, answer: str) -> list[str]:
    """Leave the last move of a play out."""
    words = words_of(answer) if answer.startswith("bestmove ") else []
    return ["bestmove " + " ".join(words[:-1])] if len(words) > 1 else [answer]


def mirrored(_command: str, answer: str) -> list[str]:
    """Number the points from the other side."""
    if not answer.startswith("bestmove ") or answer.endswith("pass"):
        return [answer]

    def other(point: str) -> str:
        return point if point in ("bar", "off") else str(25 - int(point))

    return ["bestmove " + " ".join("/".join(map(other, s.split("/"))) for s in words_of(answer))]


ANSWERS: dict[str, Change] = {
    "wrong proto": swapped("proto 0.2", "proto 0.1"),
    "no ubgiok": lambda _command, answer: [] if answer == "ubgiok" else [answer],
    "bar as 25": swapped("bar/", "25/"),
    "off as 0": swapped("/off", "/0"),
    "empty for pass": swapped("bestmove pass", "bestmove"),
    "moves joined": joined,
    "one die too few": one_die,
    "points mirrored": mirrored,
    "an error code of its own": swapped("error bad_state", "error no_position"),
    "every answer twice": lambda _command, answer: [answer] * (1 + answer.startswith("best")),
    "silent about unknown commands": (
        lambda _command, answer: [] if answer.startswith("error bad_command") else [answer]
    ),
    "keys without a type": swapped(" int ", " "),
    "talks all the time": lambda _command, answer: [answer, "thinking"],
}
COMMANDS = {
    "dies of an unknown command",
    "keeps the position for a new game",
    "keeps the dice for a new position",
    "forgets what is set",
    "takes any dice",
    "does not end",
    "ends with an error",
    "writes late",
    "the other player's ID",
}
FAULTS = [*ANSWERS, *sorted(COMMANDS)]


def serve(fault: str, lines: Iterable[str], write: Callable[[str], object]) -> int:
    """Do commands with one fault, and return the exit status."""
    change = ANSWERS.get(fault, lambda _command, answer: [answer])
    command = ""

    def send(answer: str) -> None:
        if fault != "writes late":
            for line in change(command, answer):
                write(line)

    engine = UbgiEngine("net", send)
    for command in lines:
        verb, *rest = command.split() or [""]
        if fault == "dies of an unknown command" and not hasattr(engine, f"_do_{verb}"):
            return 1
        if fault == "keeps the position for a new game" and verb == "newgame":
            continue
        if fault == "forgets what is set" and verb == "set" and rest[:1] == ["engine.ply"]:
            continue
        if fault == "takes any dice" and verb == "dice" and len(rest) == 2:
            command = "dice " + " ".join("6" if each == "7" else each for each in rest)
        if fault == "does not end" and verb == "quit":
            continue
        if fault == "ends with an error" and verb == "quit":
            return 3
        before = engine._situation
        engine.command(command)
        after = engine._situation
        keeps = fault == "keeps the dice for a new position" and verb == "position"
        if keeps and after is not None and before is not None and before.dice is not None:
            engine.command(f"dice {before.dice[0]} {before.dice[1]}")
        if fault == "the other player's ID" and verb == "position" and after is not None:
            engine._situation = type(after)(after.turned(), after.rules)
        if engine.over:
            return 0
    return 0


class ThreadTransport:
    """A broken engine in a thread, which starts faster than a process."""

    def __init__(self, fault: str) -> None:
        self._input: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._output: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._code: int | None = None

        def run() -> None:
            self._code = serve(fault, iter(self._input.get, None), self._output.put)
            self._output.put(None)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        if not self._thread.is_alive():
            raise BrokenPipeError
        for line in lines_of(io.BytesIO(data)):
            self._input.put(line)

    def read_line(self, timeout: float) -> str | None:
        found = self._output.get(timeout=timeout)
        return None if found is None else found.strip()

    def wait(self, timeout: float) -> int | None:
        self._thread.join(timeout)
        return self._code

    def close(self) -> None:
        self._input.put(None)
        self._thread.join(30)


if __name__ == "__main__":
    sys.exit(serve(sys.argv[1], lines_of(sys.stdin.buffer), lambda line: print(line, flush=True)))
