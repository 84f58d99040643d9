# %% [markdown]
# # Training a player
#
# A net learns a game by playing itself. This notebook trains a small one for a few seconds, for a
# house rule for which there is no net anywhere, and measures whether it has learnt something.
# [Train your own player](../training.md) goes further.

# %%
from dataclasses import replace

import tavli_fast as tf

house = replace(tf.PLAKOTO, mother="lose_always", mother_points=1)
net = tf.train(house, hidden=32, games=2000, measured=0, threads=1, seed=1)
net

# %% [markdown]
# After two thousand games it beats a player who moves at random:

# %%
found = tf.arena(net, "random", rules=house, games=200, seed=1)
assert found.points > 0
low, high = found.interval
print(f"{found.points:+.2f} points a game, 95 % interval {low:+.2f} to {high:+.2f}")

# %% [markdown]
# It is an evaluator like any other: it values positions, chooses plays, and plays in rollouts.

# %%
board = tf.start(house)
best = tf.best_plays(board, (6, 5), net, top=3)
for moves, equity in zip(best.moves[0], best.equity[0], strict=True):
    if (moves >= 0).any():
        print(f"{tf.format_play(moves, board, rules=house):12} {equity:+.3f}")

# %% [markdown]
# `improve` lets it learn from its own lookahead: at every turn it looks at all 21 rolls of the
# opponent. One short round is enough to show how it is done; real ones have 700,000 positions.

# %%
better = tf.improve(net, rounds=1, labels=4096, threads=1, seed=1)
duel = tf.arena(better, net, rules=house, games=1000, seed=1)
print(f"against the net before: {duel.points:+.3f} ± {duel.std_error:.3f} points a game")

# %% [markdown]
# The net is saved in a file with its rules and with what it was trained by.

# %%
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "house.npz"
    better.save(path)
    again = tf.Net.load(path)
    print(f"{path.stat().st_size // 1000} kB")
assert again.rules == house
