"""A match text played again on a `Session`, cell by cell."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tavli_fast.errors import NotationError
from tavli_fast.play.cube_actions import MAX_AWARD
from tavli_fast.play.game import Game
from tavli_fast.play.mat.grammar import Cell, Judge, MatText, Part, broken
from tavli_fast.play.mat.tracks import tracks_of
from tavli_fast.play.records import Roll
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import Rules

__all__ = ["Replay"]

_DANCED: Final = frozenset({"", "cannot move", "cannotmove", "no move", "dance"})
_UNPLAYED: Final = re.compile(r"\?+|")
_NO: Final = frozenset({"off", "no", "false", "0"})
_SIDES: Final = ("left", "right")
_RESULTS: Final = frozenset({"wins", "losses", "resigns", "gives up"})
_ACTIONS: Final = {"doubles": "double", "takes": "take", "drops": "drop", "beavers": "beaver"}
_EMPTY: Final = "the cell of a roll that can be played is empty"
_CODE: Final = 1004
"""Backgammon Studio's factor of the stake for a resignation."""


class Replay:
    """Whoever plays a text again, feeding a session with its throws.

    Args:
        mat: the text.
        rules: its game.
        judge: decides what becomes of places that are not as they should be.

    Raises:
        NotationError: as `read_mat` says.
    """

    session: Session
    """The match."""

    def __init__(self, mat: MatText, rules: Rules, judge: Judge) -> None:
        """Play all games."""
        self.judge = judge
        self.kind = judge.kind
        self.throws: deque[Roll] = deque()
        for part in mat.parts:
            self._drop_idle_dice(part)
        parts = mat.parts
        self.fresh = any(map(_is_fresh, parts))
        self._queue_contest(parts[0])
        self.session = self._begin(mat, rules)
        self.tracks = tracks_of(parts, rules)
        for number, part in enumerate(parts):
            if number:
                last = parts[number - 1].cells
                self._settle(part, last[-1].line if last else part.line)
                if self.session.winner is not None:
                    self._refuse(part, "the match is over", "left out, with what follows")
                    break
                self._queue_contest(part)
                self._next_game(part)
            if self.session.score != part.score:
                score = " to ".join(map(str, self.session.score))
                done = f"the score is {score}; this game and what follows are left out"
                self._refuse(part, f"expected {score}, the score as played", done, 1)
                if number:
                    self.session.undo()
                    break
            self._game(number, part)

    def _drop_idle_dice(self, part: Part) -> None:
        """Leave out dice without a play before the first turn, which the other side makes."""
        cells = part.cells
        if len(cells) > 1 and _is_idle(cells[0]) and cells[1].kind == "roll":
            idle, other = cells[:2]
            if idle.player != other.player and not self.judge.strict:
                self.judge.note(idle.line, f"'{idle}': left out, as the other side begins")
                del cells[0]

    def _begin(self, mat: MatText, rules: Rules) -> Session:
        """Begin the session that the text is about."""
        tags = {key.lower(): value.strip().lower() for key, value in mat.tags.items()}
        try:
            return self._session(mat, rules, tags)
        except ValueError as error:
            first = mat.parts[0]
            if self.judge.strict or "cubelimit" not in tags:
                raise NotationError(f"{self.kind}, line {first.line + 1}: {error}") from error
            self.judge.note(1, f"CubeLimit {tags.pop('cubelimit')!r:.40}: left out")
        try:
            return self._session(mat, rules, tags)
        except ValueError as error:
            raise NotationError(f"{self.kind}, line {first.line + 1}: {error}") from error

    def _session(self, mat: MatText, rules: Rules, tags: dict[str, str]) -> Session:
        """Return the session of a text with these tags; see `Session` for the errors."""
        cells = [cell for part in mat.parts for cell in part.cells]
        after_beavers = {
            cells[at + 1].kind for at, cell in enumerate(cells[:-1]) if cell.kind == "beavers"
        }
        doubled = any(cell.kind == "doubles" for cell in cells)
        first = mat.parts[0]
        early = any(cell.kind == "doubles" for cell in first.cells)
        limit = tags.get("cubelimit")
        table = replace(
            rules,
            opening="fresh_roll" if self.fresh else "contest_dice",
            next_starter="contest",
            cube=rules.cube or doubled,
            cube_cap=None if limit is None else int(limit),
            dead_cube_rule=False,
            crawford=tags.get("crawford", "on") not in _NO,
            jacoby=tags["jacoby"] not in _NO
            if "jacoby" in tags
            else not mat.length and rules.jacoby,
            beavers=bool(after_beavers) or tags.get("beaver", "off") not in _NO,
            beaver_refusable=bool(after_beavers & {"takes", "drops"})
            if after_beavers
            else rules.beaver_refusable,
            auto_double_max=0,
        )
        return Session(
            table,
            target=mat.length or None,
            score=first.score,
            crawford=False if early and mat.length and mat.length - 1 in first.score else None,
            throw=self._throw,
        )

    def _refuse(self, part: Part, expected: str, done: str, below: int = 0) -> None:
        """Refuse a game as it begins, or note what is done about it."""
        stands = " : ".join(map(str, part.score)) if below else f"Game in line {part.line}"
        self.judge.doubt(part.line + below, 1, stands, expected, done)

    def _settle(self, following: Part, line: int) -> None:
        """Give the last game the result that the next one's score tells, if it has another."""
        session, game = self.session, self.session.game
        if self.judge.strict or (game.phase == "over" and session.score == following.score):
            return
        if session.winner is not None and following.score == (0, 0):
            return  # another match
        over, gain, winner = game.phase == "over", game.record.points or 0, game.record.winner
        before = (points - gain * (side == winner) for side, points in enumerate(session.score))
        gains = [after - had for after, had in zip(following.score, before, strict=True)]
        if min(gains) < 0 or max(gains) > MAX_AWARD:
            if over:
                return
            gains = [0, 0]
        side = int(gains[1] > gains[0])
        game.award(gains[side], side)
        self.judge.note(line, f"the {_SIDES[side]} side got {gains[side]}, as the next score says")
        if gains[1 - side]:
            self._queue_contest(following)
            session.next_game()
            session.game.award(gains[1 - side], 1 - side)
            what = f"a game that the {_SIDES[1 - side]} side won is missing before"
            self.judge.note(following.line, what)

    def _next_game(self, part: Part) -> None:
        """Begin the next game, if the last one is over."""
        try:
            self.session.next_game()
        except ValueError as error:
            stands = f"Game in line {part.line}"
            raise broken(self.kind, part.line, 1, stands, str(error)) from error

    def _throw(self) -> Roll:
        """Return the next throw."""
        if not self.throws:
            raise ValueError("throw=None: expected a source of dice, as the text has no more")
        return self.throws.popleft()

    def _queue_contest(self, part: Part) -> None:
        """Lay ready the throw of the contest: the first dice, or others if they are thrown anew."""
        dice = (2, 1) if self.fresh else _first_dice(part) or (2, 1)
        high, low = max(dice), min(dice)
        starter = part.cells[0].player if part.cells else 0
        self.throws.append((low, high) if starter else (high, low))

    def _game(self, number: int, part: Part) -> None:
        """Play a game; if it cannot be played to its end, give it the result that it tells."""
        cells, game = part.cells, self.session.game
        for place, cell in enumerate(cells):
            track = self.tracks.get((number, place))
            if (
                track is not None
                and track.points is None
                and game.player == cell.player
                and (
                    game.phase == "roll"
                    or (game.dice is not None and sorted(game.dice) == sorted(cell.dice))
                )
            ):
                game.retrace(track.board, cell.dice, track.moves, track.after)
                continue
            try:
                self._play(game, cell, cells[place + 1 :])
            except ValueError as error:
                if error is self.judge.refusal:
                    raise
                last = cells[place - 1] if place else None
                at, why = cell, str(error)
                if game.phase == "play" and last is not None and _is_idle(last):
                    at, why = last, f"{_EMPTY}: expected a play, such as '{game.plays[0]}'"
                done = f"{why}; the rest of the game is left out"
                self.judge.doubt(at.line, at.column, str(at), why, done)
                self._end_early(game, cells[place:])
                return

    def _end_early(self, game: Game, rest: Sequence[Cell]) -> None:
        """End a game that cannot be played on, if the rest of its cells tells how."""
        for place, cell in enumerate(rest):
            if cell.kind in _RESULTS and not (
                cell.kind != "wins" and any(other.kind == "wins" for other in rest[place:])
            ):
                if game.phase == "over":
                    return
                self._finish(game, cell, rest[place + 1 :])

    def _play(self, game: Game, cell: Cell, later: Sequence[Cell]) -> None:
        """Do what a cell says.

        Raises:
            ValueError: it cannot be done.
        """
        if cell.kind in _RESULTS:
            self._finish(game, cell, later)
        elif game.phase == "over":
            if cell.kind != "roll" or not _UNPLAYED.fullmatch(cell.text) or self.judge.strict:
                raise ValueError("the game is over: expected 'Wins' or the next game")
            self.judge.note(cell.line, f"'{cell}': left out, as the game is over")
        elif cell.player != game.player:
            side, state = _SIDES[game.player], _waits(game)
            raise ValueError(f"expected a cell of the {side} column, whose player has to {state}")
        elif cell.kind == "roll":
            self._roll(game, cell)
        else:
            offered = (4 if cell.kind == "beavers" else 2) * game.cube.value
            if cell.value and cell.value != offered:
                raise ValueError(f"a stake of {cell.value}: expected {offered}")
            game.act(_ACTIONS[cell.kind])

    def _roll(self, game: Game, cell: Cell) -> None:
        """Roll the dice of a cell and play them."""
        turns = len(game.record.turns)
        if game.phase == "roll":
            self.throws.append(cell.dice)
            game.roll()
        elif game.dice is None or sorted(game.dice) != sorted(cell.dice):
            raise ValueError(f"cannot roll: the player has to {_waits(game)}")
        text = cell.text
        if len(game.record.turns) > turns:  # he danced
            if text.lower() not in _DANCED and not _UNPLAYED.fullmatch(text):
                raise ValueError(f"play {text!r:.60}: there is no legal play of the roll")
        elif not _UNPLAYED.fullmatch(text):
            game.play(text)

    def _finish(self, game: Game, cell: Cell, later: Sequence[Cell]) -> None:
        """End the game as a cell says, or compare the result that it has."""
        if cell.kind != "wins" and any(other.kind == "wins" for other in later):
            return  # the winner's cell says it
        if cell.kind == "resigns":
            if game.phase != "over" and not any(other.kind == "losses" for other in later):
                game.resign(player=cell.player)
        elif cell.kind == "gives up":
            self._give_up(game, cell.player)
        elif cell.kind == "wins":
            self._win(game, cell, cell.player)
        elif not cell.alone or game.phase == "over":
            loser = cell.player
            if cell.alone and game.record.winner is not None:
                loser = 1 - game.record.winner
            self._win(game, cell, 1 - loser)
        else:
            loser = game.player
            expected = "expected the points in the cell of a player, or 'Wins'"
            done = f"read as a loss of the {_SIDES[loser]} side, whose turn it is"
            self.judge.doubt(cell.line, cell.column, str(cell), expected, done)
            self._win(game, cell, 1 - loser)

    def _give_up(self, game: Game, player: int) -> None:
        """Lose the match, or where there is none a single game."""
        away = game.terms.away
        if game.phase != "over":
            if away is None:
                game.resign(player=player)
            else:
                game.award(away[1 - player], 1 - player)

    def _win(self, game: Game, cell: Cell, winner: int) -> None:
        """End the game as its loser's resignation, if it is not over; compare the points."""
        away, stake, value = game.terms.away, game.cube.value, cell.value
        need = None if away is None else away[winner]

        def cut(points: int) -> int:
            return points if need is None else min(points, need)

        record = game.record
        if game.phase == "over":
            points = record.points or 0
            code = value == _CODE * stake  # a resignation that play has overtaken
            if record.winner == winner and (code or value in (points, cut(points))):
                return
            side = "neither" if record.winner is None else _SIDES[record.winner]
            played = f"as played, the {side} side wins {points}"
            self.judge.doubt(
                cell.line,
                cell.column,
                str(cell),
                f"expected {points}: {played}",
                f"counted, though {played}",
            )
            game.award(cut(value), winner)
            return
        sizes = range(game.terms.single_points, 4)
        exact = [size for size in sizes if size * stake == value]
        fits = exact or [size for size in sizes if value and cut(size * stake) == value]
        if fits:
            game.resign(fits[0], player=1 - winner)
            if record.points in (value, stake * fits[0]):
                return
            expected = f"{record.points} points, as nobody has doubled and Jacoby's rule holds"
            self.judge.doubt(cell.line, cell.column, str(cell), f"expected {expected}", expected)
        elif value and value == need and cell.match:
            game.award(value, winner)  # given up, or lost on time
        else:
            expected = f"expected {_listed([size * stake for size in sizes])} points"
            if value == _CODE * stake:
                points, why = stake, "read as a resignation, of"
            else:
                points, why = min(value, 3 * stake if need is None else need), "counted as"
            self.judge.doubt(cell.line, cell.column, str(cell), expected, f"{why} {points}")
            if value == _CODE * stake:
                game.resign(player=1 - winner)
            else:
                game.award(points, winner)


def _is_fresh(part: Part) -> bool:
    """Return whether a game begins with something else than the dice of a contest."""
    dice = _first_dice(part)
    return dice is None or dice[0] == dice[1]


def _first_dice(part: Part) -> Roll | None:
    """Return the dice of the first roll of a game, if it begins with one."""
    first = part.cells[0] if part.cells else None
    return first.dice if first is not None and first.kind == "roll" else None


def _is_idle(cell: Cell) -> bool:
    """Return whether a cell has dice and no play."""
    return cell.kind == "roll" and bool(_UNPLAYED.fullmatch(cell.text))


def _waits(game: Game) -> str:
    """Return what the player of a game has to do, in the words of a match text."""
    if game.phase in ("double", "beaver"):
        return "take or drop"
    if game.phase == "play" and game.dice is not None:
        return f"play {game.dice[0]}{game.dice[1]}"
    return "roll or double" if game.may_double else "roll"


def _listed(values: Sequence[Any]) -> str:
    """Return values as a list for a message."""
    return " or ".join(
        [*([", ".join(map(str, values[:-1]))] if values[1:] else []), str(values[-1])]
    )
