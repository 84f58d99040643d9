# %% [markdown]
# # Analysis of a match
#
# Who made which mistakes, what did they cost, and who was lucky? The match here is played by two
# programs; a file of your own is read by `tf.read_match("match.mat")`.

# %%
import tavli_fast as tf


def few_blots(afterstates):
    """Value positions by the blots of the player who has moved: a poor player."""
    return -(afterstates[:, 0, 1:25] == 1).sum(axis=1).astype(float)


match = tf.Session("backgammon", target=3, seed=2)
match.play_out("net", few_blots)

# %% [markdown]
# Matches are exchanged as text. This is the beginning of the match in the usual format:

# %%
text = tf.write_mat(match, ("Net", "Careful"))
print("\n".join(text.splitlines()[:16]))

# %% [markdown]
# `analyse` takes a match that was played or read, and judges every play and every decision about
# the cube.

# %%
found = tf.analyse(tf.read_mat(text))
print(found)

# %% [markdown]
# The error rate is what the decisions cost on average, in thousandths of the stake; the better
# player has the smaller one. Luck is what the rolls gave, and the result without it shows who
# played better.

# %%
net, careful = found.totals
assert net.error_rate < careful.error_rate
for name, totals in (("Net", net), ("Careful", careful)):
    print(f"{name:8} error rate {totals.error_rate:6.1f} ({totals.word}), luck {totals.luck:+.2f}")

# %% [markdown]
# The worst decisions, with the play that was made and the one that was best:

# %%
for decision in found.worst(5, player="Careful"):
    played, best = decision.played.text, decision.best.text
    print(f"-{decision.error:.3f} {decision.mark:9} {played:18} best: {best}")

# %% [markdown]
# `to_dicts` has a row for each decision, for a table of pandas or polars; `html()` is a page for
# the browser with all of it.

# %%
rows = found.to_dicts()
print(len(rows), "decisions:", ", ".join(sorted(rows[0])[:8]), "…")
