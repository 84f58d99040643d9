"""Learning from self-play: games by the net as it is, then a step for each board, the last first."""

from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tavli_fast._core.board.masks cimport lowest
from tavli_fast._core.net.select cimport Desk, choose, free_desk, new_desk, set_base
from tavli_fast._core.random.xoshiro cimport Stream, below, next_word, seeded
from tavli_fast._core.net.features cimport PINNED, STEPS, Sight, look_at_all, tail_scale
from tavli_fast._core.net.net cimport (
    CLIPPED, OUTPUTS, WIDEST, Brain, exact_outputs, lowest_long, occupied, open_brain,
    phase_floats, read_layer, turned_outputs,
)
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.board.result cimport UNDECIDED, board_result

cdef extern from "net/gradient.h" nogil:
    ctypedef struct Inputs "tf_inputs":
        float** rows
        float* values
        float* rates
        int n
    void see "tf_see"(
        float* values, float* sums, float* layer, const Inputs* inputs, int width,
        const float* bias, const float* out, const float* out_bias, int outputs, int clipped)
    void learn "tf_learn"(
        const float* errors, float rate, float* sums, const float* layer, const Inputs* inputs,
        int width, float* bias, float* out, float* out_bias, int outputs, int clipped)

cdef enum:
    MOST_PLIES = 4096  # a game that goes on beyond this is given up
    # A cascade of doubles can lead to millions of positions: in training such a roll, of so many
    # turns begun, is thrown anew, but not for ever.
    MOST_TURNS = 4000
    MOST_THROWS = 30


cdef struct Part:
    # One phase's weights, to be changed; the layout is that of `Layers`.
    float* steps
    float* flags
    float* bias
    float* out
    float* out_bias


cdef struct Learner:
    const RuleSet* rules
    Brain brain  # the same weights, for choosing plays
    Part parts[2]
    Desk* desk
    Stream stream
    int8_t* boards  # the afterstates of a game


cdef void open_learner(
    Learner* learner, float* weights, const RuleSet* rules, int kind, int width, int outputs
) noexcept nogil:
    """Find the parts of the weights; desk, boards and dice are left out."""
    cdef int phase
    cdef float* at
    memset(learner, 0, sizeof(Learner))
    learner.rules = rules
    open_brain(&learner.brain, weights, kind, width, outputs)
    for phase in range(2):
        at = weights + phase * phase_floats(width)
        learner.parts[phase].steps = at
        learner.parts[phase].flags = at + (learner.brain.phase[phase].flags - at)
        learner.parts[phase].bias = at + (learner.brain.phase[phase].bias - at)
        learner.parts[phase].out = at + (learner.brain.phase[phase].out - at)
        learner.parts[phase].out_bias = at + (learner.brain.phase[phase].out_bias - at)


cdef inline void throw_dice(Stream* stream, bint contest, int* dice) noexcept nogil:
    """Throw two dice; for a contest, two different ones."""
    cdef uint32_t both
    while True:
        both = below(stream, <uint32_t>(next_word(stream) >> 32), 36)
        dice[0] = 1 + both // 6
        dice[1] = 1 + both % 6
        if not contest or dice[0] != dice[1]:
            return


cdef inline void pass_turn(const int8_t* board, int8_t* turned) noexcept nogil:
    """Write the board as the other player has it."""
    memcpy(turned, board + 26, 26)
    memcpy(turned + 26, board, 26)


cdef inline int read_inputs(
    Inputs* inputs, const Part* parts, int width, const int8_t* board, const RuleSet* rules
) noexcept nogil:
    """Note the rows of weights that a board switches on; return its phase."""
    cdef Sight sight
    cdef int cell, count, step, n = 0
    cdef uint32_t flags
    cdef uint64_t cells
    cdef float scale
    cdef float* rows
    look_at_all(&sight, board, rules)
    cdef const Part* part = &parts[sight.phase]
    cells = occupied(board)
    while cells:
        cell = lowest_long(cells)
        cells &= cells - 1
        count = board[cell]
        rows = part.steps + cell * STEPS * width
        if count < 0:
            inputs.rows[n] = rows + PINNED * width
            inputs.values[n] = inputs.rates[n] = 1
            n += 1
            continue
        # All three are written; those that do not count are written over.
        for step in range(3):
            inputs.rows[n + step] = rows + step * width
            inputs.values[n + step] = inputs.rates[n + step] = 1
        n += min(count, 3)
        if count > 3:
            # These weights are kept multiplied by the feature's scale: a step on the plain weight
            # is one of scale * scale here.
            scale = tail_scale(cell)
            inputs.rows[n] = rows + 3 * width
            inputs.values[n] = count - 3
            inputs.rates[n] = (count - 3) * scale * scale
            n += 1
    flags = sight.flags
    while flags:
        inputs.rows[n] = part.flags + lowest(flags) * width
        inputs.values[n] = inputs.rates[n] = 1
        n += 1
        flags &= flags - 1
    inputs.n = n
    return sight.phase


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
    cdef int width = learner.brain.width, outputs = learner.brain.outputs
    cdef bint clipped = learner.brain.kind == CLIPPED
    cdef int phase = read_inputs(&inputs, learner.parts, width, board, learner.rules)
    cdef Part* part = &learner.parts[phase]
    see(
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
    turned_outputs(target, found)


cdef int play_game(Learner* learner, const int8_t* start, bint contest, int* points) noexcept nogil:
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
        set_base(learner.desk, board, learner.rules)
        for throw in range(MOST_THROWS):
            throw_dice(&learner.stream, contest and ply == 0, dice)
            choose(
                learner.desk, &learner.brain, dice[0], dice[1], learner.rules, after, values,
                &plays,
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
    float[::1] weights not None, const int8_t[:, ::1] start not None, rules, bint contest,
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
    open_learner(&learner, &weights[0], &compiled, kind, width, outputs)
    learner.stream = seeded(seed)
    learner.desk = new_desk()
    if compiled.cascade:
        learner.desk.work.most_nodes = MOST_TURNS
    learner.boards = <int8_t*>malloc(MOST_PLIES * BOARD_BYTES)
    try:
        if learner.boards == NULL:
            raise MemoryError("no room for the boards of a game")
        with nogil:
            while played < games and not stop[0]:
                played += 1
                n = play_game(&learner, &start[0, 0], contest, &points)
                if n == 0:
                    continue
                learnt += 1
                plies += n
                # The result is the target of the last board before it was over: that of the other
                # player, if he has moved at all.
                exact_outputs(target, points)
                turned_outputs(target, target)
                for ply in range(n - 2, -1, -1):
                    learn_board(
                        &learner, learner.boards + ply * BOARD_BYTES, target, rate
                    )
    finally:
        free(learner.boards)
        free_desk(learner.desk)
    seed[0] = learner.stream.s0
    seed[1] = learner.stream.s1
    seed[2] = learner.stream.s2
    seed[3] = learner.stream.s3
    return played, learnt, plies
