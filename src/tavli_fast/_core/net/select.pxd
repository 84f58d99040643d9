"""Choosing a play: the afterstate of a roll that a net prefers."""

from libc.stdint cimport int8_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from tavli_fast._core.generate.movegen cimport list_turn
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS, SPARE_BYTES
from tavli_fast._core.net.net cimport (
    MOST_KEPT, Accumulator, Net, best_afterstate, evaluate_afterstates, forget_roots, free_aligned,
    new_aligned, outputs_of, rank_afterstates, set_next_root_of, set_root_of,
)
from tavli_fast._core.ruleset cimport RuleSet
from tavli_fast._core.search cimport Work, free_work, new_work


cdef struct Workspace:
    # What one thread needs to choose plays under one set of rules.
    const RuleSet* rules
    Work* work
    Accumulator* acc  # the root, and what is known of it
    Accumulator* first  # the same for the sieve, if the net has one
    int places[MOST_KEPT]  # of the plays that it has left, in their order
    int8_t left[MOST_KEPT * 52 + 64]  # and their boards
    int8_t* boards  # the afterstates of a roll
    int64_t capacity  # how many they may be; `list_afterstates` makes room for more
    int room  # moves of a play to be listed with the boards, 0 for none
    int8_t* moves


cdef inline Workspace* new_workspace(const RuleSet* rules, int room) except NULL:
    """Room to choose plays; `free_workspace` gives it back."""
    cdef Workspace* space = <Workspace*>malloc(sizeof(Workspace))
    if space == NULL:
        raise MemoryError("no room to choose plays")
    space.rules = rules
    space.work = NULL
    space.room = room
    space.capacity = MAX_PLAYS
    space.boards = <int8_t*>malloc(space.capacity * BOARD_BYTES + SPARE_BYTES)
    space.moves = <int8_t*>malloc(space.capacity * 2 * room + 1)
    space.acc = <Accumulator*>new_aligned(sizeof(Accumulator))
    space.first = <Accumulator*>new_aligned(sizeof(Accumulator))
    try:
        if (
            space.boards == NULL or space.moves == NULL or space.acc == NULL
            or space.first == NULL
        ):
            raise MemoryError("no room to choose plays")
        space.work = new_work()
    except:
        free_workspace(space)
        raise
    return space


cdef inline void free_workspace(Workspace* space) noexcept:
    if space != NULL:
        if space.work != NULL:
            free_work(space.work)
        free(space.boards)
        free(space.moves)
        free_aligned(space.acc)
        free_aligned(space.first)
        free(space)


cdef inline void set_root(Workspace* space, const Net* net, const int8_t* board) noexcept nogil:
    """Set the board, of 52 bytes, whose plays this net will choose from."""
    set_root_of(space.acc, net, board)
    if net.sieve != NULL:
        set_root_of(space.first, net.sieve, board)
    else:
        forget_roots(space.first)  # the opponent's net may have a sieve


cdef inline void set_next_root(
    Workspace* space, const Net* net, const int8_t* board
) noexcept nogil:
    """The same for the next turn of a game; a player's net must be that of his last turn."""
    set_next_root_of(space.acc, net, board)
    if net.sieve != NULL:
        set_next_root_of(space.first, net.sieve, board)


cdef inline bint _make_room(Workspace* space, int64_t capacity) noexcept nogil:
    """Make room for more plays. False if there is no memory for them."""
    cdef void* boards = realloc(space.boards, capacity * BOARD_BYTES + SPARE_BYTES)
    cdef void* moves
    if boards == NULL:
        return False
    space.boards = <int8_t*>boards
    moves = realloc(space.moves, capacity * 2 * space.room + 1)
    if moves == NULL:
        return False
    space.moves = <int8_t*>moves
    space.capacity = capacity
    return True


cdef inline int list_afterstates(Workspace* space, int die1, int die2) noexcept nogil:
    """List the afterstates of the root, which is not over, in `space.boards`: how many. -1 if they
    are too many to list."""
    cdef const int8_t* root = space.acc.root.board
    cdef int8_t* moves = space.moves if space.room else NULL
    cdef int64_t n = list_turn(
        root, die1, die2, space.rules, space.work, space.boards, space.capacity, moves, space.room
    )
    if n > space.capacity:  # a cascade of doubles
        if not _make_room(space, n):
            return -1
        moves = space.moves if space.room else NULL
        list_turn(
            root, die1, die2, space.rules, space.work, space.boards, n, moves, space.room
        )
    if space.work.failed:
        space.work.failed = False
        return -1
    return <int>n


cdef inline int rank_listed(
    Workspace* space, Net* net, int* order, int plays, int most
) noexcept nogil:
    """Write the places of up to `most` of the plays that are listed, the best first, as the net's
    sieve judges them, if it has one; return how many there are."""
    if net.sieve != NULL:
        return rank_afterstates(
            order, space.first, net.sieve, space.rules, space.boards, plays, most
        )
    return rank_afterstates(order, space.acc, net, space.rules, space.boards, plays, most)


cdef inline int _sift(Workspace* space, Net* net, int plays) noexcept nogil:
    """Note the plays that the net's sieve leaves, in their order, and return how many."""
    cdef int kept = rank_listed(space, net, space.places, plays, net.kept)
    cdef int i, at, place
    for i in range(1, kept):
        place = space.places[i]
        at = i
        while at > 0 and space.places[at - 1] > place:
            space.places[at] = space.places[at - 1]
            at -= 1
        space.places[at] = place
    for i in range(kept):
        memcpy(
            space.left + i * BOARD_BYTES, space.boards + space.places[i] * BOARD_BYTES, BOARD_BYTES
        )
    return kept


cdef inline int select_afterstate(
    Workspace* space, Net* net, int die1, int die2, int8_t* after, float* outputs, int* plays
) noexcept nogil:
    """Choose the afterstate of the highest equity, the first of equals; write it and its outputs.
    A net with a sieve judges only what that leaves. Return the place of the afterstate, or -1 if no
    move is legal and the board stays as it is. `plays` gets their number, -1 if they are too many to
    list. The dice are taken with the higher first, so that their order does not decide between
    equals."""
    cdef int best, kept
    plays[0] = list_afterstates(space, max(die1, die2), min(die1, die2))
    if plays[0] <= 0:
        memcpy(after, space.acc.root.board, BOARD_BYTES)
        evaluate_afterstates(space.acc, net, space.rules, space.acc.root.board, 1)
        outputs_of(outputs, space.acc, 0)
        return -1
    if net.sieve != NULL and plays[0] > net.kept:
        kept = _sift(space, net, plays[0])
        best = best_afterstate(outputs, space.acc, net, space.rules, space.left, kept)
        memcpy(after, space.left + best * BOARD_BYTES, BOARD_BYTES)
        return space.places[best]
    best = best_afterstate(outputs, space.acc, net, space.rules, space.boards, plays[0])
    memcpy(after, space.boards + best * BOARD_BYTES, BOARD_BYTES)
    return best
