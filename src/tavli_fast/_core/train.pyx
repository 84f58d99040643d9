"""Learning from self-play: games by the net as it is, then a gradient step for each board, the last
first."""

from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tavli_fast._core.board.result cimport UNDECIDED, board_result
from tavli_fast._core.constants cimport (
    CLIPPED, MOST_PHASES, OUTPUTS, WIDEST,
)
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.net.net cimport (
    BIAS_ROW, BoardInputs, FIRST_OUTPUT, Net, board_inputs, free_net, open_net, phase_floats, prepare,
)
from tavli_fast._core.net.outcomes cimport exact_outcomes, turned_outcomes
from tavli_fast._core.net.select cimport (
    Workspace, free_workspace, new_workspace, select_afterstate, set_next_root, set_root,
)
from tavli_fast._core.random.xoshiro cimport Stream, below, next_word, seeded
from tavli_fast._core.ruleset cimport RuleSet, rule_set

cdef extern from "net/gradient.h" nogil:
    ctypedef struct Inputs "tf_inputs":
        float** ones
        float** rows
        float* values
        float* rates
        int n_ones
        int n
    void forward "tf_forward"(
        float* values, float* sums, float* layer, const Inputs* inputs, int width,
        const float* bias, const float* out, const float* out_bias, int outputs, int clipped)
    void learn "tf_learn"(
        const float* errors, float rate, float* sums, const float* layer, const Inputs* inputs,
        int width, float* bias, float* out, float* out_bias, int outputs, int clipped)
    void read_layer "tf_read_layer"(
        float* values, float* layer, int width, const float* out, const float* biases,
        int outputs, int clipped)

cdef enum:
    MOST_PLIES = 4096  # a game that goes on beyond this is given up
    # A cascade of doubles can lead to millions of positions: in training such a roll, of so many
    # turns begun, is thrown anew, but not for ever.
    MOST_TURNS = 4000
    MOST_THROWS = 30


cdef struct Part:
    # One phase's weights, to be changed.
    float* rows  # of the features
    float* bias
    float* out
    float* out_bias


cdef struct Learner:
    const RuleSet* rules
    Net net  # the same weights, for choosing plays
    Part parts[MOST_PHASES]
    Workspace* space
    Stream stream
    int8_t* boards  # the afterstates of a game


cdef void find_parts(Learner* learner, float* weights, int width) noexcept nogil:
    cdef int phase
    cdef float* at
    for phase in range(learner.net.phases):
        at = weights + phase * phase_floats(width, learner.net.form)
        learner.parts[phase].rows = at
        learner.parts[phase].bias = at + BIAS_ROW * width
        learner.parts[phase].out = at + FIRST_OUTPUT * width
        learner.parts[phase].out_bias = at + (learner.net.biases[phase] - at)


cdef inline void throw_dice(Stream* stream, bint opening_roll, int* dice) noexcept nogil:
    """Throw two dice; for the opening roll, two different ones."""
    cdef uint32_t both
    while True:
        both = below(stream, <uint32_t>(next_word(stream) >> 32), 36)
        dice[0] = 1 + both // 6
        dice[1] = 1 + both % 6
        if not opening_roll or dice[0] != dice[1]:
            return


cdef inline void pass_turn(const int8_t* board, int8_t* turned) noexcept nogil:
    """Write the board as the other player has it."""
    memcpy(turned, board + 26, 26)
    memcpy(turned + 26, board, 26)


cdef inline int read_inputs(
    Inputs* inputs, const Learner* learner, const int8_t* board
) noexcept nogil:
    """Note the rows of weights of the features that a board has; return its phase."""
    cdef BoardInputs seen
    cdef int phase = board_inputs(&seen, learner.rules, learner.net.form, board)
    cdef int k, width = learner.net.width
    cdef float* rows = learner.parts[phase].rows
    for k in range(seen.n_ones):
        inputs.ones[k] = rows + seen.ones[k] * width
    for k in range(seen.n):
        # These weights are kept multiplied by the feature's scale: a gradient step on the plain
        # weight is one of scale * scale here.
        inputs.rows[k] = rows + seen.rows[k] * width
        inputs.values[k] = seen.values[k]
        inputs.rates[k] = seen.values[k] * seen.scales[k] * seen.scales[k]
    inputs.n_ones = seen.n_ones
    inputs.n = seen.n
    return phase


