"""The command ``nets``: the nets that come with the package, and how each was made."""

from __future__ import annotations

from typing import Any

import click

from tavli_fast.cli.options.output import json_option
from tavli_fast.cli.options.rules import preset_argument
from tavli_fast.cli.show.table import Column, counted, plus_minus, print_json, print_table
from tavli_fast.nets.bundled import borrowed, embedded_nets, lender, load_net
from tavli_fast.nets.features import width
from tavli_fast.nets.net import Net
from tavli_fast.rules.presets import RULES

__all__ = ["nets"]


@click.command(short_help="List the nets that come with the package, or show one.")
@preset_argument
@json_option
def nets(name: str | None, as_json: bool) -> None:
    """List the nets that come with the package; with NAME (a game) show how its net was trained.

    A game without a net of its own uses that of the most similar game.
    """
    if name is None:
        _list(as_json)
        return
    try:
        own = lender(name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'NAME'") from error
    net = load_net(own)
    if as_json:
        print_json({"rules": name, "net": own, "borrowed": borrowed(name), **_card(net)})
        return
    if borrowed(name):
        click.echo(f"{name} has no net of its own and borrows that of {own}:\n")
    _show(net)


def _card(net: Net) -> dict[str, Any]:
    """Gather what is known of a net, for JSON."""
    return {
        "encoding": net.encoding,
        "features": width(net.encoding),
        "hidden": net.hidden,
        **({} if net.sieve is None else {"sieve": _sieve(net, net.sieve)}),
        "activation": net.activation,
        "identity": net.name,
        **net.info,
    }


def _sieve(net: Net, sieve: Net) -> dict[str, Any]:
    """Gather what is known of a net's sieve."""
    return {"hidden": sieve.hidden, "experts": sieve.experts, "kept": net.kept, **sieve.info}


def _sieve_line(net: Net, sieve: Net) -> str:
    """Say what a net's sieve is."""
    return f"a net of {counted(sieve.hidden, 'unit')}, {sieve.name}, which leaves {net.kept}"


def _list(as_json: bool) -> None:
    """Print a line for each net."""
    found = {name: load_net(name) for name in embedded_nets()}
    if as_json:
        print_json([_card(net) for net in found.values()])
        return
    infos = [net.info for net in found.values()]
    print_table(
        [
            Column("rules", list(found), left=True),
            Column("games", [f"{info['games']:,}" for info in infos]),
            Column("seconds", [f"{info['seconds']:,.0f}" for info in infos]),
            Column("wins against\nrandom", [_wins(info) for info in infos]),
            Column("date", [str(info["date"]) for info in infos], extra=True),
        ]
    )
    lenders = {name: lender(name) for name in RULES if name not in found}
    for name, own in lenders.items():
        what = "borrows the net of" if borrowed(name) else "plays with the net of"
        click.echo(f"{name} {what} {own}")


def _wins(info: dict[str, Any]) -> str:
    """Write the share of games won against a random player."""
    shares = [row["wins"] for row in info.get("strength", ()) if row["opponent"] == "random"]
    return f"{100 * shares[0]:.2f} %" if shares else "?"


def _improvements(info: dict[str, Any]) -> dict[str, str]:
    """Write what each call of `improve` has done."""
    facts = {}
    for number, step in enumerate(info.get("improved", ()), 1):
        rounds = step["rounds"]
        labels = sum(each["labels"] for each in rounds)
        seconds = sum(each["seconds"] for each in rounds)
        place = f" {number}" if len(info["improved"]) > 1 else ""
        facts[f"improved{place}"] = (
            f"{counted(len(rounds), 'round')}, {counted(labels, 'label')}, {seconds:,.0f} s"
        )
        facts[f"its command{place}"] = f"{step['command']}, from {step['base']}"
    return facts


def _show(net: Net) -> None:
    """Print a net's card."""
    info = net.info
    facts = {
        "rules": str(info["name"]),
        "identity": net.name,
        "inputs": f"{net.encoding}, {width(net.encoding)} features; apart for "
        + ("four kinds of contact and race" if net.experts else "contact and race"),
        "hidden units": f"{net.hidden}, {net.activation}",
        **({} if net.sieve is None else {"plays judged first by": _sieve_line(net, net.sieve)}),
        "outputs": str(net.outputs),
        "training": f"{counted(info['games'], 'game')} of self-play, {info['seconds']:,.0f} s",
        "seed": str(info["settings"]["seed"]),
        "command": str(info["command"]),
        **_improvements(info),
        "version, date": f"{info['version']}, {info['date']}",
    }
    for row in info.get("strength", ()):
        facts[f"against {row['opponent']}"] = (
            f"{row['equity']:+.3f} {plus_minus()} {row['std_error']:.3f} points a game, "
            f"{100 * row['wins']:.2f} % won, {counted(row['games'], 'game')}"
        )
    games, opponent, equity, error = info["curve"][-1]
    if opponent == "tenth":
        facts["against itself at a tenth"] = (
            f"{equity:+.3f} {plus_minus()} {error:.3f} points a game, after {games:,} games"
        )
    if "positions" in info:
        found = info["positions"]
        facts["error"] = (
            f"{found['mean_absolute_error']} points, the mean over {found['positions']:,} "
            "rolled-out positions"
        )
    print_table([Column("", list(facts), left=True), Column("", list(facts.values()), left=True)])
