"""A slow reference implementation of the rules in plain Python, for readers and tests.

It has the same functions as the package, shares no code with the compiled core, and imports
nothing of it. The modules, from the inside out:

- `position`: a position as two tuples of counts;
- `scoring`: when a game is over, and what it is worth;
- `primes`: which points a side may not hold at the same time;
- `moves`: what one checker may do with one die;
- `traps`: positions that a turn must not leave the enemy in;
- `turns`: what a whole roll allows and requires;
- `arrays`: the functions below, which take and return arrays.

The same code plays all games: a `Rules` says which rules apply. The plays of a roll are found in
the order of section 9: first the restrictions on single moves (a gate, a head, a prime), then the
trap, then as many dice as possible, then the higher die.

A comment such as "RULES 57" above a line of code names the statement of docs/rules.md that the
line implements ("P6" and "F6" are disputed points of Plakoto and Fevga); the words after it are a
summary.
"""

from tavli_fast.reference.arrays import afterstates, apply, count_plays, outcomes, plays

__all__ = ["afterstates", "apply", "count_plays", "outcomes", "plays"]
