"""The arrays of N games, and the threads that share the work on them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, four_words, new_array, require_room
from tavli_fast.boards.positions import start
from tavli_fast.rules.presets import Rules

_FEW: Final = 64
"""Games that are worth a thread."""

Int64Array = npt.NDArray[np.int64]


class Engine:
    """N games: their arrays, their afterstates once they are listed, and the end of a turn.

    A part of the games belongs to each thread, which lists their plays in memory of its own; where
    there are several, the lists are then copied into one. What is listed does not depend on it.
    """

    def __init__(self, n: int, rules: Rules, threads: int, restart: bool, max_plies: int) -> None:
        """Take the memory; `seed` and `restart` begin the games."""
        self.n = n
        self.rules = rules
        parts = max(1, min(threads, n // _FEW))
        self.parts = [(n * part // parts, n * (part + 1) // parts) for part in range(parts)]
        self.boards = new_array((n, 2, 26), np.int8, f"n={n} games")
        self.dice = np.zeros((n, 2), np.int8)
        self.players = np.zeros(n, np.int8)
        self.plies = np.zeros(n, np.int32)
        self.episodes = np.zeros(n, np.int64)
        self.over = np.zeros(n, np.uint8)
        self.games = _core.vector_game.Games(
            rules,
            start(rules),
            max_plies,
            rules.opening != "fresh_roll",
            restart,
            self.boards,
            self.dice,
            self.players,
            self.plies,
            self.episodes,
            self.over,
            np.zeros(n, np.uint8),
        )
        self.offsets: Int64Array = np.zeros(n + 1, np.int64)
        self.rolled = False
        self.listings = [_core.vector_game.Listing() for _ in self.parts]
        self._listed: Int8Array | None = None
        self._joined = np.empty((0, 2, 26), np.int8)
        self._pool: ThreadPoolExecutor | None = None

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays of the games, the same memory."""
        return {
            "boards": self.boards,
            "dice": self.dice,
            "players": self.players,
            "plies": self.plies,
            "episodes": self.episodes,
            "over": self.over,
        }

    @property
    def nbytes(self) -> int:
        """The bytes of the games and of the afterstates."""
        arrays = [*self.arrays.values(), self.offsets, self._joined]
        listed = sum(listing.nbytes for listing in self.listings)
        return self.n + sum(array.nbytes for array in arrays) + listed

    def seed(self, seed: int) -> None:
        """Set the key of all random numbers."""
        words = four_words(seed, ())
        self.games.seed(int(words[0]), int(words[1]))

    def begin(self) -> None:
        """Begin all games anew."""
        self.episodes[:] = 0
        self.games.restart(np.ones(self.n, np.uint8), 0)
        self.rolled, self._listed = False, None

    def roll(self, taking: npt.NDArray[np.uint8]) -> None:
        """Roll the dice of the games that take part."""
        self.share(lambda first, end, _: self.games.roll(first, end, taking))
        self.rolled, self._listed = True, None

    def afterstates(self) -> Int8Array:
        """Return the afterstates, listed once for each roll; `offsets` says whose they are.

        Raises:
            ValueError: there are no dice.
        """
        if not self.rolled:
            raise ValueError("there are no dice: expected roll() first")
        if self._listed is not None:
            return self._listed
        sums = [np.empty(end - first + 1, np.int64) for first, end in self.parts]
        found: list[Int8Array] = [self._joined] * len(self.parts)

        def work(first: int, end: int, part: int) -> None:
            found[part] = self.listings[part].list(self.games, first, end, sums[part])

        self.share(work)
        if len(found) == 1:
            self.offsets, self._listed = sums[0], found[0]
            return found[0]
        bases = np.cumsum([0, *map(len, found)])
        if bases[-1] > len(self._joined):
            rows = int(bases[-1] + bases[-1] // 8)
            require_room((rows, 2, 26), 1, "the afterstates")
            self._joined = np.empty((rows, 2, 26), np.int8)
        joined, offsets = self._joined, np.zeros(self.n + 1, np.int64)

        def join(first: int, end: int, part: int) -> None:
            offsets[first + 1 : end + 1] = sums[part][1:] + bases[part]
            joined[bases[part] : bases[part + 1]] = found[part]

        self.share(join)
        self.offsets, self._listed = offsets, joined[: bases[-1]]
        return self._listed

    def finish(
        self, moved: Int8Array
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """End the turns that led to these boards; return rewards, which games ended, which were
        cut."""
        rewards = np.empty(self.n, np.float32)
        done, truncated = np.empty(self.n, np.uint8), np.empty(self.n, np.uint8)

        def work(first: int, end: int, _: int) -> None:
            self.games.finish(first, end, moved, rewards, done, truncated)

        self.share(work)
        self.rolled, self._listed = False, None
        return rewards, done.view(np.bool_), truncated.view(np.bool_)

    def share(self, work: Callable[[int, int, int], None]) -> None:
        """Call `work` with the first game of each part, the one behind its last, and its number."""
        if len(self.parts) == 1:
            work(0, self.n, 0)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(self.parts), "tavli_fast")
        tasks = [
            self._pool.submit(work, first, end, part)
            for part, (first, end) in enumerate(self.parts)
        ]
        for task in tasks:
            task.result()
