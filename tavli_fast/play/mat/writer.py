"""Matches written as .mat text: cells, and their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

from tavli_fast._common.arguments import BAR, Int8Array, shown
from tavli_fast.boards.plays import apply
from tavli_fast.boards.positions import flip, start
from tavli_fast.boards.tfid import preset_of
from tavli_fast.notation.grammar import CANNOT_MOVE
from tavli_fast.play.records import Call, GameRecord, Roll, Turn
from tavli_fast.rules.fields import SESSION_FIELDS, other_side
from tavli_fast.rules.presets import BACKGAMMON, HYPERGAMMON, NACKGAMMON, Rules

_WIDTH: Final = 28
"""The least width of the left cells; the right ones begin in column 34."""

_SAID: Final = ("double", "take", "drop", "beaver")
"""The calls that have a cell."""

_NAMES: Final = {
    "Backgammon": BACKGAMMON,
    "NackGammon": NACKGAMMON,
    "HyperGammon (3)": HYPERGAMMON,
}
"""The games that other programs play, as they name them."""


class Series(Protocol):
    """What of a `Session` is written."""

    games: tuple[Rules, ...]
    target: int | None
    game: Any

    @property
    def history(self) -> tuple[GameRecord, ...]:
        """The records of its games."""

    @property
    def score(self) -> tuple[int, int]:
        """The points of both players."""


def written(session: Series, players: tuple[str, str], tags: Mapping[str, str]) -> str:
    """Return a session as text; see `write_mat` for the errors."""
    try:
        first, second = (clean(player) or "?" for player in players)
    except (TypeError, ValueError):
        raise ValueError(f"players={shown(players)}: expected two names") from None
    if len(session.games) > 1:
        raise ValueError(f"{len(session.games)} games in turn: expected a match of one game")
    rules, target, history = session.games[0], session.target, session.history
    known = {
        "Player 1": first,
        "Player 2": second,
        "Variation": _variation(rules),
        "Crawford": "On" if rules.crawford else "Off",
        "Jacoby": "On" if rules.cube and rules.jacoby else "Off",
        "Beaver": "On" if rules.cube and rules.beavers else "Off",
    }
    if rules.cube and rules.cube_cap is not None:
        known["CubeLimit"] = str(rules.cube_cap)
    kept = {clean(key): clean(value) for key, value in tags.items()}
    lines = [f'; [{key} "{value}"]' for key, value in (kept | known).items()]
    lines += ["", f"{target or 0} point match"]
    gains = [_gain(record) for record in history]
    score = [session.score[side] - sum(gain[side] for gain in gains) for side in (0, 1)]
    for number, (record, gain) in enumerate(zip(history, gains, strict=True), 1):
        left, right = f"{first} : {score[0]}", f"{second} : {score[1]}"
        lines += ["", f" Game {number}", f" {left:<{_WIDTH + 5}} {right}"]
        score = [before + more for before, more in zip(score, gain, strict=True)]
        over = target is not None and max(score) >= target
        on_table = session.game.dice if number == len(history) else record.unplayed
        lines += _rows(record, on_table or record.unplayed, over)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _variation(rules: Rules) -> str:
    """Return the name of a game that is the same in play and points, or of the nearest preset."""
    kept = {name: getattr(rules, name) for name in SESSION_FIELDS}
    for name, preset in _NAMES.items():
        if replace(preset, **kept) == rules:
            return name
    return preset_of(rules)


def _gain(record: GameRecord) -> tuple[int, int]:
    """Return what the players got in a game."""
    points = record.points or 0
    return points * (record.winner == 0), points * (record.winner == 1)


def _rows(record: GameRecord, on_table: Roll | None, match_over: bool) -> Iterator[str]:
    """Yield the rows of a game, the left cells those of player 0."""
    row: list[str] = []
    number = 1

    def laid() -> str:
        return f"{number:3}) " + " ".join(f"{cell:<{_WIDTH}}" for cell in row)

    for player, text in _cells(record, on_table):
        if len(row) > player:
            yield laid()
            row, number = [], number + 1
        row = [*[*row, ""][:player], text]
    points = (
        f" Wins {record.points} point{'s' * (record.points != 1)}{' and the match' * match_over}"
    )
    if record.winner == 1 and len(row) == 1:  # on the line of the drop, as other readers need it
        row.append(points)
    if row:
        yield laid()
    if record.winner is None:
        yield from ["; drawn"] * (record.points is not None)
    elif len(row) < 2 or row[1] != points:
        yield " " * (5 + (_WIDTH + 1) * record.winner) + points


def _cells(record: GameRecord, on_table: Roll | None) -> Iterator[tuple[int, str]]:
    """Yield the cells of a game in their order, each with its player."""
    doubles = [call.value // 2 for call in record.calls if call.action == "double"]
    if [*doubles, record.stake][0] > 1:
        raise ValueError("a match with an automatic double: .mat has no word for it")
    board, roller = start(record.rules), record.starter
    for number, turn in enumerate(record.turns):
        yield from _said(record.calls, number)
        yield turn.player, f"{_dice(turn.dice)}: {_steps(turn, board, record.rules)}"
        board = flip(apply(board, turn.moves, rules=record.rules)[0] if turn.moves else board)
        roller = 1 - turn.player
    yield from _said(record.calls, len(record.turns))
    if on_table is not None:
        yield roller, f"{_dice(on_table)}: ???"


def _dice(roll: Roll) -> str:
    """Return a roll as it is written, the higher die first."""
    return f"{max(roll)}{min(roll)}"


def _said(calls: list[Call], turn: int) -> Iterator[tuple[int, str]]:
    """Yield the cells of what was said before a turn."""
    words = {"take": " Takes", "drop": " Drops"}
    for call in calls:
        if call.turn == turn and call.action in _SAID:
            offer = f" {call.action.capitalize()}s => {call.value}"
            yield call.player, words.get(call.action, offer)


def _steps(turn: Turn, board: Int8Array, rules: Rules) -> str:
    """Return a play as one step for each die, with numbers for bar and off, hits starred once."""
    lone = set()
    if rules.contact == "hit":
        lone = {point for point in range(1, BAR) if board[1, other_side(point, rules)] == 1}
    steps = []
    for source, target in turn.moves:
        star = "*" if target in lone else ""
        lone.discard(target)
        steps.append(f"{source}/{target}{star}")
    return " ".join(steps) or CANNOT_MOVE


def clean(text: Any) -> str:
    """Return a name or a tag on one line, without what would end it."""
    return " ".join(str(text).replace('"', "'").replace("[", "(").replace("]", ")").split())
