"""Roll out the opening rolls of backgammon by a net, beside the plays of the literature.

    python strength/openings.py backgammon.npz published_facts.json

The facts are a JSON file whose ``opening_best_play_equity_cubeless_gnubg_table`` has, under
``values``, the best play and its equity for each roll.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import tavli_fast as tf


def main() -> None:
    """Print a line for each roll as a Markdown table, and how many agree."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("net", type=Path)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--trials", type=int, default=1296)
    parser.add_argument("--candidates", type=int, default=6)
    options = parser.parse_args()
    net = tf.Net.load(options.net)
    facts = json.loads(options.facts.read_text(encoding="utf-8"))
    known = facts["opening_best_play_equity_cubeless_gnubg_table"]["values"]
    board, agree = tf.start("backgammon"), 0
    print("| roll | literature | its equity | rollout's best | the literature's play here |")
    print("|---|---|---|---|---|")
    for roll, (text, equity) in sorted(known.items()):
        dice = int(roll[0]), int(roll[1])
        wanted = tf.parse_play(text, board, dice).board.tobytes()
        ranked = tf.rank_plays(
            board, dice, net, "backgammon", options.trials, 1, threads=1,
            candidates=options.candidates, truncate=11, variance_reduction=True, stratified=True,
        )  # fmt: skip
        best = ranked[0]
        found = [each for each in ranked if each.play.board.tobytes() == wanted]
        here = "not among the candidates"
        if found:
            theirs = found[0]
            first = theirs is best
            close = first or theirs.difference + 2 * theirs.difference_error >= 0
            agree += close
            here = f"{theirs.equity:+.4f} ± {theirs.std_error:.4f}, " + (
                "first" if first else f"{theirs.difference:+.4f} ± {theirs.difference_error:.4f}"
            )
        play = f"{best.play} {best.equity:+.4f}"
        print(f"| {roll} | {text} | {equity:+.4f} | {play} | {here} |", flush=True)
    print(f"\nFirst or within two standard errors of first: {agree} of {len(known)}")


if __name__ == "__main__":
    main()
