"""How a net does against another one, or against chance: pairs of games with the same dice."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ._arguments import MAX_PLIES, four_words
from ._core import netgames as _netgames
from ._settings import UNFINISHED
from ._trials import RANDOM
from .boards import start
from .nets import Net
from .rules import Rules


@dataclass(frozen=True)
class Strength:
    """What was measured of a net."""

    games: int
    """Games that it had learnt from."""
    seconds: float
    """Seconds that it had trained."""
    opponent: str
    """Against whom it played."""
    equity: float
    """Its points a game."""
    std_error: float
    """Their standard error."""
    wins: float
    """The share of games that it won."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        return asdict(self)


def measure(
    net: Net,
    other: Net | None,
    opponent: str,
    pairs: int,
    seed: int,
    key: tuple[int, ...],
    games: int = 0,
    seconds: float = 0,
    rules: Rules | None = None,
) -> Strength:
    """Play pairs of games, each sequence of dice from both sides; no `other` is a player who
    chooses at random. Games that were given up (a cascade of too many plays) do not count."""
    rules = net.rules if rules is None else rules
    players = [
        RANDOM if one is None else (one.packed, one.kind, one.columns, one.outputs)
        for one in (net, other)
    ]
    words = four_words(seed, key)[:2]
    stop = np.zeros(1, np.uint8)
    contest = rules.opening != "fresh_roll"
    first, second = (
        _netgames.play_trials(
            start(rules),
            rules,
            sides,
            None,
            words,
            0,
            pairs,
            MAX_PLIES,
            0,
            False,
            contest,
            False,
            None,
            stop,
        )[:, 7]
        for sides in ((players[0], players[1]), (players[1], players[0]))
    )
    points = np.stack([first, -second], axis=1)
    points = points[(np.abs(points) != UNFINISHED).all(axis=1)]
    means = points.mean(axis=1)  # the two games of a pair hang together
    error = means.std(ddof=1) / len(means) ** 0.5 if len(means) > 1 else float("nan")
    return Strength(
        games,
        round(seconds, 3),
        opponent,
        round(float(means.mean()), 5) if len(means) else float("nan"),
        round(float(error), 5),
        round(float((points > 0).mean()), 5) if len(means) else float("nan"),
    )
