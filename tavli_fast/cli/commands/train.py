"""The command ``train``: a player for any game, by self-play, in minutes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from tavli_fast.cli.options.position import (
    find_rules,
    json_option,
    new_file,
    positive,
    require_writable,
    rules_option,
    set_option,
    whole,
)
from tavli_fast.cli.show.chart import require_plot
from tavli_fast.cli.show.table import (
    Column,
    can_show_bar,
    counted,
    plus_minus,
    print_json,
    print_table,
)
from tavli_fast.nets.net import Net
from tavli_fast.rules.text import nearest_preset, rules_name
from tavli_fast.training.strength import Strength
from tavli_fast.training.trainer import FIRST_RATES, Progress, Trainer

__all__ = ["train"]

_MINUTES: Final = 5.0
_SETTLED: Final = (
    *("rules", "changes", "minutes", "games", "hidden", "activation", "threads", "seed"),
    *("first_rate", "last_rate"),
)
"""The options that a file to go on from has settled."""
_OPPONENTS: Final = {"random": "a random player", "tenth": "itself at a tenth of this"}


@click.command(short_help="Train a player for a game by self-play.")
@rules_option
@set_option
@click.option(
    "--minutes",
    type=str,
    callback=positive,
    metavar="N",
    help=f"How long to train; {_MINUTES:g} if --games is missing too.",
)
@click.option(
    "--games",
    type=str,
    callback=whole(1, 10**12),
    metavar="N",
    help="How many games to play instead.",
)
@click.option(
    "--hidden",
    type=str,
    callback=whole(32, 1024),
    default="128",
    metavar="N",
    help="Hidden units, a multiple of 32; 128 if missing.",
)
@click.option(
    "--activation",
    type=click.Choice(sorted(FIRST_RATES), case_sensitive=False),
    default="clipped",
    help="What squashes them; clipped if missing.",
)
@click.option(
    "--threads",
    type=str,
    callback=whole(1, 256),
    default="1",
    metavar="N",
    help="With more than 1, no two trainings are quite the same.",
)
@click.option("--seed", type=str, callback=whole(0), metavar="N", help="Repeats a training.")
@click.option(
    "--first-rate",
    type=str,
    callback=positive,
    metavar="X",
    help="The learning rate at the beginning.",
)
@click.option("--last-rate", type=str, callback=positive, metavar="X", help="The one at the end.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    callback=new_file,
    metavar="FILE",
    help="The net; NAME.npz if missing.",
)
@click.option(
    "--checkpoint",
    type=click.Path(dir_okay=False),
    callback=new_file,
    metavar="FILE",
    help="Gets, every minute, all that is needed to go on.",
)
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Go on from such a file, with its settings.",
)
@click.option(
    "--curve",
    type=click.Path(dir_okay=False),
    callback=new_file,
    metavar="FILE",
    help="The learning curve as CSV.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The learning curve as a picture (PNG, SVG, PDF).",
)
@click.option(
    "--pairs",
    type=str,
    callback=whole(2, 10**9),
    default="500",
    metavar="N",
    help="Pairs of games for each point of the curve, five-fold at the end; 500 if missing.",
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@json_option
@click.pass_context
def train(
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

    It starts from nothing but the rules. On the way it is measured against a player who chooses at
    random and against itself as it was after a tenth of the games. Ctrl-C ends the training; the
    net is then saved as it is. The same --games and --seed give the same net, with one thread.
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
        print_json({"file": path, "interrupted": stopped, **net.info})
    else:
        _report(net, trainer, path, stopped)
    if stopped:
        raise KeyboardInterrupt


def _refuse_twins(files: dict[str, str | None]) -> None:
    """Refuse one file for two options, of which the second would overwrite the first."""
    seen: dict[Path, str] = {}
    for option, file in files.items():
        if file is not None:
            first = seen.setdefault(Path(file).resolve(), option)
            if first != option:
                message = f"--{first} and --{option} with {file}: expected two files"
                raise click.UsageError(message)


def _refuse_settings(ctx: click.Context) -> None:
    """Refuse, beside --resume, what the file settles."""
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
    """Return points a game with one standard error."""
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
    """Show how far a training is, on stderr, if it is wanted and somebody sees it."""
    if not wanted or not can_show_bar():
        yield None
        return
    bar = Bar(
        TextColumn("training"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=1.0, state="")

        def show(now: Progress) -> None:
            state = f"{now.games:,} games, {now.games_per_second:,.0f} a second"
            if now.strength is not None:
                state += f"; {_points(now.strength)} against {_OPPONENTS[now.strength.opponent]}"
            bar.update(task, completed=now.fraction, state=state)

        yield show
