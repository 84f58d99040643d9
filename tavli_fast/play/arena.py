"""Policy against policy: games in the core, and matches and games with the cube turn by turn.

All come in pairs of the same dice, so that neither side has the better ones.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from math import nan, sqrt
from multiprocessing import get_context
from typing import Any, Final, Literal, TypeVar, overload

from tavli_fast._common.arguments import MAX_PLIES, flag, four_words, whole_number
from tavli_fast._common.version import version
from tavli_fast.evaluation.evaluator import Player, PolicyLike, player
from tavli_fast.play.cube_player import as_policy
from tavli_fast.play.policies import Policy
from tavli_fast.play.session import Session
from tavli_fast.rollouts.arena import ArenaResult, interval, play_arena
from tavli_fast.rollouts.options import MAX_TRIALS, PlayOptions, Workload, workload
from tavli_fast.rollouts.plan import default_policy
from tavli_fast.rollouts.rounds import Stop, play_rounds
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["MatchResult", "arena"]

_Result = TypeVar("_Result")

GAMES: Final = 10_000
"""Games in the core, if nobody says how many."""
MATCHES: Final = 100
"""Matches, or games with the cube."""
_PAIRS: Final = 2
"""Pairs handed over at once: a second or so of work for a match."""


@dataclass(frozen=True)
class MatchResult:
    """The results of matches between two policies, or of single games with the cube, seen by the
    first.

    Attributes:
        first, second: the policies by name.
        rules: the rules played.
        target: the points that win a match; None for single games.
        pairs: pairs of matches or games with the same dice; in the second one the players have
            changed places.
        total: matches won by the first policy; or its points in single games, including the cube.
        squares: the sum over the pairs of the square of the results of both together.
        games: games played; a match has several.
        seed: the seed of the dice.
        version: the version of the package that played them.
        partial: whether it was interrupted: fewer matches than asked for.
    """

    first: str
    second: str
    rules: Rules
    target: int | None
    pairs: int
    total: int
    squares: int
    games: int
    seed: int
    version: str
    partial: bool = False

    @property
    def matches(self) -> int:
        """The matches played, or the single games: two of each pair."""
        return 2 * self.pairs

    @property
    def mean(self) -> float:
        """The share of matches won, or the mean points of a single game (NaN without any)."""
        return self.total / (2 * self.pairs) if self.pairs else nan

    @property
    def std_error(self) -> float:
        """The standard error of `mean`, from the pairs (NaN for fewer than two)."""
        if self.pairs < 2:
            return nan
        spread = self.pairs * self.squares - self.total**2
        return sqrt(spread / (self.pairs - 1)) / (2 * self.pairs)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `mean`."""
        return interval(self.mean, self.std_error)

    def __repr__(self) -> str:
        """Show what the first policy has won, and how it came about."""
        low, high = self.interval
        what = f"games of {rules_name(self.rules)} with the cube"
        won = (
            f"points a game {self.mean:+.4f} ± {self.std_error:.4f}, 95 % {low:+.4f} to {high:+.4f}"
        )
        if self.target is not None:
            what = f"matches of {rules_name(self.rules)} to {self.target}"
            won = (
                f"won {self.mean:.1%} ± {self.std_error:.1%}, 95 % {max(low, 0):.1%} to "
                f"{min(high, 1):.1%}; {self.games} games"
            )
        lines = [
            f"<MatchResult: {self.first} against {self.second}, {self.matches} {what}, seed "
            f"{self.seed}",
            f"  {won}",
        ]
        if self.partial:
            lines.append("  partial: the matches were interrupted")
        return "\n".join(lines) + ">"


