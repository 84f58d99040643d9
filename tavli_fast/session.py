"""Sessions: games in series between two players, and the score.

A `Session` plays one `Game` after another and adds up the points: the same seed and the same
choices give the same games. Game k of a series (from 0) has dice of its own, from
``SeedSequence(seed, spawn_key=(k,))``: how long the games before it were does not touch them.

Source for who starts and with which dice: docs/rules.md. The texts differ, hence `Rules` has fields
for it (`opening`, `next_starter`, `after_draw`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ._arguments import seed_entropy, whole_number
from .game import Game, GameRecord, Policy, Stream, rules_to_json
from .rules import Rules, resolve_rules, rules_name

__all__ = ["TRIO", "Session"]

TRIO: Final = ("portes", "plakoto", "fevga")
"""The games of a Trio, in their order."""


class Session:
    """A series of games between players 0 and 1: who starts each of them, and the score.

    ``Session("portes")`` repeats one game, ``Session(TRIO, target=5)`` plays several in turn. The
    first game begins with a contest, and so does one after a draw; the others as `next_starter`
    says. Who starts without a contest throws fresh dice, whatever the `opening`. A rematch is a new
    session.

    Drive it by `play_out`, or by the actions of `game` and then `next_game`.

    Args:
        games: a `Rules` or the name of a preset (with a `trio`: the presets that it names), or
            several of them. Each game is played by its own rules; but the session's fields
            (`opening`, `next_starter`, `after_draw`, `target`, `trio_advance_on_draw`) are those of
            the one `Rules`, or of the first of several, for all games.
        target: the points that win the series; None as the rules say.
        seed: an integer of 0 or more, for the dice; None draws a fresh one, which `seed` tells.

    Raises:
        ValueError: an argument is none of these.
    """

    games: tuple[Rules, ...]
    """The games, in turn."""
    target: int | None
    """The points that win the series; None for no end."""
    seed: int
    """The seed of the dice."""
    game: Game
    """The game that is being played, or was last."""

    def __init__(
        self,
        games: Rules | str | Sequence[Rules | str] = "portes",
        *,
        target: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Begin the first game."""
        self._given: Rules | tuple[Rules, ...]
        if isinstance(games, Rules | str):
            self._given = self._series = resolve_rules(games)
            self.games = tuple(map(resolve_rules, self._series.trio)) or (self._series,)
        else:
            several = isinstance(games, Sequence) and len(games) > 0
            self._given = self.games = tuple(map(resolve_rules, games)) if several else ()
            if not several or any(rules.trio for rules in self.games):
                raise ValueError(f"games={games!r}: expected games, and no trio among them")
            self._series = self.games[0]
        self.target = self._series.target if target is None else whole_number(target, "target", 1)
        self.seed = seed_entropy(seed)
        self._finished: list[GameRecord] = []
        self._score_before = (0, 0)
        self._place = 0
        self.game = self._new_game(None)

    @property
    def score(self) -> tuple[int, int]:
        """The points of players 0 and 1, the last game's included once it is over."""
        first, second = self._score_before
        winner, points = self.game.record.winner, self.game.record.points or 0
        return first + points * (winner == 0), second + points * (winner == 1)

    @property
    def winner(self) -> int | None:
        """Who has reached the target, 0 or 1; None if nobody has."""
        score = self.score
        best = int(score[1] > score[0])
        return best if self.target is not None and score[best] >= self.target else None

    @property
    def history(self) -> tuple[GameRecord, ...]:
        """The records of all games, the present one last."""
        return (*self._finished, self.game.record)

    def next_game(self) -> Game:
        """Begin the next game of the series and return it.

        Raises:
            ValueError: the present game is not over, or the series is.
        """
        self.game.expect("begin the next game", "over")
        if self.winner is not None:
            raise ValueError(f"cannot begin the next game: player {self.winner} won the series")
        last = self.game.record
        self._score_before = self.score
        self._finished.append(last)
        if last.winner is not None or self._series.trio_advance_on_draw:
            self._place = (self._place + 1) % len(self.games)
        # After a draw there is no winner, hence a contest.
        self.game = self._new_game(last.winner if self._series.next_starter == "winner" else None)
        return self.game

    def play_out(
        self, first: Policy, second: Policy, max_games: int | None = None
    ) -> tuple[int, int]:
        """Play on, `first` choosing for player 0 and `second` for player 1, and return the score.

        Args:
            first: player 0's policy.
            second: player 1's policy.
            max_games: how many games to finish at most; None for all, up to the target.

        Raises:
            ValueError: neither `max_games` nor a target ends the series; or as `Game.play_out`.
            RuntimeError: as `Game.play_out`.
        """
        if max_games is None and self.target is None:
            raise ValueError("max_games=None: expected a number of games, as there is no target")
        left = -1 if max_games is None else whole_number(max_games, "max_games", 0)
        while left and self.winner is None:
            if self.game.phase == "over":
                self.next_game()
            self.game.play_out(first, second)
            left -= 1
        return self.score

    def to_dict(self) -> dict[str, Any]:
        """Return the whole session as JSON has it: dicts, lists, numbers and strings."""
        given = self._given
        return {
            "games": rules_to_json(given)
            if isinstance(given, Rules)
            else [*map(rules_to_json, given)],
            "target": self.target,
            "seed": self.seed,
            "score": list(self.score),
            "phase": self.game.phase,
            "history": [record.to_dict() for record in self.history],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Session:
        """Return the session of which `data` is the `to_dict`, by playing it again.

        Raises:
            ValueError: `data` is no such dict, or its dice are not those of its seed, or a play in
                it is illegal.
        """
        try:
            given, phase, history = data["games"], data["phase"], data["history"]
            several = isinstance(given, list)
            games = [*map(_rules_from_json, given)] if several else _rules_from_json(given)
            session = cls(games, target=data["target"], seed=data["seed"])
            for number, record in enumerate(history):
                game = session.next_game() if number else session.game
                _play_again(game, record, phase if number == len(history) - 1 else "over")
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not the dict of a session: {error!r}") from error
        if session.to_dict() != data:
            raise ValueError("not the dict of a session: its seed and plays lead elsewhere")
        return session

    def __repr__(self) -> str:
        """Return the games, the score and the present game."""
        games = ", ".join(map(rules_name, self.games))
        to = "" if self.target is None else f" to {self.target}"
        score = "-".join(map(str, self.score))
        return f"<Session of {games}{to}: {score}, game {len(self._finished) + 1} {self.game!r}>"

    def _new_game(self, starter: int | None) -> Game:
        """Return the next game, with dice of its own."""
        stream = Stream(self.seed, len(self._finished))
        rules = self.games[self._place]
        return Game(rules, stream.throw, starter=starter, opening=self._series.opening)


def _play_again(game: Game, record: Mapping[str, Any], phase: str) -> None:
    """Bring a fresh game to where its record ends, in that phase."""
    turns = record["turns"]
    if game.phase == "opening" and (turns or phase != "opening"):
        game.reroll() if record["rerolled"] else game.keep()
    for number, turn in enumerate(turns):
        # Throws that cannot be played have ended their turns by themselves.
        if game.phase == "roll" and len(game.record.turns) == number:
            game.roll()
        if len(game.record.turns) == number:
            game.play(turn["moves"])
    if game.phase == "roll" and phase == "play":
        game.roll()


def _rules_from_json(data: Any) -> Rules:
    """Return the rules that `rules_to_json` gave."""
    if isinstance(data, str):
        return resolve_rules(data)
    return Rules(**{name: _tuples(value) for name, value in data.items()})


def _tuples(value: Any) -> Any:
    """Return a value with tuples for lists, as `Rules` has them."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
