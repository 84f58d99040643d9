"""The command ``convert``: a match file in another format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tavli_fast._common.files import replacing
from tavli_fast.cli.options.types import NewFile
from tavli_fast.play.match_files import match_text, read_match

__all__ = ["convert"]


@click.command(short_help="Write a match file in another format.")
@click.argument("source", metavar="IN", type=click.Path(dir_okay=False, allow_dash=True))
@click.argument("target", metavar="OUT", type=NewFile())
@click.option(
    "--strict", is_flag=True, help="Refuse a file with a place that is not as it should be."
)
def convert(source: str, target: str, strict: bool) -> None:
    """Write the match in the file IN to the file OUT, in the format that the name of OUT tells:
    .mat or .txt, .sgf (GNU Backgammon's), or .json (the whole session).

    The format of IN is found by its content; - is standard input. What of it is read otherwise than
    it stands is told on stderr.
    """
    try:
        given = sys.stdin.buffer.read() if source == "-" else Path(source)
        match = read_match(given, strict=strict)
    except OSError as error:
        raise click.BadParameter(f"{source}: {error.strerror}", param_hint="'IN'") from error
    except ValueError as error:
        raise click.BadParameter(f"{source}: {error}", param_hint="'IN'") from error
    for each in match.mended:
        click.echo(f"note: {source}, {each}", err=True)
    try:
        text = match_text(match, Path(target).suffix)
    except ValueError as error:
        raise click.BadParameter(f"{target}: {error}", param_hint="'OUT'") from error
    if Path(target).exists() and not Path(target).is_file():
        Path(target).write_text(text, encoding="utf-8")
        return
    with replacing(target) as output:
        output.write(text.encode())
