"""The command ``analyse``: what the decisions of played matches cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from tavli_fast._common.files import replacing
from tavli_fast.analysis.analyse import analyse as judged
from tavli_fast.analysis.result import MatchAnalysis
from tavli_fast.analysis.totals import ROWS, cells_of
from tavli_fast.cli.options.analysis import judge_option, plies_option
from tavli_fast.cli.options.games import threads_option
from tavli_fast.cli.options.output import quiet_option
from tavli_fast.cli.options.policy import read_judge
from tavli_fast.cli.options.types import NewFile, Whole
from tavli_fast.cli.show.decisions import print_worst
from tavli_fast.cli.show.progress import watched
from tavli_fast.cli.show.table import Column, counted, print_table
from tavli_fast.play.mat.reader import MatMatch
from tavli_fast.play.match_files import read_match

__all__ = ["analyse"]


@click.command(short_help="Judge every decision of played matches.")
@click.argument(
    "files", nargs=-1, required=True, metavar="MATCH...", type=click.Path(dir_okay=False)
)
@plies_option
@judge_option
@click.option("--player", metavar="NAME", help="Show the errors of this player alone.")
@click.option(
    "--worst", type=Whole(0, 10_000), default=10, help="Show so many of the worst errors."
)
@click.option(
    "--html", "html_file", type=NewFile(), help="Write a page for the browser to this file."
)
@click.option(
    "--json", "json_file", type=NewFile(), help="Write the analysis to this file as JSON."
)
@click.option(
    "--csv", "csv_file", type=NewFile(), help="Write a row for each decision to this file."
)
@click.option(
    "--board/--no-board", "draw", default=True, help="Draw the boards of the errors, or do not."
)
@threads_option
@quiet_option
def analyse(  # noqa: PLR0913 (one for each option)
    files: Sequence[str],
    plies: int | Literal["rollout"],
    policy: str | None,
    player: str | None,
    worst: int,
    html_file: str | None,
    json_file: str | None,
    csv_file: str | None,
    draw: bool,
    threads: int | None,
    quiet: bool,
) -> None:
    """Judge every decision of played matches: what plays, doubles and their answers cost, and how
    lucky the rolls were. 0 plies take a tenth of a second for a match, 2 plies a second.

    A match is a file of any kind that can be read, such as .mat. What of it is read otherwise than
    it stands is told on stderr. Ctrl-C ends the work and shows what has been found so far.
    """
    outputs = {"--html": html_file, "--json": json_file, "--csv": csv_file}
    if len(files) > 1:
        for option, given in outputs.items():
            if given is not None:
                raise click.UsageError(f"{option} with several matches: expected one match")
    matches = [_read(file) for file in files]
    evaluator: Any = "net"
    if policy is not None:
        evaluator = read_judge(policy, matches[0].session.games[0])
    with watched(not quiet, "judging", "turns") as watch:
        try:
            found = judged(
                matches, evaluator, plies=plies, threads=threads, progress=watch.progress
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    for file, each in zip(files, found, strict=True):
        try:
            errors = each.worst(worst, player)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="'--player'") from error
        _print(file, each)
        if errors:
            click.echo(f"\nThe worst {counted(len(errors), 'error')}; X is the player on roll.")
            print_worst(errors, each.players, draw)
    if html_file is not None:
        _write(html_file, found[0].html())
    if json_file is not None:
        _write(json_file, found[0].to_json() + "\n")
    if csv_file is not None:
        _write(csv_file, found[0].to_csv())
    if any(each.partial for each in found):
        raise KeyboardInterrupt


def _read(file: str) -> MatMatch:
    """Read a match, and say what was mended."""
    try:
        match = read_match(Path(file))
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror}", param_hint="'MATCH'") from error
    except ValueError as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="'MATCH'") from error
    for each in match.mended:
        click.echo(f"note: {file}, {each}", err=True)
    return match


def _print(file: str, found: MatchAnalysis) -> None:
    """Print the totals of a match."""
    length = "without an end" if found.target is None else f"to {counted(found.target, 'point')}"
    score = "-".join(map(str, found.score))
    partial = ", as far as it was judged" if found.partial else ""
    click.echo(f"{Path(file).name}: {length}, {score}, judged by {found.evaluator}{partial}\n")
    print_table(
        [
            Column("", [label for label, _ in ROWS], left=True),
            *(
                Column(each.player, [cells_of(each, name) for _, name in ROWS])
                for each in found.totals
            ),
        ]
    )


def _write(file: str, text: str) -> None:
    """Write a file: the whole of it, or nothing."""
    if Path(file).exists() and not Path(file).is_file():
        Path(file).write_text(text, encoding="utf-8")
        return
    with replacing(file) as output:
        output.write(text.encode())
