"""Sessions: the same seed gives the same games, step by step or by policies, copied or not."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from boards import HITTING
from sessions import played, random_players, smallest

from tavli_fast.play.session import TRIO, Session

# Starter, turns, winner, points. A change of these changes every seed's games: it needs a line in
# the changelog.
GOLDEN = [
    (1, 86, 0, 1),
    (0, 91, 0, 1),
    (0, 85, 0, 1),
    (0, 55, 0, 1),
    (0, 82, 1, 2),
    (1, 90, 0, 1),
    (0, 51, 0, 1),
    (0, 107, 0, 1),
]


def test_golden_trio() -> None:
    session = Session(TRIO, target=7, seed=1)
    session.play_out(smallest, smallest)
    assert [
        (record.starter, len(record.turns), record.winner, record.points)
        for record in session.history
    ] == GOLDEN


def test_the_same_seed_gives_the_same_games() -> None:
    one, other = played(TRIO, 8, target=7), played(TRIO, 8, target=7)
    assert one.history == other.history
    assert one.history != played(TRIO, 9, target=7).history
    fresh = Session(TRIO)
    assert fresh.seed != Session(TRIO).seed
    assert Session(TRIO, seed=fresh.seed).game.record == fresh.game.record


def test_the_dice_of_a_game_do_not_depend_on_the_games_before() -> None:
    one = Session("backgammon", seed=6)
    other = Session("backgammon", seed=6)
    one.play_out(*random_players(1), 4)
    other.play_out(smallest, smallest, 4)
    assert [record.contest for record in one.history] == [
        record.contest for record in other.history
    ]


@pytest.mark.parametrize("games", [TRIO, "backgammon_zh", "narde", "hypergammon", "tapa"])
def test_step_by_step_as_by_policies(games: Any) -> None:
    """The same seed and choices, whatever form the choices have."""
    policies = random_players(7)
    whole = Session(games, seed=7)
    whole.play_out(*copy.deepcopy(policies), 4)
    steps = Session(games, seed=7)
    forms = itertools.cycle(range(5))
    for number in range(4):
        game = steps.next_game() if number else steps.game
        while game.phase != "over":
            policy: Any = policies[game.player]
            seen: Any = game.board, game.dice, game.rules
            if game.phase == "roll":
                dice = game.roll()
                assert dice == (game.dice or game.record.turns[-1].dice)
            elif game.phase == "opening":
                game.reroll() if policy.reroll(
                    *seen[:2], game.afterstates, seen[2]
                ) else game.keep()
            else:
                index = policy(*seen[:2], game.afterstates, seen[2])
                play = game.plays[index]
                choices = (index, np.int64(index), play, np.array(play.moves), str(play))
                form = next(forms)
                game.play(choices[form if game.rules in HITTING.values() else form % 4])
    assert steps.history == whole.history
    assert steps.score == whole.score


def test_copies_and_pickles_go_on_alike() -> None:
    session = Session(TRIO, target=5, seed=3)
    session.play_out(smallest, smallest, 1)
    session.next_game().roll()
    others = copy.deepcopy(session), pickle.loads(pickle.dumps(session))
    for each in (session, *others):
        each.play_out(smallest, smallest)
    assert others[0].history == others[1].history == session.history
