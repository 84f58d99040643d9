"""The turns of some of the games of a `VectorGame`, and the records and .mat texts made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array, whole_number
from tavli_fast.boards.plays import plays
from tavli_fast.boards.positions import start
from tavli_fast.play.mat.writer import written
from tavli_fast.play.records import GameRecord, Turn
from tavli_fast.rules.presets import Rules

DTYPES: Final[Mapping[str, Any]] = {
    "dice": np.int8,
    "players": np.int8,
    "boards": np.int8,
    "points": np.int8,
    "ended": np.uint8,
}
"""What is kept of each step; `ended` is 1 for a game that has ended, 2 for one that was cut."""

SHAPES: Final = {"dice": (2,), "players": (), "boards": (2, 26), "points": (), "ended": ()}
"""Of each game."""


class GameLog:
    """What the first `places` games have played since the last reset, step by step."""

    def __init__(self, rules: Rules, places: int) -> None:
        """Begin without steps."""
        # There is no cube, and so no rule about it (Jacoby's) that could change what a game counts.
        self.rules = replace(rules, cube=False)
        self.places = places
        self._steps: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in DTYPES}

    def clear(self) -> None:
        """Forget all steps."""
        for kept in self._steps.values():
            kept.clear()

    def add(
        self, dice: Int8Array, players: Int8Array, boards: Int8Array, points: Any, ended: Any
    ) -> None:
        """Keep a step of the first games."""
        for name, array in zip(DTYPES, (dice, players, boards, points, ended), strict=True):
            self._steps[name].append(np.array(array[: self.places], DTYPES[name]))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the steps as one array for each of `DTYPES`, ``[steps, places, …]``."""
        return {
            name: np.array(kept, DTYPES[name]).reshape(len(kept), self.places, *SHAPES[name])
            for name, kept in self._steps.items()
        }

    def set_arrays(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take the steps that `arrays` has returned."""
        self._steps = {name: list(arrays[name]) for name in DTYPES}

    def records(self, place: int) -> list[GameRecord]:
        """Return the games at a place, the last one as far as it has come.

        Raises:
            ValueError: there is no log of that place.
        """
        if not self.places:
            raise ValueError("no game is logged: expected VectorGame(…, log=1) or more")
        whole_number(place, "place", 0, self.places - 1)
        steps = [
            step
            for step in zip(
                *([each[place] for each in kept] for kept in self._steps.values()), strict=True
            )
            if step[0][0]
        ]
        found: list[GameRecord] = []
        if not steps:
            return found
        moves = self._moves_of(steps)
        record = None
        for (dice, player, _, points, ended), made in zip(steps, moves, strict=True):
            roll = int(dice[0]), int(dice[1])
            if record is None:
                contest: tuple[tuple[int, int], ...] = ()
                if self.rules.opening != "fresh_roll":
                    contest = (roll if player == 0 else roll[::-1],)
                record = GameRecord(self.rules, contest, int(player))
                found.append(record)
            record.turns.append(Turn(int(player), roll, made))
            if ended == 1:
                winner = int(player) if points > 0 else 1 - int(player)
                record.winner = winner if points else None
                record.points = abs(int(points))
            if ended:
                record = None
        return found

    def mat(self, place: int, players: tuple[str, str]) -> str:
        """Return the games at a place as a .mat text, without those that were cut."""
        records = self.records(place)
        last = records[-1] if records else None
        return written(
            _Series(
                self.rules,
                tuple(one for one in records if one.points is not None or one is last),
            ),
            players,
            {},
        )

    def _moves_of(self, steps: list[Any]) -> list[tuple[tuple[int, int], ...]]:
        """Return the moves of each step of a place, found by the boards that they lead to."""
        boards = np.array([step[2] for step in steps])
        before = np.empty_like(boards)
        before[0] = start(self.rules)
        before[1:] = boards[:-1, ::-1]
        before[1:][[step[4] != 0 for step in steps[:-1]]] = start(self.rules)
        listed = plays(before, np.array([step[0] for step in steps]), self.rules)
        owner = np.repeat(np.arange(len(steps)), np.diff(listed.offsets))
        same = (listed.boards == boards[owner]).all(axis=(1, 2))
        found: list[tuple[tuple[int, int], ...]] = [()] * len(steps)
        for row in np.flatnonzero(same):
            pairs = listed.moves[row].tolist()
            found[owner[row]] = tuple((source, to) for source, to in pairs if source >= 0)
        return found


class _Series:
    """Games without a target, as the writer of .mat texts takes them."""

    def __init__(self, rules: Rules, history: tuple[GameRecord, ...]) -> None:
        """Keep the games."""
        self.games: tuple[Rules, ...] = (rules,)
        self.target: int | None = None
        self.history = history
        self.game: Any = _Game()

    @property
    def score(self) -> tuple[int, int]:
        """The points of both players."""
        points = [0, 0]
        for record in self.history:
            if record.winner is not None:
                points[record.winner] += record.points or 0
        return points[0], points[1]


class _Game:
    """The game under way: no dice are on the table."""

    dice = None
