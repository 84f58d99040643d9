"""Some hundred of the random matches of random_matches.py."""

from __future__ import annotations

import pytest
from random_matches import draw_games, run


def test_random_matches_keep_every_invariant() -> None:
    seen = run(400, seed=1)
    assert seen["match"] == 400
    for event in (
        *("automatic double", "beaver", "beaver dropped", "double", "double dropped", "take"),
        *("contest", "keep", "reroll", "next_game", "Crawford game", "refused", "round trip"),
        *("win of 1", "win of 2", "win of 3", "stake 8"),
    ):
        assert seen[event], event


def test_random_matches_through_json_at_every_step() -> None:
    seen = run(30, seed=7, every=1)
    assert seen["round trip"] > 300


def test_a_seed_gives_the_same_match_again() -> None:
    assert run(20, seed=3) == run(20, seed=3)
    assert len({draw_games(seed) for seed in range(50)}) == 50


@pytest.mark.slow
def test_ten_thousand_random_matches() -> None:
    assert run(10_000, seed=100_000)["match"] == 10_000