cdef void learn_board(
    Learner* learner, const int8_t* board, float* target, float rate
) noexcept nogil:
    """Bring the outputs of a board nearer to a target; then make the target what the board is now
    worth to the other player."""
    cdef Inputs inputs
    cdef float sums[WIDEST]
    cdef float layer[WIDEST]
    cdef float found[8]
    cdef float errors[8]
    cdef int k
    cdef int width = learner.net.width, outputs = learner.net.outputs
    cdef bint clipped = learner.net.kind == CLIPPED
    cdef int phase = read_inputs(&inputs, learner, board)
    cdef Part* part = &learner.parts[phase]
    forward(
        found, sums, layer, &inputs, width, part.bias, part.out, part.out_bias, outputs, clipped
    )
    for k in range(outputs):
        errors[k] = target[k] - found[k]
    learn(
        errors, rate, sums, layer, &inputs, width, part.bias, part.out, part.out_bias, outputs,
        clipped,
    )
    read_layer(found, sums, width, part.out, part.out_bias, outputs, clipped)
    if outputs < OUTPUTS:
        found[5] = 0
    turned_outcomes(target, found)


cdef int play_game(
    Learner* learner, const int8_t* start, bint opening_roll, int* points
) noexcept nogil:
    """Play a game, the net on both sides, and keep its afterstates, each as its mover has it.
    Return how many there are, the last one over with `points` for its mover; 0 if it was given
    up."""
    cdef int8_t board[52]
    cdef float values[8]
    cdef int dice[2]
    cdef int plays = -1, ply, throw
    cdef int8_t* after = learner.boards
    memcpy(board, start, BOARD_BYTES)
    for ply in range(MOST_PLIES):
        if ply == 0:
            set_root(learner.space, &learner.net, board)
        else:
            set_next_root(learner.space, &learner.net, board)
        for throw in range(MOST_THROWS):
            throw_dice(&learner.stream, opening_roll and ply == 0, dice)
            select_afterstate(
                learner.space, &learner.net, dice[0], dice[1], after, values, &plays
            )
            if plays >= 0:
                break
        else:
            return 0
        points[0] = board_result(after, learner.rules)
        if points[0] != UNDECIDED:
            return ply + 1
        pass_turn(after, board)
        after += BOARD_BYTES
    return 0


def learn_games(
    float[::1] weights not None, const int8_t[:, ::1] start not None, rules, bint opening_roll,
    int kind, int width, int outputs, float rate, uint64_t[::1] seed not None, int64_t games,
    const unsigned char[::1] stop not None
):
    """Play `games` games from `start` and learn from each, changing `weights` in place; `seed` is
    the state of the dice, and moves on. Several threads may change the same weights: each step is
    then made on what it happens to find. Return how many games were played, and how many games and
    plies learnt from. Once another thread sets `stop[0]`, it returns after the present game."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Learner learner
    cdef int n, ply, points = 0
    cdef int64_t played = 0, learnt = 0, plies = 0
    cdef float target[8]
    memset(&learner, 0, sizeof(learner))
    learner.rules = &compiled
    learner.stream = seeded(seed)
    try:
        open_net(&learner.net, &weights[0], kind, width, outputs, &compiled)
        find_parts(&learner, &weights[0], width)
        learner.space = new_workspace(&compiled, 0)
        if compiled.cascade:
            learner.space.work.most_nodes = MOST_TURNS
        learner.boards = <int8_t*>malloc(MOST_PLIES * BOARD_BYTES)
        if learner.boards == NULL:
            raise MemoryError("no room for the boards of a game")
        with nogil:
            while played < games and not stop[0]:
                played += 1
                n = play_game(&learner, &start[0, 0], opening_roll, &points)
                if n == 0:
                    continue
                learnt += 1
                plies += n
                # The result is the target of the last board before it was over: that of the other
                # player, if he has moved at all.
                exact_outcomes(target, points)
                turned_outcomes(target, target)
                for ply in range(n - 2, -1, -1):
                    learn_board(
                        &learner, learner.boards + ply * BOARD_BYTES, target, rate
                    )
                prepare(&learner.net, &compiled)
    finally:
        free(learner.boards)
        free_workspace(learner.space)
        free_net(&learner.net)
    seed[0] = learner.stream.s0
    seed[1] = learner.stream.s1
    seed[2] = learner.stream.s2
    seed[3] = learner.stream.s3
    return played, learnt, plies
