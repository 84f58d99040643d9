"""The one parametrised rule set: its fields and what they mean.

The fields come in groups, each with its own check in `_rule_checks`: board, contact, dice, starting
phase, primes, bearing off, mother, scoring, and the session (which no engine reads: it says who
starts, how games make a series, and what the cube may do).

Some rules that the sources name are not played: checkers that enter from off the board (the
acey-deucey games), doubles of another length, a cascade that begins later in the game or whose
rest falls to the opponent, scoring by the checkers that the loser has left. Their fields stand
here with the one value that is played, so that asking for more is answered by a sentence and never
by a wrong game.
"""

from __future__ import annotations

from dataclasses import dataclass

from tavli_fast.rules.checks import check_rules

__all__ = ["Rules"]


@dataclass(frozen=True)
class Rules:
    """One game of the family, as data: what moves, what hits, what must be played, what it scores.

    Every function that takes ``rules=`` takes a ``Rules`` or the name of a preset (see `RULES`).
    A house rule is a changed copy: ``dataclasses.replace(PLAKOTO, mother="lose_always")``.

    A field that only refines a rule which is off (`mother_points` without a mother rule) has no
    effect; one that would switch on a rule which the game cannot have is refused.

    Raises:
        ValueError: a field has a value that the engine cannot play, or the fields contradict one
            another; the message names the field, the value and what was expected.
    """

    # --- board ---
    checkers: int = 15
    """Checkers a side, 1 to 15."""
    start: tuple[tuple[int, int], ...] = ((24, 2), (13, 5), (8, 3), (6, 5))
    """The starting position as (point, checkers) in the player's own numbers."""
    off_board_start: bool = False
    """Whether checkers start off the board and must enter; only False is played."""
    parallel: bool = False
    """Whether both sides run the same way round, from opposite corners (the opponent's start is
    the mover's 12-point), instead of against each other."""

    # --- contact ---
    contact: str = "hit"
    """What landing on a lone enemy checker does. ``"hit"``: it goes to the bar. ``"pin"``: it
    stays under the newcomer and cannot move. ``"none"``: it cannot be done, one checker closes."""
    block_at: int = 2
    """Enemy checkers that close a point: 1 with contact ``"none"``, else 2 (or one on a pin)."""
    hit_and_run_home: bool = True
    """Whether a checker that hits on the mover's own points 1-6 may move on in the same turn."""

    # --- dice ---
    max_dice: bool = True
    """Whether as many dice as possible must be played. If not, a play may stop where the next die
    cannot be played."""
    higher_die: bool = True
    """Whether the higher die must be played when either, but not both, can be."""
    win_needs_all_dice: bool = True
    """Whether `max_dice` and `higher_die` bind the play that bears off the last checker too."""
    doubles: int = 4
    """How many moves doubles are; only 4 is played."""
    cascade: bool = False
    """Whether doubles go on: n-n is four n, then four n + 1, and so on to four 6, until a move
    cannot be made."""
    cascade_from_roll: int = 1
    """The roll of the game from which doubles cascade; only 1 is played."""
    cascade_rest: str = "lost"
    """What becomes of the moves of a cascade that cannot be made; only ``"lost"`` is played."""

    # --- starting phase ---
    runner_gate: int | None = None
    """Until a checker of a side has come to this point or beyond, only its foremost may move:
    11 (it must pass the opponent's start), 12 (it must reach it), 6 (a courier to the home)."""
    head_limit: int | None = None
    """How many checkers may leave the 24-point (the head) in one turn."""
    head_first_turn: tuple[int, ...] = ()
    """The doubles with which, as long as all checkers are on the head, one more may leave."""

    # --- primes (parallel games) ---
    prime_len: int = 6
    """How many neighbouring points make a prime, for `trap`; 2 to 6."""
    own_start_prime: str = "allowed"
    """Whether all six points of the own start quadrant (24-19) may be held: ``"forbidden"``."""
    opp_start_prime: str = "allowed"
    """Whether all six points of the opponent's start quadrant (the mover's 12-7) may be held."""
    opp_start_max: int = 6
    """How many points of the opponent's start quadrant may be held at once."""
    prime_check: str = "submove"
    """When the three rules above, and ``trap="need_ahead"`` below, are read: after each die
    (``"submove"``) or at the ``"turn_end"``."""
    trap: str = "none"
    """Which prime may not stand. ``"single_point"``: with all enemy checkers on the one point
    behind it. ``"immobile"``: any position in which no roll lets the enemy move.
    ``"need_ahead"``: with no enemy checker past it."""
    trap_first: bool = True
    """Whether a play that avoids the trap (``"single_point"``, ``"immobile"``) is preferred even to
    one that plays more dice. If no play avoids it, the rule lapses."""

    # --- bearing off ---
    bearoff_oversize: bool = True
    """Whether a die larger than the farthest checker's point bears that checker off."""
    bearoff_internal: bool = True
    """Whether a side that has all its checkers home may still move them within the home. If not,
    its dice only bear off."""
    bearoff_while_pinned: bool = False
    """Whether a side may bear off while one of its checkers is pinned."""

    # --- mother ---
    mother: str = "none"
    """What it costs to have the last checker on the start (the 24-point) pinned there.
    ``"lose_always"``: the game. ``"lose_unless_own_start"``: the game, as soon as the capturer
    has left his own start. ``"draw_only"``: nothing, but when both are pinned it is a draw."""
    mother_points: int = 2
    """Points for a game lost by the mother."""
    mother_draw: bool = True
    """Whether the game is drawn when both mothers are pinned."""
    mother_ends: str = "turn_end"
    """When the mother rule ends the game: at ``"turn_end"``, or ``"immediate"``: the move that
    decides it completes the turn, whatever dice are left."""

    # --- scoring ---
    single_points: int = 1
    """Points for a win when the loser has borne off a checker."""
    gammon_points: int = 2
    """Points for a win when the loser has borne off none."""
    backgammon_points: int = 2
    """Points for a win when the loser has borne off none and `backgammon_needs` is met."""
    backgammon_needs: str = "home_or_bar"
    """Where the loser must still have a checker for `backgammon_points`: ``"home_or_bar"`` (in
    the winner's home or on the bar) or ``"bar_only"``."""
    remaining_scoring: int | None = None
    """The target of a series that counts the loser's checkers; only None is played."""

    # --- session ---
    opening: str = "fresh_roll"
    """How the first turn's dice come about. ``"fresh_roll"``: each throws one die, who has the
    higher starts with two new dice. ``"contest_dice"``: he plays those two.
    ``"contest_or_reroll"``: he plays those two, or throws both anew, once."""
    next_starter: str = "winner"
    """Who starts the next game of a series: the ``"winner"``, or a ``"contest"`` decides."""
    after_draw: str = "contest"
    """Who starts after a draw: a ``"contest"`` decides."""
    cube: bool = False
    """Whether the game is played for a stake that players may double. Without it the fields below
    up to `crawford` have no effect."""
    cube_cap: int | None = 64
    """The highest stake, a power of two; None for no limit."""
    dead_cube_rule: bool = True
    """Whether a player may not double when a single win at the present stake already wins him the
    series."""
    jacoby: bool = False
    """Whether every win counts `single_points` as long as no player has doubled."""
    jacoby_auto_counts: bool = False
    """Whether an automatic double too makes the other wins count in full."""
    beavers: bool = False
    """Whether who takes a double may double again at once and keep the cube."""
    beaver_refusable: bool = True
    """Whether the doubler may then give the game up, for the stake of his own double."""
    auto_double_max: int = 0
    """How often in a game a tie in the contest doubles the stake; the cube stays in the middle."""
    crawford: bool = True
    """Whether nobody may double in the first game that begins with a side one point short of the
    target."""
    target: int | None = None
    """The points that win a series; None for no end."""
    trio: tuple[str, ...] = ()
    """The games of a series by their names in `RULES`, in turn; () for this game alone."""
    trio_advance_on_draw: bool = True
    """Whether a series goes on to its next game after a draw."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played; see the class's ``Raises``."""
        check_rules(self)
