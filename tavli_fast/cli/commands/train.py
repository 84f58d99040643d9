"""The command ``train``: a player for any game, by self-play, in minutes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from tavli_fast.cli.options.games import seed_option
from tavli_fast.cli.options.output import json_option, quiet_option
from tavli_fast.cli.options.rules import find_rules, rules_option, set_option
from tavli_fast.cli.options.types import NewFile, Positive, Whole, require_writable
from tavli_fast.cli.show.chart import require_plot
from tavli_fast.cli.show.progress import staged
from tavli_fast.cli.show.table import Column, counted, plus_minus, print_json, print_table
from tavli_fast.nets.net import Net
from tavli_fast.rules.text import nearest_preset, rules_name
from tavli_fast.training.strength import Strength
from tavli_fast.training.trainer import FIRST_RATES, Progress, Trainer

__all__ = ["train"]

_MINUTES: Final = 5.0
_SETTLED: Final = (
    *("rules", "changes", "minutes", "games", "hidden", "activation", "threads", "seed"),
    *("first_rate", "last_rate", "scalars", "experts"),
)
"""The options that a checkpoint has settled."""
_OPPONENTS: Final = {"random": "a random player", "tenth": "itself at a tenth of this"}


@click.command(short_help="Train a net for a game by self-play.")
@rules_option
@set_option
@click.option(
    "--minutes",
    type=Positive(),
    help="How long to train.",
    show_default=f"{_MINUTES:g}, without --games",
)
@click.option("--games", type=Whole(1, 10**12), help="How many games to play instead.")
@click.option("--hidden", type=Whole(32, 1024), default=128, help="Hidden units; a multiple of 32.")
@click.option(
    "--activation",
    type=click.Choice(sorted(FIRST_RATES), case_sensitive=False),
    default="clipped",
    help="Activation function.",
)
@click.option(
    "--threads",
    type=Whole(1, 256),
    default=1,
    help="Threads at work. With more than 1 a training cannot be repeated exactly.",
)
@seed_option
@click.option(
    "--first-rate",
    type=Positive(),
    help="Learning rate at the start.",
    show_default="by the activation",
)
@click.option(
    "--last-rate",
    type=Positive(),
    help="Learning rate at the end.",
    show_default="by the activation",
)
@click.option("--scalars", is_flag=True, help="Let the net see escapes, shots and anchors too.")
@click.option("--experts", is_flag=True, help="Give it four sets of weights for contact.")
@click.option(
    "--out",
    type=NewFile(),
    help="Where to save the net.",
    show_default="the name of the game and .npz",
)
@click.option(
    "--checkpoint",
    type=NewFile(),
    help="Save a resumable checkpoint here every minute.",
)
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Continue from a checkpoint, with its settings.",
)
@click.option("--curve", type=NewFile(), help="Save the learning curve as CSV.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw the learning curve (PNG, SVG, PDF).",
)
@click.option(
    "--pairs",
    type=Whole(2, 10**9),
    default=500,
    help="Pairs of games that measure each point of the curve; five times as many at the end.",
)
@quiet_option
@json_option
@click.pass_context
def train(  # noqa: PLR0913 (one for each option)
    ctx: click.Context,
    rules: str | None,
    changes: dict[str, str],
    minutes: float | None,
    games: int | None,
    hidden: int,
    activation: str,
    threads: int,
    seed: int | None,
    first_rate: float | None,
    last_rate: float | None,
    scalars: bool,
    experts: bool,
    out: str | None,
    checkpoint: str | None,
    resume: str | None,
    curve: str | None,
    plot: str | None,
    pairs: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train a net by letting it play against itself, and save it.

    It knows nothing but the rules at first. Its strength is measured on the way, against random
    play and against itself after a tenth of the games. Ctrl-C ends the training and saves the net
    as it is. With one thread, the same --games and --seed give the same net.
    """
    if plot is not None:
        require_plot(plot)
    try:
        if resume is not None:
            _refuse_settings(ctx)
            trainer = Trainer.load(resume)
            checkpoint = checkpoint or resume
        else:
            trainer = Trainer(
                find_rules(rules, changes).rules,
                _MINUTES if minutes is None and games is None else minutes,
                games,
                hidden,
                activation,
                threads,
                seed,
                first_rate,
                last_rate,
                scalars,
                experts,
            )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    path = out or f"{nearest_preset(trainer.rules)[0]}.npz"
    require_writable(path, "'--out'")
    files = {"out": path, "curve": curve, "plot": plot}
    _refuse_twins({**files, "checkpoint": checkpoint})
    _refuse_twins({"resume": resume, **files})  # which may be its own checkpoint
    stopped = False
    with _progress_line(not quiet and not as_json) as progress:
        try:
            trainer.run(progress, pairs=pairs, checkpoint=checkpoint)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        except KeyboardInterrupt:
            stopped = True
    net = trainer.net()
    net.save(path)
    if curve is not None:
        write_curve(curve, trainer.curve)
    if plot is not None:
        draw_curve(plot, rules_name(trainer.rules), trainer.curve)
    if as_json:
        print_json({"file": path, "partial": stopped, **net.info})
    else:
        _report(net, trainer, path, stopped)
    if stopped:
        raise KeyboardInterrupt


