/* Batches of boards: counting and listing their plays, checking the boards on the way. Hitting games go
 * in stages, block by block (stages.c); the others, and what the stages leave, board by board.
 *
 * Boards are int8[n, 2, 26], player on roll first, and dice int8[n, 2], 1 to 6. Nothing but copies of the
 * boards is read after they are checked: should somebody change them in the meantime, the answer for them
 * may be wrong, and no more. */
#ifndef TAVLI_FAST_STAGES_H
#define TAVLI_FAST_STAGES_H

#include <stddef.h>

#include "generate/movegen.h"

/* What is returned instead of a number of plays. */
enum {
    TF_NO_POSITION = -1, /* a board cannot be a position under the rules */
    TF_NO_ROOM = -2,     /* the plays are too many for the memory */
    TF_FAILED = -3,      /* a search found no room: `work->failed` */
};

/* Counts the plays of n boards; returns n, or why not. */
int64_t tf_count_boards(
    const int8_t *boards, const int8_t *dice, int64_t n, const tf_rules *rules, tf_work *work,
    int32_t *counts);

/* Where listed plays go. */
typedef struct tf_sheet tf_sheet;
struct tf_sheet {
    int8_t *after;  /* the boards after them, 52 bytes each, not flipped; not a byte more is written */
    int8_t *moves;  /* or NULL: the moves that lead to them, `move_room` pairs of from and to each, and
                     * -1 behind the last: 4, or TF_MAX_MOVES with a cascade */
    int move_room;
    int64_t room; /* for so many plays */
    bool exact;   /* all the room will be used: what lies behind the plays so far may be overwritten;
                   * true if there are `moves` */
    /* NULL, or makes room for so many plays in all, keeping those that are there, and returns whether
     * there is. By the boards that are done, the batch will have `likely` plays. */
    int (*grow)(tf_sheet *sheet, int64_t plays, int64_t likely);
    void *owner; /* for `grow` */
};

/* Memory for listing, of one thread at a time; NULL if there is none. */
typedef struct tf_lister tf_lister;
tf_lister *tf_new_lister(void);
void tf_free_lister(tf_lister *lister);

/* Lists the plays of n boards, in the order of `tf_list_turn`, and writes the sums of their numbers to
 * `offsets[1]` to `offsets[n]`; returns how many they are, or why not. */
int64_t tf_list_boards(
    tf_lister *lister, const int8_t *boards, const int8_t *dice, int64_t n, const tf_rules *rules,
    tf_work *work, tf_sheet *sheet, int64_t *offsets);

#endif
