"""Labels for nets from their own self-play: at every turn all 21 rolls are looked at."""

from libc.stdint cimport int8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from tavli_fast._core.board.result cimport UNDECIDED, board_result
from tavli_fast._core.generate.play cimport BOARD_BYTES
from tavli_fast._core.net.net cimport (
    Net, evaluate_afterstates, free_net, open_net, outputs_of,
)
from tavli_fast._core.net.outcomes cimport ROLLS, equity_of, roll_of, turned_outcomes
from tavli_fast._core.net.select cimport (
    Workspace, free_workspace, list_afterstates, new_workspace, rank_listed, select_afterstate,
    set_next_root, set_root,
)
from tavli_fast._core.random.xoshiro cimport Stream, below, next_word, seeded
from tavli_fast._core.ruleset cimport RuleSet, rule_set

cdef enum:
    MOST_PLIES = 4096  # a game that goes on beyond this is given up
    OTHERS = 4  # the next best plays, one of which is tried now and then
    # A cascade of doubles can lead to millions of positions: a roll of so many turns begun is left
    # out of the mean, and thrown anew.
    MOST_TURNS = 4000
    MOST_THROWS = 30


cdef struct Turn:
    # An afterstate of a game, as its mover has it.
    int8_t board[52]
    float values[6]  # what the net says about it
    float gains[6]  # what the look of one ply says, less that
    bint cut  # the play after it is not the best one


cdef struct Labeller:
    const RuleSet* rules
    Net net
    Workspace* space
    Stream stream
    const int8_t* start
    bint opening_roll
    double trace
    double tried  # how often another play than the best is tried
    double scattered  # how many games begin with random plies
    int most_random  # plies


cdef inline uint32_t draw(Labeller* self, uint32_t n) noexcept nogil:
    """A number below n."""
    return below(&self.stream, <uint32_t>(next_word(&self.stream) >> 32), n)


cdef inline bint happens(Labeller* self, double probability) noexcept nogil:
    return <double>(next_word(&self.stream) >> 11) * (1.0 / 9007199254740992.0) < probability


cdef inline void pass_turn(const int8_t* board, int8_t* turned) noexcept nogil:
    """Write the board as the other player has it."""
    memcpy(turned, board + 26, 26)
    memcpy(turned + 26, board, 26)


cdef bint begin(Labeller* self, Turn* turn) noexcept nogil:
    """Play the beginning of a game, up to the first afterstate to be labelled. False if the game is
    over by then, or a roll has too many plays."""
    cdef int8_t board[52]
    cdef int random = 0, ply, die1, die2, plays = 0
    cdef const int8_t* chosen
    memcpy(board, self.start, BOARD_BYTES)
    if happens(self, self.scattered):
        random = 1 + <int>draw(self, self.most_random)
    for ply in range(random + 1):
        set_root(self.space, &self.net, board)
        while True:
            die1, die2 = 1 + <int>draw(self, 6), 1 + <int>draw(self, 6)
            if ply or not self.opening_roll or die1 != die2:
                break
        if ply == random:
            select_afterstate(
                self.space, &self.net, die1, die2, turn.board, turn.values, &plays
            )
            return plays >= 0
        plays = list_afterstates(self.space, max(die1, die2), min(die1, die2))
        if plays < 0:
            return False
        chosen = board
        if plays:
            chosen = self.space.boards + <int>draw(self, plays) * BOARD_BYTES
        if board_result(chosen, self.rules) != UNDECIDED:
            return False
        pass_turn(chosen, turn.board)
        memcpy(board, turn.board, BOARD_BYTES)
    return False


cdef bint look(
    Labeller* self, const int8_t* board, int roll, float* mean, Turn* following
) noexcept nogil:
    """Write the mean outcomes of a board over all rolls, for the player on roll, each with the play
    that is best at once; that of `roll` and its values become the following turn. False if `roll`
    has too many plays to list."""
    cdef int8_t after[52]
    cdef float values[6]
    cdef double sums[6]
    cdef int number, die1, die2, weight, k, plays = 0, weights = 0
    memset(sums, 0, sizeof(sums))
    for number in range(ROLLS):
        weight = roll_of(number, &die1, &die2)
        select_afterstate(self.space, &self.net, die1, die2, after, values, &plays)
        if plays < 0:
            if number == roll:
                return False
            continue
        weights += weight
        for k in range(6):
            sums[k] += weight * <double>values[k]
        if number == roll:
            memcpy(following.board, after, BOARD_BYTES)
            memcpy(following.values, values, sizeof(values))
    for k in range(6):
        mean[k] = <float>(sums[k] / weights)
    return True