def _refuse_twins(files: dict[str, str | None]) -> None:
    """Refuse the same file for two options: one would overwrite the other."""
    seen: dict[Path, str] = {}
    for option, file in files.items():
        if file is not None:
            first = seen.setdefault(Path(file).resolve(), option)
            if first != option:
                message = f"--{first} and --{option} with {file}: expected two files"
                raise click.UsageError(message)


def _refuse_settings(ctx: click.Context) -> None:
    """Refuse options beside --resume that the checkpoint has settled."""
    for name in _SETTLED:
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            option = "set" if name == "changes" else name.replace("_", "-")
            message = f"--{option} with --resume: expected none, as the file has its settings"
            raise click.UsageError(message)


def _report(net: Net, trainer: Trainer, path: str, stopped: bool) -> None:
    """Print what has been trained, and how well it plays."""
    rate = trainer.games / trainer.seconds if trainer.seconds else 0
    # The clock and the threads leave no two trainings quite the same.
    exact = trainer.budget is not None and trainer.threads == 1
    click.echo(
        f"{counted(trainer.games, 'game')} in {trainer.seconds:,.0f} s ({rate:,.0f} a second)"
        f"{', then stopped' if stopped else ''}; {'the same ' * exact}again: {trainer.command()}"
    )
    last = {row.opponent: row for row in trainer.curve}
    if last:
        rows = list(last.values())
        print_table(
            [
                Column("against", [_OPPONENTS[row.opponent] for row in rows], left=True),
                Column("points a game", [_points(row) for row in rows]),
                Column("won", [f"{100 * row.wins:.1f} %" for row in rows]),
            ]
        )
    click.echo(f"{net!r} is in {path}")


def _points(row: Strength) -> str:
    """Write points a game with one standard error."""
    return f"{row.equity:+.3f} {plus_minus()} {row.std_error:.3f}"


def write_curve(path: str, rows: Sequence[Strength]) -> None:
    """Write a learning curve as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(Strength.__dataclass_fields__)
        lines.writerows(row.to_json().values() for row in rows)


def draw_curve(path: str, title: str, rows: Sequence[Strength]) -> None:
    """Draw a learning curve: points a game over the games learnt from."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes: Any = figure.add_subplot()
    for opponent, name in _OPPONENTS.items():
        part = [row for row in rows if row.opponent == opponent and row.games]
        axes.errorbar(
            [row.games for row in part],
            [row.equity for row in part],
            [2 * row.std_error for row in part],
            marker=".",
            label=f"against {name}",
        )
    axes.set(title=title, xlabel="games", ylabel="points a game", xscale="log")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(Path(path), dpi=120)


@contextmanager
def _progress_line(wanted: bool) -> Iterator[Callable[[Progress], object] | None]:
    """Show on stderr how far a training is, if it is wanted and somebody sees it."""
    with staged(wanted, "training") as tell:
        if tell is None:
            yield None
            return

        def show(now: Progress) -> None:
            state = f"{now.games:,} games, {now.games_per_second:,.0f} a second"
            if now.strength is not None:
                state += f"; {_points(now.strength)} against {_OPPONENTS[now.strength.opponent]}"
            tell(now.fraction, state)

        yield show
