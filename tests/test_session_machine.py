"""Sessions driven by hypothesis: actions in any order, legal or not, undone, and through JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import tavli_fast as tf

GAMES = ("portes_cube", "backgammon", "hypergammon", "tavla", "plakoto", "fevga", "narde")
NONSENSE = (
    "",
    "roll",
    "double",
    "take",
    "drop",
    "beaver",
    "8/5 6/5",
    "bar/1",
    "25/24",
    "ROLL ",
    "x",
    "0/0",
)


class Sessions(RuleBasedStateMachine):
    """One session; beside it the text of each state from which something can be undone."""

    session: tf.Session

    def state(self) -> str:
        return json.dumps(self.session.to_dict(), sort_keys=True)

    @initialize(games=st.sampled_from(GAMES), points=st.integers(1, 7), seed=st.integers(0, 2**32))
    def begin(self, games: str, points: int, seed: int) -> None:
        self.session = tf.Session(games, target=points, seed=seed)

    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        """A legal action is taken, and can be taken back: then all is as before, dice too."""
        if self.session.winner is not None:
            return
        if self.session.phase == "game_over":
            self.session.next_game()
            return
        action = data.draw(st.sampled_from(self.choices()))
        before, score = self.state(), self.session.score
        self.session.act(action)
        after = self.state()
        assert after != before
        assert all(new >= old for new, old in zip(self.session.score, score, strict=True))
        if self.session.game is not None and self.session.game.can_undo:
            self.session.undo()
            assert self.state() == before
            self.session.act(action)
            assert self.state() == after

    def choices(self) -> list[str]:
        """The legal actions as texts: with a roll its plays."""
        game = self.session.game
        if game is not None and self.session.phase == "play":
            return [str(play) for play in game.plays]
        return [str(action) for action in self.session.legal_actions]

    @rule(action=st.sampled_from(NONSENSE) | st.text(max_size=12))
    def refused(self, action: str) -> None:
        """What is not legal raises ValueError and changes nothing."""
        if self.session.winner is not None or action in self.session.legal_actions:
            return
        before = self.state()
        try:
            self.session.act(action)
        except ValueError:
            assert self.state() == before
        else:  # a play, written in another way
            assert before != self.state()

    @rule()
    def through_json(self) -> None:
        before = self.state()
        self.session = tf.Session.from_dict(json.loads(before))
        assert self.state() == before

    @invariant()
    def the_position_is_one(self) -> None:
        game = self.session.game
        if game is not None:
            tf.validate(game.board, game.rules)
        assert self.session.target is not None
        assert (self.session.winner is None) == (max(self.session.score) < self.session.target)


Short = Sessions.TestCase
Short.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)


class Long(Sessions):
    """The same, for minutes."""


TestLong = pytest.mark.slow(Long.TestCase)
TestLong.settings = settings(
    max_examples=3000,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestShort = Short
del Short
