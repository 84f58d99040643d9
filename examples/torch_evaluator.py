"""A net trained in PyTorch: as a Python evaluator, and its weights in a compiled `Net`.

Run it with ``python examples/torch_evaluator.py``. It learns the outcomes of random games, which is
enough to beat a random player but not a good one; the example shows how to get from `features` to a
PyTorch model and back to a `Net`. The model gives the probabilities of winning, of winning 2 points
or more, 3, of losing 2 or more and 3, for the player who has just moved.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

import tavli_fast as tf

RULES = "portes"
HIDDEN = 64


def examples(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return features ``float32[count, F]`` of positions of random games, and how often random play
    from there ended in each outcome, ``float32[count, 5]``, for the player who has just moved."""
    boards = tf.random_boards(count, RULES, seed=seed)  # who is on roll comes first
    shares = tf.rollout(
        boards, "random", rules=RULES, trials=64, seed=seed
    ).probabilities  # -3 to +3 points
    lost = shares[:, ::-1]  # the same games for the other player: how often he won 3, 2, 1, …
    wins = np.cumsum(lost[:, :3:-1], axis=1)[:, ::-1]
    losses = np.cumsum(lost[:, :2], axis=1)[:, ::-1]
    target = np.column_stack([wins, losses])
    seen = tf.features(tf.flip(boards), RULES)
    return torch.from_numpy(seen), torch.from_numpy(target.astype(np.float32))


def trained(model: torch.nn.Sequential, count: int = 20_000, epochs: int = 15) -> float:
    """Teach the model; return its mean absolute error in equity over positions it has not seen."""
    seen, target = examples(count, seed=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loss = torch.nn.BCEWithLogitsLoss()
    for _ in range(epochs):
        for batch in torch.randperm(count).split(256):
            optimizer.zero_grad()
            loss(model(seen[batch]), target[batch]).backward()
            optimizer.step()
    seen, target = examples(2_000, seed=2)
    with torch.no_grad():
        found = torch.sigmoid(model(seen))
    signs = torch.tensor([2.0, 1, 1, -1, -1])
    return float(((found - target) @ signs).abs().mean())


def evaluator(model: torch.nn.Sequential) -> Callable[..., Any]:
    """Return the model as an evaluator that `rollout`, `evaluate` and `best_plays` take."""

    def torch_net(seen: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            return torch.sigmoid(model(torch.from_numpy(seen))).numpy()

    return tf.from_features(torch_net, RULES)


def compiled(model: torch.nn.Sequential) -> tf.Net:
    """Return the same net for the core, whose matrices are the transposed ones."""
    first: Any = model[0]
    second: Any = model[2]
    hidden, hidden_bias, output, output_bias = (
        parameter.detach().numpy()
        for parameter in (first.weight.T, first.bias, second.weight.T, second.bias)
    )
    return tf.Net(
        RULES,
        hidden,
        hidden_bias,
        output,
        output_bias,
        activation="sigmoid",
        info={"name": "torch-example"},
    )


def main() -> None:
    """Train, and play with both."""
    torch.manual_seed(1)
    inputs = tf.features(tf.start(RULES), RULES).shape[1]
    model = torch.nn.Sequential(
        torch.nn.Linear(inputs, HIDDEN), torch.nn.Sigmoid(), torch.nn.Linear(HIDDEN, 5)
    )
    print(f"mean error in equity: {trained(model):.3f}")
    slow, fast = evaluator(model), compiled(model)
    boards = tf.random_boards(1_000, RULES, seed=3)
    difference = tf.evaluate(boards, slow, RULES).equity - tf.evaluate(boards, fast, RULES).equity
    print(f"the compiled net differs by {np.abs(difference).max():.1e} at most")
    for policy in (slow, fast):
        print(
            tf.rollout(tf.start(RULES), rules=RULES, policy=(policy, "random"), trials=256, seed=1)
        )
    fast.save("torch-example.npz")


if __name__ == "__main__":
    main()