@overload
def arena(
    first: PolicyLike,
    second: PolicyLike | None = None,
    rules: RulesLike | None = None,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    max_plies: int = MAX_PLIES,
    progress: Callable[[int, int], object] | None = None,
    *,
    opening: bool | None = None,
    target: None = None,
    cube: Literal[False] | None = None,
    pieces_in_flight: int | None = None,
) -> ArenaResult: ...
@overload
def arena(
    first: PolicyLike,
    second: PolicyLike | None = None,
    rules: RulesLike | None = None,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    max_plies: int = MAX_PLIES,
    progress: Callable[[int, int], object] | None = None,
    *,
    opening: bool | None = None,
    target: int | None = None,
    cube: bool | None = None,
    pieces_in_flight: int | None = None,
) -> ArenaResult | MatchResult: ...
def arena(  # noqa: PLR0913
    first: PolicyLike,
    second: PolicyLike | None = None,
    rules: RulesLike | None = None,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    max_plies: int = MAX_PLIES,
    progress: Callable[[int, int], object] | None = None,
    *,
    opening: bool | None = None,
    target: int | None = None,
    cube: bool | None = None,
    pieces_in_flight: int | None = None,
) -> ArenaResult | MatchResult:
    """Let two policies play each other from the start: single games, or matches, or with the cube.

    Games or matches are played in pairs with the same dice, ply by ply; the first policy starts one
    of a pair and the second the other, so neither has better dice or more first moves. The same
    seed gives the same games for any number of threads and any executor.

    Games without a cube are played in the core, about ten thousand per second. With `target` or
    ``cube=True`` they are played turn by turn in Python, hundreds of times slower; an evaluator
    then makes cube decisions as `CubePlayer` does.

    Args:
        first: a policy as in `rollout`: ``"random"``, ``"net"``, a `Net`, a `Linear`, a callable
            from afterstates to equities or outcome probabilities, or a `Policy`.
        second: the other policy; None is ``"net"`` where the rules have a net, else ``"random"``.
        rules: a `Rules` or the name of a preset; None for those of the policies, else Portes.
        games: the number of games or matches, an even number; None for 10,000 games, or for 100
            matches or games with the cube.
        seed: as in `rollout`, like `threads`, `executor` and `max_plies`.
        threads: how many threads work; with `target` or `cube`, how many processes, and None for
            one thread. A script that uses more processes needs ``if __name__ == "__main__":``.
        executor: an executor to use instead. Not with a `Policy`.
        max_plies: the number of plies after which a game is cut and its pair left out; not with
            `target` or `cube`.
        progress: called as ``progress(done, total)`` with numbers of games or matches, in the
            calling thread.
        opening: whether the first roll is not a double, as after an opening roll of one die each;
            None for the rules' own way (``Rules.opening``; a starter who may reroll the opening
            dice keeps them). Not with `target` or `cube`.
        target: play matches to this many points.
        cube: whether to play with the doubling cube, by the session's fields of the rules. None
            means no cube in single games, and in matches what the rules say.
        pieces_in_flight: as in `rollout`.

    Returns:
        The `ArenaResult`; with `target` or `cube` the `MatchResult`.

    Raises:
        EvaluatorError: a callable fails, or returns something that is not an evaluation.
        KeyboardInterrupt: Ctrl-C. Its attribute ``partial`` is the result so far, marked as
            `ArenaResult.partial`; so it is for an exception from `progress`.
        RuntimeError: a game with the cube does not end, which can happen under some house rules.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> found = tf.arena("net", "random", "portes", games=200, seed=1)
        >>> bool(found.points > 1.5), found.games
        (True, 200)
    """
    in_turns = target is not None or (cube is not None and flag(cube, "cube"))
    games = (MATCHES if in_turns else GAMES) if games is None else games
    games = whole_number(games, "games", 2, MAX_TRIALS)
    if games % 2:
        raise ValueError(f"games={games}: expected an even number, as games come in pairs")
    if not in_turns:
        load = workload(
            games // 2, seed, threads, executor, progress, pieces_in_flight=pieces_in_flight
        )
        options = PlayOptions(opening=opening, max_plies=max_plies)
        return play_arena(first, second, rules, options, load)
    if opening is not None or max_plies != MAX_PLIES:
        raise ValueError(
            "opening= and max_plies= with target= or cube=: expected neither, as those games begin "
            "as the rules say and are played to the end"
        )
    rules = resolve_rules(rules, first, second)
    if cube and not rules.cube:
        raise ValueError(
            f"cube=True: the rules {rules_name(rules)} have no cube; expected rules with one, or "
            "dataclasses.replace(rules, cube=True)"
        )
    if cube is not None:
        rules = replace(rules, cube=bool(cube))
    target = None if target is None else whole_number(target, "target", 1)
    second = default_policy(rules) if second is None else second  # type: ignore[assignment]
    players = (player(first, rules, "first"), player(second, rules, "second"))
    load = workload(
        games // 2, seed, threads, executor, progress, pieces_in_flight=pieces_in_flight
    )
    return _matches(rules, target, players, load, threads)


