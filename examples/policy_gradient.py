"""A policy gradient with a critic in PyTorch, on `VectorGame`.

Run it with ``python examples/policy_gradient.py [rules] [minutes]``; the default is a minute of
Hypergammon. The policy is a softmax over the afterstates of each game. A play is drawn with Gumbel
noise: the best of logits plus noise is a draw from their softmax.
"""

import sys
import time
from typing import Any, NamedTuple

import numpy as np
import torch

import tavli_fast as tf

GAMES = 256
STEPS = 16
LAMBDA = 0.9
ENTROPY = 0.01


class Turn(NamedTuple):
    """What is kept of a turn in all games."""

    inputs: torch.Tensor
    """``float32[M, F]``: the features of all afterstates."""
    owners: torch.Tensor
    """``int64[M]``: whose each is."""
    chosen: torch.Tensor
    """``int64[K]``: the rows of those that were chosen, of the games that could move."""
    movers: torch.Tensor
    """``int64[K]``: these games."""
    rewards: torch.Tensor
    done: torch.Tensor


def new_net(inputs: int, hidden: int = 64) -> torch.nn.Sequential:
    """Return a net with two outputs for an afterstate: its logit and its worth in points."""
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 2)
    )


def turn(games: tf.envs.VectorGame, net: torch.nn.Sequential, rng: np.random.Generator) -> Turn:
    """Play a turn in all games."""
    games.roll()
    offsets = games.afterstates().offsets.copy()
    inputs = torch.from_numpy(games.features())
    with torch.inference_mode():
        logits = net(inputs)[:, 0].numpy()
    choices = games.best(logits + rng.gumbel(size=len(logits)))
    steps = games.step(choices)
    movers = np.flatnonzero(choices >= 0)
    return Turn(
        inputs,
        torch.from_numpy(np.repeat(np.arange(games.n), np.diff(offsets))),
        torch.from_numpy((offsets[:-1] + choices)[movers]),
        torch.from_numpy(movers),
        torch.from_numpy(steps.rewards),
        torch.from_numpy(steps.done),
    )


def loss_of(net: torch.nn.Sequential, turns: list[Turn], games: int) -> torch.Tensor:
    """Return the loss of policy and critic over neighbouring turns."""
    found = []
    for one in turns:
        logits, worth = net(one.inputs).unbind(1)
        # A softmax over each game's own afterstates; the highest logit is taken out first.
        top = torch.full((games,), -torch.inf).scatter_reduce(0, one.owners, logits, "amax")
        weights = (logits - top.detach()[one.owners]).exp()
        total = torch.zeros(games).index_add(0, one.owners, weights)
        logs = weights.log() - total.log()[one.owners]
        shares = logs.exp()
        expected = torch.zeros(games).index_add(0, one.owners, shares * worth)
        entropy = -torch.zeros(games).index_add(0, one.owners, shares * logs)
        found.append((logs, worth, expected, entropy))
    losses = []
    # Backwards: what a turn led to, for the player who moved. The opponent moves next. (A game that
    # cannot move in the last turn counts as even there.)
    ahead = -found[-1][2].detach()
    for one, (logs, worth, expected, entropy) in zip(turns[-2::-1], found[-2::-1], strict=True):
        result = torch.where(one.done, one.rewards, ahead)
        better = (result - expected.detach())[one.movers]
        losses += [
            -(logs[one.chosen] * better).mean(),
            (worth[one.chosen] - result[one.movers]).square().mean(),
            -ENTROPY * entropy[one.movers].mean(),
        ]
        dancing = torch.ones(games, dtype=torch.bool)
        dancing[one.movers] = False
        value = torch.where(dancing, result, expected.detach())
        ahead = -((1 - LAMBDA) * value + LAMBDA * result)
    return torch.stack(losses).sum() / (len(turns) - 1)


def train(
    rules: str, minutes: float, most_turns: float = np.inf, seed: int = 1
) -> torch.nn.Sequential:
    """Return a net that has learned for so long, or so many turns of each game."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # such small matrices gain nothing from more
    rng = np.random.default_rng(seed)
    games = tf.envs.VectorGame(GAMES, rules=rules, seed=seed)
    net = new_net(len(games.feature_scales))
    optimizer = torch.optim.Adam(net.parameters(), lr=6e-3)
    begun = said = time.monotonic()
    turns: list[Turn] = []
    while time.monotonic() - begun < 60 * minutes and most_turns > 0:
        most_turns -= STEPS
        turns = [*turns[-1:], *(turn(games, net, rng) for _ in range(STEPS))]
        optimizer.zero_grad()
        loss_of(net, turns, games.n).backward()
        optimizer.step()
        if time.monotonic() - said > 10:
            said = time.monotonic()
            print(f"{games.episodes.sum():,} games: {points(net, rules, 1_000):+.3f} points a game")
    return net


def points(net: torch.nn.Sequential, rules: str, games: int) -> float:
    """Return the points a game from a random player, by the most likely plays."""

    def logits(inputs: Any) -> Any:
        with torch.inference_mode():
            return net(torch.from_numpy(inputs))[:, 0].numpy()

    return tf.arena(tf.from_features(logits, rules), "random", games=games, seed=1).points


def main() -> None:
    """Train, and play against a random player."""
    rules = sys.argv[1] if len(sys.argv) > 1 else "hypergammon"
    net = train(rules, float(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(f"{points(net, rules, 10_000):+.3f} points a game against a random player")


if __name__ == "__main__":
    main()
