"""The algebra of outcomes: six probabilities of a player, their equity, and the other side's view.

They are: to win 1 point or more, 2 or more, 3; to lose 2 or more, 3; and of a draw.
tavli_fast/evaluation/outcomes.py has the same for arrays.
"""

cdef enum:
    OUTCOMES = 6
    ROLLS = 21  # different ones


cdef inline float equity_of(const float* outcomes) noexcept nogil:
    """The mean points. The order of the additions is that of `tf_equities`."""
    return (
        (outcomes[0] + outcomes[1] + outcomes[2])
        - ((1 - outcomes[0] - outcomes[5]) + outcomes[3] + outcomes[4])
    )


cdef inline void exact_outcomes(float* outcomes, int points) noexcept nogil:
    """The outcomes of a game that has ended at so many points for the player."""
    outcomes[0] = points >= 1
    outcomes[1] = points >= 2
    outcomes[2] = points >= 3
    outcomes[3] = points <= -2
    outcomes[4] = points <= -3
    outcomes[5] = points == 0


cdef inline void turned_outcomes(float* outcomes, const float* other) noexcept nogil:
    """The outcomes as the other player has them; `outcomes` may be `other`."""
    cdef float win = 1 - other[0] - other[5], win2 = other[3], win3 = other[4]
    cdef float lose2 = other[1], lose3 = other[2], draw = other[5]
    outcomes[0] = win
    outcomes[1] = win2
    outcomes[2] = win3
    outcomes[3] = lose2
    outcomes[4] = lose3
    outcomes[5] = draw


cdef inline int roll_of(int number, int* die1, int* die2) noexcept nogil:
    """The roll of a number, 0 to 20, the higher die first; return how many of the 36 it stands for.
    The order is that of `tavli_fast.evaluation.outcomes.ROLLS`."""
    cdef int high = 1
    while number >= high:
        number -= high
        high += 1
    die1[0] = high
    die2[0] = number + 1
    return 1 + (die1[0] != die2[0])
