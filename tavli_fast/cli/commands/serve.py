"""The command ``serve``: the engine as a server, for GNU Backgammon and over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from tavli_fast.cli.options.engine import engine_options, host_option, port_option, read_engine
from tavli_fast.cli.options.rules import find_rules, set_option
from tavli_fast.cli.options.types import Whole
from tavli_fast.connect.gnubg_server import PORT, GnubgServer
from tavli_fast.connect.lines import stop_signals

__all__ = ["serve"]


@click.group(short_help="Let other programs play against the engine.")
def serve() -> None:
    """Let other programs play against the engine, or ask it. Ctrl-C ends it."""


@serve.command("gnubg", short_help="For GNU Backgammon.")
@host_option
@port_option(PORT)
@click.option(
    "--rules",
    metavar="NAME",
    type=click.Choice(["backgammon", "hypergammon", "nackgammon", "longgammon"]),
    help="The game.",
    show_default="backgammon, or hypergammon if a side has three checkers",
)
@set_option
@engine_options
def gnubg(host: str, port: int, rules: str | None, changes: dict[str, str], **options: Any) -> None:
    """Be an external player of GNU Backgammon.

    In GNU Backgammon: 'set player 0 external localhost:4321', 'set automatic roll on', 'set
    automatic game on', 'new match 5'. For money the engine plays with Jacoby's rule and beavers, as
    GNU Backgammon does by default; --rules with --set changes that.
    """
    if changes and rules is None:
        rules, changes = "backgammon", {"jacoby": "yes", "beavers": "yes", **changes}
    chosen = None if rules is None else find_rules(rules, changes).rules
    server = GnubgServer(read_engine(rules=chosen, **options), chosen)
    asyncio.run(_run(server, host, port))


async def _run(server: GnubgServer, host: str, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    with stop_signals() as stop:
        chosen = await server.start(host, port)
        click.echo(f"Listening at {host}:{chosen}. In GNU Backgammon:")
        click.echo(f"set player 0 external {host}:{chosen}")
        try:
            await stop.wait()
        finally:
            await server.close()
            click.echo(f"Stopped after {server.decisions:,} decisions.")


@serve.command("http", short_help="JSON over HTTP.")
@host_option
@port_option(8321)
@click.option("--workers", type=Whole(1, 64), default=2, help="Requests computed at once.")
@engine_options
def http(host: str, port: int, workers: int, **options: Any) -> None:
    """Answer requests over HTTP: plays, evaluations, cube decisions, analysis, rollouts, for every
    game. The page at / lists the paths; the extra 'connect' is needed.
    """
    try:
        from tavli_fast.connect.web.server import HttpLimits, application, run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "h11", "anyio"):
            raise
        message = "serve http needs the extra: pip install 'tavli-fast[connect]'"
        raise click.ClickException(message) from error
    limits = HttpLimits(workers=workers)
    app = application(read_engine(**options), limits)

    def ready(chosen: int) -> None:
        click.echo(f"Listening at http://{host}:{chosen}")

    asyncio.run(run(app, host, port, limits, ready))
    click.echo("Stopped.")
