"""Playing a recorded game again, to bring a session back from its dict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tavli_fast.play.game import Game
from tavli_fast.play.records import Roll


def play_again(game: Game, data: Mapping[str, Any], phase: str) -> None:
    """Bring a fresh game to where its record, as JSON has it, ends: in that phase.

    Raises:
        ValueError: an action or a play is not legal.
        LookupError, TypeError: it is no record, or leads to another phase.
    """
    record, turns, calls, throws = game.record, data["turns"], data["calls"], len(data["contest"])
    while True:
        said, played = len(record.calls), len(record.turns)
        call = calls[said] if said < len(calls) else None
        at_end = call is None and played == len(turns) and len(record.contest) == throws
        if (game.phase == phase and at_end) or game.phase == "over":
            return
        if played > len(turns):
            raise LookupError(f"turn {played} is not in it")
        if call is not None and call["turn"] == played and _is_due(game, call, data):
            _say(game, call)
        elif game.phase == "contest":
            game.contest()
        elif game.phase == "opening":
            game.reroll() if data["rerolled"] else game.keep()
        elif game.phase == "roll":
            # A throw that cannot be played ends its turn by itself.
            game.roll()
        else:
            game.play(turns[played]["moves"])


def _is_due(game: Game, call: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Return whether a call of this turn is the next thing that happened."""
    if call["action"] != "resign" or data["unplayed"] is None:
        return game.phase != "contest"
    return game.phase == "play" or (game.phase == "opening" and not data["rerolled"])


def _say(game: Game, call: Mapping[str, Any]) -> None:
    """Repeat what a player said."""
    action = call["action"]
    if action == "resign":
        game.resign(call["value"], call["player"])
    elif action in ("double", "take", "drop", "beaver"):
        game.act(action)
    else:
        raise LookupError(f"no action {action!r}")


def throws_of(data: Mapping[str, Any], opening: str) -> Iterator[Roll]:
    """Yield the throws of a session's dict in their order, if its games open like this."""
    for number, record in enumerate(data["history"]):
        is_last = number == len(data["history"]) - 1
        yield from map(_pair, record["contest"])
        on_table = data["dice"] if is_last else None
        dice = [turn["dice"] for turn in record["turns"]] + [record["unplayed"], on_table]
        dice = [pair for pair in dice if pair is not None]
        # Contest dice that are played have not been thrown again.
        kept = opening != "fresh_roll" and record["contest"] and not record["rerolled"]
        yield from map(_pair, dice[1:] if kept else dice)


def _pair(dice: Any) -> Roll:
    """Return a throw as Game takes it."""
    first, second = dice
    return first, second
