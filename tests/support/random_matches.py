"""Random matches with random options, each step held against a second, plain account of the rules;
`python tests/support/random_matches.py --matches 1000000` is the long run."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pytest

import tavli_fast as tf
from tavli_fast import Rules, Session

# Boards on which a game is short: a turn or a few, with single wins, gammons and backgammons.
SHORT: tuple[tuple[tuple[int, int], ...], ...] = (
    ((1, 1),),
    ((6, 1), (1, 1)),
    ((2, 1), (1, 1)),
    ((6, 2),),
    ((20, 1), (3, 1)),
    ((17, 1), (6, 1), (2, 1)),
)
POINTS = ((1, 2, 3), (1, 2, 3), (1, 2, 2), (1, 1, 1), (1, 3, 3), (2, 2, 3))
ACTIONS = ("contest", "keep", "reroll", "roll", "double", "take", "drop", "beaver", "next_game")


@lru_cache(maxsize=2)
def draw_games(seed: int) -> tuple[Rules, ...]:
    """Return one to three short games; the first one's session fields are drawn at random."""
    rng = random.Random(seed)
    games: list[Any] = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        start = rng.choice(SHORT)
        single, gammon, backgammon = rng.choice(POINTS)
        options: dict[str, Any] = {}
        if rng.random() < 0.03:  # a game that may be drawn
            start, options = ((24, 3),), {"contact": "pin", "mother": "draw_only"}
        if not games:
            options |= {
                "opening": rng.choice(("fresh_roll", "contest_dice", "contest_or_reroll")),
                "next_starter": rng.choice(("winner", "contest")),
                "cube": rng.random() < 0.95,
                "cube_cap": rng.choice((1, 2, 4, 8, 64, 64, None)),
                "dead_cube_rule": rng.random() < 0.7,
                "jacoby": rng.random() < 0.5,
                "jacoby_auto_counts": rng.random() < 0.5,
                "beavers": rng.random() < 0.6,
                "beaver_refusable": rng.random() < 0.5,
                "auto_double_max": rng.choice((0, 1, 1, 3)),
                "crawford": rng.random() < 0.8,
                "target": rng.choice((1, 2, 3, 5, 7, 11)),
            }
        games.append(
            Rules(
                checkers=sum(count for _, count in start),
                start=start,
                single_points=single,
                gammon_points=gammon,
                backgammon_points=backgammon,
                **options,
            )
        )
    return tuple(games)


@dataclass
class Account:
    """The rules of cube and match told a second time, from what is done alone."""

    table: Rules
    score: list[int]
    crawford_over: bool
    stake: int = 1
    owner: int | None = None
    turned: bool = False
    ties: int = 0
    crawford: bool = False
    contest: int = 0
    last_winner: int | None = None
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def target(self) -> int:
        assert self.table.target is not None
        return self.table.target

    def begin(self) -> None:
        """Begin a game."""
        self.stake, self.owner, self.turned, self.ties, self.contest = 1, None, False, 0, 0
        one_short = self.target - 1 in self.score
        rule = self.table.cube and self.table.crawford
        self.crawford = rule and one_short and not self.crawford_over
        self.crawford_over = self.crawford_over or self.crawford

    def watch_contest(self, throws: tuple[tuple[int, int], ...]) -> None:
        """Count the ties among the throws that have come since."""
        for first, second in throws[self.contest :]:
            allowed = self.table.cube and not self.crawford and self.fits(2 * self.stake)
            if first == second and allowed and self.ties < self.table.auto_double_max:
                self.ties += 1
                self.stake *= 2
                self.seen["automatic double"] += 1
        self.contest = len(throws)

    def fits(self, stake: int) -> bool:
        return self.table.cube_cap is None or stake <= self.table.cube_cap

    def alive(self, stake: int, player: int, single: int) -> bool:
        wins_now = stake * single + self.score[player] >= self.target
        return not (wins_now and self.table.dead_cube_rule)

    def names(self, phase: str, player: int, single: int) -> tuple[str, ...]:
        """Return what may be done in a phase, a play apart."""
        if phase == "roll":
            double = self.table.cube and not self.crawford and self.owner in (None, player)
            double = double and self.fits(2 * self.stake) and self.alive(self.stake, player, single)
            return ("roll", "double") if double else ("roll",)
        if phase == "double":
            beaver = self.table.beavers and self.fits(4 * self.stake)
            beaver = beaver and self.alive(2 * self.stake, player, single)
            return ("take", "drop", "beaver") if beaver else ("take", "drop")
        return {
            "contest": ("contest",),
            "opening": ("keep", "reroll"),
            "beaver": ("take", "drop"),
            "game_over": ("next_game",),
            "match_over": (),
        }[phase]

    def note(self, phase: str, action: str, player: int) -> None:
        """Follow an action of the cube."""
        if phase == "double" and action in ("take", "beaver"):
            self.stake, self.owner, self.turned = 2 * self.stake, player, True
            if action == "beaver" and not self.table.beaver_refusable:
                self.stake *= 2
        elif phase == "beaver" and action == "take":
            self.stake *= 2

    def end(self, winner: int | None, points: int, single: int) -> int:
        """Score a game that a win of `points` has ended; return what it counts."""
        auto = self.ties > 0 and self.table.jacoby_auto_counts
        if self.table.cube and self.table.jacoby and points and not (self.turned or auto):
            points = single
        self.last_winner = winner
        if winner is not None:
            self.score[winner] += points * self.stake
        return points * self.stake


