"""Who plays and who judges: what `policy=` and `evaluator=` may be, and what evaluators say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, new_array, shown
from tavli_fast.boards.tfid import tfid
from tavli_fast.errors import EvaluatorError
from tavli_fast.evaluation.outcomes import EQUITY, Values, equities, exact_values
from tavli_fast.evaluation.tables import TabledFunction, tabled
from tavli_fast.exact.bearoff import has_table
from tavli_fast.nets.bundled import lends, load_net
from tavli_fast.nets.features import encoding, width
from tavli_fast.nets.linear import Linear
from tavli_fast.nets.net import OUTCOMES, Net, Weights
from tavli_fast.rules.fields import misplaced_rules
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = [
    "BATCH",
    "Evaluator",
    "FromFeatures",
    "Player",
    "PolicyLike",
    "from_features",
    "is_policy",
    "player",
    "values_of",
]


@dataclass(frozen=True)
class Player:
    """One side's way to choose plays: by a compiled evaluator, a callable, a `Policy` of Python's,
    or at random."""

    name: str
    weights: Weights | None = None
    function: Callable[..., Any] | None = None
    policy: Callable[..., Any] | None = None

    @property
    def judges(self) -> bool:
        """Whether he has an evaluator."""
        return self.weights is not None or self.function is not None

    @property
    def tables(self) -> bool:
        """Whether his evaluator has bear-off tables."""
        return bool(getattr(self.weights or self.function, "tables", False))

    @property
    def at_random(self) -> bool:
        """Whether he chooses uniformly."""
        return not self.judges and self.policy is None

    @property
    def compiled(self) -> bool:
        """Whether the core can play for him."""
        return self.function is None and self.policy is None


Evaluator: TypeAlias = Net | Linear | Literal["net"] | Callable[[npt.NDArray[np.int8]], Any]
"""What judges positions: ``"net"``, a `Net`, a `Linear`, or a callable from afterstates
``int8[M, 2, 26]`` to equities ``[M]`` or outcome probabilities ``[M, 5]`` or ``[M, 6]``, as the
player who has just moved has them."""

PolicyLike: TypeAlias = Evaluator | Literal["random"] | Callable[..., Any] | Player
"""Who plays: an `Evaluator`, which plays the afterstate of the highest equity, ``"random"``, or a
`Policy`, which chooses by itself."""


def is_policy(value: object, *, expected: bool = False) -> bool:
    """Return whether a callable is a `Policy`, which takes the board, the dice, the afterstates and
    the rules, rather than an evaluator, which takes afterstates alone.

    One that takes either is what is `expected` of the place where it is passed.
    """
    if not callable(value) or isinstance(value, type | Weights):
        return False
    try:
        found = signature(value)
    except (TypeError, ValueError):  # a builtin that does not tell
        return False

    def takes(count: int) -> bool:
        try:
            found.bind(*range(count))
        except TypeError:
            return False
        return True

    return takes(4) and (expected or not takes(1))


def player(policy: Any, rules: Rules, name: str = "policy") -> Player:
    """Return the player that a policy means.

    Args:
        policy: ``"random"``, ``"net"`` for the net that `load_net` has for the rules, with bear-off
            tables where the rules allow them, a `Net`, a `Linear`, a callable from afterstates to
            equities or outcome probabilities, or a `Policy`.
        rules: what is played.
        name: the argument, for messages.

    Raises:
        ValueError: none of these, or an evaluator for other games.
    """
    if isinstance(policy, Player):
        return policy
    if type(policy) is str and policy == "random":
        return Player("random")
    if type(policy) is str and policy == "net":
        net: Weights = load_net(rules)
        if has_table(rules):
            net = tabled(net)
        return Player(net.name, weights=net)
    own = getattr(policy, "rules", None)
    if type(own) is Rules and not lends(own, rules):
        raise ValueError(
            f"{name}={shown(policy)} is for the rules {rules_name(own)}: expected one for "
            f"{rules_name(rules)}, such as tf.load_net returns, or rules= to play by its own"
        )
    if isinstance(policy, Weights):
        return Player(policy.name, weights=policy)
    if isinstance(policy, TabledFunction):
        if not has_table(rules):  # the core leaves the table of a net out by itself
            return player(policy.function, rules, name)
        return Player(policy.name, function=TabledFunction(policy.function, rules))
    if callable(policy) and not isinstance(policy, type):
        title = getattr(policy, "name", None) or getattr(policy, "__name__", None)
        title = str(title or type(policy).__name__)
        if is_policy(policy):
            return Player(title, policy=policy)
        # The name tells the random player from all others.
        return Player("random()" if title == "random" else title, function=policy)
    raise ValueError(
        misplaced_rules(policy, name)
        or f"{name}={shown(policy)}: expected 'net', 'random', a Net, a Linear, a Policy, or a "
        "callable from afterstates to equities or outcome probabilities"
    )


BATCH: Final = 1 << 14
"""Boards that a callable gets at once, at most: more makes no net faster, but needs more memory."""

_LARGEST: Final = 1e30
"""The largest equity: sums of squares of it stay far from overflow."""

_SLACK: Final = 1e-5
"""How far a probability may be beyond 0 or 1: what rounding does, and no more."""


def values_of(player: Player, boards: Int8Array, rules: Rules, batch: int | None = BATCH) -> Values:
    """Return what a player's evaluator says of afterstates, checked.

    A game that is over has its result, by the rules; a callable sees only the others, at most
    `batch` at once (None: all). Equities are added up in the precision of the answer and in the
    order in which the core does it, so that both choose alike.

    Raises:
        EvaluatorError: the callable raises, or its answer is not what it should be.
    """
    values: Values = new_array((len(boards), EQUITY + 1), np.float64, "the values of the boards")
    if player.weights is not None:
        net = player.weights
        out = np.empty((len(boards), len(OUTCOMES)), np.float32)
        _core.evaluate.outcomes(boards, rules, net.packed, net.kind, net.columns, net.outputs, out)
        values[:, :EQUITY], values[:, EQUITY] = out, equities(out)
        return values
    assert player.function is not None
    over, points = _core.batch.outcomes(boards, rules)
    values[over] = exact_values(points[over])
    running = np.flatnonzero(~over)
    step = batch or max(1, len(running))
    for first in range(0, len(running), step):
        some = running[first : first + step]
        # A copy: whatever the callable does to its boards does nothing to ours.
        values[some] = _asked(player, boards[some], rules)
    return values


def _asked(player: Player, boards: Int8Array, rules: Rules) -> Values:
    """Call a player's callable for one or more unfinished boards, and check what it returns."""
    assert player.function is not None
    kept = boards.copy()
    try:
        answer = player.function(boards)
    except Exception as error:
        place = _first_to_raise(player.function, kept)
        what = f"raised {type(error).__name__} ({_short(error)})"
        raise _failure(player, what, kept, place, rules) from error
    if isinstance(answer, np.ma.MaskedArray):
        what = "returned a masked array: expected all values"
        raise _failure(player, what, kept, None, rules)
    try:
        array = np.asarray(answer)
    except Exception as error:
        what = f"returned a {type(answer).__name__}, which is no array ({_short(error)})"
        raise _failure(player, what, kept, None, rules) from error
    if array.dtype.kind not in "fiu":
        what = f"returned dtype {array.dtype}: expected real numbers"
        raise _failure(player, what, kept, None, rules)
    count = len(kept)
    if array.shape not in ((count,), (count, EQUITY - 1), (count, EQUITY)):
        what = (
            f"returned shape {array.shape} for {count} boards: expected equities [{count}] or "
            f"outcome probabilities [{count}, 5] or [{count}, 6]"
        )
        raise _failure(player, what, kept, None, rules)
    # float32 stays what it is until the equity is added up; all others become float64.
    array = array.astype(
        np.float32 if array.dtype.itemsize <= 4 and array.dtype.kind == "f" else float
    )
    if array.ndim == 2:
        good = (array >= -_SLACK) & (array <= 1 + _SLACK)
    else:
        good = np.abs(array) <= _LARGEST
    rows = good if array.ndim == 1 else good.all(axis=1)
    if not rows.all():
        place = int(np.argmin(rows))
        expected = (
            f"equities within ±{_LARGEST:g}" if array.ndim == 1 else "probabilities from 0 to 1"
        )
        what = f"returned {shown(array[place].tolist())}: expected {expected}"
        raise _failure(player, what, kept, place, rules)
    values = np.full((count, EQUITY + 1), np.nan)
    if array.ndim == 1:
        values[:, EQUITY] = array
        return values
    if array.shape[1] == EQUITY - 1:
        array = np.concatenate([array, np.zeros((count, 1), array.dtype)], axis=1)
    values[:, :EQUITY], values[:, EQUITY] = array, equities(array)
    return values


