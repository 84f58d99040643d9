/* A play in one word, what its moves add to a board, and the sink that takes enumerated plays, as
 * codes or as boards. */
#ifndef TAVLI_FAST_PLAY_H
#define TAVLI_FAST_PLAY_H

#include "board/planes.h"

/* A move is one byte, from * 8 + die; a play is up to four of them, the first in the lowest byte, in
 * the order in which they are legally played. 0 is no move, so a code tells its own length. */
typedef uint32_t tf_play;

enum {
    TF_BOARD_BYTES = 52,
    TF_ENTRY_BYTES = 64,
    /* What may be overwritten behind the last board of a list (`tf_store_each`). */
    TF_SPARE_BYTES = 2 * TF_BOARD_BYTES + TF_ENTRY_BYTES,
    /* At most this many distinct plays of one roll (but for a cascade). With 15 checkers, four moves
     * of doubles are up to four checkers' paths of four moves in all; by how the moves are shared
     * out: 4: 15, 3+1: 15*15, 2+2: C(16,2), 2+1+1: 15*C(16,2), 1+1+1+1: C(18,4) - 5,220 together. */
    TF_MAX_PLAYS = 5220,
    TF_JOINING = 32, /* added to a move's from if it joins a lone enemy checker */
};

/* What a move adds to a board's 52 bytes, as rows of 64. From 29 to 31 nothing moves
 * (`tf_store_each`). */
typedef struct {
    /* [whether joining pins instead of hitting][die][from, and TF_JOINING]: a checker of the mover's
     * goes to max(from - die, 0), and the enemy's to the bar if it is hit, to -1 if it is pinned. */
    int8_t move[2][7][2 * TF_JOINING][TF_ENTRY_BYTES];
    int8_t unpin[26][TF_ENTRY_BYTES]; /* [point]: the enemy checker there is pinned no more */
} tf_tables;

/* Filled when the program or module is loaded (`movegen.c`), and never changed. */
extern tf_tables TF_TABLES;

TF_INLINE tf_play tf_move_code(int point, int die) { return (tf_play)(point << 3 | die); }
TF_INLINE int tf_code_from(tf_play play) { return play >> 3 & 31; }
TF_INLINE int tf_code_die(tf_play play) { return play & 7; }

TF_INLINE int tf_code_length(tf_play play)
{
    return (play != 0) + (play > 0xff) + (play > 0xffff) + (play > 0xffffff);
}

/* The move by `die` from the k-th of the points `froms`, k from 0. */
TF_INLINE tf_play tf_nth_of(uint32_t froms, int k, int die)
{
    for (; k > 0; k--)
        froms &= froms - 1;
    return tf_move_code(tf_lowest(froms), die);
}

/* The points on which the moves of a play land. */
TF_INLINE uint32_t tf_code_landings(tf_play play)
{
    uint32_t there = 0;
    for (; play; play >>= 8) {
        int from = tf_code_from(play), die = tf_code_die(play);
        if (from > die)
            there |= tf_bit(from - die);
    }
    return there;
}

/* Plays a legal play; `blot` are the enemy's lone checkers that can be hit, on the mover's points. */
TF_INLINE void tf_make_play(
    tf_side *mover, tf_side *enemy, tf_play play, uint32_t blot, const tf_rules *rules)
{
    tf_side before = *mover;
    uint32_t hits = 0;
    for (; play; play >>= 8) {
        int from = tf_code_from(play), to = from - tf_code_die(play);
        tf_remove_checker(mover, tf_bit(from));
        if (to > 0) {
            tf_add_checker(mover, tf_bit(to));
            hits |= tf_bit(to) & blot;
        }
    }
    tf_meet(&before, mover, enemy, hits, rules);
}

/* Writes a play as pairs of from and to, -1 where there is no move. */
static inline void tf_write_moves(tf_play play, int8_t *moves, int room)
{
    for (int i = 0; i < room; i++, play >>= 8) {
        int from = tf_code_from(play), die = tf_code_die(play);
        moves[2 * i] = (int8_t)(play ? from : -1);
        moves[2 * i + 1] = (int8_t)(play ? (from > die ? from - die : 0) : -1);
    }
}

