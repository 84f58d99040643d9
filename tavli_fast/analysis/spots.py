"""The decisions of a match, taken out of its records: boards, rolls, the cube and the score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tavli_fast._common.arguments import Int8Array
from tavli_fast.boards.plays import apply
from tavli_fast.boards.positions import flip, start
from tavli_fast.cube.match_equity import LONGEST, MatchEquityTable
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.play.records import Call, GameRecord, Moves, Roll
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import Rules

__all__ = ["Spot", "Stage", "spots_of"]


class Stage(NamedTuple):
    """The cube and the score, seen by the player on roll: what a `CubeSetting` is made of."""

    cube: int
    owner: str
    away: tuple[int, int] | None
    post_crawford: bool
    cap: int | None
    jacoby: bool
    beavers: bool
    refusable: bool

    @classmethod
    def of(cls, setting: CubeSetting) -> Stage:
        """Return the stage of a setting."""
        return cls(
            setting.cube,
            setting.owner,
            setting.away,
            setting.post_crawford,
            setting.cap,
            setting.jacoby,
            setting.beavers,
            setting.beaver_refusable,
        )

    def turned(self) -> Stage:
        """Return the stage as the opponent sees it, were he on roll."""
        owner = {"player": "opponent", "opponent": "player"}.get(self.owner, "centre")
        return self._replace(owner=owner, away=None if self.away is None else self.away[::-1])

    def setting(self, table: MatchEquityTable | None) -> CubeSetting:
        """Return the setting, with a match equity table."""
        return CubeSetting(
            cube=self.cube,
            owner=self.owner,
            away=self.away,
            post_crawford=self.post_crawford,
            table=table if self.away is not None else None,
            cap=self.cap,
            jacoby=self.jacoby,
            beavers=self.beavers,
            beaver_refusable=self.refusable,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """One turn: what was on the table, and what was done."""

    game: int
    """The game, from 0."""
    turn: int
    """The turn, from 0."""
    player: int
    """The player on roll, 0 or 1."""
    rules: Rules
    board: Int8Array
    """The position before the roll, the player on roll first."""
    stage: Stage | None
    """The cube and the score before the roll and before a double; None in a game without a
    cube."""
    after: Stage | None
    """The same when the dice are thrown: after a double that was taken."""
    opening: bool
    """Whether it is the opening roll, in which nobody doubles and no doubles are thrown."""
    calls: tuple[Call, ...]
    """What was said before the roll: a double and its answers."""
    dice: Roll | None
    """The roll; None if the double ended the game, or nothing followed."""
    moves: Moves
    """The moves that were made."""
    played: Int8Array | None
    """The position that they left, not flipped; None if nothing was played."""

    @classmethod
    def at(
        cls, board: Int8Array, dice: Roll | None, rules: Rules, setting: CubeSetting | None
    ) -> Spot:
        """Return a position that somebody asks about, seen by the player on roll."""
        stage = None if setting is None else Stage.of(setting)
        return cls(0, 0, 0, rules, board, stage, stage, False, (), dice, (), None)

    @property
    def doubled(self) -> bool:
        """Whether the player doubled."""
        return any(call.action == "double" for call in self.calls)

    @property
    def answer(self) -> str | None:
        """The answer to the double: ``"take"``, ``"drop"`` or ``"beaver"``."""
        said = (call.action for call in self.calls if call.player != self.player)
        return next((action for action in said if action in ("take", "drop", "beaver")), None)


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
