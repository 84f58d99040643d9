"""Print what is known of the nets in the package as Markdown tables for docs/strength.md."""

from __future__ import annotations

from typing import Any

import tavli_fast as tf
from tavli_fast.nets.bundled import embedded_nets


def shown(row: dict[str, Any] | None, wins: bool = False) -> str:
    """Return a result against an opponent."""
    if row is None:
        return ""
    text = f"{row['equity']:+.3f} ± {row['std_error']:.3f}"
    return f"{text}, {100 * row['wins']:.2f} %" if wins else text


def improved() -> None:
    """Print a row for each net that has learnt from its own lookahead."""
    print("| net | now | rounds | labels | seconds | over the net before |")
    print("|---|---|---|---|---|---|")
    for name in embedded_nets():
        net = tf.load_net(name)
        steps = net.info.get("improved", ())
        rounds = [each for step in steps for each in step["rounds"]]
        if not rounds:
            continue
        by_name = {row["opponent"]: row for row in net.info["strength"]}
        size = f"{net.hidden} units" + ", scalars" * net.scalars + ", experts" * net.experts
        first = net.info["command"].partition("--rules ")[2].partition(" ")[0]
        cells = [
            name if first == name else f"{name} from {first}",
            size,
            str(len(rounds)),
            f"{sum(each['labels'] for each in rounds):,}",
            f"{sum(each['seconds'] for each in rounds):,.0f}",
            shown(by_name.get("itself before it was improved")),
        ]
        print(f"| {' | '.join(cells)} |")


def main() -> None:
    """Print a row for each net, and the same for the second stage."""
    print("| net | games | rounds | random, won | before the rounds | hand-written | pubeval |")
    print("|---|---|---|---|---|---|---|")
    for name in embedded_nets():
        info = tf.load_net(name).info
        by_name = {row["opponent"]: row for row in info["strength"]}
        rounds = sum(len(step["rounds"]) for step in info.get("improved", ()))
        cells = [
            name,
            f"{info['games']:,}",
            str(rounds or ""),
            shown(by_name.get("random"), wins=True),
            shown(by_name.get("itself before it was improved")),
            shown(by_name.get("the hand-written player")),
            shown(by_name.get("pubeval")),
        ]
        print(f"| {' | '.join(cells)} |")
    print()
    improved()


if __name__ == "__main__":
    main()
