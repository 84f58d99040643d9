"""TD(λ) in PyTorch on `VectorGame`: a net that learns by playing against itself.

Run it with ``python examples/torch_td.py [rules] [minutes]``. All games are played at once; after
every `STEPS` turns the net learns the λ-returns of what has been played. In three minutes on two
cores it beats a random player in more than 99 of 100 games of Portes.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch

import tavli_fast as tf

GAMES = 256
STEPS = 32
LAMBDA = 0.7
MOST_POINTS = 3.0

Floats = npt.NDArray[np.float32]


def new_net(inputs: int, hidden: int = 128) -> torch.nn.Sequential:
    """Return a net that tells what a position is worth to the player who has just moved, as a share
    of `MOST_POINTS`."""
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden),
        torch.nn.ReLU(),
        torch.nn.Linear(hidden, 1),
        torch.nn.Tanh(),
    )


def equity(net: torch.nn.Sequential) -> Callable[[Floats], Floats]:
    """Return the net as a function from features to points."""

    def value(inputs: Floats) -> Floats:
        with torch.inference_mode():
            found: Floats = net(torch.from_numpy(inputs)).numpy()
        return MOST_POINTS * found[:, 0]

    return value


def played(
    games: tf.envs.VectorGame, value: Callable[[Floats], Floats], memory: torch.Tensor
) -> tuple[Floats, Floats]:
    """Play `STEPS` turns of all games with the best afterstates.

    Returns:
        The features ``float32[STEPS, N, F]`` of the positions that were reached, and their
        λ-returns ``float32[STEPS, N]``, both for the player who moved.
    """
    seen = np.empty((STEPS, games.n, memory.shape[1]), np.float32)
    done, rewards = np.empty((STEPS, games.n), bool), np.empty((STEPS, games.n), np.float32)
    for step in range(STEPS):
        games.roll()
        if games.afterstates().offsets[-1] > len(memory):
            memory = torch.empty(int(1.2 * games.afterstates().offsets[-1]), memory.shape[1])
        steps = games.step(games.best(value(games.features(memory))))
        seen[step] = tf.features(steps.boards, games.rules)
        done[step], rewards[step] = steps.done, steps.rewards
    values = value(seen.reshape(-1, seen.shape[2])).reshape(STEPS, -1)
    returns = values.copy()  # the last ones stand for what comes after them
    for step in range(STEPS - 2, -1, -1):
        # What is worth x to the opponent, who moves next, is worth -x.
        ahead = (1 - LAMBDA) * values[step + 1] + LAMBDA * returns[step + 1]
        returns[step] = -ahead
        returns[step][done[step]] = rewards[step][done[step]]
    returns[-1][done[-1]] = rewards[-1][done[-1]]
    return seen, returns


def train(rules: str, minutes: float, turns: float = np.inf, seed: int = 1) -> torch.nn.Sequential:
    """Return a net that has learned for so long, or so many turns of each game."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # such small matrices gain nothing from more
    games = tf.envs.VectorGame(GAMES, rules=rules, seed=seed)
    inputs = len(games.feature_scales)
    net = new_net(inputs)
    value = equity(net)
    memory = torch.empty(GAMES * 40, inputs)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    begun = said = time.monotonic()
    while time.monotonic() - begun < 60 * minutes and turns > 0:
        turns -= STEPS
        seen, returns = played(games, value, memory)
        inputs_, targets = (
            torch.from_numpy(seen.reshape(-1, inputs)),
            torch.from_numpy(returns.ravel()),
        )
        for batch in torch.randperm(len(targets)).split(512):
            optimizer.zero_grad()
            error = MOST_POINTS * net(inputs_[batch])[:, 0] - targets[batch]
            error.square().mean().backward()
            optimizer.step()
        if time.monotonic() - said > 20:
            said = time.monotonic()
            print(f"{games.episodes.sum():,} games: {points(net, rules, 200):+.2f} points a game")
    return net


def points(net: torch.nn.Sequential, rules: str, games: int) -> float:
    """Return the points a game that the net wins from a random player."""
    return tf.arena(tf.from_features(equity(net), rules), "random", games=games, seed=1).points


def main() -> None:
    """Train, and play against a random player and the bundled net."""
    rules = sys.argv[1] if len(sys.argv) > 1 else "portes"
    net = train(rules, float(sys.argv[2]) if len(sys.argv) > 2 else 3)
    player = tf.from_features(equity(net), rules)
    for opponent in ("random", "net"):
        print(tf.arena(player, opponent, games=2_000, seed=1))


if __name__ == "__main__":
    main()
