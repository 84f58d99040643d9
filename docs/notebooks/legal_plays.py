# %% [markdown]
# # Legal plays
#
# Which plays does a roll allow? First for one position, then for a hundred thousand at once.

# %%
import numpy as np

import tavli_fast as tf

board = tf.start("backgammon")
tf.view(board, "backgammon")

# %% [markdown]
# `legal_plays` lists the plays of a roll in the notation of books. Plays that lead to the same
# position are listed once.

# %%
plays = tf.legal_plays(board, (3, 1), "backgammon")
print(len(plays), "plays")
for play in plays:
    print(play)

# %% [markdown]
# A play knows its moves and the position that it leaves. Its text can be written in any usual
# way.

# %%
play = tf.parse_play("31: 8/5 6/5", board, (3, 1))
tf.view(board, "backgammon", dice=(3, 1), play=play)

# %% [markdown]
# A play that the rules do not allow is an error that says why.

# %%
try:
    tf.parse_play("13/7 8/2", board, (3, 1))
except tf.IllegalMoveError as error:
    print(error)

# %% [markdown]
# ## Many positions at once
#
# Positions are NumPy arrays, and one call finds the plays of all of them. `afterstates` returns
# the positions after each play one after the other; those of board `i` are the rows `offsets[i]`
# to `offsets[i + 1]`.

# %%
boards = tf.random_boards(100_000, "backgammon", seed=1)
dice = np.random.default_rng(1).integers(1, 7, (100_000, 2))
after, offsets = tf.afterstates(boards, dice, "backgammon")
after.shape

# %% [markdown]
# How many plays does a roll have in a random game, for each game of the family? Rolls without a
# legal play count as 0.

# %%
print("game            mean   most   without a play")
for name in ("backgammon", "plakoto", "fevga", "narde", "hypergammon"):
    boards = tf.random_boards(20_000, name, seed=1)
    counts = tf.count_plays(boards, dice[:20_000], name)
    print(f"{name:12} {counts.mean():8.1f} {counts.max():6} {(counts == 0).mean():12.1%}")

# %% [markdown]
# ## Is it right?
#
# `perft` counts all positions after a number of turns, which other engines can be asked for too.
# The numbers of backgammon are published: 447 after one turn, 202,782 after two.

# %%
counts = [tf.perft(board, depth, "backgammon") for depth in (1, 2)]
assert counts == [447, 202_782]
counts
