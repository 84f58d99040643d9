# %% [markdown]
# # Rollouts
#
# A rollout plays a position to the end many times. This notebook shows what the figures mean, and
# how to get the same precision from fewer games.

# %%
import tavli_fast as tf

start = tf.start("backgammon")
result = tf.rollout(start, "net", "backgammon", trials=324, seed=1)
result

# %% [markdown]
# The equity is the mean number of points that the player on roll wins. Its standard error falls
# with the square root of the number of games: four times the games for half the error.

# %%
for trials in (81, 324, 1296):
    more = tf.rollout(start, "net", "backgammon", trials=trials, seed=1)
    print(f"{trials:5} games: {more.equity[0]:+.3f} ± {more.std_error[0]:.3f}")

# %% [markdown]
# Most of that error is the luck of the dice. Variance reduction subtracts it, as far as the net
# can judge it. Ending each game after 7 plies saves time, and the net judges the position reached
# there. Then 72 games are more exact than a thousand plain ones.

# %%
reduced = tf.rollout(
    start, "net", "backgammon", trials=72, seed=1, truncate=7, variance_reduction=True
)
print(f"   72 games: {reduced.equity[0]:+.3f} ± {reduced.std_error[0]:.3f}")
assert reduced.std_error[0] < result.std_error[0] / 2

# %% [markdown]
# ## The same bits again
#
# The same seed gives the same games, with any number of threads. A rollout can be continued, and
# its parts added.

# %%
first = tf.rollout(start, "net", "backgammon", trials=128, seed=7)
second = tf.rollout(start, "net", "backgammon", trials=128, seed=7, first_trial=128)
whole = tf.rollout(start, "net", "backgammon", trials=256, seed=7, threads=1)
assert (first + second).counts.tolist() == whole.counts.tolist()
(first + second).spans

# %% [markdown]
# ## Which play is best?
#
# `rank_plays` rolls out the plays of a roll with the same dice, so that their differences are
# more exact than their values.

# %%
ranking = tf.rank_plays(start, (4, 3), rules="backgammon", candidates=5, trials=72, seed=1)
print(ranking)

# %% [markdown]
# Two plays whose difference is less than about two standard errors are not told apart by this
# rollout.

# %%
for play in ranking[1:5]:
    print(f"{play.play!s:12} {play.difference:+.4f} ± {play.difference_error:.4f}")
