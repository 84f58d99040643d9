"""The slow, obvious twin of the compiled core: the rules in plain Python, for readers and tests.

It has the signatures of the package's own functions, shares no line with them, and imports
nothing of the compiled core. Read it from the inside out:

- `position`: a position as two tuples of counts;
- `moves`: what one checker may do with one die;
- `turns`: what a whole roll allows and demands;
- `scoring`: when a game is over, and what it is worth;
- `arrays`: the functions below, which take and return arrays.

A comment such as "RULES 57" above a line of code names the statement that the line plays, in the
list of numbered rules that the package's documentation gives; the words after it say it in short.
"""

from .arrays import afterstates, apply, count_plays, outcomes, plays

__all__ = ["afterstates", "apply", "count_plays", "outcomes", "plays"]