cdef void try_another(Labeller* self, int roll, Turn* following) noexcept nogil:
    """Make the following turn, that of the best play of a roll, one of the next best, if there are
    any."""
    cdef int order[OTHERS + 1]
    cdef int die1, die2, k, plays, kept, others = 0
    cdef const int8_t* board
    roll_of(roll, &die1, &die2)
    plays = list_afterstates(self.space, die1, die2)
    kept = rank_listed(self.space, &self.net, order, plays, OTHERS + 1)
    for k in range(kept):
        board = self.space.boards + order[k] * BOARD_BYTES
        if others < OTHERS and memcmp(board, following.board, BOARD_BYTES):
            order[others] = order[k]
            others += 1
    if others == 0:
        return
    board = self.space.boards + order[draw(self, others)] * BOARD_BYTES
    memcpy(following.board, board, BOARD_BYTES)
    evaluate_afterstates(self.space.acc, &self.net, self.rules, following.board, 1)
    outputs_of(following.values, self.space.acc, 0)
    following.cut = True


cdef int play_game(Labeller* self, Turn* turns, int most) noexcept nogil:
    """Play a game and note up to `most` turns of it. Return how many there are."""
    cdef int8_t board[52]
    cdef float mean[6]
    cdef int n = 0, throw, roll, k, die1, die2
    cdef Turn* turn = turns
    cdef Turn following
    if not begin(self, turn):
        return 0
    while n < most and board_result(turn.board, self.rules) == UNDECIDED:
        pass_turn(turn.board, board)
        if n:
            set_next_root(self.space, &self.net, board)
        else:
            set_root(self.space, &self.net, board)
        for throw in range(MOST_THROWS):
            die1, die2 = 1 + <int>draw(self, 6), 1 + <int>draw(self, 6)
            roll = (max(die1, die2) * (max(die1, die2) - 1)) // 2 + min(die1, die2) - 1
            if look(self, board, roll, mean, &following):
                break
        else:
            return n
        following.cut = False
        if happens(self, self.tried):
            try_another(self, roll, &following)
        turned_outcomes(mean, mean)
        for k in range(6):
            turn.gains[k] = mean[k] - turn.values[k]
        turn.cut = following.cut
        n += 1
        turn += 1
        if n == most:
            break
        memcpy(turn.board, following.board, BOARD_BYTES)
        memcpy(turn.values, following.values, sizeof(mean))
    return n


cdef void write_labels(
    Turn* turns, int n, double trace, int8_t* boards, uint16_t* labels
) noexcept nogil:
    """Write a game's boards and labels, the latter from the end backwards."""
    cdef double gains[6]
    cdef double following[6]
    cdef double value
    cdef int i, k
    cdef Turn* turn
    memset(gains, 0, sizeof(gains))
    for i in range(n - 1, -1, -1):
        turn = turns + i
        # The gains of the next turn, as this turn's mover has them.
        following[0] = -gains[0] - gains[5]
        following[1] = gains[3]
        following[2] = gains[4]
        following[3] = gains[1]
        following[4] = gains[2]
        following[5] = gains[5]
        memcpy(boards + i * BOARD_BYTES, turn.board, BOARD_BYTES)
        for k in range(6):
            gains[k] = turn.gains[k] + (0 if turn.cut else trace * following[k])
            value = min(max(turn.values[k] + gains[k], 0), 1)
            labels[6 * i + k] = <uint16_t>(value * 65535 + 0.5)


def label_games(
    const int8_t[:, ::1] start not None, rules, bint opening_roll,
    const float[::1] weights not None, int kind, int width, int outputs,
    const uint64_t[::1] seed not None, double trace, double tried, double scattered,
    int most_random, int8_t[:, :, ::1] boards not None, uint16_t[:, ::1] labels not None,
    const unsigned char[::1] stop not None
):
    """Let the net play itself until all `boards` int8[N, 2, 26] are filled with afterstates, the last
    game broken off, and write their labels to uint16[N, 6], outcomes of their movers in units of
    1/65535. Return how many there are: fewer if another thread has set `stop[0]`."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Labeller self
    cdef Turn* turns = NULL
    cdef Py_ssize_t done = 0, total = boards.shape[0]
    cdef int n
    memset(&self, 0, sizeof(self))
    self.rules = &compiled
    self.stream = seeded(seed)
    self.start = &start[0, 0]
    self.opening_roll = opening_roll
    self.trace = trace
    self.tried = tried
    self.scattered = scattered
    self.most_random = most_random
    try:
        open_net(&self.net, &weights[0], kind, width, outputs, &compiled)
        self.space = new_workspace(&compiled, 0)
        if compiled.cascade:
            self.space.work.most_nodes = MOST_TURNS
        turns = <Turn*>malloc(MOST_PLIES * sizeof(Turn))
        if turns == NULL:
            raise MemoryError("no room for the turns of a game")
        with nogil:
            while done < total and not stop[0]:
                n = play_game(&self, turns, <int>min(<Py_ssize_t>MOST_PLIES, total - done))
                if n:
                    write_labels(turns, n, trace, &boards[done, 0, 0], &labels[done, 0])
                done += n
    finally:
        free(turns)
        free_workspace(self.space)
        free_net(&self.net)
    return done
