"""Roll out the first plays of a game and the replies to them, with the errors of the differences.

    python strength/opening_tables.py portes plakoto --out strength/openings

For each first roll the plays that the net ranks highest are rolled out with the same dice, and for
each reply those to the best of them. A file NAME.csv has a row for each; docs/openings.md says how
to read it. `--table NAME.csv` prints the first plays as a Markdown table instead.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tavli_fast as tf

COLUMNS = (
    "opening", "opening_play", "reply", "play", "equity", "error", "second", "second_less",
    "second_error",
)  # fmt: skip
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def ranked(board: Any, roll: tuple[int, int], rules: str, trials: int, most: int) -> list[Any]:
    """Return the plays of a roll as luck-adjusted rollouts rank them, or none."""
    return list(
        tf.rank_plays(
            board, roll, tf.load_net(rules), rules, trials, 1, threads=1, candidates=most,
            truncate=11, variance_reduction=True, stratified=True,
        )
    )  # fmt: skip


def row(opening: str, first: str, reply: str, plays: list[Any]) -> dict[str, Any]:
    """Return a line of the file."""
    found: dict[str, Any] = {"opening": opening, "opening_play": first, "reply": reply}
    if not plays:
        return {**found, "play": ""}
    best = plays[0]
    found |= {
        "play": str(best.play),
        "equity": f"{best.equity:+.4f}",
        "error": f"{best.std_error:.4f}",
    }
    if len(plays) > 1:
        second = plays[1]
        found |= {
            "second": str(second.play),
            "second_less": f"{-second.difference:.4f}",
            "second_error": f"{second.difference_error:.4f}",
        }
    return found


def rows(rules: str, trials: int, reply_trials: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a game: each first roll, followed by its replies."""
    board = tf.start(rules)
    doubles = tf.RULES[rules].opening == "fresh_roll"
    for high, low in ROLLS:
        if high == low and not doubles:
            continue
        opening = f"{high}{low}"
        plays = ranked(board, (high, low), rules, trials, 4)
        yield row(opening, "", "", plays)
        after = tf.flip(plays[0].play.board)
        for reply in ROLLS:
            answers = ranked(after, reply, rules, reply_trials, 3) if reply_trials else []
            if reply_trials:
                yield row(opening, str(plays[0].play), f"{reply[0]}{reply[1]}", answers)


def print_table(path: Path) -> None:
    """Print the first plays of a file."""
    print("| roll | best play | equity | second | less by |\n|---|---|---|---|---|")
    with path.open(encoding="utf-8", newline="") as file:
        for each in csv.DictReader(file):
            if each["reply"]:
                continue
            second = "|" if not each["second"] else f"{each['second']} | {each['second_less']}"
            error = f" ± {each['second_error']}" if each["second"] else ""
            print(
                f"| {each['opening']} | {each['play']} | {each['equity']} ± {each['error']} "
                f"| {second}{error} |"
            )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", choices=[*tf.RULES, []])
    parser.add_argument("--trials", type=int, default=1296, help="of each first play")
    parser.add_argument("--reply-trials", type=int, default=324, help="of each reply; 0 for none")
    parser.add_argument("--out", type=Path, default=Path(), help="the folder of the files")
    parser.add_argument("--table", type=Path, help="a file to print as a table")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    for game in options.games:
        with (options.out / f"{game}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            for each in rows(game, options.trials, options.reply_trials):
                writer.writerow(each)
                file.flush()


if __name__ == "__main__":
    main()
