"""The decisions of a match, taken out of its records: boards, rolls, the cube and the score."""

from __future__ import annotations

from collections.abc import Iterator

from tavli_fast.analysis.spot import Spot, Stage
from tavli_fast.boards.plays import apply
from tavli_fast.boards.positions import flip, start
from tavli_fast.cube.match_equity import LONGEST, MatchEquityTable
from tavli_fast.play.records import GameRecord
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import Rules

__all__ = ["spots_of"]


def spots_of(session: Session, table: MatchEquityTable | None) -> Iterator[Spot]:
    """Yield the turns of all games of a session, in their order."""
    history = session.history
    gains = [_gain(record) for record in history]
    score = [session.score[side] - sum(gain[side] for gain in gains) for side in (0, 1)]
    longest = LONGEST if table is None else table.length
    for number, (record, gain) in enumerate(zip(history, gains, strict=True)):
        away = None
        if session.target is not None:
            away = session.target - score[0], session.target - score[1]
            if min(away) < 1 or max(away) > longest:
                away = None  # too long for the table: as for money
        yield from _spots_of_game(number, record, away, session.games[0])
        score = [before + more for before, more in zip(score, gain, strict=True)]


def _gain(record: GameRecord) -> tuple[int, int]:
    """Return what the players got in a game."""
    points = record.points or 0
    return points * (record.winner == 0), points * (record.winner == 1)


def _spots_of_game(
    game: int, record: GameRecord, away: tuple[int, int] | None, table: Rules
) -> Iterator[Spot]:
    """Yield the turns of a game; `table` has the rules of the series, those of the cube."""
    rules, board = record.rules, start(record.rules)
    doubles = [call.value // 2 for call in record.calls if call.action == "double"]
    cube, owner = [*doubles, record.stake][0], None
    roller = record.starter
    for turn in range(len(record.turns) + 1):
        said = tuple(
            call
            for call in record.calls
            if call.turn == turn and call.action not in ("resign", "award")
        )
        played = record.turns[turn] if turn < len(record.turns) else None
        if played is None and not said:
            return
        if played is not None:
            roller = played.player

        before = _stage(record, table, away, roller, cube, owner)
        for call in said:
            if call.action in ("take", "beaver"):
                cube, owner = call.value, 1 - roller
        moves = () if played is None else played.moves
        after = None
        if played is not None:
            after = apply(board, moves, rules=rules)[0] if moves else board
        opening = turn == 0 and bool(record.contest) and rules.opening != "fresh_roll"
        yield Spot(
            game,
            turn,
            roller,
            rules,
            board,
            before,
            _stage(record, table, away, roller, cube, owner),
            opening and not record.rerolled,
            said,
            None if played is None else played.dice,
            moves,
            after,
        )
        if after is None:
            return
        board = flip(after)
        roller = 1 - roller


def _stage(
    record: GameRecord,
    table: Rules,
    away: tuple[int, int] | None,
    mover: int,
    cube: int,
    owner: int | None,
) -> Stage | None:
    """Return the cube and the score as a player on roll sees them; None without a cube."""
    if not table.cube:
        return None
    lifted = cube > 1 and table.jacoby_auto_counts
    needs = None if away is None else (away[mover], away[1 - mover])
    return Stage(
        cube,
        "centre" if owner is None else "player" if owner == mover else "opponent",
        needs,
        needs is not None and min(needs) == 1 and not record.crawford,
        None if table.cube_cap is None else max(cube, table.cube_cap),
        table.jacoby and owner is None and not lifted,
        table.beavers and away is None,
        table.beaver_refusable,
    )