/* Where enumerated plays go. `codes` or `boards` is NULL if that form is not wanted; the caller has
 * made room for all the plays (and TF_SPARE_BYTES behind the last board). */
typedef struct {
    tf_play *codes;
    int8_t *boards;
    tf_row base; /* the board before the play */
} tf_sink;

/* Takes one play: its code and the board after it. */
TF_INLINE void tf_put_board(tf_sink *sink, const tf_row *row, tf_play play)
{
    if (sink->codes)
        *sink->codes++ = play;
    if (sink->boards) {
        tf_store(sink->boards, row);
        sink->boards += TF_BOARD_BYTES;
    }
}

/* The rows of the moves by `die` in this game. */
TF_INLINE const int8_t *tf_move_rows(const tf_turn *turn, int die)
{
    return TF_TABLES.move[turn->pins != 0][die][0];
}

/* From where a move by `die` joins a lone enemy checker as the first of `own`. */
TF_INLINE uint32_t tf_joining(const tf_turn *turn, const tf_own *own, int die)
{
    return (turn->lone & ~(own->ge1 | own->fixed)) << die;
}

/* The points from which a move leaves an enemy checker alone that `own` have pinned. */
TF_INLINE uint32_t tf_leaving(const tf_turn *turn, const tf_own *own)
{
    return turn->pins & ~own->ge2;
}

/* Adds to a row all that one move does to the board when `own` are the mover's checkers before it. */
TF_INLINE void tf_add_move(
    tf_row *row, const tf_turn *turn, const tf_own *own, int from, int die)
{
    /* Whether a checker is joined cannot be predicted, so that selects a row and does not branch. */
    int at = from + TF_JOINING * (int)(tf_joining(turn, own, die) >> from & 1);
    tf_add(row, tf_move_rows(turn, die) + TF_ENTRY_BYTES * at);
    if (tf_leaving(turn, own) >> from & 1)
        tf_add(row, TF_TABLES.unpin[from]);
}

/* Takes the codes of the plays that `tf_put_last` takes. */
TF_INLINE void tf_put_codes(
    tf_sink *sink, uint32_t last, tf_play play, int shift, int die, uint32_t first)
{
    tf_play *codes = sink->codes;
    for (; last; last &= last - 1) {
        tf_play move = tf_move_code(tf_lowest(last), die);
        *codes++ = first & last & -last ? move | play << 8 : play | move << shift;
    }
    sink->codes = codes;
}

/* Takes the plays that end with a move by `die` from one of the points `last` (maybe none), of which
 * `joins` and `leaves` join and leave lone enemy checkers: `row` is the board before it, `rows` those
 * of the die; the code is `play` and that move `shift` bits up, or below it from the points `first`. */
TF_INLINE void tf_put_last(
    tf_sink *sink, const tf_row *row, const int8_t *rows, uint32_t last, uint32_t joins,
    uint32_t leaves, tf_play play, int shift, int die, uint32_t first)
{
    leaves &= last;
    last ^= leaves;
    if (sink->codes)
        tf_put_codes(sink, last, play, shift, die, first);
    if (sink->boards)
        sink->boards = tf_store_each(sink->boards, row, rows, last, joins);
    for (; leaves; leaves &= leaves - 1) {
        int point = tf_lowest(leaves);
        if (sink->codes)
            tf_put_codes(sink, tf_bit(point), play, shift, die, first);
        if (sink->boards) {
            tf_row left;
            tf_copy(&left, row);
            tf_add(&left, TF_TABLES.unpin[point]);
            sink->boards = tf_store_each(sink->boards, &left, rows, tf_bit(point), joins);
        }
    }
}

/* Turns the board before a play into the board after it. */
TF_INLINE void tf_play_row(tf_row *row, const tf_turn *turn, tf_play play)
{
    tf_own own = turn->own;
    for (; play; play >>= 8) {
        int from = tf_code_from(play), die = tf_code_die(play);
        tf_add_move(row, turn, &own, from, die);
        own = tf_moved(turn, own, from, die);
    }
}

/* Takes one play, given by its code alone. */
TF_INLINE void tf_put_play(tf_sink *sink, const tf_turn *turn, tf_play play)
{
    tf_row row;
    tf_copy(&row, &sink->base);
    tf_play_row(&row, turn, play);
    tf_put_board(sink, &row, play);
}

#endif
