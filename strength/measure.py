"""Measure a net: against chance, other players and earlier nets, and on rolled-out positions.

    python strength/measure.py backgammon.npz --pubeval pubeval.npz --gnubg

The yardsticks' data stay outside the package: pubeval's weights, an .npz file of ``contact`` and
``race``, 122 numbers each; positions, a file with a line of JSON for each, of ``board`` and
``probs``, and with --groups a number for each, equal for the plays of one roll. GNU Backgammon
plays through the package gnubg-nn.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from baselines import baseline
from players import Ahead, Gnubg, gnubg_0ply, pubeval

import tavli_fast as tf


def rolled_out(path: Path) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]:
    """Return positions with known probabilities, ``int8[N, 2, 26]``, who has just moved first, and
    their equities."""
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    theirs = np.array([row["board"] for row in rows])
    boards = np.zeros((len(rows), 2, 26), np.int8)
    boards[:, 0, 1:] = np.maximum(theirs[:, 1:], 0)
    boards[:, 1, 1:25] = np.maximum(-theirs[:, 24:0:-1], 0)
    boards[:, 1, 25] = np.abs(theirs[:, 0])
    boards[:, :, 0] = 15 - boards[:, :, 1:].sum(axis=2)
    return boards, _equities(np.array([row["probs"] for row in rows]))


def decisions(groups: Path) -> list[npt.NDArray[np.intp]]:
    """Return the places of the plays of each roll that has several among them."""
    numbers = np.loadtxt(groups, dtype=np.int64)
    ends = np.cumsum(np.unique(numbers, return_counts=True)[1])[:-1]
    found = np.split(np.argsort(numbers, kind="stable"), ends)
    return [plays for plays in found if len(plays) > 1]


def errors_on_positions(net: tf.Net, path: Path, groups: Path | None) -> dict[str, Any]:
    """Return the mean absolute error of a net's equities on rolled-out positions, in points; with
    groups of positions that are the plays of one roll also what its choices lose on average."""
    boards, true = rolled_out(path)
    found = _equities(net(boards).astype(float))
    card = {
        "positions": len(boards),
        "mean_absolute_error": round(float(np.abs(found - true).mean()), 4),
    }
    if groups:
        losses = [
            true[plays].max() - true[plays[found[plays].argmax()]] for plays in decisions(groups)
        ]
        card |= {"decisions": len(losses), "loss_a_decision": round(float(np.mean(losses)), 5)}
    return card


def _equities(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the equities of probabilities without a draw."""
    return np.asarray(2 * p[:, 0] - 1 + p[:, 1] + p[:, 2] - p[:, 3] - p[:, 4])


def row(opponent: str, found: tf.ArenaResult) -> dict[str, Any]:
    """Return a line of the model card, and print it."""
    print(found, flush=True)
    return {
        "opponent": opponent,
        "equity": round(found.points, 4),
        "std_error": round(found.std_error, 4),
        "wins": round(found.won(), 4),
        "games": found.games,
    }


def measure(net: tf.Net, options: argparse.Namespace) -> dict[str, Any]:
    """Return all that is asked for."""
    against: dict[str, Any] = {"random": "random"}
    if options.early:
        early = tf.Net.load(options.early)
        against[f"its like after {early.info['games']:,} games"] = early
    if net.rules.contact != "hit":
        against["the hand-written player"] = baseline(net.rules)
    if options.pubeval:
        against["pubeval"] = pubeval(options.pubeval)
    if options.gnubg:
        against["gnubg 0-ply"] = gnubg_0ply()
    card: dict[str, Any] = {
        "strength": [
            row(name, tf.arena(net, other, net.rules, options.games, options.seed, threads=1))
            for name, other in against.items()
        ]
    }
    if options.before:
        games = options.before_games or options.games
        before = tf.Net.load(options.before)
        found = tf.arena(net, before, net.rules, games, options.seed, threads=1)
        card["strength"].append(row("itself before it was improved", found))
    if options.ahead:
        deep = Ahead(net, options.ahead)
        other: Any = "random" if options.gnubg_plies is None else Gnubg(options.gnubg_plies)
        name = "random" if options.gnubg_plies is None else f"gnubg {options.gnubg_plies}-ply"
        found = tf.arena(deep, other, net.rules, options.games, options.seed, threads=1)
        card["strength"].append(row(f"{name}, looking {options.ahead} plies ahead", found))
    if options.rollouts:
        card["positions"] = errors_on_positions(net, options.rollouts, options.groups)
        print(card["positions"])
    return card


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("net", type=Path)
    parser.add_argument("--games", type=int, default=10_000, help="games against each")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--early", type=Path, help="a net with less training")
    parser.add_argument("--before", type=Path, help="the net before it was improved")
    parser.add_argument("--before-games", type=int, help="games against that one")
    parser.add_argument("--pubeval", type=Path, help="its weights")
    parser.add_argument("--gnubg", action="store_true")
    parser.add_argument("--ahead", type=int, help="also let the net look so many plies ahead")
    parser.add_argument("--gnubg-plies", type=int, help="against gnubg looking so many plies")
    parser.add_argument("--rollouts", type=Path, help="positions with known probabilities")
    parser.add_argument("--groups", type=Path, help="which of them are plays of the same roll")
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    options = parser.parse_args()
    found = measure(tf.Net.load(options.net), options)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
