"""Nets in the core: their weights in one block, the change from board to board, and the outputs.

The outputs of a board, for the player who has just moved, are six probabilities: that he wins 1
point or more, 2 or more, 3; that he loses 2 or more, 3; that the game is a draw.
"""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from tavli_fast._board cimport lowest
from tavli_fast._encode cimport CELLS, FLAGS, PINNED, STEPS, Sight, look_at_all
from tavli_fast._rules cimport RuleSet

cdef extern from "_net.h" nogil:
    enum:
        LANES "TF_LANES"
        BLOCK_UNITS "TF_BLOCK"
        OUTPUTS "TF_OUTPUTS"
        MOST_ROWS "TF_ROWS"
    ctypedef struct Change "tf_change":
        const float** plus
        const float** minus
        int n_plus
        int n_minus
    void add_rows "tf_add_rows"(
        float* sum, const float* start, Change* change, const float* zeros, int width)
    void sum_rows "tf_sum_rows"(
        float* sum, const float* start, const Change* change, int width)
    void read_layer "tf_read"(
        float* values, float* layer, int width, const float* out, const float* biases,
        int outputs, int clipped)
    void read_linear "tf_read_linear"(
        float* values, const float* layer, const float* biases)
    uint64_t differ "tf_differ"(const int8_t* x, const int8_t* y)
    int lowest_long "tf_lowest_long"(uint64_t x)


cdef enum:
    # How a player judges boards.
    RANDOM = 0  # not at all: he chooses uniformly
    SIGMOID = 1  # a net with a hidden layer, squashed by the logistic function
    CLIPPED = 2  # or cut to 0..1
    LINEAR = 3  # no hidden layer: the first 6 units are the outputs
    BOARD_ROOM = 64  # bytes a board takes here: one load of whole registers
    WIDEST = 1024  # hidden units of a net at most


cdef struct Layers:
    # One phase's weights, as they lie in memory one after the other; a row is `width` floats.
    const float* steps  # [CELLS][STEPS] rows
    const float* flags  # [FLAGS] rows
    const float* bias  # a row
    const float* out  # [OUTPUTS] rows
    const float* zeros  # a row of them
    const float* out_bias  # LANES floats


cdef struct Brain:
    int kind
    int width  # a multiple of BLOCK_UNITS; what is not used is 0
    int outputs  # 5, or 6 with draws
    Layers phase[2]


cdef inline Py_ssize_t phase_floats(int width) noexcept nogil:
    """How many floats one phase's weights take."""
    return <Py_ssize_t>width * (CELLS * STEPS + FLAGS + 2 + OUTPUTS) + LANES


cdef inline void open_brain(
    Brain* brain, const float* weights, int kind, int width, int outputs
) noexcept nogil:
    """Find the parts of the weights of both phases in their block."""
    cdef int phase
    brain.kind = kind
    brain.width = width
    brain.outputs = outputs
    if kind == RANDOM:
        return
    for phase in range(2):
        open_layers(&brain.phase[phase], weights + phase * phase_floats(width), width)


cdef inline void open_layers(Layers* layers, const float* weights, int width) noexcept nogil:
    layers.steps = weights
    layers.flags = layers.steps + CELLS * STEPS * width
    layers.bias = layers.flags + FLAGS * width
    layers.out = layers.bias + width
    layers.zeros = layers.out + OUTPUTS * width
    layers.out_bias = layers.zeros + width


cdef inline void add_checkers(
    Change* change, const Layers* layers, int width, int cell, int before, int after
) noexcept nogil:
    """Note the rows by which a cell of `after` checkers differs from one of `before`."""
    cdef const float* rows = layers.steps + cell * STEPS * width
    cdef const float* row
    cdef int change_by = after - before
    if min(before, after) >= 0 and -1 <= change_by <= 1:
        # One checker more or less, without a branch on which: that would be a toss of a coin.
        row = rows + min(min(before, after), 3) * width
        change.plus[change.n_plus] = change.minus[change.n_minus] = row
        change.n_plus += change_by > 0
        change.n_minus += change_by < 0
        return
    if before < 0:
        change.minus[change.n_minus] = rows + PINNED * width
        change.n_minus += 1
        before = 0
    if after < 0:
        change.plus[change.n_plus] = rows + PINNED * width
        change.n_plus += 1
        after = 0
    while before < after:
        change.plus[change.n_plus] = rows + min(before, 3) * width
        change.n_plus += 1
        before += 1
    while before > after:
        before -= 1
        change.minus[change.n_minus] = rows + min(before, 3) * width
        change.n_minus += 1


cdef inline void change_flags(
    Change* change, const Layers* layers, int width, uint32_t before, uint32_t after
) noexcept nogil:
    """Note the rows of the flags that differ."""
    cdef uint32_t changed = before ^ after
    cdef int flag
    while changed:
        flag = lowest(changed)
        changed &= changed - 1
        change.plus[change.n_plus] = change.minus[change.n_minus] = layers.flags + flag * width
        change.n_plus += after >> flag & 1
        change.n_minus += before >> flag & 1


cdef inline void all_checkers(
    Change* change, const Layers* layers, int width, const int8_t* board
) noexcept nogil:
    """Note the rows of a whole board, flags apart."""
    cdef int cell
    change.n_plus = change.n_minus = 0
    for cell in range(CELLS):
        if board[cell]:
            add_checkers(change, layers, width, cell, 0, board[cell])


cdef inline void read_outputs(
    float* values, const Brain* brain, const Layers* layers, float* layer
) noexcept nogil:
    """Write the eight outputs (six and two of no meaning) of a hidden layer, which is squashed in
    place."""
    if brain.kind == LINEAR:
        read_linear(values, layer, layers.out_bias)
    else:
        read_layer(
            values, layer, brain.width, layers.out, layers.out_bias, brain.outputs,
            brain.kind == CLIPPED,
        )
    if brain.outputs < OUTPUTS:
        values[5] = 0


cdef inline void sum_board(
    float* layer, const Layers* layers, int width, const int8_t* board, uint32_t flags
) noexcept nogil:
    """Write the hidden layer of a board, from all its cells."""
    cdef Change change
    all_checkers(&change, layers, width, board)
    change_flags(&change, layers, width, 0, flags)
    sum_rows(layer, layers.bias, &change, width)


cdef inline void outputs_of(
    float* values, const Brain* brain, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """Write the outputs of a board, from all its cells."""
    cdef float layer[WIDEST]
    cdef const Layers* layers
    cdef Sight sight
    look_at_all(&sight, board, rules)
    layers = &brain.phase[sight.phase]
    sum_board(layer, layers, brain.width, board, sight.flags)
    read_outputs(values, brain, layers, layer)


cdef inline float equity_of(const float* values) noexcept nogil:
    """The mean points of six outputs."""
    return (
        (values[0] + values[1] + values[2])
        - ((1 - values[0] - values[5]) + values[3] + values[4])
    )


cdef inline void exact_outputs(float* values, int points) noexcept nogil:
    """The outputs of a game that has ended at so many points for the mover."""
    values[0] = points >= 1
    values[1] = points >= 2
    values[2] = points >= 3
    values[3] = points <= -2
    values[4] = points <= -3
    values[5] = points == 0


cdef inline void turned_outputs(float* values, const float* other) noexcept nogil:
    """The outputs as the other player has them; `values` may be `other`."""
    cdef float win = 1 - other[0] - other[5], win2 = other[3], win3 = other[4]
    cdef float lose2 = other[1], lose3 = other[2], draw = other[5]
    values[0] = win
    values[1] = win2
    values[2] = win3
    values[3] = lose2
    values[4] = lose3
    values[5] = draw
