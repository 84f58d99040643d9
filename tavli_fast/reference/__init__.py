"""The slow, obvious twin of the compiled core: the rules in plain Python, for readers and tests.

It has the signatures of the package's own functions, shares no line with them, and imports
nothing of the compiled core. Read it from the inside out:

- `position`: a position as two tuples of counts;
- `scoring`: when a game is over, and what it is worth;
- `primes`: which points a side may not hold all at once;
- `moves`: what one checker may do with one die;
- `traps`: whom a turn may not leave without a way out;
- `turns`: what a whole roll allows and demands;
- `arrays`: the functions below, which take and return arrays.

All games are played by the same lines: a `Rules` says which of them count. The order in which a
roll's plays are found is that of section 9: what a single move may not do (a gate, a head, a
prime), then the trap, then as many dice as possible, then the higher die.

A comment such as "RULES 57" above a line of code names the statement that the line plays, in the
list of numbered rules that the package's documentation gives ("P6" and "F6" are its disputed
points of Plakoto and Fevga); the words after it say it in short.
"""

from tavli_fast.reference.arrays import afterstates, apply, count_plays, outcomes, plays

__all__ = ["afterstates", "apply", "count_plays", "outcomes", "plays"]
