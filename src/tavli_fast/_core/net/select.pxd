"""A player's choice: the best afterstate of a roll in the eyes of a net, or a random one."""

from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from tavli_fast._core.search cimport Work, free_work, new_work
from tavli_fast._core.net.features cimport RACE, Enemy, Sight, look, look_at_enemy
from tavli_fast._core.generate.movegen cimport list_turn
from tavli_fast._core.net.net cimport (
    Brain, Change, Layer, add_change, differ, equity_of, exact_outputs, note_change,
    read_outputs, read_outputs_of_two, sum_board,
)
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS, SPARE_BYTES
from tavli_fast._core.ruleset cimport RuleSet
from tavli_fast._core.board.result cimport UNDECIDED, board_result


cdef struct Base:
    # A board before its roll, with its hidden layers once they are asked for.
    int8_t board[52]
    Enemy enemy
    Sight sight
    bint known[2]  # per phase
    Layer layer[2]


cdef struct View:
    # An afterstate in the eyes of a net.
    bint exact  # the game is over
    int phase
    float values[8]  # its outputs
    Layer layer


cdef struct Desk:
    # What one thread needs to choose plays.
    Work* work
    int8_t* boards  # the afterstates of a roll
    int64_t room  # how many they may be; `list_afterstates` makes more
    Base base


cdef inline Desk* new_desk() except NULL:
    """Room to work at."""
    cdef Desk* desk = <Desk*>malloc(sizeof(Desk))
    if desk == NULL:
        raise MemoryError("no room to choose plays")
    desk.work = NULL
    desk.room = MAX_PLAYS
    desk.boards = <int8_t*>malloc(desk.room * BOARD_BYTES + SPARE_BYTES)
    if desk.boards == NULL:
        free(desk)
        raise MemoryError("no room to choose plays")
    try:
        desk.work = new_work()
    except:
        free_desk(desk)
        raise
    return desk


cdef inline void free_desk(Desk* desk) noexcept:
    if desk != NULL:
        if desk.work != NULL:
            free_work(desk.work)
        free(desk.boards)
        free(desk)


cdef inline void set_base(Desk* desk, const int8_t* board, const RuleSet* rules) noexcept nogil:
    """Put a board of 52 bytes before the player."""
    cdef Base* base = &desk.base
    memcpy(base.board, board, BOARD_BYTES)
    look_at_enemy(&base.enemy, base.board, rules)
    look(&base.sight, &base.enemy, base.board, rules)
    base.known[0] = base.known[1] = False


cdef inline void weigh(
    Desk* desk, const Brain* brain, const int8_t* after, const RuleSet* rules, View* view
) noexcept nogil:
    """Find the outputs of an afterstate of the base if the game is over, else its hidden layer, from
    the cells that the play has changed."""
    cdef int points = board_result(after, rules)
    cdef Sight sight
    cdef Base* base = &desk.base
    cdef Enemy enemy
    cdef Change change
    cdef uint64_t cells
    view.exact = points != UNDECIDED
    if view.exact:
        exact_outputs(view.values, points)
        return
    cells = differ(base.board, after)
    if base.sight.phase == RACE:  # and so it stays
        sight = base.sight
    elif cells >> 26:
        look_at_enemy(&enemy, after, rules)
        look(&sight, &enemy, after, rules)
    else:
        look(&sight, &base.enemy, after, rules)
    if not base.known[sight.phase]:
        know_base(base, brain, sight.phase)
    note_change(
        &change, brain, sight.phase, base.board, 0 if sight.phase == RACE else base.sight.flags,
        after, sight.flags, cells,
    )
    add_change(&view.layer, &base.layer[sight.phase], brain, sight.phase, &change)
    view.phase = sight.phase


cdef inline void judge(
    Desk* desk, const Brain* brain, const int8_t* after, const RuleSet* rules, View* view
) noexcept nogil:
    """Find the outputs of an afterstate of the base."""
    # First the sum and then what is read off it: the sum's loops end as no processor can foresee, and
    # what is under way when it is surprised is lost.
    weigh(desk, brain, after, rules, view)
    if not view.exact:
        read_outputs(view.values, brain, view.phase, &view.layer)


cdef inline void judge_two(
    Desk* desk, const Brain* brain, const int8_t* after, const RuleSet* rules, View* views
) noexcept nogil:
    """Find those of two that lie one behind the other."""
    cdef int k
    weigh(desk, brain, after, rules, &views[0])
    weigh(desk, brain, after + BOARD_BYTES, rules, &views[1])
    if not views[0].exact and not views[1].exact and views[0].phase == views[1].phase:
        read_outputs_of_two(
            views[0].values, views[1].values, brain, views[0].phase, &views[0].layer,
            &views[1].layer,
        )
        return
    for k in range(2):
        if not views[k].exact:
            read_outputs(views[k].values, brain, views[k].phase, &views[k].layer)


cdef inline void know_base(Base* base, const Brain* brain, int phase) noexcept nogil:
    """Sum up the base's hidden layer with the weights of one phase, whatever its own phase is."""
    sum_board(
        &base.layer[phase], brain, phase, base.board, 0 if phase == RACE else base.sight.flags
    )
    base.known[phase] = True


cdef inline int list_afterstates(
    Desk* desk, int die1, int die2, const RuleSet* rules
) noexcept nogil:
    """List the afterstates of the base, which is not over, in `desk.boards`: how many. -1 if they
    are too many to list."""
    cdef void* larger
    cdef int64_t n = list_turn(
        desk.base.board, die1, die2, rules, desk.work, desk.boards, desk.room, NULL, 0
    )
    if n > desk.room:  # a cascade of doubles
        larger = realloc(desk.boards, n * BOARD_BYTES + SPARE_BYTES)
        if larger == NULL:
            return -1
        desk.boards = <int8_t*>larger
        desk.room = n
        list_turn(desk.base.board, die1, die2, rules, desk.work, desk.boards, n, NULL, 0)
    if desk.work.failed:
        desk.work.failed = False
        return -1
    return n


cdef inline int choose(
    Desk* desk, const Brain* brain, int die1, int die2, const RuleSet* rules, int8_t* after,
    float* values, int* plays
) noexcept nogil:
    """Choose the afterstate of the highest equity, the first of equals; write it and its eight
    outputs. Return its place, or -1 if no move is legal and the board stays as it is. `plays` gets
    their number, -1 if they are too many to list. The dice are taken with the higher first, so that
    their order does not decide between equals."""
    cdef int k = 0, i, many, best = -1
    cdef float equity, highest = 0
    cdef View views[2]
    cdef const int8_t* board
    plays[0] = list_afterstates(desk, max(die1, die2), min(die1, die2), rules)
    if plays[0] <= 0:
        memcpy(after, desk.base.board, BOARD_BYTES)
        judge(desk, brain, desk.base.board, rules, views)
        memcpy(values, views[0].values, sizeof(views[0].values))
        return -1
    while k < plays[0]:
        board = desk.boards + k * BOARD_BYTES
        many = 1 if k + 1 == plays[0] else 2
        if many == 2:
            judge_two(desk, brain, board, rules, views)
        else:
            judge(desk, brain, board, rules, views)
        for i in range(many):
            equity = equity_of(views[i].values)
            if best < 0 or equity > highest:
                best = k + i
                highest = equity
                memcpy(values, views[i].values, sizeof(views[i].values))
        k += many
    memcpy(after, desk.boards + best * BOARD_BYTES, BOARD_BYTES)
    return best
