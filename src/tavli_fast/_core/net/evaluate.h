/* A net's outputs of boards: of the afterstates of one root, from what each play has changed, and of
 * boards by themselves. Both give the same bits, as sums of the rounded weights are exact.
 *
 * A board is seen by the player who has just moved: plane 0 is his. Boards are int8[2, 26]. */
#ifndef TAVLI_FAST_EVALUATE_H
#define TAVLI_FAST_EVALUATE_H

#include "net/layers.h"

enum {
    TF_PHASES = 2,
    /* How a player evaluates boards. */
    TF_RANDOM = 0,  /* not at all: plays are chosen uniformly */
    TF_SIGMOID = 1, /* a net whose hidden units are the logistic function of their sums */
    TF_CLIPPED = 2, /* or their sums clipped to 0..1 */
    TF_LINEAR = 3,  /* no hidden layer: the first units are the outputs */
    TF_SLOTS = TF_BATCH + 2 * TF_EIGHT
};

typedef struct {
    int kind;
    int width; /* hidden units, a multiple of TF_BLOCK: those that are not used have weights of 0 */
    int outputs; /* 5, or 6 with draws */
    const float *rows[TF_PHASES];   /* TF_ALL_ROWS rows */
    const float *biases[TF_PHASES]; /* of the outputs */
    /* Made of the above by tf_prepare: the sums of the flags' rows, of runs and of shots, and the
     * output weights in another order. */
    float *prepared, *runs, *shots, *ordered[TF_PHASES];
    /* The sums of all flags' rows of a code, made when it is first met: row place[code] - 1. */
    float *flags;
    uint16_t used, place[TF_CODES];
} tf_net;

/* Floats of one phase's weights. */
TF_INLINE long tf_phase_floats(int width) { return (long)width * TF_ALL_ROWS + TF_LANES; }

/* Floats of what tf_prepare makes. */
TF_INLINE long tf_prepared_floats(int width)
{
    return (long)width * (TF_RUNS + TF_SHOTS + TF_PHASES * TF_OUTPUTS + TF_CODES);
}

/* Find the parts of the weights of both phases in their block, and of the room for what tf_prepare
 * makes. */
void tf_open_net(
    tf_net *net, const float *weights, float *prepared, int kind, int width, int outputs);

/* Make what does not lie in the weights as it is needed; again after each change of them. */
void tf_prepare(tf_net *net, const tf_rules *rules);

/* The first-layer sums of a board with the weights of each phase, flags apart. */
typedef struct {
    float sums[TF_PHASES][TF_WIDEST] __attribute__((aligned(64)));
    int8_t board[64];
    int known[TF_PHASES];
} tf_first_layer;

/* The first layer of a root, and the batch of its afterstates. */
typedef struct {
    tf_root root;
    tf_first_layer layers[2]; /* in a game, those of the last root of either player */
    int turn;                 /* which of them is this root's */
    tf_batch batch;
    /* The outputs of a batch: `values[g][k]` is output k of those in the slots from 8 * g on. */
    tf_floats values[TF_SLOTS / TF_EIGHT][TF_OUTPUTS];
    uint8_t slot[TF_BATCH];
    float equity[TF_BATCH];
    uint32_t over; /* bit i: candidate i ends the game */
    int points[TF_BATCH]; /* and that is its result */
} tf_accumulator;

/* Set the board, which is not over, whose afterstates will be evaluated: by this net, or one as wide. */
void tf_set_root_of(tf_accumulator *acc, const tf_net *net, const int8_t *board);

/* The same for the next turn of a game: its first layer is that of the player's last turn with what has
 * changed since, if his net is the same. */
void tf_set_next_root(tf_accumulator *acc, const tf_net *net, const int8_t *board);

/* Evaluate afterstates of the root, up to TF_BATCH that lie one behind the other. */
void tf_evaluate_afterstates(
    tf_accumulator *acc, tf_net *net, const tf_rules *rules, const int8_t *boards, int n);

/* The six outputs of the i-th of those that were evaluated last. */
void tf_outputs_of(float *outputs, const tf_accumulator *acc, int i);

/* The afterstate of the highest equity of any number, the first of equals, and its outputs. */
int tf_best_afterstate(
    float *outputs, tf_accumulator *acc, tf_net *net, const tf_rules *rules, const int8_t *boards,
    int n);

/* The outputs of up to eight boards by themselves, none of them over: six each. */
void tf_evaluate_boards(
    float *outputs, tf_net *net, const tf_rules *rules, const int8_t *const *boards, int n);

/* What is seen of one board: its phase, and the code of its flags (`tf_flags_of`). */
int tf_see_one(uint32_t *code, const tf_rules *rules, const int8_t *board);

#endif
