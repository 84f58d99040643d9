"""Evaluating boards and choosing plays, at once or by looking some plies ahead, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    BoardLike,
    DiceLike,
    FloatArray,
    Int8Array,
    board_batch,
    dice_batch,
    most_moves,
    new_array,
    real,
    shown,
    whole_number,
    workers,
)
from tavli_fast._common.workers import share
from tavli_fast.evaluation.evaluator import BATCH, Evaluator, Player, player, values_of
from tavli_fast.evaluation.outcomes import EQUITY, Values, exact_values, outcome_batch
from tavli_fast.evaluation.search import (
    BOARDS_AT_ONCE,
    Level,
    Search,
    ahead,
    best_of_net,
    listed,
    play_counts,
    ranked,
    slices,
    weighed,
)
from tavli_fast.nets.net import OUTCOMES
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

__all__ = ["FILTERS", "BestPlays", "Evaluation", "best_plays", "evaluate"]

MOST_PLIES: Final = 8
"""No limit of the search, but each ply takes some hundred times as long as the one before."""

MOST_TOP: Final = 100_000

_PART: Final = 1 << 11
"""Boards that a thread takes at once where a net judges them as they are: a millisecond or two of
work."""

FILTERS: Final[dict[str, tuple[Level, ...]]] = {
    "tiny": ((5, 0.08), None, (2, 0.02), None),
    "narrow": ((8, 0.12), None, (2, 0.03), None),
    "normal": ((8, 0.16), None, (2, 0.04), None),
    "large": ((16, 0.32), None, (4, 0.08), None),
    "huge": ((20, 0.44), None, (6, 0.11), None),
    "all": (),
}
"""Move filters with the names and figures of GNU Backgammon, and one that keeps all plays."""


class Evaluation(NamedTuple):
    """The values of boards for the player on roll, before the dice."""

    outcomes: npt.NDArray[np.float64]
    """``float64[N, 6]``: the probabilities to win 1 point or more, 2 or more, 3, to lose 2 or more,
    3, and of a draw; NaN where the evaluator gives equities alone."""
    equity: npt.NDArray[np.float64]
    """``float64[N]``: mean points."""


class BestPlays(NamedTuple):
    """The best plays of boards with their rolls, the best first.

    Of its `top` entries a board uses the first `counts`, or one if it has no legal move. The others
    hold -1 and NaN.
    """

    moves: npt.NDArray[np.int8]
    """``int8[N, top, 4, 2]``: (from, to) pairs as in `Plays`, ``-1`` padded (24 where doubles
    cascade)."""
    boards: npt.NDArray[np.int8]
    """``int8[N, top, 2, 26]``: the afterstates, not flipped; all ``-1`` where there is no play."""
    equity: npt.NDArray[np.float64]
    """``float64[N, top]``: what each is worth to the mover; NaN where there is no play."""
    outcomes: npt.NDArray[np.float64]
    """``float64[N, top, 6]``: its outcomes as in `Evaluation`, or NaN."""
    counts: npt.NDArray[np.int32]
    """``int32[N]``: how many plays are listed, at most `top`; 0 where no move is legal."""


def evaluate(
    boards: BoardLike,
    evaluator: Evaluator,
    rules: RulesLike | None = None,
    plies: int = 0,
    *,
    replies: Any = "all",
    threads: int | None = 1,
) -> Evaluation:
    """Return what boards are worth to the player on roll, before the dice.

    With ``plies=0`` the evaluator judges each board from the side of the opponent, who has just
    moved. With n plies, the value is the mean over the 21 rolls of the value of the best play,
    evaluated n - 1 plies deep. It is exact: no roll is left out, and by default no play. A finished
    game has the value of its result.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        evaluator: ``"net"``, a `Net`, a `Linear`, or a callable from afterstates
            ``int8[M, 2, 26]``, the player who has just moved first, to that player's equities
            ``[M]`` or outcome probabilities ``[M, 5]`` or ``[M, 6]``. A callable is not asked
            about finished games. `from_features` makes one from a function of features.
        rules: a `Rules` or the name of a preset; None for those of an `XGID` that states them, else
            those of the evaluator, else Portes.
        plies: how many plies to look ahead, 0 to 8.
        replies: which plays are searched after the first, with two plies or more; as `filters` in
            `best_plays`. ``[(1, 0)]`` is GNU Backgammon's way: only the play that is best at once.
        threads: how many threads share a large batch; None for all processors. The result does
            not depend on it. With more than one, they may call a callable at the same time.

    Returns:
        ``Evaluation(outcomes float64[N, 6], equity float64[N])``, the equity in points.

    Raises:
        BoardError: a board is not a possible position.
        EvaluatorError: a callable raises an exception, or its answer has a wrong shape, a NaN or an
            infinity.
        ResultTooLargeError: a cascade of doubles has too many plays.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> found = tf.evaluate(tf.start("backgammon"), tf.load_net("backgammon"), plies=1)
        >>> found.outcomes.shape, bool(found.equity[0] > 0)
        ((1, 6), True)
    """
    rules = resolve_rules(rules, boards, evaluator)
    boards = board_batch(boards, rules)
    plies = whole_number(plies, "plies", 0, MOST_PLIES)
    search = _search(evaluator, rules, replies)
    pool_size = workers(threads)
    over, points = _core.batch.outcomes(boards, rules)
    values = np.empty((len(boards), EQUITY + 1))
    values[over] = exact_values(points[over])
    running = np.flatnonzero(~over)
    here = boards[running]
    at_once = BATCH if search.player.weights is None else _PART
    step = BOARDS_AT_ONCE if plies else at_once
    parts = [slice(first, first + step) for first in range(0, len(running), step)]

    def work(part: slice) -> Values:
        return ahead(search, here[part], plies)

    def take(part: slice, found: Values) -> None:
        values[running[part]] = found

    share(work, parts, take, pool_size)
    return Evaluation(values[:, :EQUITY].copy(), values[:, EQUITY].copy())


def best_plays(
    boards: BoardLike,
    dice: DiceLike,
    evaluator: Evaluator,
    rules: RulesLike | None = None,
    plies: int = 0,
    top: int = 1,
    *,
    filters: Any = "normal",
    replies: Any = "all",
    threads: int | None = 1,
) -> BestPlays:
    """Return the best plays of boards with their rolls.

    With ``plies=0`` the evaluator judges the position after each play. With n plies, the value of a
    play is minus what `evaluate` finds for the opponent after it with n plies. Plays of equal value
    are in the order of `afterstates`.

    A board without a legal move has ``counts`` 0; its first entry has no moves, the unchanged
    board, and the value of staying there. So has a finished game, with the value of its result.

    Args:
        boards: integers ``[N, 2, 26]``, or one board ``[2, 26]``, which counts as N = 1.
        dice: integers 1 to 6, ``[N, 2]``, or one pair ``[2]`` for all boards.
        evaluator: as in `evaluate`.
        rules: as in `evaluate`.
        plies: how many plies to look ahead, 0 to 8.
        top: how many plays to return for each board.
        filters: which plays are searched more deeply: a pair ``(most, within)`` for each level from
            0 plies on, which keeps at most so many plays, within so much equity of the best by that
            level's estimate; None keeps all, and so do levels that are not given. The `top` best
            plays are always kept. Or a name: ``"tiny"``, ``"narrow"``, ``"normal"``, ``"large"`` or
            ``"huge"`` as in GNU Backgammon (``"normal"`` keeps the best 8 within 0.16, and after
            2 plies the best 2 within 0.04); ``"all"`` or None for no filter.
        replies: the same for the plays after the first, with two plies or more.
        threads: how many threads share a large batch; None for all processors. The result does
            not depend on it. With more than one, they may call a callable at the same time.

    Returns:
        ``BestPlays(moves int8[N, top, 4, 2], boards int8[N, top, 2, 26], equity float64[N, top],
        outcomes float64[N, top, 6], counts int32[N])``, the best play first.

    Raises:
        BoardError: a board is not a possible position.
        EvaluatorError: a callable raises an exception, or its answer has a wrong shape, a NaN or an
            infinity.
        ResultTooLargeError: the result does not fit in this machine's memory, or a cascade of
            doubles has too many plays.
        ValueError: another argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> found = tf.best_plays(tf.start(), (3, 1), tf.load_net("portes"), top=2)
        >>> tf.format_play(found.moves[0, 0], tf.start())
        '8/5 6/5'
    """
    rules = resolve_rules(rules, boards, evaluator)
    boards = board_batch(boards, rules)
    dice = dice_batch(dice, len(boards))
    plies = whole_number(plies, "plies", 0, MOST_PLIES)
    top = whole_number(top, "top", 1, MOST_TOP)
    levels = _levels(filters, "filters")
    search = _search(evaluator, rules, replies)
    pool_size = workers(threads)
    found = _nothing_yet(len(boards), top, rules)
    over, points = _core.batch.outcomes(boards, rules)
    found.boards[over, 0] = boards[over]
    _set_values(found, np.flatnonzero(over), 0, exact_values(points[over]))
    running = np.flatnonzero(~over)
    here, rolls = boards[running], dice[running]
    if plies == 0 and top == 1 and search.player.weights is not None:

        def work_at_once(part: slice) -> _Chosen:
            places = np.arange(len(here[part]))
            moves = np.empty((len(places), most_moves(rules), 2), np.int8)
            _, after, values = best_of_net(search, here[part], rolls[part], moves)
            return _Chosen(places, np.zeros_like(places), moves, after, values)

        def take_at_once(part: slice, chosen: _Chosen) -> None:
            _put(found, running[part][chosen.owner], chosen)

        parts = [slice(first, first + _PART) for first in range(0, len(running), _PART)]
        share(work_at_once, parts, take_at_once, pool_size)
        return found
    counts = play_counts(here, rolls, rules)

    def work(part: slice) -> _Chosen:
        some = listed(here, rolls, rules, counts, part, with_moves=True)
        alive, values = weighed(search, some, plies, levels, top)
        order, ranks = ranked(values[:, EQUITY], np.searchsorted(alive, some.starts))
        order, ranks = order[ranks < top], ranks[ranks < top]
        rows, values = alive[order], values[order]
        owner = np.searchsorted(some.starts, rows, "right") - 1
        assert some.moves is not None
        return _Chosen(owner, ranks, some.moves[rows], some.boards[rows], values)

    def take(part: slice, chosen: _Chosen) -> None:
        _put(found, running[part][chosen.owner], chosen)

    share(work, slices(counts, deeper=plies > 0), take, pool_size)
    return found


def afterstate_equities(boards: Int8Array, who: Player, rules: Rules) -> npt.NDArray[np.float64]:
    """Return what afterstates are worth to the player who has just moved, by an evaluator."""
    return values_of(who, boards, rules)[:, EQUITY]


def outcomes_by(evaluator: Any, boards: Int8Array, rules: Rules) -> FloatArray:
    """Return the outcomes ``float64[N, 6]`` of boards before the roll, by an evaluator.

    Raises:
        ValueError: no evaluator, or one that returns no outcomes.
    """
    found = evaluate(boards, evaluator, rules).outcomes
    if np.isnan(found).any():
        raise ValueError(
            f"evaluator={shown(evaluator)} tells equities only: expected outcome probabilities, "
            "[M, 5] or [M, 6]"
        )
    return outcome_batch(found, judged=True)


class _Chosen(NamedTuple):
    """The plays of a part of a batch that are returned."""

    owner: npt.NDArray[np.int64]
    """Which board of the part each is of."""
    ranks: npt.NDArray[np.int64]
    moves: Int8Array
    boards: Int8Array
    values: Values


def _put(found: BestPlays, at: npt.NDArray[np.int64], chosen: _Chosen) -> None:
    """Enter chosen plays, each for its board and at its rank."""
    found.moves[at, chosen.ranks] = chosen.moves
    found.boards[at, chosen.ranks] = chosen.boards
    _set_values(found, at, chosen.ranks, chosen.values)
    moved = chosen.moves[:, 0, 0] >= 0
    np.add.at(found.counts, at[moved], 1)


def _set_values(found: BestPlays, at: Any, ranks: Any, values: Values) -> None:
    """Enter the values of plays."""
    found.outcomes[at, ranks] = values[:, :EQUITY]
    found.equity[at, ranks] = values[:, EQUITY]


def _nothing_yet(count: int, top: int, rules: Rules) -> BestPlays:
    """Return places for plays, all empty."""
    what = "the best plays"
    found = BestPlays(
        new_array((count, top, most_moves(rules), 2), np.int8, what),
        new_array((count, top, 2, 26), np.int8, what),
        new_array((count, top), np.float64, what),
        new_array((count, top, len(OUTCOMES)), np.float64, what),
        np.zeros(count, np.int32),
    )
    found.moves.fill(-1)
    found.boards.fill(-1)
    found.equity.fill(np.nan)
    found.outcomes.fill(np.nan)
    return found


def _search(evaluator: Any, rules: Rules, replies: Any) -> Search:
    """Return the search with a checked evaluator.

    Raises:
        ValueError: no evaluator, or one for other rules; bad filters.
    """
    who = player(evaluator, rules, "evaluator")
    if not who.judges:
        raise ValueError(
            f"evaluator={shown(evaluator)}: expected a Net, a Linear, or a callable from "
            "afterstates to equities or outcome probabilities"
        )
    return Search(who, rules, _levels(replies, "replies"))


def _levels(filters: Any, name: str) -> tuple[Level, ...]:
    """Return checked filters.

    Raises:
        ValueError: neither a name, nor None, nor a sequence of (most, within) and None.
    """
    if filters is None:
        return ()
    if isinstance(filters, str):
        if filters not in FILTERS:
            raise ValueError(f"{name}={shown(filters)}: expected one of {', '.join(FILTERS)}")
        return FILTERS[filters]
    if not isinstance(filters, Sequence):
        raise ValueError(
            f"{name}={shown(filters)}: expected a name, None, or a sequence of (most, within)"
        )
    return tuple(_level(level, f"{name}[{i}]") for i, level in enumerate(filters))


def _level(level: Any, name: str) -> Level:
    """Return one checked level of filters."""
    if level is None:
        return None
    try:
        most, within = level
    except (TypeError, ValueError):
        raise ValueError(
            f"{name}={shown(level)}: expected (most, within), a number of plays and an equity, "
            "or None"
        ) from None
    equity = real(within)
    if not equity >= 0:  # NaN neither
        raise ValueError(f"{name} is within {shown(within)}: expected an equity of 0 or more")
    return whole_number(most, f"{name}[0]", 1), equity
