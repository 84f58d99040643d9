"""Nets in the core: their weights in one block, the change from board to board, and the outputs.

The outputs of a board, for the player who has just moved, are six probabilities: that he wins 1
point or more, 2 or more, 3; that he loses 2 or more, 3; that the game is a draw.
"""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from tavli_fast._core.net.features cimport CELLS, FLAGS, STEPS, Sight, look_at_all
from tavli_fast._core.ruleset cimport RuleSet

cdef extern from "net/layers.h" nogil:
    enum:
        LANES "TF_LANES"
        OUTPUTS "TF_OUTPUTS"
    ctypedef struct Change "tf_change":
        const void** plus
        const void** minus
        int n_plus
        int n_minus
    void add_rows "tf_add_rows"(
        float* sum, const float* start, Change* change, const float* zeros, int width)
    void sum_rows "tf_sum_rows"(
        float* sum, const float* start, const Change* change, int width)
    void read_layer "tf_read"(
        float* values, float* layer, int width, const float* out, const float* biases,
        int outputs, int clipped)
    void read_two_layers "tf_read_two"(
        float* values, float* values2, const float* layer, const float* layer2, int width,
        const float* out, const float* biases)
    void read_linear "tf_read_linear"(
        float* values, const float* layer, const float* biases)
    void note_cells "tf_note_cells"(
        Change* change, const char* rows, int size, const int8_t* before, const int8_t* after,
        uint64_t cells)
    void note_board "tf_note_board"(
        Change* change, const char* rows, int size, const int8_t* board, uint64_t cells)
    void note_flags "tf_note_flags"(
        Change* change, const char* rows, int size, uint32_t before, uint32_t after)
    uint64_t differ "tf_differ"(const int8_t* x, const int8_t* y)
    uint64_t occupied "tf_occupied"(const int8_t* board)
    int lowest_long "tf_lowest_long"(uint64_t x)


cdef enum:
    # How a player judges boards.
    RANDOM = 0  # not at all: he chooses uniformly
    SIGMOID = 1  # a net with a hidden layer, squashed by the logistic function
    CLIPPED = 2  # or cut to 0..1
    LINEAR = 3  # no hidden layer: the first 6 units are the outputs
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
    int width  # a multiple of TF_BLOCK; what is not used is 0
    int outputs  # 5, or 6 with draws
    Layers phase[2]


cdef struct Layer:
    # Room for the sums of a hidden layer.
    float floats[WIDEST]


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


cdef inline int row_bytes(const Brain* brain) noexcept nogil:
    return brain.width * 4


cdef inline const char* steps_of(const Brain* brain, int phase) noexcept nogil:
    """Where the rows of the cells begin."""
    return <const char*>brain.phase[phase].steps


cdef inline const char* flag_rows(const char* steps, int row_size) noexcept nogil:
    """Where the rows of the flags begin: they follow those of the cells."""
    return steps + CELLS * STEPS * row_size


cdef inline void note_change(
    Change* change, const Brain* brain, int phase, const int8_t* before, uint32_t flags_before,
    const int8_t* after, uint32_t flags_after, uint64_t cells
) noexcept nogil:
    """Note the rows by which one board's layer differs from another's, of which `cells` differ."""
    cdef const char* steps = steps_of(brain, phase)
    cdef int row_size = row_bytes(brain)
    change.n_plus = change.n_minus = 0
    note_cells(change, steps, row_size, before, after, cells)
    note_flags(change, flag_rows(steps, row_size), row_size, flags_before, flags_after)


cdef inline void read_outputs(
    float* values, const Brain* brain, int phase, Layer* layer
) noexcept nogil:
    """Write the eight outputs (six and two of no meaning) of a hidden layer, which is squashed in
    place."""
    cdef const Layers* layers = &brain.phase[phase]
    if brain.kind == LINEAR:
        read_linear(values, layer.floats, layers.out_bias)
    else:
        read_layer(
            values, layer.floats, brain.width, layers.out, layers.out_bias, brain.outputs,
            brain.kind == CLIPPED,
        )
    if brain.outputs < OUTPUTS:
        values[5] = 0


cdef inline void read_outputs_of_two(
    float* values, float* values2, const Brain* brain, int phase, Layer* layer, Layer* layer2
) noexcept nogil:
    """The same of two layers of one phase: the most common kind of net reads them side by side."""
    cdef const Layers* layers = &brain.phase[phase]
    if brain.kind == CLIPPED and brain.outputs < OUTPUTS:
        read_two_layers(
            values, values2, layer.floats, layer2.floats, brain.width, layers.out,
            layers.out_bias,
        )
        values[5] = values2[5] = 0
    else:
        read_outputs(values, brain, phase, layer)
        read_outputs(values2, brain, phase, layer2)


cdef inline void sum_board(
    Layer* layer, const Brain* brain, int phase, const int8_t* board, uint32_t flags
) noexcept nogil:
    """Write the hidden layer of a board, from all its cells."""
    cdef const char* steps = steps_of(brain, phase)
    cdef int row_size = row_bytes(brain)
    cdef Change change
    change.n_plus = change.n_minus = 0
    note_board(&change, steps, row_size, board, occupied(board))
    note_flags(&change, flag_rows(steps, row_size), row_size, 0, flags)
    sum_rows(layer.floats, brain.phase[phase].bias, &change, brain.width)


cdef inline void add_change(
    Layer* layer, const Layer* start, const Brain* brain, int phase, Change* change
) noexcept nogil:
    """Write the hidden layer start + change."""
    add_rows(layer.floats, start.floats, change, brain.phase[phase].zeros, brain.width)


cdef inline void outputs_of(
    float* values, const Brain* brain, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """Write the outputs of a board, from all its cells."""
    cdef Layer layer
    cdef Sight sight
    look_at_all(&sight, board, rules)
    sum_board(&layer, brain, sight.phase, board, sight.flags)
    read_outputs(values, brain, sight.phase, &layer)


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