def play_match(seed: int, every_step: bool = False, often: float = 0.03) -> Counter[str]:
    """Play one random match to its end and check each step; return what has been seen.

    With `every_step` the session goes through JSON before each action, and is played on as it comes
    back; without, with the probability `often` before each.
    """
    rng = random.Random(seed)
    games = draw_games(seed // 20)  # new rules take as long as a game
    table = games[0]
    target = table.target or 0
    start = [rng.randrange(target), rng.randrange(target)] if rng.random() < 0.3 else [0, 0]
    short = table.cube and table.crawford and target - 1 in start
    crawford = rng.choice((None, False, True) if short else (None, False))
    by_hand = rng.random() < 0.3
    dice: Any = (lambda: (rng.randint(1, 6), rng.randint(1, 6))) if seed % 8 == 0 else None
    session = Session(
        games,
        seed=None if dice else seed,
        throw=dice,
        score=start,
        crawford=crawford,
        by_hand=by_hand,
    )
    account = Account(table, list(start), crawford is False)
    account.begin()
    account.seen["match"] += 1
    crawford_games = 0
    while True:
        game, phase, player = session.game, session.phase, session.game.player
        single = game.rules.single_points
        account.watch_contest(game.record.contest)
        stake = account.stake
        assert (game.cube.value, game.cube.owner) == (stake, account.owner), seed
        assert stake & (stake - 1) == 0
        assert account.fits(stake) or not table.cube
        assert session.crawford == account.crawford
        assert tuple(session.score) == tuple(account.score) or phase.endswith("over")
        if every_step or rng.random() < often:
            session = through_json(session, dice)
            game = session.game
            account.seen["round trip"] += 1
        if phase == "play":
            choices = len(game.afterstates)
            names: tuple[str, ...] = ()
            if every_step:
                assert len(session.legal_actions) == choices
        else:
            names = account.names(phase, player, single)
            assert tuple(session.legal_actions) == names, (seed, phase, session.legal_actions)
        if rng.random() < 0.1:
            assert_refused(session, rng.choice([each for each in ACTIONS if each not in names]))
            account.seen["refused"] += 1
        if phase == "match_over":
            break
        action: Any = rng.choice(names) if names else rng.randrange(choices)
        session.act(action)
        account.seen[action if names else "play"] += 1
        if action == "next_game":
            crawford_games += account.crawford
            account.begin()
            check_start(session, account)
            continue
        account.note(phase, str(action), player)
        if session.phase.endswith("over"):
            check_end(session, account, phase, action, player)
    crawford_games += account.crawford
    account.seen["Crawford game"] += crawford_games
    check_match(session, account, start, crawford_games)
    return account.seen


def through_json(session: Session, dice: Any) -> Session:
    """Return the session as it comes back from JSON, which must be the same."""
    data = session.to_dict()
    text = json.dumps(data)
    again = Session.from_dict(json.loads(text), throw=dice)
    assert json.dumps(again.to_dict()) == text
    game, other = session.game, again.game
    assert (game.board == other.board).all()
    assert (game.cube, game.phase, game.player, game.dice, game.record, game.terms) == (
        (other.cube, other.phase, other.player, other.dice, other.record, other.terms)
    )
    assert (again.score, again.winner, again.phase) == (
        (session.score, session.winner, session.phase)
    )
    return again


def assert_refused(session: Session, action: str) -> None:
    """Check that an action which is not legal raises and changes nothing."""
    game = session.game
    before = game.phase, game.player, game.cube, game.dice, len(game.record.calls), session.score
    with pytest.raises(ValueError, match=r"^cannot "):
        session.act(action)
    assert session.game is game
    now = game.phase, game.player, game.cube, game.dice, len(game.record.calls), session.score
    assert now == before


def check_start(session: Session, account: Account) -> None:
    """Check who starts a game, and whether there was a contest."""
    record = session.game.record
    if account.last_winner is not None and account.table.next_starter == "winner":
        assert (record.contest, record.starter) == ((), account.last_winner)
    elif session.phase != "contest":
        first, second = record.contest[-1]
        assert record.starter == int(second > first)
        assert all(one == other for one, other in record.contest[:-1])


def check_end(session: Session, account: Account, phase: str, action: Any, player: int) -> None:
    """Check the result of a game that an action of this player has ended."""
    game = session.game
    record, single = game.record, game.rules.single_points
    if action == "drop":
        winner: int | None = 1 - player
        points = account.end(winner, single, single)
        account.seen["beaver dropped" if phase == "beaver" else "double dropped"] += 1
    else:
        over, gain = tf.outcomes(game.board, game.rules)
        assert over[0]
        worth = int(gain[0])
        winner = None if not worth else game.player if worth > 0 else 1 - game.player
        points = account.end(winner, abs(worth), single)
        account.seen[f"win of {abs(worth)}" if worth else "draw"] += 1
    assert (record.winner, record.points, record.stake) == (winner, points, account.stake)
    assert session.score == tuple(account.score)
    account.seen[f"stake {account.stake}"] += 1


def check_match(session: Session, account: Account, start: list[int], crawfords: int) -> None:
    """Check a match that is over: how it ended, that the points add up, and the Crawford game."""
    target, table = account.target, account.table
    score, winner = list(start), session.winner
    one_short, expected = session.to_dict()["crawford"] is False, 0
    for record in session.history:
        assert max(score) < target
        if table.cube and table.crawford and target - 1 in score and not one_short:
            one_short, expected = True, 1
        if record.crawford:
            assert not record.calls
            assert record.stake == 1
        if record.winner is not None:
            score[record.winner] += record.points or 0
    assert tuple(score) == session.score
    assert winner is not None
    assert score[winner] >= target > score[1 - winner]
    assert sum(record.crawford for record in session.history) == crawfords == expected


def run(matches: int, seed: int = 0, every: int = 100, often: float = 0.03) -> Counter[str]:
    """Play so many matches, every so many of them through JSON at each step."""
    seen: Counter[str] = Counter()
    for number in range(matches):
        try:
            seen.update(play_match(seed + number, number % every == 0, often))
        except Exception as error:
            error.add_note(f"in play_match({seed + number}, {number % every == 0})")
            raise
    return seen


def main() -> None:
    """Run as many matches as asked for and tell what they met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=100, metavar="K")
    parser.add_argument("--often", type=float, default=0.03, metavar="P")
    options = parser.parse_args()
    begun = time.perf_counter()
    seen: Counter[str] = Counter()
    left = options.matches
    while left:
        part = min(left, 10_000)
        seen += run(part, options.seed + options.matches - left, options.every, options.often)
        left -= part
        seconds = time.perf_counter() - begun
        print(f"{seen['match']:,} matches, {seconds:.0f} s", flush=True)
    for name, count in sorted(seen.items()):
        print(f"{name:>20}: {count:,}")


if __name__ == "__main__":
    main()
