"""The command ``fibs``: a bot on a FIBS server."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from tavli_fast.cli.options.engine import engine_options, read_engine
from tavli_fast.cli.options.types import Whole
from tavli_fast.connect.fibs_bot import FibsBot, FibsError
from tavli_fast.connect.lines import stop_signals

__all__ = ["fibs"]


@click.command(short_help="Play on a FIBS server.")
@click.argument("host")
@click.argument("port", type=Whole(1, 65535))
@click.option("--name", required=True, help="The user's name on the server.")
@click.option(
    "--password",
    envvar="TAVLI_FAST_FIBS_PASSWORD",
    prompt=True,
    hide_input=True,
    help="The user's password; better in the variable TAVLI_FAST_FIBS_PASSWORD.",
    show_default="asked for",
)
@click.option("--invite", metavar="NAME", help="Whom to invite.", show_default="wait for others")
@click.option(
    "--length", type=Whole(1, 99), default=5, help="Points of a match; accepted up to this."
)
@click.option("--matches", type=Whole(1, 10**6), default=1, help="How many matches to finish.")
@engine_options
def fibs(
    host: str,
    port: int,
    name: str,
    password: str,
    invite: str | None,
    length: int,
    matches: int,
    **options: Any,
) -> None:
    """Log in on a FIBS server and play matches: invite a user, or accept invitations. Matches that
    were interrupted are resumed. Ctrl-C leaves the match, which the server saves, and logs out.

    The user must exist: ask the server's operators before you let a bot play there.
    """
    try:
        bot = FibsBot(
            name,
            password,
            read_engine(**options),
            invite=invite,
            length=length,
            matches=matches,
            report=click.echo,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    try:
        asyncio.run(_run(bot, host, port))
    except FibsError as error:
        raise click.ClickException(str(error)) from error


async def _run(bot: FibsBot, host: str, port: int) -> None:
    """Play until the bot has finished, or Ctrl-C or SIGTERM."""
    with stop_signals() as stop:
        playing = asyncio.create_task(bot.run(host, port))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([playing, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            await bot.leave()
            await asyncio.wait([playing], timeout=5)
            playing.cancel()
        stopping.cancel()
        if playing.done() and not playing.cancelled():
            playing.result()
    won = sum(each.won for each in bot.results)
    click.echo(f"{won} of {len(bot.results)} matches won.")
