"""Match texts (.mat), as JellyFish, GNU Backgammon and others write them: read and written.

A text that is read is played again on a `Session`, so every roll, play and action in it is checked.
docs/formats.md says what a text can hold.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tavli_fast._common.arguments import shown
from tavli_fast.errors import NotationError
from tavli_fast.play.game import Game
from tavli_fast.play.mat.grammar import Cell, MatText, Part, parsed
from tavli_fast.play.mat.writer import written
from tavli_fast.play.records import Roll
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import RULES, Rules, RulesLike, resolve_rules

__all__ = ["MatMatch", "read_mat", "write_mat"]

_DANCED: Final = frozenset({"", "cannot move", "cannotmove", "no move", "dance"})
_UNPLAYED: Final = re.compile(r"\?+|")
_NO: Final = frozenset({"off", "no", "false", "0"})


@dataclass(frozen=True, eq=False)
class MatMatch:
    """A match text, played again."""

    session: Session
    """The match: its games, their records, and what it waits for if it is not over."""
    players: tuple[str, str]
    """The names of players 0 and 1."""
    tags: dict[str, str]
    """The tags of the text, as written."""


def read_mat(text: str, rules: RulesLike | None = None) -> MatMatch:
    """Read a .mat match text by replaying it.

    Whatever the text does not contain is filled in: ties in an opening roll are left out, and a
    game that begins with doubles gets an opening roll of 2 and 1. If a game ends with ``Wins``
    before it is over, the loser resigned. A player may double a stake that already suffices for the
    match.

    Args:
        text: the match text; a byte order mark and any line endings are accepted.
        rules: the game; None for that of the tag ``Variation``, or backgammon. The tags
            ``Crawford``, ``CubeLimit``, ``Jacoby`` and ``Beaver`` are used in any case.

    Returns:
        The `MatMatch`.

    Raises:
        NotationError: the text cannot be read, contains an action that is not allowed, or a score
            or number of points that does not agree with the games; the message names the line.
        ValueError: `rules` is not a rule set.
    """
    mat = parsed(text)
    game = _variation(mat.tags) if rules is None else resolve_rules(rules)
    session = _Player(mat, game).session
    first = mat.parts[0].names
    players = tuple(mat.tags.get(f"Player {side + 1}") or first[side] for side in (0, 1))
    return MatMatch(session, (players[0], players[1]), mat.tags)


def write_mat(
    match: MatMatch | Session,
    players: tuple[str, str] | None = None,
    tags: Mapping[str, str] | None = None,
) -> str:
    """Return a match as a .mat text, which other programs can read.

    Args:
        match: a `Session` of a single kind of game, or the result of `read_mat`.
        players: the names of players 0 and 1; None for those of the `MatMatch`, else Player 1 and
            2.
        tags: further tags, such as ``{"Event": "…"}``; those of a `MatMatch` are kept.

    Returns:
        The text.

    Raises:
        ValueError: the series has several kinds of games, such as a Trio, or automatic doubles,
            which the format cannot express; or `players` is not a pair of names.

    Examples:
        >>> import tavli_fast as tf
        >>> match = tf.Session("backgammon", target=1, seed=1)
        >>> score = match.play_out("random", "random")
        >>> tf.read_mat(tf.write_mat(match, ("Anna", "Bo"))).session.score == score
        True
    """
    if tags is not None and not isinstance(tags, Mapping):
        raise ValueError(f"tags={shown(tags)}: expected a mapping of names to texts")
    session, kept = match, dict(tags or {})
    if isinstance(match, MatMatch):
        session, kept = match.session, match.tags | kept
        players = match.players if players is None else players
    if not isinstance(session, Session):
        raise ValueError(f"match={shown(match)}: expected a Session or a MatMatch")
    return written(session, ("Player 1", "Player 2") if players is None else players, kept)


class _Player:
    """Whoever plays a text again, feeding a session with its throws."""

    def __init__(self, mat: MatText, rules: Rules) -> None:
        """Play all games."""
        self.throws: deque[Roll] = deque()
        parts = mat.parts
        self.fresh = any(map(_is_fresh, parts))
        self._queue_contest(parts[0])
        self.session = self._begin(mat, rules)
        for number, part in enumerate(parts):
            if number:
                self._queue_contest(part)
                self._next_game(part)
            if self.session.score != part.score:
                score = " to ".join(map(str, self.session.score))
                raise NotationError(f".mat text, line {part.line + 1}: the score is {score}")
            for place, cell in enumerate(part.cells):
                self._play(cell, part.cells[place + 1 :])

    def _begin(self, mat: MatText, rules: Rules) -> Session:
        """Begin the session that the text is about."""
        tags = {key.lower(): value.strip().lower() for key, value in mat.tags.items()}
        cells = [cell for part in mat.parts for cell in part.cells]
        after_beavers = {
            cells[at + 1].kind for at, cell in enumerate(cells[:-1]) if cell.kind == "beavers"
        }
        doubled = any(cell.kind == "doubles" for cell in cells)
        first = mat.parts[0]
        early = any(cell.kind == "doubles" for cell in first.cells)
        try:
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
        except ValueError as error:
            raise NotationError(f".mat text, line {first.line + 1}: {error}") from error

    def _next_game(self, part: Part) -> None:
        """Begin the next game, if the last one is over."""
        try:
            self.session.next_game()
        except ValueError as error:
            raise NotationError(f".mat text, line {part.line}: {error}") from error

    def _throw(self) -> Roll:
        """Return the next throw."""
        return self.throws.popleft()

    def _queue_contest(self, part: Part) -> None:
        """Lay ready the throw of the contest: the first dice, or others if they are thrown anew."""
        dice = (2, 1) if self.fresh else _first_dice(part) or (2, 1)
        high, low = max(dice), min(dice)
        starter = part.cells[0].player if part.cells else 0
        self.throws.append((low, high) if starter else (high, low))

    def _play(self, cell: Cell, later: list[Cell]) -> None:
        """Do what a cell says."""
        game = self.session.game
        try:
            if cell.kind == "wins":
                self._win(game, cell)
            elif cell.kind == "resigns":
                if game.phase != "over" and not any(other.kind == "wins" for other in later):
                    game.resign(player=cell.player)
            elif game.phase == "over":
                raise ValueError("the game is over")
            elif cell.player != game.player:
                raise ValueError(f"it is the {'left' if game.player == 0 else 'right'} side's turn")
            elif cell.kind == "roll":
                self._roll(game, cell)
            else:
                self._say(game, cell)
        except ValueError as error:
            raise NotationError(f".mat text, line {cell.line}: {error}") from error

    def _roll(self, game: Game, cell: Cell) -> None:
        """Roll the dice of a cell and play them."""
        turns = len(game.record.turns)
        if game.phase == "roll":
            self.throws.append(cell.dice)
            game.roll()
        elif game.dice is None or sorted(game.dice) != sorted(cell.dice):
            raise ValueError(f"cannot roll: {game}")
        text = cell.text
        if len(game.record.turns) > turns:  # he danced
            if text.lower() not in _DANCED and not _UNPLAYED.fullmatch(text):
                raise ValueError(f"play {text!r:.60}: there is no legal play of the roll")
        elif not _UNPLAYED.fullmatch(text):
            game.play(text)

    def _say(self, game: Game, cell: Cell) -> None:
        """Double, take, drop or beaver."""
        action = {"doubles": "double", "takes": "take", "drops": "drop", "beavers": "beaver"}
        offered = (4 if cell.kind == "beavers" else 2) * game.cube.value
        if cell.value and cell.value != offered:
            raise ValueError(f"a stake of {cell.value}: expected {offered}")
        game.act(action[cell.kind])

    def _win(self, game: Game, cell: Cell) -> None:
        """End the game as its loser's resignation, if it is not over; compare the points."""
        if game.phase != "over":
            stake = game.cube.value
            if cell.value % stake or not cell.value:
                raise ValueError(f"{cell.value} points: expected a multiple of the stake, {stake}")
            game.resign(cell.value // stake, player=1 - cell.player)
        record = game.record
        if (record.winner, record.points) != (cell.player, cell.value):
            side = {0: "left", 1: "right", None: "no"}[record.winner]
            raise ValueError(f"the {side} side wins {record.points}")


def _is_fresh(part: Part) -> bool:
    """Return whether a game begins with something else than the dice of a contest."""
    dice = _first_dice(part)
    return dice is None or dice[0] == dice[1]


def _first_dice(part: Part) -> Roll | None:
    """Return the dice of the first roll of a game, if it begins with one."""
    first = part.cells[0] if part.cells else None
    return first.dice if first is not None and first.kind == "roll" else None


def _variation(tags: Mapping[str, Any]) -> Rules:
    """Return the rules that the tag names."""
    text = next((value for key, value in tags.items() if key.lower() == "variation"), "backgammon")
    plain = re.sub(r"[^a-z_]", "", re.sub(r"\(3\)", "", text.lower()))
    if plain not in RULES or re.search(r"[0-9]", text.replace("(3)", "")):
        raise NotationError(
            f".mat text, Variation {text!r:.40}: expected one of {', '.join(RULES)}"
        )
    return RULES[plain]
