# %% [markdown]
# # Plakoto
#
# In Plakoto a lone checker is not hit: the enemy checker that lands on it pins it, and it cannot
# move until that checker leaves. All fifteen checkers of each side start on one point.

# %%
import numpy as np

import tavli_fast as tf

board = tf.start("plakoto")
tf.view(board, "plakoto")

# %% [markdown]
# In play notation `^` marks a pin. Here the player on roll (X) has two checkers on the 15-point,
# and the opponent (O) a lone checker on X's 12-point. 3-1 can pin it in three ways.

# %%
board, game = tf.from_tfid("TFID1:k:1n10a2B8M1:0:0")
plays = tf.legal_plays(board, (3, 1), game)
print(plays)

# %% [markdown]
# On the board a pinned checker lies under the one that pins it. In the arrays it is -1.

# %%
pin = tf.parse_play("24/23 15/12^", board, (3, 1), game)
assert pin.board[1, 25 - 12] == -1
tf.view(pin.board, game)

# %% [markdown]
# ## What is a pin worth?
#
# The net leaves out the plays that it finds too far from the best, all but three, and rolls out the
# others. The best of them pins.

# %%
ranking = tf.rank_plays(board, (3, 1), rules=game, trials=72, seed=1)
assert "^" in str(ranking[0].play)
print(ranking)

# %% [markdown]
# ## The mother
#
# The last checker on the starting point is called the mother. If the enemy pins it there, the
# game is usually lost for two points, at once and whatever else is on the board. Texts differ
# about the details; each reading is a field of `Rules`. Here X's mother has been pinned, but O
# still has a checker on its own starting point. By default the game goes on, as X may still pin
# O's mother; by the stricter reading it is over.

# %%
from dataclasses import replace

board = np.zeros((2, 26), np.int8)
board[0, [24, 10]] = [-1, 14]
board[1, [24, 5, 1]] = [1, 13, 1]
strict = replace(tf.PLAKOTO, mother="lose_always")
for name, rules in (("default", tf.PLAKOTO), ("lose_always", strict)):
    over, points = tf.outcomes(board, rules)
    print(f"{name}: over {over[0]}, points {points[0]}")

# %% [markdown]
# ## The opening
#
# The best play of each opening roll by the net's own judgement, without a rollout:

# %%
start = tf.start("plakoto")
rolls = [(high, low) for high in range(6, 0, -1) for low in range(high, 0, -1)]
best = tf.best_plays(np.repeat(start[None], len(rolls), axis=0), rolls, "net", "plakoto")
for (high, low), moves, equity in zip(rolls, best.moves[:, 0], best.equity[:, 0], strict=True):
    print(f"{high}-{low}  {tf.format_play(moves, start, rules='plakoto'):14} {equity:+.3f}")