def _first_to_raise(function: Callable[..., Any], boards: Int8Array) -> int | None:
    """Return the first board on which a callable raises even alone; None if there is none."""
    low, high = 0, len(boards)
    while True:
        middle = (low + high + 1) // 2
        try:
            function(boards[low:middle].copy())
        except Exception:
            if high - low == 1:
                return low
            high = middle
        else:
            if high - low == 1:
                return None
            low = middle


def _failure(
    player: Player, what: str, boards: Int8Array, place: int | None, rules: Rules
) -> EvaluatorError:
    """Return the error that says what an evaluator did, and on which board."""
    where = f"afterstates[{place or 0}], {tfid(boards[place or 0], rules=rules)}"
    if place is None and len(boards) > 1:
        where = f"{len(boards)} afterstates, the first of them {tfid(boards[0], rules=rules)}"
    return EvaluatorError(
        f"evaluator {player.name} {what}; asked for {where} (the player who has just moved first)"
    )


def _short(error: BaseException) -> str:
    """Return an error's message, on one line and not too long."""
    text = " ".join(str(error).split())
    return text if len(text) <= 120 else text[:117] + "…"


class FromFeatures:
    """An evaluator of boards made of one of features; see `from_features`."""

    def __init__(self, function: Callable[..., Any], rules: RulesLike | None) -> None:
        """Keep the function and the rules whose features it wants."""
        if not callable(function):
            raise ValueError(f"function={shown(function)}: expected a callable")
        self.function = function
        self.rules = resolve_rules(rules)
        self._width = width(encoding(self.rules))

    @property
    def name(self) -> str:
        """What results call it: as the function."""
        given = getattr(self.function, "name", None) or getattr(self.function, "__name__", None)
        return str(given or type(self.function).__name__)

    def __call__(self, afterstates: Int8Array) -> Any:
        """Return what the function says of the boards' features.

        Args:
            afterstates: ``int8[N, 2, 26]``, as `evaluate` and `rollout` ask callables.

        Raises:
            ValueError: another shape or dtype.
        """
        boards = np.ascontiguousarray(afterstates)
        if boards.dtype != np.int8 or boards.ndim != 3 or boards.shape[1:] != (2, 26):
            raise ValueError(
                f"afterstates is {boards.dtype}{list(boards.shape)}: expected int8[N, 2, 26]"
            )
        out = np.empty((len(boards), self._width), np.float32)
        _core.evaluate.features(boards, self.rules, out)
        return self.function(out)


def from_features(function: Callable[..., Any], rules: RulesLike | None = None) -> FromFeatures:
    """Return an evaluator of boards, made from a function of their features.

    Args:
        function: maps `features` ``float32[M, F]`` to equities ``[M]`` in points, or to outcome
            probabilities ``[M, 5]`` or ``[M, 6]`` in the order of `Net`, of the player who has just
            moved.
        rules: the rules that it is for, a `Rules` or the name of a preset; None for Portes.

    Returns:
        The evaluator, a callable.

    Raises:
        ValueError: an argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> evaluator = tf.from_features(lambda inputs: inputs[:, 0] * 0.0, "plakoto")
        >>> tf.evaluate(tf.start("plakoto"), evaluator).equity
        array([-0.])
    """
    return FromFeatures(function, rules)
