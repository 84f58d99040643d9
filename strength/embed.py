"""Put a trained net into the package: half precision, without weights that were never used.

    python strength/embed.py plakoto.npz --measured plakoto.json

Weights of what never occurs in the game (a bar in Plakoto, flags in a race) have stayed what they
were at random; as zeros they take no room. `improve` keeps zeros, and gives units that it adds none
there. The card gets what `measure.py` has found.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tavli_fast as tf
from tavli_fast.nets import files
from tavli_fast.training.trainer import Trainer

NETS = Path(__file__).parent.parent / "tavli_fast" / "nets" / "data"


def without_use(net: tf.Net) -> npt.NDArray[np.bool_]:
    """Return which features of which phase have never had a part in the training."""
    if "improved" in net.info:
        found: npt.NDArray[np.bool_] = (net.hidden_weights == 0).all(axis=2)
        return found
    untrained = Trainer(**{**net.info["settings"], "games": 1, "minutes": None}).net()
    same = np.isclose(net.hidden_weights, untrained.hidden_weights, rtol=0, atol=2e-5)
    return np.asarray(same.all(axis=2))


def short_curve(rows: list[Any]) -> list[Any]:
    """Return the learning curve as the package has it, which may be that already."""
    return [
        [row["games"], row["opponent"], row["equity"], row["std_error"]]
        if isinstance(row, dict)
        else row
        for row in rows
        if not isinstance(row, dict) or np.isfinite(row["std_error"])
    ]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("net", type=Path)
    parser.add_argument("--measured", type=Path, help="what measure.py has written")
    parser.add_argument("--sieve", type=Path, help="a net that judges plays first")
    parser.add_argument("--kept", type=int, default=8, help="how many plays it leaves")
    parser.add_argument("--out", type=Path, help="another file")
    options = parser.parse_args()
    net = tf.Net.load(options.net)
    if options.sieve:
        net = net.with_sieve(tf.Net.load(options.sieve).with_sieve(None), options.kept)
    weights: dict[str, Any] = {
        name: array.astype(np.float16) for name, array in net.weights().items()
    }
    unused = without_use(net)
    weights["hidden_weights"][unused] = 0
    card = {**net.info, "curve": short_curve(net.info["curve"])}
    if options.measured:
        card.update(json.loads(options.measured.read_text(encoding="utf-8")))
    NETS.mkdir(parents=True, exist_ok=True)
    path: Path = options.out or NETS / f"{net.info['name']}.npz"
    settings = {**net.settings(), "info": card}
    if net.sieve is not None:
        halves: dict[str, Any] = {
            name: array.astype(np.float16) for name, array in net.sieve.weights().items()
        }
        settings["sieve"] = tf.Net(
            net.rules, **halves, activation=net.sieve.activation, info=net.sieve.info
        )
    files.write(path, "Net", net.rules, net.encoding, settings, weights)
    small = tf.Net.load(path)
    worst = max(
        float(np.abs(array - net.weights()[name]).max())
        for name, array in small.weights().items()
        if name != "hidden_weights"
    )
    boards = tf.random_boards(10_000, net.rules, seed=1)
    change = np.abs(small(boards) - net(boards)).max()
    print(f"{path}: {path.stat().st_size:,} bytes; a probability moves by {change:.5f} at most, ")
    print(f"an output weight by {worst:.5f}; rows without use: {int(unused.sum())}")


if __name__ == "__main__":
    main()
