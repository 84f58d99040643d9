"""The command ``improve``: a trained net learns from its own lookahead, in rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click
from click.core import ParameterSource

from tavli_fast.cli.options.games import seed_option
from tavli_fast.cli.options.output import json_option, quiet_option
from tavli_fast.cli.options.rules import changed_rules, set_option
from tavli_fast.cli.options.types import NewFile, Positive, Share, Whole, require_writable
from tavli_fast.cli.show.progress import staged
from tavli_fast.cli.show.table import Column, print_json, print_table
from tavli_fast.nets.bundled import load_net
from tavli_fast.nets.net import Net
from tavli_fast.rules.presets import RULES
from tavli_fast.training.improver import LABELS, ImproveProgress, Improver

__all__ = ["improve"]

_FREE: Final = ("threads", "out", "checkpoint", "resume", "quiet", "as_json")
"""The options that a checkpoint has not settled."""


@click.command(short_help="Improve a net by its own lookahead.")
@click.argument("net", required=False, metavar="[NET]")
@click.option(
    "--rules",
    type=click.Choice(sorted(RULES), case_sensitive=False),
    help="Learn another game with boards of the same kind.",
    show_default="the net's own",
)
@set_option
@click.option("--rounds", type=Whole(1, 1000), default=4, help="Rounds of labelling and fitting.")
@click.option(
    "--labels",
    type=Whole(1, 10**8),
    default=LABELS,
    help="New labels in each round, in chunks of 1,024.",
)
@click.option(
    "--hidden",
    type=Whole(32, 1024),
    help="Grow to so many hidden units first; a multiple of 32.",
    show_default="as many as NET has",
)
@click.option("--scalars", is_flag=True, help="Let the net see scalars, if it does not yet.")
@click.option("--experts", is_flag=True, help="Give it experts for contact, if it has none yet.")
@click.option("--sets", type=Whole(1, 100), default=2, help="Rounds whose labels are fitted.")
@click.option(
    "--trace", type=Share(), default=0.8, help="Lambda: how much later turns' errors count."
)
@click.option("--explore", type=Share(), default=0.25, help="How often a next best play is tried.")
@click.option(
    "--scatter", type=Share(), default=0.3, help="Part of the games that begin at random."
)
@click.option("--random-plies", type=Whole(1, 1000), default=30, help="Random plies at most.")
@click.option("--sieve", metavar="NET", help="A faster net that judges the plays of a roll first.")
@click.option("--kept", type=Whole(1, 32), default=4, help="Plays that it leaves to the net.")
@click.option("--teacher", metavar="NET", help="A net that makes the labels instead.")
@click.option("--epochs", type=Whole(1, 1000), default=4, help="How often a fit uses each label.")
@click.option("--first-rate", type=Positive(), default=1e-3, help="Adam's rate at the start.")
@click.option("--last-rate", type=Positive(), default=2e-5, help="Adam's rate at the end.")
@click.option(
    "--threads", type=Whole(1, 256), default=1, help="Threads at work; the net is the same."
)
@seed_option
@click.option(
    "--out",
    type=NewFile(),
    help="Where to save the net.",
    show_default="the name of the game and .npz",
)
@click.option("--checkpoint", type=NewFile(), help="Save a resumable checkpoint here.")
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Continue from a checkpoint, with its settings.",
)
@quiet_option
@json_option
@click.pass_context
def improve(  # noqa: PLR0913 (one for each option)
    ctx: click.Context,
    net: str | None,
    rules: str | None,
    changes: dict[str, str],
    rounds: int,
    labels: int,
    hidden: int | None,
    scalars: bool,
    experts: bool,
    sets: int,
    trace: float,
    explore: float,
    scatter: float,
    random_plies: int,
    sieve: str | None,
    kept: int,
    teacher: str | None,
    epochs: int,
    first_rate: float,
    last_rate: float,
    threads: int,
    seed: int | None,
    out: str | None,
    checkpoint: str | None,
    resume: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Improve a net and save it. NETs are files, or games for their bundled nets.

    In each round the net plays itself, looks at all 21 rolls at every turn, and is fitted to what
    it has seen. Ctrl-C ends the work and saves the net of the last finished round; with
    --checkpoint it can go on later. The same settings and --seed give the same net with any number
    of threads.
    """
    try:
        if resume is not None:
            _refuse_settings(ctx)
            improver = Improver.load(resume)
            checkpoint = checkpoint or resume
        else:
            if net is None:
                raise click.UsageError("Missing argument 'NET' (or --resume).")
            base = _net(net)
            own = base.rules if rules is None else RULES[rules]
            improver = Improver(
                base,
                changed_rules(own, changes),
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
                sieve=None if sieve is None else _net(sieve),
                kept=kept,
                teacher=None if teacher is None else _net(teacher),
                epochs=epochs,
                first_rate=first_rate,
                last_rate=last_rate,
                seed=seed,
            )
    except (OSError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    path = out or improver.file_name
    require_writable(path, "'--out'")
    stopped = False
    with _progress_line(not quiet and not as_json, improver.rounds) as progress:
        try:
            improver.run(threads, None, checkpoint, progress)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        except KeyboardInterrupt:
            stopped = True
    found = improver.result()
    found.save(path)
    if as_json:
        print_json({"file": path, "partial": stopped, **improver.card()})
    else:
        _report(found, improver, path, stopped)
    if stopped:
        raise KeyboardInterrupt


def _net(name: str) -> Net:
    """Return the net of a file, or the bundled one of a game."""
    return load_net(name) if name in RULES else Net.load(name)


def _refuse_settings(ctx: click.Context) -> None:
    """Refuse options beside --resume that the checkpoint has settled."""
    for name in ctx.params:
        if name in _FREE or ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
            continue
        option = {"net": "NET", "changes": "--set"}.get(name, f"--{name.replace('_', '-')}")
        raise click.UsageError(f"{option} with --resume: expected none, as the file settles it")


def _report(net: Net, improver: Improver, path: str, stopped: bool) -> None:
    """Print the rounds."""
    if improver.done:
        rows = improver.done
        print_table(
            [
                Column("round", [str(place + 1) for place in range(len(rows))]),
                Column("labels", [f"{row.labels:,}" for row in rows]),
                Column("fitted", [f"{row.fitted:,}" for row in rows]),
                Column("loss", [f"{row.loss:.4f}" for row in rows]),
                Column("seconds", [f"{row.seconds:,.0f}" for row in rows]),
            ]
        )
    click.echo(
        f"{len(improver.done)} of {improver.rounds} rounds{', then stopped' if stopped else ''}; "
        f"the same again: {improver.command()}"
    )
    click.echo(f"{net!r} is in {path}")


@contextmanager
def _progress_line(
    wanted: bool, rounds: int
) -> Iterator[Callable[[ImproveProgress], object] | None]:
    """Show on stderr how far an improvement is, if it is wanted and somebody sees it."""
    with staged(wanted, "improving") as tell:
        if tell is None:
            yield None
            return

        def show(now: ImproveProgress) -> None:
            place = min(len(now.done) + 1, rounds)
            work = f"{now.labels:,} labels" if now.stage == "label" else "fitting"
            state = f"round {place} of {rounds}, {work}"
            if now.done:
                state += f"; loss {now.done[-1].loss:.4f}"
            tell(now.fraction, state)

        yield show
