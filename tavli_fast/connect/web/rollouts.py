"""Rollouts over HTTP: interim results line by line, ended by time, by the client, or by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

from tavli_fast.connect.streamed import Streamed
from tavli_fast.connect.web.answers import situation_of
from tavli_fast.connect.web.fields import RequestError
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.rollouts.ranked import RankedPlays
from tavli_fast.rollouts.result import RolloutResult

__all__ = ["ABOUT", "ROLLOUT_FIELDS", "prepare"]

ROLLOUT_FIELDS: Final = (
    "position", "dice", "rules", "trials", "seed", "seconds",
    "cube", "owner", "score", "length", "crawford", "jacoby", "beavers",
)  # fmt: skip
ABOUT: Final = (
    "A rollout, streamed: a line of JSON with the result so far after every 128 games (with dice: "
    'the ranking when it is known), the last one with "final": true.'
)


def prepare(
    fields: Mapping[str, Any], stop: threading.Event
) -> Callable[[Callable[[dict[str, Any]], object]], None]:
    """Check a request; return the rollout, a function that calls its argument with each result.

    Raises:
        RequestError: the request cannot be answered.
    """
    s = situation_of(fields)
    ends = monotonic() + fields["seconds"]

    def ended() -> bool:
        return stop.is_set() or monotonic() > ends

    streamed = Streamed(s, fields["trials"], fields["seed"] or 0, "net", ended)

    def positions(send: Callable[[dict[str, Any]], object]) -> None:
        result = streamed.estimate(lambda found: send(_result(found, final=False)))
        send({"final": True, "trials": 0} if result is None else _result(result, final=True))

    def ranking(send: Callable[[dict[str, Any]], object]) -> None:
        found = streamed.ranking(lambda so_far: send(_ranking(so_far, final=False)))
        send({"final": True, "plays": []} if found is None else _ranking(found, final=True))

    if s.dice is None:
        return positions
    if not len(LegalPlays(s.board, s.dice, s.rules)):
        raise RequestError("the roll has no legal play", "dice")
    return ranking


def _result(found: RolloutResult, *, final: bool) -> dict[str, Any]:
    """Return a rollout's result as JSON."""
    document = {
        "final": final,
        "trials": int(found.trials[0]),
        "equity": round(float(found.equity[0]), 6),
        "std_error": round(float(found.std_error[0]), 6),
        "outcomes": [round(float(each), 6) for each in found.outcomes[0]],
    }
    if found.cubeful is not None:
        document["cubeful"] = {
            name: round(float(getattr(found.cubeful, name)[0]), 6)
            for name in ("centred", "owned", "opponents", "double_take")
        }
    return document


def _ranking(found: RankedPlays, *, final: bool) -> dict[str, Any]:
    """Return a ranking as JSON."""
    plays = [
        {
            "play": str(each.play),
            "equity": _rounded(each.equity),
            "difference": _rounded(each.difference),
        }
        for each in found
    ]
    return {"final": final, "plays": plays}


def _rounded(value: Any) -> float | None:
    number = float(value)
    return round(number, 6) if number == number else None
