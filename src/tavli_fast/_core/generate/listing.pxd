"""A board in memory and its roll: counting its plays and writing them out, whatever the rules ask."""

from libc.stdint cimport int8_t

from tavli_fast._core.board.masks cimport load_row, load_turn
from tavli_fast._core.search cimport Work, careful_plays, moves_to, sides_after
from tavli_fast._core.board.planes cimport Side, load_side, store_side
from tavli_fast._core.generate.movegen cimport Roll, enumerate_plays, find_plays, needs_care
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS, Play, Sink, Tables, code_die, code_from
from tavli_fast._core.ruleset cimport RuleSet
from tavli_fast._core.board.result cimport is_over


cdef inline int count_turn(
    const int8_t* board, int die1, int die2, const RuleSet* rules, Work* work
) noexcept nogil:
    """How many distinct plays a board has; none if the game is over."""
    cdef Roll roll
    if is_over(board, rules):
        return 0
    load_turn(&roll.turn, board, rules)
    if needs_care(&roll.turn, die1, die2, rules):
        return careful_plays(load_side(board), load_side(board + 26), die1, die2, rules, work)
    find_plays(&roll, die1, die2, rules)
    return roll.plays


cdef inline void list_turn(
    const int8_t* board, int die1, int die2, const RuleSet* rules, Work* work,
    const Tables* tables, int8_t* after, int8_t* moves, int room
) noexcept nogil:
    """Write the afterstates of a board that has plays, and the moves to them unless `moves` is NULL;
    `SPARE_BYTES` behind the last board are overwritten."""
    cdef Play codes[MAX_PLAYS]
    cdef Sink sink
    cdef Roll roll
    cdef int i, n
    load_turn(&roll.turn, board, rules)
    if needs_care(&roll.turn, die1, die2, rules):
        careful_plays(load_side(board), load_side(board + 26), die1, die2, rules, work)
        write_careful(board, rules, work, after, moves, room)
        return
    sink.tables = tables
    sink.codes = NULL if moves == NULL else codes
    sink.boards = after
    load_row(&sink.base, board)
    find_plays(&roll, die1, die2, rules)
    enumerate_plays(&roll, &sink)
    if moves != NULL:
        n = sink.codes - codes
        for i in range(n):
            decode(codes[i], moves + 2 * room * i, room)


cdef inline void write_careful(
    const int8_t* board, const RuleSet* rules, const Work* work, int8_t* after, int8_t* moves,
    int room
) noexcept nogil:
    """Write the plays that `careful_plays` has found, and the moves to them."""
    cdef Side mine = load_side(board), theirs = load_side(board + 26), after_mine, after_theirs
    cdef int i
    for i in range(work.n_plays):
        after_mine = mine
        after_theirs = theirs
        sides_after(work, work.plays[i], &after_mine, &after_theirs, rules)
        store_side(after_mine, rules.checkers, after + BOARD_BYTES * i)
        store_side(after_theirs, rules.checkers, after + BOARD_BYTES * i + 26)
        if moves != NULL:
            moves_to(work, work.plays[i], moves + 2 * room * i, room)


cdef inline void decode(Play play, int8_t* moves, int room) noexcept nogil:
    """Write a play as pairs of from and to, -1 where there is no move."""
    cdef int i, from_, die
    for i in range(room):
        if play:
            from_ = code_from(play)
            die = code_die(play)
            moves[2 * i] = from_
            moves[2 * i + 1] = from_ - die if from_ > die else 0
            play >>= 8
        else:
            moves[2 * i] = moves[2 * i + 1] = -1
