"""TD(0) in JAX on `VectorGame`, with static shapes: nothing is compiled after the first turn.

Run it with ``python examples/jax_td.py [rules] [minutes]``; the default is a minute of Hypergammon.
Each game has room for the same number of afterstates.
"""

import sys
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import tavli_fast as tf

GAMES = 512
MOST_POINTS = 3.0
RATE = 0.05

Weights = dict[str, Any]


def new_weights(inputs: int, hidden: int = 64, seed: int = 1) -> Weights:
    """Return the weights of a net of one hidden layer."""
    first, second = jax.random.split(jax.random.key(seed))
    return {
        "first": jax.random.normal(first, (inputs, hidden)) * inputs**-0.5,
        "bias": jnp.zeros(hidden),
        "second": jax.random.normal(second, (hidden,)) * hidden**-0.5,
    }


def value(weights: Weights, inputs: Any) -> Any:
    """Return what positions are worth to the player who has just moved, in points."""
    hidden = jax.nn.relu(inputs @ weights["first"] + weights["bias"])
    return MOST_POINTS * jnp.tanh(hidden @ weights["second"])


@jax.jit
def choose(weights: Weights, inputs: Any, mask: Any) -> Any:
    """Return ``int[N]``: the best of the afterstates of each game, ``float32[N, width, F]``."""
    return jnp.where(mask, value(weights, inputs), -jnp.inf).argmax(axis=1)


@jax.jit
def learn(
    weights: Weights, before: Any, going: Any, after: Any, rewards: Any, done: Any
) -> Weights:
    """Return the weights after a step of the gradient.

    Args:
        weights: the net's.
        before: ``float32[N, F]``: the positions that the opponents left.
        going: ``bool[N]``: which of these games were not over then.
        after: ``float32[N, F]``: the positions that have been reached.
        rewards: ``float32[N]``: the points of who has moved.
        done: ``bool[N]``: which games have ended.
    """
    worth = jnp.where(done, rewards, value(weights, after))

    def loss(weights: Weights) -> Any:
        # What is worth x to who has moved was worth -x to the opponent.
        error = (-worth - value(weights, before)) * going
        last = (rewards - value(weights, after)) * done
        return 0.5 * jnp.mean(error**2 + last**2)

    return jax.tree.map(lambda x, dx: x - RATE * dx, weights, jax.grad(loss)(weights))


def train(rules: str, minutes: float, turns: float = np.inf, seed: int = 1) -> Weights:
    """Return the weights after so long, or so many turns of each game."""
    games = tf.envs.VectorGame(GAMES, rules=rules, seed=seed)
    # Where there are many checkers, the last plays of rare rolls have no room and are left out.
    width = min(64, tf.envs.max_afterstates(rules))
    inputs = np.empty((games.n, width, len(games.feature_scales)), np.float32)
    weights = new_weights(inputs.shape[2])
    before, going = np.zeros((games.n, inputs.shape[2]), np.float32), np.zeros(games.n, bool)
    begun = said = time.monotonic()
    while time.monotonic() - begun < 60 * minutes and turns > 0:
        turns -= 1
        games.roll()
        games.features(inputs, width=width, clip=True)
        counts = np.diff(games.afterstates().offsets)
        mask = np.arange(width) < counts[:, None]
        steps = games.step(np.asarray(choose(weights, inputs, mask)))
        after = tf.features(steps.boards, games.rules)
        weights = learn(weights, before, going, after, steps.rewards, steps.done)
        before, going = after, ~steps.done
        if time.monotonic() - said > 10:
            said = time.monotonic()
            found = points(weights, rules, 1_000)
            print(f"{games.episodes.sum():,} games: {found:+.3f} points a game")
    return weights


def points(weights: Weights, rules: str, games: int) -> float:
    """Return the points a game that the net wins from a random player."""
    plain = {name: np.asarray(array) for name, array in weights.items()}

    def equity(inputs: Any) -> Any:
        hidden = np.maximum(inputs @ plain["first"] + plain["bias"], 0)
        return MOST_POINTS * np.tanh(hidden @ plain["second"])

    return tf.arena(tf.from_features(equity, rules), "random", games=games, seed=1).points


def compilations() -> tuple[int, int]:
    """Return how often the two functions have been compiled."""
    sizes: list[Any] = [choose, learn]
    return sizes[0]._cache_size(), sizes[1]._cache_size()


def main() -> None:
    """Train, and play against a random player."""
    rules = sys.argv[1] if len(sys.argv) > 1 else "hypergammon"
    weights = train(rules, float(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(f"{points(weights, rules, 10_000):+.3f} points a game against a random player")
    print(f"compiled {compilations()} times")


if __name__ == "__main__":
    main()
