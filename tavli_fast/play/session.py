"""Sessions: games in series between two players, and the score.

A `Session` plays one `Game` after another and adds up the points: the same seed and the same
choices give the same games. Game k of a series (from 0) has dice of its own, from
``SeedSequence(seed, spawn_key=(k,))``: how long the games before it were does not touch them.

With a target it is a match, with Crawford's rule where the game has a cube. What may be done next
is in `Session.legal_actions`; docs/match.md draws the whole machine.

Source for who starts and with which dice, and for the cube: docs/rules.md. The texts differ, hence
`Rules` has fields for it, its group "session".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, SupportsIndex, TypeAlias

from tavli_fast._common.arguments import seed_entropy, shown, whole_number
from tavli_fast._common.dice import Stream
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.evaluation.evaluator import PolicyLike
from tavli_fast.notation.play import Play
from tavli_fast.play.cube_player import policies_of
from tavli_fast.play.cube_state import CubeTerms
from tavli_fast.play.game import Game
from tavli_fast.play.records import GameRecord, Roll
from tavli_fast.rules.presets import Rules, resolve_rules
from tavli_fast.rules.text import rules_from_json, rules_name, rules_to_json

__all__ = ["TRIO", "Session"]

TRIO: Final = ("portes", "plakoto", "fevga")
"""The games of a Trio, in their order."""

SessionPhase: TypeAlias = Literal[
    "contest", "opening", "roll", "double", "beaver", "play", "game_over", "match_over"
]


class Session:
    """A series of games between players 0 and 1: who starts each game, and the score.

    ``Session("portes")`` repeats one game; ``Session(TRIO, target=5)`` plays several in turn. The
    first game begins with a contest, an opening roll of one die each, and so does one after a draw;
    for the others `next_starter` decides. A player who starts without a contest rolls fresh dice,
    whatever `opening` says. A rematch is a new session.

    Play it with `play_out`, with `act`, or with the actions of `game` and then `next_game`.

    Args:
        games: a `Rules` or the name of a preset (with a `trio`: the presets that it names), or
            several of them. Each game is played by its own rules, but the session's fields (from
            `opening` to `trio_advance_on_draw`, including those of the cube) come from the single
            `Rules`, or from the first of several, for all games.
        target: the points that win the series; None for those of the rules.
        seed: an integer of 0 or more, for the dice; None for a fresh one, which `seed` then holds.
        score: the points of players 0 and 1 at the beginning.
        crawford: whether the first game is the Crawford game; None if the rules and the score
            decide, False if that game has been played.
        throw: a source of dice instead of the seed, as in `Game`.
        by_hand: whether each roll of a contest is an action of its own, ``"contest"``.

    Raises:
        ValueError: an argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> match = tf.Session("portes", target=3, seed=1)
        >>> max(match.play_out("net", "random")) >= 3
        True
    """

    games: tuple[Rules, ...]
    """The games, in turn."""
    target: int | None
    """The points that win the series; None for no end."""
    seed: int | None
    """The seed of the dice; None if they come from `throw`."""
    game: Game
    """The game that is being played, or was last."""

    def __init__(
        self,
        games: Rules | str | Sequence[Rules | str] = "portes",
        *,
        target: int | None = None,
        seed: int | None = None,
        score: Sequence[int] = (0, 0),
        crawford: bool | None = None,
        throw: Callable[[], Roll] | None = None,
        by_hand: bool = False,
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
                raise ValueError(f"games={shown(games)}: expected games, and no trio among them")
            self._series = self.games[0]
        self.target = self._series.target if target is None else whole_number(target, "target", 1)
        if throw is not None and seed is not None:
            raise ValueError(f"seed={shown(seed)}: expected None with throw=")
        self.seed = seed_entropy(seed) if throw is None else None
        self._throw = throw
        self._by_hand = bool(by_hand)
        self._again: list[Roll] = []
        self._start = self._score_before = self._checked_score(score)
        self._crawford_over = self._checked_crawford(crawford) is False
        self._finished: list[GameRecord] = []
        self._before: list[tuple[Game, tuple[int, int], bool, int]] = []
        self._place = 0
        self.game = self._new_game(None)

    @property
    def phase(self) -> SessionPhase:
        """What the session waits for: the phase of its game, and when that is over ``"game_over"``,
        or ``"match_over"`` once the target is reached."""
        if self.game.phase != "over":
            return self.game.phase
        return "game_over" if self.winner is None else "match_over"

    @property
    def legal_actions(self) -> Sequence[str | Play]:
        """What may be done now, each for `act`: those of the game, then ``"next_game"``."""
        return ("next_game",) if self.phase == "game_over" else self.game.legal_actions

    def act(self, action: Play | str | SupportsIndex | Sequence[Sequence[int]]) -> None:
        """Do one of the `legal_actions`.

        Args:
            action: its name; or a play in any form that `Game.play` takes.

        Raises:
            ValueError: it is not allowed now; the message says why, and nothing changes.
        """
        if isinstance(action, str) and action == "next_game":
            self.next_game()
        else:
            self.game.act(action)

    @property
    def crawford(self) -> bool:
        """Whether the present game is the Crawford game: nobody may double."""
        return self.game.terms.crawford

    @property
    def away(self) -> tuple[int, int] | None:
        """How many points players 0 and 1 needed at the beginning of the present game; None in a
        series without a target."""
        return self.game.terms.away

    @property
    def cube_question(self) -> CubeQuestion:
        """What a policy is shown when it is asked about the cube in the current game."""
        return self.game.cube_question

    @property
    def score(self) -> tuple[int, int]:
        """The points of players 0 and 1, the last game's included once it is over."""
        first, second = self._score_before
        winner, points = self.game.record.winner, self.game.record.points or 0
        return first + points * (winner == 0), second + points * (winner == 1)

    @property
    def winner(self) -> int | None:
        """The player who has reached the target, 0 or 1; None if nobody has."""
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
            ValueError: the current game is not over, or the series is.
        """
        self.game.expect("begin the next game", "over")
        if self.winner is not None:
            raise ValueError(f"cannot begin the next game: player {self.winner} won the series")
        last = self.game.record
        self._before.append((self.game, self._score_before, self._crawford_over, self._place))
        self._score_before = self.score
        self._finished.append(last)
        if last.winner is not None or self._series.trio_advance_on_draw:
            self._place = (self._place + 1) % len(self.games)
        # After a draw there is no winner, hence a contest.
        self.game = self._new_game(last.winner if self._series.next_starter == "winner" else None)
        return self.game

    def undo(self) -> None:
        """Take back the last action, as `Game.undo` does; before the first one of a game,
        `next_game`.

        Dice that are taken back are thrown again, in the same order.

        Raises:
            ValueError: nothing has been done yet.
        """
        if self.game.can_undo or not self._before:
            self.game.undo()
            return
        if self.seed is None:
            self._again += self.game.thrown
        self.game, self._score_before, self._crawford_over, self._place = self._before.pop()
        self._finished.pop()

    def play_out(
        self, first: PolicyLike, second: PolicyLike, max_games: int | None = None
    ) -> tuple[int, int]:
        """Play on with two policies, and return the score.

        Args:
            first: player 0's policy: a `Policy`, or anything else that `as_policy` takes
                (``"net"``, ``"random"``, a `Net`, a callable from afterstates to equities or
                outcomes). A random one draws from a stream of the session's seed.
            second: player 1's policy.
            max_games: how many games to finish at most; None for all, up to the target.

        Returns:
            The points of players 0 and 1.

        Raises:
            ValueError: neither `max_games` nor a target ends the series; or as in `Game.play_out`.
            RuntimeError: as in `Game.play_out`.
        """
        if max_games is None and self.target is None:
            raise ValueError("max_games=None: expected a number of games, as there is no target")
        left = -1 if max_games is None else whole_number(max_games, "max_games", 0)
        key = (len(self._finished), len(self.game.record.turns))
        policies = policies_of(first, second, self.seed, key)
        while left and self.winner is None:
            if self.game.phase == "over":
                self.next_game()
            self.game.play_out(*policies)
            left -= 1
        return self.score

    def to_dict(self) -> dict[str, Any]:
        """Return the whole session as JSON-compatible data: dicts, lists, numbers and strings."""
        given = self._given
        dice = self.game.dice
        return {
            "games": rules_to_json(given)
            if isinstance(given, Rules)
            else [*map(rules_to_json, given)],
            "target": self.target,
            "seed": self.seed,
            "start": list(self._start),
            "crawford": self._crawford_given,
            "by_hand": self._by_hand,
            "score": list(self.score),
            "phase": self.game.phase,
            "dice": None if dice is None else list(dice),
            "history": [record.to_dict() for record in self.history],
        }

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], *, throw: Callable[[], Roll] | None = None
    ) -> Session:
        """Return the session of a `to_dict`, by playing it again.

        Args:
            data: the dict.
            throw: for a session without a seed, the source of its further dice.

        Raises:
            ValueError: `data` is not such a dict, its dice are not those of its seed, or it
                contains an illegal play.
        """
        try:
            given, phase, history = data["games"], data["phase"], data["history"]
            several = isinstance(given, list)
            games = [*map(rules_from_json, given)] if several else rules_from_json(given)
            seedless = data["seed"] is None
            opening = (games[0] if isinstance(games, list) else games).opening
            session = cls(
                games,
                target=data["target"],
                seed=data["seed"],
                score=data["start"],
                crawford=data["crawford"],
                throw=_throws_of(data, opening).__next__ if seedless else None,
                by_hand=data["by_hand"],
            )
            for number, record in enumerate(history):
                last = number == len(history) - 1
                game = session.next_game() if number else session.game
                _play_again(game, record, phase if last else "over")
        except (AttributeError, LookupError, StopIteration, TypeError) as error:
            raise ValueError(f"not the dict of a session: {error!r}") from error
        if session.to_dict() != data:
            raise ValueError("not the dict of a session: its seed and plays lead elsewhere")
        if seedless:
            session._throw = _no_more_throws if throw is None else throw
        return session

    def __repr__(self) -> str:
        """Return the games, the score and the present game."""
        games = ", ".join(map(rules_name, self.games))
        to = "" if self.target is None else f" to {self.target}"
        score = "-".join(map(str, self.score))
        return f"<Session of {games}{to}: {score}, game {len(self._finished) + 1} {self.game!r}>"

    def _new_game(self, starter: int | None) -> Game:
        """Return the next game, with dice of its own."""
        rules = self.games[self._place]
        throw = self._next_throw
        if self.seed is not None:
            throw = Stream(self.seed, len(self._finished)).throw
        crawford = self._is_crawford()
        terms = CubeTerms(
            self._series, rules.single_points, self._away(), crawford, self._crawford_over
        )
        self._crawford_over |= crawford
        return Game(
            rules,
            throw,
            starter=starter,
            opening=self._series.opening,
            terms=terms,
            by_hand=self._by_hand,
        )

    def _next_throw(self) -> Roll:
        """Throw the dice of a session without a seed."""
        assert self._throw is not None
        return self._again.pop() if self._again else self._throw()

    def _away(self) -> tuple[int, int] | None:
        """Return how many points the players need, as the next game begins."""
        if self.target is None:
            return None
        first, second = self._score_before
        return self.target - first, self.target - second

    def _is_crawford(self) -> bool:
        """Return whether the next game is the Crawford game (RULES 85-87)."""
        away = self._away()
        if away is None or self._crawford_over:
            return False
        return self._series.cube and self._series.crawford and min(away) == 1

    def _checked_score(self, score: Sequence[int]) -> tuple[int, int]:
        """Return the score with which the series begins."""
        first, second = _pair_of(score)
        high = None if self.target is None else self.target - 1
        return whole_number(first, "score", 0, high), whole_number(second, "score", 0, high)

    def _checked_crawford(self, crawford: bool | None) -> bool | None:
        """Return what was said of the first game, if it can be."""
        self._crawford_given = crawford
        self._crawford_over = False
        if crawford not in (None, True, False) or (crawford and not self._is_crawford()):
            expected = "True only where a side is one point short in a match with the rule"
            raise ValueError(f"crawford={shown(crawford)}: expected None, False, or {expected}")
        return crawford


def _pair_of(score: Sequence[int]) -> tuple[int, int]:
    """Return the two numbers of a score."""
    if not isinstance(score, Sequence) or len(score) != 2:
        raise ValueError(f"score={shown(score)}: expected the points of players 0 and 1")
    return score[0], score[1]


def _no_more_throws() -> Roll:
    """Stand for the source of dice that nobody has given."""
    raise ValueError("throw=None: expected a source of dice, as the session has no seed")


# A session brought back from its dict, by playing it again.


def _play_again(game: Game, data: Mapping[str, Any], phase: str) -> None:
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
        if call is not None and call["action"] == "award" and game.phase == "over":
            _say(game, call)  # over what play has decided
            continue
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
    if call["action"] not in ("resign", "award") or data["unplayed"] is None:
        return game.phase != "contest"
    return game.phase == "play" or (game.phase == "opening" and not data["rerolled"])


def _say(game: Game, call: Mapping[str, Any]) -> None:
    """Repeat what a player said."""
    action = call["action"]
    if action == "resign":
        game.resign(call["value"], call["player"])
    elif action == "award":
        game.award(call["value"], call["player"])
    elif action in ("double", "take", "drop", "beaver"):
        game.act(action)
    else:
        raise LookupError(f"no action {action!r}")


def _throws_of(data: Mapping[str, Any], opening: str) -> Iterator[Roll]:
    """Yield the throws of a session's dict in their order, if its games open like this."""
    for number, record in enumerate(data["history"]):
        is_last = number == len(data["history"]) - 1
        yield from map(_throw, record["contest"])
        on_table = data["dice"] if is_last else None
        dice = [turn["dice"] for turn in record["turns"]] + [record["unplayed"], on_table]
        dice = [pair for pair in dice if pair is not None]
        # Contest dice that are played have not been thrown again.
        kept = opening != "fresh_roll" and record["contest"] and not record["rerolled"]
        yield from map(_throw, dice[1:] if kept else dice)


def _throw(dice: Any) -> Roll:
    """Return a throw as Game takes it."""
    first, second = dice
    return first, second
