"""The second stage of training: a net learns from its own lookahead."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor

from tavli_fast.nets.net import KEPT, Net
from tavli_fast.rules.presets import RulesLike
from tavli_fast.training.improver import LABELS, ImproveProgress, Improver

__all__ = ["improve"]


def improve(  # noqa: PLR0913 - all but the first two are keywords
    net: Net | None = None,
    rules: RulesLike | None = None,
    *,
    rounds: int = 4,
    labels: int = LABELS,
    hidden: int | None = None,
    scalars: bool = False,
    experts: bool = False,
    sets: int = 2,
    trace: float = 0.8,
    explore: float = 0.25,
    scatter: float = 0.3,
    random_plies: int = 30,
    sieve: Net | None = None,
    kept: int = KEPT,
    teacher: Net | None = None,
    epochs: int = 4,
    first_rate: float = 1e-3,
    last_rate: float = 2e-5,
    threads: int | None = 1,
    executor: Executor | None = None,
    seed: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[ImproveProgress], object] | None = None,
) -> Net:
    """Improve a trained net by its own lookahead: the second stage after `train`.

    In each round the net plays itself and labels the positions that it meets; then it is fitted to
    the labels. At every turn of a game it looks one ply ahead: all 21 rolls, each with the best
    play. The difference between that value and what the net says at once is its error as far as it
    can see it, and a position's label is what the net says plus these errors along the rest of the
    game, each turn's counting `trace` times as much as the one before. So a label knows the dice of
    every turn by their mean and not by one roll. Nothing but the rules, the net and the seed
    enters.

    The result depends on the arguments from `net` to `last_rate` and the seed alone, to the last
    bit: not on the threads, the executor, or where a checkpoint was resumed.

    Args:
        net: the net to improve; None with `resume`.
        rules: a `Rules` or the name of a preset that the net is to learn, with boards of the same
            encoding; None for the net's own.
        rounds: how many rounds, 1 to 1000.
        labels: how many positions to label in each round; the number is rounded up to whole chunks
            of 1,024.
        hidden: grow the net to so many hidden units first, a multiple of 32 up to 1024; the grown
            net plays exactly like the old one. None keeps those that it has.
        scalars: whether to let the net see the scalars of `features`, if it does not yet; they have
            no weight at first.
        experts: whether to give the net four sets of weights for contact (see `phases`), copies of
            its one, if it has not yet.
        sets: how many rounds' labels the net is fitted to: the new ones and those before them.
        trace: lambda, 0 to 1: how much the errors of later turns count.
        explore: how often, 0 to 1, one of the four next best plays is made instead of the best; the
            label does not count what comes after it.
        scatter: the part of the games that begin with random plies, 0 to 1.
        random_plies: how many there are at most, 1 to 1000.
        sieve: a smaller and faster net that judges the plays of each roll first, so that the net
            has to judge few of them; the improved net keeps it (see `Net.with_sieve`). None for
            that of the net, if it has one.
        kept: how many plays of a roll the given sieve leaves to the net, 1 to 32.
        teacher: another net that makes the labels, for a small net to learn what a large one knows;
            None for the net itself.
        epochs: how often a fit uses each label.
        first_rate: the learning rate of Adam at the beginning of a fit, up to 1.
        last_rate: the rate at its end.
        threads: how many threads make labels and fit; None for all processors.
        executor: a `concurrent.futures.Executor` to make the labels instead of these threads.
        seed: an integer from 0 to 2**128 - 1; None for a fresh one, which ``net.info`` contains.
        checkpoint: a file to which a resumable checkpoint is written after each round, and every
            few minutes in between. It also has the labels, some 70 bytes each.
        resume: such a file, to continue with it and its settings; the arguments from `net` to
            `last_rate` and the seed are then ignored.
        progress: called with an `ImproveProgress` several times a second. If it raises an
            exception, or on Ctrl-C, the checkpoint is written and the exception goes on.

    Returns:
        The improved `Net`; ``net.info["improved"]`` has an entry for each call that has improved
        it, with its settings, its command and its rounds.

    Raises:
        ValueError: an argument is invalid, or a file is not a checkpoint.
        OSError: a file cannot be read or written.

    Examples:
        >>> import tavli_fast as tf
        >>> net = tf.train("hypergammon", games=200, hidden=32, seed=1, measured=0)
        >>> better = tf.improve(net, rounds=1, labels=1024, hidden=64, seed=1)
        >>> better.hidden, better.info["improved"][0]["rounds"][0]["labels"]
        (64, 1024)
    """
    if resume is None:
        if net is None:
            raise ValueError("net=None: expected a Net, or a checkpoint to resume")
        improver = Improver(
            net,
            rules,
            rounds=rounds,
            labels=labels,
            hidden=hidden,
            scalars=scalars,
            experts=experts,
            sets=sets,
            trace=trace,
            explore=explore,
            scatter=scatter,
            random_plies=random_plies,
            sieve=sieve,
            kept=kept,
            teacher=teacher,
            epochs=epochs,
            first_rate=first_rate,
            last_rate=last_rate,
            seed=seed,
        )
    else:
        improver = Improver.load(resume)
    improver.run(threads, executor, checkpoint, progress)
    return improver.result()
