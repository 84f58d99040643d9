"""The command ``ubgi-check``: does an engine keep to UBGI?"""

from __future__ import annotations

import click

from tavli_fast.cli.options.types import Positive
from tavli_fast.connect.ubgi_check import Finding, check_engine

__all__ = ["ubgi_check"]


@click.command(
    "ubgi-check",
    short_help="Check an engine that speaks UBGI.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--patience", type=Positive(), default=10.0, help="Seconds that an answer may take.")
@click.pass_context
def ubgi_check(ctx: click.Context, command: tuple[str, ...], patience: float) -> None:
    """Start COMMAND, a UBGI engine with its arguments, and check it: the handshake, errors and the
    recovery from them, missing state, bar, off and pass, legal moves, flushing, quit.

    The exit status is 1 if a check fails. Options of this command come before COMMAND.
    """

    def show(finding: Finding) -> None:
        word = "ok    " if finding.passed else "FAILED"
        click.echo(f"{word} {finding.check}" + (f": {finding.detail}" if finding.detail else ""))

    try:
        findings = check_engine(command, patience=patience, progress=show)
    except OSError as error:
        raise click.UsageError(f"{command[0]}: {error.strerror}") from error
    failed = sum(not each.passed for each in findings)
    click.echo(f"{len(findings) - failed} of {len(findings)} checks passed")
    ctx.exit(1 if failed else 0)
