"""N games at once in arrays: what the other environments stand on, and needs only NumPy."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    MAX_PLIES,
    Int8Array,
    flag,
    integers,
    seed_entropy,
    shown,
    whole_number,
    workers,
)
from tavli_fast._common.results import Afterstates
from tavli_fast.envs import states
from tavli_fast.envs.arrays import GameArrays, read_only
from tavli_fast.envs.candidates import features, padded
from tavli_fast.envs.choosing import boards_of_net, choices_of
from tavli_fast.envs.engine import Engine, Int64Array
from tavli_fast.envs.game_log import GameLog
from tavli_fast.envs.steps import Padded, Steps
from tavli_fast.evaluation.evaluator import PolicyLike, player
from tavli_fast.nets.features import CELLS, UNITS, cell_scales, encoding, width
from tavli_fast.play.records import GameRecord
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["VectorGame"]


class VectorGame(GameArrays):
    """N games of one kind at once, step by step, in arrays.

    A step is one turn in every game: `roll`, look at the `afterstates` (or `padded`, `features`),
    and `step` with the index of one of them for each game. A game that has ended begins again at
    once. The player who starts is drawn, and where the rules say so (``opening`` other than
    ``"fresh_roll"``) the first roll is that of the contest, never a double; nobody throws it anew.
    There is no cube.

    The same seed gives the same games, whatever the number of threads: the dice are a function of
    the seed, the place of the game, the number of games played there and the ply.

    Args:
        n: the number of games, 1 to 2**24.
        rules: a `Rules` or the name of a preset; None for Portes.
        seed: an integer from 0 to 2**128 - 1; None for a new one.
        threads: how many threads share the work; None for all processors.
        restart: whether a game that has ended begins again; if not it takes no part any more.
        max_plies: the plies after which a game is cut.
        log: of how many games, the first ones, each turn is kept for `records` and `mat`.

    Raises:
        ResultTooLargeError: the games do not fit in this machine's memory.
        ValueError: an argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> games = tf.envs.VectorGame(1000, rules="plakoto", seed=1)
        >>> dice = games.roll()
        >>> boards, offsets = games.afterstates()
        >>> steps = games.step(games.draw())
        >>> steps.rewards.shape, bool(steps.done.any())
        ((1000,), False)
    """

    rules: Rules
    """The rules."""
    n: int
    """The number of games."""
    seed: int
    """The seed of the games since the last `reset`."""

    def __init__(
        self,
        n: int,
        rules: RulesLike | None = None,
        seed: int | None = None,
        *,
        threads: int | None = 1,
        restart: bool = True,
        max_plies: int = MAX_PLIES,
        log: int = 0,
    ) -> None:
        """Begin N games."""
        self.rules = resolve_rules(rules)
        self.n = n = whole_number(n, "n", 1, states.MOST_GAMES)
        self.restart = flag(restart, "restart")
        self.max_plies = whole_number(max_plies, "max_plies", 1, states.MOST_PLIES)
        pool_size = workers(threads)
        self._log = GameLog(self.rules, whole_number(log, "log", 0, n))
        self._engine = Engine(n, self.rules, pool_size, self.restart, self.max_plies)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begin all games anew.

        Args:
            seed: as in the constructor; None draws a new one.

        Raises:
            ValueError: `seed` is not such an integer.
        """
        self.seed = seed_entropy(seed)
        self._engine.seed(self.seed)
        self._engine.begin()
        self._log.clear()

    def roll(self, where: npt.ArrayLike | None = None) -> Int8Array:
        """Roll the dice of each game.

        Args:
            where: ``bool[N]``, the games that take part in this step; None for all. A game that is
                over takes no part.

        Returns:
            `dice`, ``int8[N, 2]``, read-only; 0 in games that take no part.

        Raises:
            ValueError: the last roll has not been played, or `where` is not such an array.
        """
        if self._engine.rolled:
            raise ValueError("the dice have been rolled: expected step() before the next roll()")
        self._engine.roll(self._where(where))
        return self.dice

    def afterstates(self) -> Afterstates:
        """List the distinct positions after each legal play, as `tf.afterstates` does.

        Returns:
            ``Afterstates(boards int8[M, 2, 26], offsets int64[N + 1])``, read-only and valid until
            the next `roll`, which uses their memory again: copy what is to be kept. A game that
            cannot move has none, and one that takes no part neither.

        Raises:
            ValueError: there are no dice: `roll` comes first.
        """
        boards = self._engine.afterstates()
        return Afterstates(read_only(boards), read_only(self._engine.offsets))

    def padded(self, width: int, *, clip: bool = False) -> Padded:
        """List the afterstates with the same room for each game: static shapes.

        Args:
            width: the room. `max_afterstates` has the most plays that a roll can have; 64 are
                enough for 97 of 100 rolls of backgammon.
            clip: whether of more plays only the first `width` are listed.

        Returns:
            ``Padded(boards int8[N, width, 2, 26], mask bool[N, width], counts int32[N])``.

        Raises:
            ResultTooLargeError: that does not fit in this machine's memory.
            ValueError: a game has more plays, and `clip` is False; or an argument is invalid.
        """
        return padded(self._engine, width, clip)

    def features(
        self,
        out: Any = None,
        *,
        width: int | None = None,
        clip: bool = False,
        games: slice | None = None,
        dtype: npt.DTypeLike = np.float32,
    ) -> npt.NDArray[Any]:
        """Write what a net sees of each afterstate (`tf.features`) to a buffer.

        Args:
            out: where to: a NumPy array or anything with DLPack whose memory the processor can
                write, such as a PyTorch tensor in pinned memory, float32 or uint8, C-contiguous, of
                the result's shape or with more rows; None for a new array.
            width: None for a row for each afterstate, ``[M, F]``; or the room for each game,
                ``[N, width, F]``, filled up with 0.
            clip: as in `padded`.
            games: a slice of the games, where there is not room enough for all; None for all.
            dtype: that of a new array, float32 or uint8. Bytes hold the checkers above the third of
                a point as whole numbers: times `feature_scales` they are the float features.

        Returns:
            The buffer as an array, the rows that are in use.

        Raises:
            ResultTooLargeError: a new array would not fit in this machine's memory.
            ValueError: there are no dice, or an argument is invalid.
        """
        return features(self._engine, out, width, clip, games, dtype)

    @property
    def feature_scales(self) -> npt.NDArray[np.float32]:
        """``float32[F]``: what the uint8 `features` are to be multiplied by."""
        scales = np.ones(width(encoding(self.rules)), np.float32)
        scales[UNITS - 1 : CELLS * UNITS : UNITS] = cell_scales()
        return scales

    def draw(self) -> Int64Array:
        """Choose a play of each game uniformly, by random numbers of the game's own.

        Returns:
            ``int64[N]`` for `step`; -1 where no move can be made. Calling it twice in a step gives
            the same.

        Raises:
            ValueError: there are no dice.
        """
        self._engine.afterstates()
        choices = np.empty(self.n, np.int64)
        self._engine.share(
            lambda first, end, _: self._engine.games.draw(first, end, self._engine.offsets, choices)
        )
        return choices

    def best(self, values: npt.ArrayLike) -> Int64Array:
        """Return the play of the highest value in each game.

        With Gumbel noise added to logits, it is a draw from their softmax.

        Args:
            values: real numbers ``[M]``, one for each of the `afterstates`, for who moves.

        Returns:
            ``int64[N]`` for `step`, the first of equals; -1 where no move can be made.

        Raises:
            ValueError: there are no dice, or `values` is not such an array, or holds a NaN.
        """
        count = len(self._engine.afterstates())
        try:
            array = np.ascontiguousarray(values, np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"values={shown(values)}: expected real numbers [{count}]") from error
        if array.shape != (count,):
            raise ValueError(f"values has shape {array.shape}: expected [{count}]")
        choices = np.empty(self.n, np.int64)
        nan = _core.vector_game.best(array, self._engine.offsets, choices)
        if nan >= 0:
            raise ValueError(f"values[{nan}] is NaN: expected a number")
        return choices

    def step(self, choices: npt.ArrayLike) -> Steps:
        """Make a play in each game, and pass the turn, or begin the next game where one has ended.

        Args:
            choices: integers ``[N]``: which of its afterstates each game goes on with. A game that
                cannot move takes 0 or -1; of one that takes no part it is not read.

        Returns:
            `Steps`, new arrays.

        Raises:
            ValueError: there are no dice, or a choice is no afterstate's index; nothing is played.
        """
        after = self._engine.afterstates()
        given = integers(choices, "choices", f"integers [{self.n}]")
        if given.shape != (self.n,):
            raise ValueError(f"choices has shape {given.shape}: expected [{self.n}]")
        taken: Int64Array = np.ascontiguousarray(given, np.int64)
        bad = self._engine.games.bad_choice(self._engine.offsets, taken)
        if bad >= 0:
            plays = int(self._engine.offsets[bad + 1] - self._engine.offsets[bad])
            expected = f"0 to {plays - 1}" if plays else "0 or -1, as no move can be made"
            raise ValueError(f"choices[{bad}]={taken[bad]}: expected {expected}")
        moved = np.empty((self.n, 2, 26), np.int8)

        def work(first: int, end: int, _: int) -> None:
            self._engine.games.choose(first, end, after, self._engine.offsets, taken, moved)

        self._engine.share(work)
        return self._finish(moved)

    def step_policy(self, policy: PolicyLike = "net", where: npt.ArrayLike | None = None) -> Steps:
        """Let a policy make the play in each game: an opponent, or a baseline.

        Args:
            policy: ``"random"``, ``"net"`` for the net bundled for the rules, a `Net`, a `Linear`,
                a callable from afterstates to equities or outcome probabilities (it gets those of
                all games at once, 16,384 at most), or a `Policy`, which is asked game by game.
            where: the games that take part, as in `roll`; only if the dice have not been rolled
                yet, which is then done first.

        Returns:
            `Steps`, as `step`.

        Raises:
            EvaluatorError: a callable raises an exception or returns no values.
            ResultTooLargeError: a cascade of doubles has too many plays for a compiled net.
            ValueError: an argument is invalid.
        """
        who = player(policy, self.rules)
        if not self._engine.rolled:
            self.roll(where)
        elif where is not None:
            raise ValueError("where= comes too late: the dice have been rolled")
        if who.at_random:
            return self.step(self.draw())
        boards, dice = self._engine.boards, self._engine.dice
        if who.weights is None or self.rules.cascade:
            return self.step(choices_of(who, boards, dice, self.afterstates(), self.rules))
        moved = np.empty((self.n, 2, 26), np.int8)

        def work(first: int, end: int, _: int) -> None:
            moved[first:end] = boards[first:end]
            taking = first + np.flatnonzero(dice[first:end, 0])
            moved[taking] = boards_of_net(who, boards[taking], dice[taking], self.rules)

        self._engine.share(work)
        return self._finish(moved)

    def records(self, place: int = 0) -> list[GameRecord]:
        """Return the games at one of the first `log` places since the reset, the last one as far as
        it has come.

        Raises:
            ValueError: there is no log of that place.
        """
        return self._log.records(place)

    def mat(self, place: int = 0, players: tuple[str, str] = ("Player 1", "Player 2")) -> str:
        """Return the games of `records` as a .mat text; those that were cut are left out.

        Args:
            place: one of the first `log` places.
            players: the names of players 0 and 1.

        Raises:
            ValueError: there is no log of that place, or `players` is not a pair of names.
        """
        return self._log.mat(place, players)

    def state(self) -> dict[str, Any]:
        """Return all that the games depend on, to go on from here: a dict of arrays, numbers and
        texts that `from_state` takes."""
        head = {
            "n": self.n,
            "seed": self.seed,
            "restart": self.restart,
            "max_plies": self.max_plies,
            "rolled": self._engine.rolled,
        }
        return states.to_state(self.rules, head, self._engine.arrays, self._log)

    @classmethod
    def from_state(cls, state: dict[str, Any], *, threads: int | None = 1) -> VectorGame:
        """Return the games that `state` has told of; they go on alike, bit for bit.

        Args:
            state: what `state` returned.
            threads: as in the constructor.

        Raises:
            ValueError: it is not such a state.
        """
        rules, head, arrays, log = states.from_state(state)
        games = cls(
            head["n"],
            rules,
            head["seed"],
            threads=threads,
            restart=head["restart"],
            max_plies=head["max_plies"],
            log=head["log"],
        )
        for name, array in games._engine.arrays.items():
            array[:] = arrays[name]
        games._engine.rolled = head["rolled"]
        games._log.set_arrays(log)
        return games

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the `state` to an .npz file.

        Raises:
            OSError: the file cannot be written.
            ValueError: `path` is no path.
        """
        states.save(path, self.state())

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, threads: int | None = 1) -> VectorGame:
        """Return the games of a file that `save` has written.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such file.
        """
        return cls.from_state(states.load(path), threads=threads)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the games by their `state`."""
        return VectorGame.from_state, (self.state(),)

    def __repr__(self) -> str:
        """Return how many games of what there are, and how many have ended."""
        ended = int(self._engine.episodes.sum() + self._engine.over.sum())
        return f"<VectorGame of {self.n} games of {rules_name(self.rules)}: {ended} have ended>"

    def _where(self, where: npt.ArrayLike | None) -> npt.NDArray[np.uint8]:
        """Return the games that take part as bytes."""
        if where is None:
            return np.ones(self.n, np.uint8)
        array = np.asarray(where)
        if array.dtype != np.bool_ or array.shape != (self.n,):
            raise ValueError(
                f"where is {array.dtype}{[*array.shape]}: expected bool[{self.n}] or None"
            )
        return np.ascontiguousarray(array).view(np.uint8)

    def _finish(self, moved: Int8Array) -> Steps:
        """End the turns that led to these boards."""
        players = self._engine.players.copy()
        dice = self._engine.dice[: self._log.places].copy()
        rewards, done, truncated = self._engine.finish(moved)
        if self._log.places:
            ended = done.astype(np.uint8) + truncated
            self._log.add(dice, players, moved, rewards, ended)
        return Steps(rewards, done, truncated, players, moved)
