/* A net's outputs of boards: of the afterstates of one root, from what each play has changed, and of
 * boards by themselves. Both give the same bits, as sums of the rounded weights are exact.
 *
 * A board is seen by the player who has just moved: plane 0 is his. Boards are int8[2, 26]. */
#ifndef TAVLI_FAST_EVALUATE_H
#define TAVLI_FAST_EVALUATE_H

#include "net/layers.h"

enum {
    /* How a player evaluates boards. */
    TF_RANDOM = 0,  /* not at all: plays are chosen uniformly */
    TF_SIGMOID = 1, /* a net whose hidden units are the logistic function of their sums */
    TF_CLIPPED = 2, /* or their sums clipped to 0..1 */
    TF_LINEAR = 3,  /* no hidden layer: the first units are the outputs */
    TF_SLOTS = TF_BATCH + TF_MOST_PHASES * TF_EIGHT, /* each phase fills up its last eight */
    /* Bits of a kind: what lies behind the weights, in this order. */
    TF_WITH_SIEVE = 32,   /* the head of another net, TF_SIEVE_HEAD floats, and its weights */
    TF_WITH_BEAROFF = 16, /* a bear-off table (net/tables.h) */
    TF_SIEVE_HEAD = 16, /* its kind, width and outputs, and how many plays it leaves */
    TF_MOST_KEPT = 32
};

/* What tf_prepare makes of one phase's weights: the sums of the flags' rows, of runs and of shots. */
typedef struct {
    float *runs, *shots;
    /* The sums of all flags' rows of a code, made when it is first met: row place[code] - 1. */
    float *flags;
    uint16_t used, place[TF_CODES];
} tf_flag_sums;

typedef struct tf_net {
    int kind;
    const float *sieve_head; /* or NULL */
    struct tf_net *sieve; /* judges the plays of a roll first and leaves the best `kept` of them; or NULL */
    int kept;
    const float *table; /* or NULL */
    int form;   /* TF_SCALARS and TF_EXPERTS, if it has them */
    int phases; /* the race is the last */
    uint32_t places[TF_SCALAR_ROOM]; /* of the rows of scalars, in floats from the first row on */
    int width; /* hidden units, a multiple of TF_BLOCK: those that are not used have weights of 0 */
    int outputs; /* 5, or 6 with draws */
    const float *rows[TF_MOST_PHASES];   /* the rows of tf_rows_of_phase */
    const float *biases[TF_MOST_PHASES]; /* of the outputs */
    float *prepared, *ordered[TF_MOST_PHASES]; /* the output weights in another order */
    tf_flag_sums contact[TF_MOST_PHASES - 1];  /* of each phase but the race */
} tf_net;

/* A kind as it is passed to the core says what the net has, too. */
TF_INLINE int tf_form_of(int kind) { return kind & (TF_SCALARS | TF_EXPERTS); }
TF_INLINE int tf_phases_of(int form) { return form & TF_EXPERTS ? TF_MOST_PHASES : TF_PHASES; }
TF_INLINE int tf_rows_of_phase(int form)
{
    return TF_ALL_ROWS + (form & TF_SCALARS ? TF_SCALAR_ROOM : 0);
}

/* Floats of one phase's weights. */
TF_INLINE long tf_phase_floats(int width, int form)
{
    return (long)width * tf_rows_of_phase(form) + TF_LANES;
}

/* Floats of what tf_prepare makes. */
TF_INLINE long tf_prepared_floats(int width, int form)
{
    int phases = tf_phases_of(form);
    return (long)width * (phases * TF_OUTPUTS + (phases - 1) * (TF_RUNS + TF_SHOTS + TF_CODES));
}

/* Find the parts of the weights of all phases in their block, and of the room for what tf_prepare
 * makes. `kind` has the form among its bits. */
void tf_open_net(
    tf_net *net, const float *weights, float *prepared, int kind, int width, int outputs);

/* Make what does not lie in the weights as it is needed; again after each change of them. */
void tf_prepare(tf_net *net, const tf_rules *rules);

