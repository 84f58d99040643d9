"""The general way through a turn, for the rules whose bans depend on what has been moved so far."""

from libc.stdint cimport int8_t, int32_t, uint8_t

from tavli_fast._core.board.planes cimport Side
from tavli_fast._core.ruleset cimport RuleSet
from tavli_fast._core.generate.move cimport Node


cdef enum:
    # Why given moves are refused; the face turns these into sentences (`_WHY` in generation.py).
    FINE = 0
    NO_MOVE = 1  # not a from of 1..25 and a to of 0..24 that one die can join
    NO_CHECKER = 2
    BAR_FIRST = 3
    CLOSED = 4
    NOT_HOME = 5
    STOPPED = 6  # a hitter that may not move on
    NO_DIE = 7
    NOT_FARTHEST = 8
    NOT_A_PLAY = 9  # each move can be made, but the roll demands another play
    GAME_OVER = 10
    PINNED = 11
    GATE = 12
    HEAD = 13
    PRIME = 14
    HOME_ONLY = 15
    NOT_WHILE_PINNED = 16
    NOT_EXACT = 17


cdef struct Verdict:
    int why
    int at  # the move (from 0) that is refused


cdef struct Work:
    # Room for the turns under way, kept from one roll to the next. `plays` are the nodes in which
    # the roll's distinct plays end.
    Node* nodes
    int32_t n_nodes, nodes_room
    int32_t most_nodes  # beyond these the search fails; whoever wants fewer may say so
    int32_t* edges  # pairs of nodes, from and to
    int32_t n_edges, edges_room
    uint8_t* marks  # a byte a node, for the way back from the ends
    int32_t marks_room
    int32_t* table  # slots of a hash table
    int32_t table_room
    int32_t* plays
    int32_t n_plays, plays_room
    int longest  # the most dice that one of the plays uses
    bint failed  # out of memory, or too many nodes: the plays are not to be used


cdef Work* new_work() except NULL
cdef void free_work(Work* work) noexcept nogil
cdef object too_many()
cdef int careful_plays(
    Side mine, Side theirs, int die1, int die2, const RuleSet* rules, Work* work
) noexcept nogil
cdef void moves_to(const Work* work, int32_t node, int8_t* moves, int room) noexcept nogil
cdef void sides_after(
    const Work* work, int32_t node, Side* mine, Side* theirs, const RuleSet* rules
) noexcept nogil
cdef Verdict judge_moves(
    Side* mine, Side* theirs, const int8_t* moves, int room, int die1, int die2,
    const RuleSet* rules, Work* work
) noexcept nogil