def _matches(
    rules: Rules,
    target: int | None,
    players: tuple[Player, Player],
    load: Workload,
    threads: int | None,
) -> MatchResult:
    """Play pairs of matches to `target`, or of single games with the cube."""
    by_policy = any(each.policy is not None for each in players)
    pairs, executor = load.trials, load.executor
    if by_policy and executor is not None:
        raise ValueError("executor=…: expected None with a Policy, which is asked here, in order")
    sums = [0, 0, 0, 0]

    def tasks(at: int, upto: int, _stop: Stop) -> Iterator[tuple[Any, ...]]:
        for start in range(at, upto, _PAIRS):
            yield rules, target, players, start, min(_PAIRS, upto - start), load.entropy

    def take(_task: tuple[Any, ...], found: tuple[int, int, int, int]) -> int:
        sums[:] = [one + more for one, more in zip(sums, found, strict=True)]
        return 2 * found[0]

    def result(partial: bool) -> MatchResult:
        first, second = (each.name for each in players)
        done, total, squares, played = sums
        return MatchResult(
            first,
            second,
            rules,
            target,
            done,
            total,
            squares,
            played,
            load.entropy,
            version(),
            partial,
        )

    alone = executor is not None or by_policy or threads in (None, 1)
    own: Any = nullcontext() if alone else _Processes(load.threads, get_context("spawn"))
    with own as processes:
        load = replace(load, threads=1, executor=executor or processes)
        found: MatchResult = play_rounds(load, 2 * pairs, play_match_pairs, tasks, take, result)
    return found


class _Processes(ProcessPoolExecutor):
    """Processes that hear no Ctrl-C, which is for the one who hands over.

    Not even while they begin, when nothing of theirs could catch it: they inherit what is blocked.
    """

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Hand work over, to a new process if there is room for one."""
        with _interrupt_held_back():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _interrupt_held_back() -> Iterator[None]:
    """Let Ctrl-C wait until a process has been sent all that it begins with.

    Blocking it in this thread is not enough: another thread of the process, such as one of NumPy's
    library, may take the signal, and Python then raises KeyboardInterrupt in the main thread.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    in_main = threading.current_thread() is threading.main_thread()
    held: list[int] = []
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    handler = signal.getsignal(signal.SIGINT)
    if in_main and handler is not None:
        signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield
    finally:
        if in_main and handler is not None:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    if held:
        signal.raise_signal(signal.SIGINT)


def play_match_pairs(
    rules: Rules,
    target: int | None,
    players: tuple[Player, Player],
    at: int,
    pairs: int,
    seed: int,
) -> tuple[int, int, int, int]:
    """Play some pairs; return their number and what a `MatchResult` has of them."""
    total = squares = games = 0
    for pair in range(at, at + pairs):
        dice, choices = map(int, four_words(seed, (pair,))[:2])
        both = 0
        for seat, seated in enumerate([players, players[::-1]]):
            session = Session(rules, target=target, seed=dice)
            policies: list[Policy] = [
                as_policy(each, seed=choices + place) for place, each in enumerate(seated)
            ]
            score = session.play_out(policies[0], policies[1], 1 if target is None else None)
            games += len(session.history)
            won = score[seat] - score[1 - seat] if target is None else int(session.winner == seat)
            both += won
        total += both
        squares += both**2
    return pairs, total, squares, games