/* The first-layer sums of a board with the weights of each phase, flags and scalars apart. */
enum { TF_UNKNOWN = 0, TF_STALE = 1, TF_KNOWN = 2 };
typedef struct {
    float sums[TF_MOST_PHASES][TF_WIDEST] __attribute__((aligned(64)));
    int8_t boards[TF_MOST_PHASES][64]; /* whose sums they are */
    int known[TF_MOST_PHASES]; /* TF_STALE: they are those of an earlier turn's root */
} tf_first_layer;

/* The root's sums with the scalars of a candidate: what others have more or less is added to these. */
typedef struct {
    float sums[TF_MOST_PHASES][TF_WIDEST] __attribute__((aligned(64)));
    uint32_t levels[8];
    int seen; /* whether there are `levels` yet */
    int known[TF_MOST_PHASES];
} tf_scaled_layer;

/* The first layer of a root, and the batch of its afterstates. */
typedef struct {
    tf_root root;
    tf_first_layer layers[2]; /* in a game, those of the last root of either player */
    int turn;                 /* which of them is this root's */
    tf_scaled_layer scaled;
    tf_batch batch;
    /* The outputs of a batch: `values[g][k]` is output k of those in the slots from 8 * g on. */
    tf_floats values[TF_SLOTS / TF_EIGHT][TF_OUTPUTS];
    uint8_t slot[TF_BATCH];
    float equity[TF_BATCH];
    uint32_t over; /* bit i: candidate i ends the game */
    int points[TF_BATCH]; /* and that is its result */
    uint32_t tabled; /* bit i: candidate i is in the net's table */
    float exact[TF_BATCH][TF_OUTPUTS]; /* and these are its outcomes */
} tf_accumulator;

/* Forget all first layers: before any root, and between games. */
void tf_forget_roots(tf_accumulator *acc);

/* Set the board, which is not over, whose afterstates will be evaluated: by this net, or one as wide. */
void tf_set_root_of(tf_accumulator *acc, const tf_net *net, const int8_t *board);

/* The same for the next turn of a game, in which the player's net is that of his last turn: its first
 * layer will be that of an earlier turn with what has changed since, phase by phase as they are needed. */
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

/* Write the places of up to `most` afterstates of any number, the best first and equals in their order;
 * return how many that are. */
int tf_rank_afterstates(
    int *order, tf_accumulator *acc, tf_net *net, const tf_rules *rules, const int8_t *boards, int n,
    int most);

/* Whether a board that is not over is in the net's table, and its outcomes. */
int tf_tabled(float *outcomes, const tf_net *net, const tf_rules *rules, const int8_t *board);

/* The outputs of up to eight boards by themselves, none of them over: six each. */
void tf_evaluate_boards(
    float *outputs, tf_net *net, const tf_rules *rules, const int8_t *const *boards, int n);

/* What a net of this form sees of one board: its phase, the code of its flags (`tf_flags_of`), and,
 * unless `levels` is NULL, its scalars: of each side TF_SIDE_ROOM levels, four in a word. */
int tf_see_one(
    uint32_t *code, uint32_t *levels, const tf_rules *rules, int form, const int8_t *board);

/* The rows of weights of a phase whose sum, with the bias, a board's hidden layer is: those of value 1,
 * and those of other values, which are whole numbers. A row holds the plain weights times the scale. */
enum { TF_MOST_ONES = 96, TF_MOST_VALUES = 64 };
typedef struct {
    uint16_t ones[TF_MOST_ONES], rows[TF_MOST_VALUES];
    float values[TF_MOST_VALUES], scales[TF_MOST_VALUES];
    int n_ones, n;
} tf_board_inputs;

/* Note them; return the phase. */
int tf_inputs_of_board(
    tf_board_inputs *inputs, const tf_rules *rules, int form, const int8_t *board);

/* What one level of a side's scalar adds to the feature. */
float tf_scalar_scale(int scalar);

/* Which results are possible on a board whose game is not over, as bits (`net/coherent.h`). */
uint32_t tf_possible_results(const tf_rules *rules, const int8_t *board);

#endif
