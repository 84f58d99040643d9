"""How strong a net is at some moment of its training: points of a learning curve."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tavli_fast.nets.net import Net
from tavli_fast.rollouts.arena import play_arena
from tavli_fast.rollouts.options import PlayOptions, workload


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
    net: Net, other: Net | str, opponent: str, pairs: int, seed: int, games: int, seconds: float
) -> Strength | None:
    """Play pairs of games against another net or ``"random"``, each dice from both sides; None if
    too few of them come to an end to tell of an error (cascades of doubles can be too large)."""
    load = workload(pairs, seed, 1, None, None)
    found = play_arena(net, other, net.rules, PlayOptions(opening=None), load)  # type: ignore[arg-type]
    if found.pairs < 2:
        return None
    return Strength(
        games,
        round(seconds, 3),
        opponent,
        round(found.points, 5),
        round(found.std_error, 5),
        round(found.won(), 5),
    )
