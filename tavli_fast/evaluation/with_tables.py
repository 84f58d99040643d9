"""Giving an evaluator bear-off tables: what `with_tables` takes, checked."""

from __future__ import annotations

from typing import Any

from tavli_fast._common.arguments import shown
from tavli_fast.evaluation.tables import TabledFunction, TabledNet, tabled
from tavli_fast.exact.bearoff import has_table
from tavli_fast.nets.bundled import load_net
from tavli_fast.nets.net import Weights
from tavli_fast.rules.presets import RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["with_tables"]


def with_tables(
    evaluator: Any = "net", rules: RulesLike | None = None
) -> TabledNet | TabledFunction:
    """Return an evaluator that is exact in bear-offs of up to six checkers a side.

    Where both sides have at most six checkers left, all on their first six points, and have borne
    one off, its outcomes are those of best play without a cube (`two_sided`); everywhere else they
    are the evaluator's. The look-up is compiled for nets; their outcomes are in single precision.
    In a rollout whose players both have tables a game ends where it reaches them, with its exact
    outcomes (it counts as truncated): less luck, less time, and no bias. With a cube, and in the
    arena, games are played on.

    Args:
        evaluator: ``"net"``, a `Net`, a `Linear`, or a callable from afterstates
            ``int8[M, 2, 26]`` to outcome probabilities or equities.
        rules: the rules that it is for, a `Rules` or the name of a preset; None for the
            evaluator's own, else Portes.

    Returns:
        The evaluator: for a net a compiled one, else a callable.

    Raises:
        ValueError: rules in which a die may go unplayed during the bear-off, or doubles go on; or
            no evaluator.

    Examples:
        >>> import tavli_fast as tf
        >>> board = tf.from_position_id("jQUAAFYDAAAAAA")
        >>> tf.evaluate(board, tf.with_tables("net", "backgammon")).equity.round(4)
        array([0.0886])
    """
    if isinstance(evaluator, TabledNet | TabledFunction):
        return evaluator
    known = resolve_rules(rules, evaluator)
    if not has_table(known):
        raise ValueError(
            f"rules={rules_name(known)}: expected rules of the usual bear-off, with "
            "bearoff_oversize=True, bearoff_internal=True and cascade=False"
        )
    if type(evaluator) is str and evaluator == "net":
        return tabled(load_net(known))
    if isinstance(evaluator, Weights):
        return TabledNet(evaluator)
    if callable(evaluator) and not isinstance(evaluator, type):
        return TabledFunction(evaluator, known)
    raise ValueError(
        f"evaluator={shown(evaluator)}: expected 'net', a Net, a Linear, or a callable from "
        "afterstates to equities or outcome probabilities"
    )
