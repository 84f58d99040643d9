"""Many games at once, in arrays: starting, rolling, listing and stepping, with no Python per game; and
the moves of a turn one by one.

The methods work on the games `first` to `end - 1`, so that threads can share them. A game that takes no
part in a step has dice of 0.
"""

import numpy as np

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tavli_fast._core.board.planes cimport Side, load_side, store_side
from tavli_fast._core.board.result cimport UNDECIDED, board_result
from tavli_fast._core.generate.movegen cimport list_turn
from tavli_fast._core.generate.play cimport BOARD_BYTES, MAX_PLAYS, SPARE_BYTES
from tavli_fast._core.generate.stages cimport (
    FAILED, Lister, Sheet, free_lister, list_boards, new_lister,
)
from tavli_fast._core.random.philox cimport Key, philox, pick, roll_dice
from tavli_fast._core.ruleset cimport RuleSet, rule_set
from tavli_fast._core.search cimport (
    LEGAL, Node, Work, free_work, new_work, search_turns, sides_after, too_many,
)

cdef enum:
    _FOR_STARTER = 8  # the third word of a counter; random/philox.pxd has the others
    _USUAL_PLAYS = 20  # of a roll, on average


@cython.final
@cython.auto_pickle(False)
cdef class Games:
    """The arrays of N games, and what is the same for all of them."""

    cdef RuleSet rules
    cdef Key key
    cdef int64_t max_plies
    cdef bint contest  # the first roll of a game is no double
    cdef bint restarts  # a game that has ended begins anew
    cdef int8_t[BOARD_BYTES] start
    cdef int8_t[:, :, ::1] boards
    cdef int8_t[:, ::1] dice
    cdef int8_t[::1] players
    cdef int32_t[::1] plies
    cdef int64_t[::1] episodes
    cdef uint8_t[::1] over
    cdef uint8_t[::1] stuck

    def __init__(
        self, rules, const int8_t[:, ::1] start not None, int64_t max_plies, bint contest,
        bint restarts, int8_t[:, :, ::1] boards not None, int8_t[:, ::1] dice not None,
        int8_t[::1] players not None, int32_t[::1] plies not None,
        int64_t[::1] episodes not None, uint8_t[::1] over not None, uint8_t[::1] stuck not None
    ):
        """Keep the arrays, which the caller may read: `boards` (who is on roll first), `dice`,
        `players` (who is on roll, 0 or 1), `plies` of this game, `episodes` that ended before it at
        this place, which games are `over`, and which have a roll with too many plays to list."""
        self.rules = rule_set(rules)
        self.max_plies, self.contest, self.restarts = max_plies, contest, restarts
        memcpy(self.start, &start[0, 0], BOARD_BYTES)
        self.boards, self.dice, self.players, self.plies = boards, dice, players, plies
        self.episodes, self.over, self.stuck = episodes, over, stuck

    def seed(self, uint64_t first, uint64_t second):
        """Set the key of all random numbers, which depend on it, the place, the episode and the
        ply, and on nothing else."""
        self.key.k0 = first
        self.key.k1 = second

    cdef inline int64_t trial(self, Py_ssize_t i) noexcept nogil:
        """The number of a game for its random numbers."""
        return self.episodes[i] << 32 | i

    cdef inline void begin(self, Py_ssize_t i) noexcept nogil:
        """Set up the board of a place's present episode."""
        memcpy(&self.boards[i, 0, 0], self.start, BOARD_BYTES)
        self.players[i] = philox(self.key, 0, self.trial(i), _FOR_STARTER, 0) >> 63
        self.plies[i] = 0
        self.over[i] = self.stuck[i] = False
        self.dice[i, 0] = self.dice[i, 1] = 0

    def restart(self, const uint8_t[::1] where not None, int64_t more):
        """Begin a game at each of these places, so many episodes further on."""
        cdef Py_ssize_t i
        with nogil:
            for i in range(where.shape[0]):
                if where[i]:
                    self.episodes[i] += more
                    self.begin(i)

    def roll(self, Py_ssize_t first, Py_ssize_t end, const uint8_t[::1] where not None):
        """Roll the dice of the games that are not over, those where `where` is not 0."""
        cdef Py_ssize_t i
        cdef int die1, die2
        with nogil:
            for i in range(first, end):
                self.stuck[i] = False
                self.dice[i, 0] = self.dice[i, 1] = 0
                if self.over[i] or not where[i]:
                    continue
                roll_dice(self.key, self.trial(i), self.plies[i], self.contest, False, &die1, &die2)
                if self.contest and self.plies[i] == 0 and die1 < die2:
                    die1, die2 = die2, die1  # the starter's die is the higher
                self.dice[i, 0] = die1
                self.dice[i, 1] = die2

    def draw(
        self, Py_ssize_t first, Py_ssize_t end, const int64_t[::1] offsets not None,
        int64_t[::1] choices not None
    ):
        """Choose uniformly among each game's plays; -1 where there is none."""
        cdef Py_ssize_t i
        cdef int64_t n
        with nogil:
            for i in range(first, end):
                n = offsets[i + 1] - offsets[i]
                choices[i] = pick(self.key, self.trial(i), self.plies[i], <int>n) if n else -1

    def bad_choice(
        self, const int64_t[::1] offsets not None, const int64_t[::1] choices not None
    ):
        """Return the first game that has no such play, or -1. Of a game that cannot move 0 and -1
        are taken; of one that takes no part, anything."""
        cdef Py_ssize_t i, n = choices.shape[0]
        cdef int64_t plays
        with nogil:
            for i in range(n):
                plays = offsets[i + 1] - offsets[i]
                if self.dice[i, 0] and not (
                    0 <= choices[i] < plays or (plays == 0 and -1 <= choices[i] <= 0)
                ):
                    break
            else:
                i = -1
        return i

    def choose(
        self, Py_ssize_t first, Py_ssize_t end, const int8_t[:, :, ::1] after not None,
        const int64_t[::1] offsets not None, const int64_t[::1] choices not None,
        int8_t[:, :, ::1] moved not None
    ):
        """Write the chosen afterstates to `moved`; the board as it is where no move can be made."""
        cdef Py_ssize_t i
        cdef const int8_t* chosen
        with nogil:
            for i in range(first, end):
                chosen = &self.boards[i, 0, 0]
                if self.dice[i, 0] and offsets[i + 1] > offsets[i]:
                    chosen = &after[offsets[i] + choices[i], 0, 0]
                memcpy(&moved[i, 0, 0], chosen, BOARD_BYTES)

    def finish(
        self, Py_ssize_t first, Py_ssize_t end, const int8_t[:, :, ::1] moved not None,
        float[::1] rewards not None, uint8_t[::1] done not None, uint8_t[::1] truncated not None
    ):
        """End the turns that led to the boards `moved`: write the points of who has moved, which
        games that ended, and which were cut, and pass the turn or begin the next game."""
        cdef Py_ssize_t i
        cdef int points
        with nogil:
            for i in range(first, end):
                rewards[i] = 0
                done[i] = truncated[i] = False
                if self.dice[i, 0] == 0:
                    continue
                self.dice[i, 0] = self.dice[i, 1] = 0
                self.plies[i] += 1
                points = board_result(&moved[i, 0, 0], &self.rules)
                if points != UNDECIDED:
                    rewards[i] = points
                    done[i] = True
                elif self.stuck[i] or self.plies[i] >= self.max_plies:
                    truncated[i] = done[i] = True
                if done[i] and self.restarts:
                    self.episodes[i] += 1
                    self.begin(i)
                    continue
                self.over[i] = done[i]
                self.players[i] ^= 1
                memcpy(&self.boards[i, 0, 0], &moved[i, 1, 0], BOARD_BYTES // 2)
                memcpy(&self.boards[i, 1, 0], &moved[i, 0, 0], BOARD_BYTES // 2)


@cython.final
@cython.auto_pickle(False)
cdef class Listing:
    """Memory for the afterstates of some games, of one thread at a time."""

    cdef Lister* lister
    cdef Work* work
    cdef object memory  # int8[room, 2, 26]; a larger one takes its place, as arrays may share it
    cdef int8_t* data
    cdef int64_t room

    def __cinit__(self, int32_t most_nodes=0):
        """Take the memory that every listing needs; a roll with more turns under way than
        `most_nodes`, if that is not 0, has too many plays to list."""
        self.work = new_work()
        if most_nodes:
            self.work.most_nodes = most_nodes
        self.lister = new_lister()
        if self.lister == NULL:
            raise MemoryError("no room for a block of boards")
        self.memory = None

    def __dealloc__(self):
        """Give it back."""
        free_work(self.work)
        if self.lister != NULL:
            free_lister(self.lister)

    cdef int require(self, int64_t plays) except -1:
        """Make room for so many afterstates, and what may be written behind them."""
        cdef int8_t[::1] view
        if plays <= self.room:
            return 0
        memory = np.empty(plays * BOARD_BYTES + SPARE_BYTES, np.int8)
        view = memory
        if self.room:
            memcpy(&view[0], self.data, self.room * BOARD_BYTES)
        self.memory, self.data, self.room = memory, &view[0], plays
        return 0

    @property
    def nbytes(self):
        """The bytes that it has for afterstates."""
        return self.room * BOARD_BYTES

    def list(
        self, Games games not None, Py_ssize_t first, Py_ssize_t end,
        int64_t[::1] offsets not None
    ):
        """Return the afterstates int8[M, 2, 26] of the games, which the next listing overwrites, and
        write to `offsets[1]` to `offsets[n]` the sums of their numbers."""
        cdef Py_ssize_t i, n = end - first, k = 0
        cdef int64_t plays = 0
        cdef Sheet sheet
        cdef int8_t[:, ::1] dice
        cdef int8_t[:, :, ::1] boards
        cdef int64_t[::1] sums
        offsets[0] = 0
        for i in range(first, end):
            k += games.dice[i, 0] != 0
        self.require(k * _USUAL_PLAYS + MAX_PLAYS)
        if games.rules.cascade:
            plays = self.one_by_one(games, first, end, offsets)
        elif k:
            boards, dice, sums = games.boards[first:end], games.dice[first:end], offsets
            if k < n:  # those that take part are gathered
                taking = np.flatnonzero(np.asarray(dice)[:, 0])
                boards, dice = np.asarray(boards)[taking], np.asarray(dice)[taking]
                sums = np.zeros(k + 1, np.int64)
            sheet.after, sheet.moves, sheet.move_room = self.data, NULL, 0
            sheet.room, sheet.exact = self.room, False
            sheet.grow, sheet.owner = _grow, <void*>self
            with nogil:
                plays = list_boards(
                    self.lister, &boards[0, 0, 0], &dice[0, 0], k, &games.rules, self.work, &sheet,
                    &sums[0]
                )
            if plays < 0:
                raise too_many() if plays == FAILED else MemoryError("no room for the afterstates")
            if k < n:
                k = 0
                for i in range(n):
                    k += games.dice[first + i, 0] != 0
                    offsets[i + 1] = sums[k]
        else:
            offsets[:] = 0
        return self.memory[: plays * BOARD_BYTES].reshape(-1, 2, 26)

    cdef int64_t one_by_one(
        self, Games games, Py_ssize_t first, Py_ssize_t end, int64_t[::1] offsets
    ) except -1:
        """List the plays of games with cascades, and mark the rolls that have too many."""
        cdef Py_ssize_t i
        cdef int64_t plays = 0, found
        for i in range(first, end):
            while games.dice[i, 0]:
                with nogil:
                    found = list_turn(
                        &games.boards[i, 0, 0], games.dice[i, 0], games.dice[i, 1], &games.rules,
                        self.work, self.data + plays * BOARD_BYTES, self.room - plays, NULL, 0
                    )
                if self.work.failed:
                    self.work.failed = False
                    games.stuck[i] = True
                    break
                if plays + found <= self.room:
                    plays += found
                    break
                self.require((plays + found) * 5 // 4 + MAX_PLAYS)
            offsets[i - first + 1] = plays
        return plays


cdef bint _grow(Sheet* sheet, int64_t plays, int64_t likely) noexcept with gil:
    """Make room in a `Listing` for so many plays, and for all that the games are likely to have."""
    cdef Listing listing = <Listing>sheet.owner
    try:
        listing.require(max(plays + plays // 8, likely + likely // 32) + MAX_PLAYS)
    except Exception:
        return False
    sheet.after = listing.data
    sheet.room = listing.room
    return True


def best(
    const double[::1] values not None, const int64_t[::1] offsets not None,
    int64_t[::1] choices not None
):
    """Write which of its values is each game's largest, the first of equals, -1 where there are none;
    return the place of the first NaN, or -1."""
    cdef Py_ssize_t i, k
    cdef Py_ssize_t nan = -1
    with nogil:
        for i in range(choices.shape[0]):
            choices[i] = -1
            for k in range(offsets[i], offsets[i + 1]):
                if values[k] != values[k] and nan < 0:
                    nan = k
                if choices[i] < 0 or values[k] > values[offsets[i] + choices[i]]:
                    choices[i] = k - offsets[i]
    return nan


def pad(
    const int8_t[:, :, ::1] after not None, const int64_t[::1] offsets not None,
    int8_t[:, :, :, ::1] out not None, uint8_t[:, ::1] mask not None
):
    """Write each game's afterstates to a row of int8[n, width, 2, 26] as far as they fit, 0 behind
    them, and which places are theirs."""
    cdef Py_ssize_t i, width = out.shape[1], n
    with nogil:
        for i in range(out.shape[0]):
            n = min(width, offsets[i + 1] - offsets[i])
            if n:
                memcpy(&out[i, 0, 0, 0], &after[offsets[i], 0, 0], n * BOARD_BYTES)
            if n < width:
                memset(&out[i, n, 0, 0], 0, (width - n) * BOARD_BYTES)
            memset(&mask[i, 0], 1, n)
            memset(&mask[i, 0] + n, 0, width - n)


def moves_of_turn(const int8_t[:, ::1] board not None, int die1, int die2, rules, int32_t most):
    """Return (boards int8[K, 2, 26], steps int32[S, 4]): the positions that moves of a legal play lead
    to, that before the turn first, and the moves between them as (position, from, die, next
    position), in the order of the first. What has no step further is the end of a play. More than
    `most` turns under way are refused."""
    cdef RuleSet compiled = rule_set(rules)
    cdef Side first = load_side(&board[0, 0]), second = load_side(&board[1, 0]), mine, theirs
    cdef int32_t node, child, edge, n_steps = 0, n_boards = 1
    cdef int8_t[:, :, ::1] boards
    cdef int32_t[:, ::1] steps
    cdef int32_t[::1] number
    cdef int32_t* edges
    cdef Work* work = new_work()
    try:
        work.most_nodes = min(work.most_nodes, most)
        with nogil:
            search_turns(&first, &second, die1, die2, &compiled, work)
        if work.failed:
            raise too_many()
        edges = work.edges
        # Backwards: which positions lead to the end of a play. Edges are in the order of nodes.
        useful = np.zeros(work.n_nodes, np.int32)
        number = useful
        edge = work.n_edges - 1
        for node in range(work.n_nodes - 1, -1, -1):
            number[node] = (work.marks[node] & LEGAL) != 0
            while edge >= 0 and edges[2 * edge] == node:
                if number[edges[2 * edge + 1]]:
                    number[node] = 1
                    n_steps += 1
                edge -= 1
        # The roots, one for each order of the dice, are one position: the die of a move says which.
        for node in range(work.n_nodes):
            if work.nodes[node].depth == 0:
                number[node] = 1
            elif number[node]:
                n_boards += 1
                number[node] = n_boards
        out_boards, out_steps = np.empty((n_boards, 2, 26), np.int8), np.empty((n_steps, 4), np.int32)
        boards, steps = out_boards, out_steps
        memcpy(&boards[0, 0, 0], &board[0, 0], BOARD_BYTES)
        for node in range(work.n_nodes):
            if number[node] > 1:
                mine, theirs = first, second
                sides_after(work, node, &mine, &theirs, &compiled)
                store_side(&mine, compiled.checkers, &boards[number[node] - 1, 0, 0])
                store_side(&theirs, compiled.checkers, &boards[number[node] - 1, 1, 0])
        n_steps = 0
        for edge in range(work.n_edges):
            node, child = edges[2 * edge], edges[2 * edge + 1]
            if number[node] and number[child]:
                steps[n_steps, 0] = number[node] - 1
                steps[n_steps, 1] = _source(&work.nodes[node], &work.nodes[child])
                steps[n_steps, 2] = work.nodes[child].die
                steps[n_steps, 3] = number[child] - 1
                n_steps += 1
    finally:
        free_work(work)
    return out_boards, out_steps[np.argsort(out_steps[:, 0], kind="stable")]


cdef inline int _source(const Node* node, const Node* child) noexcept nogil:
    """The point that a move leaves: the highest that it changes."""
    cdef uint32_t changed = (
        (node.mine.b0 ^ child.mine.b0) | (node.mine.b1 ^ child.mine.b1)
        | (node.mine.b2 ^ child.mine.b2) | (node.mine.b3 ^ child.mine.b3)
    )
    cdef int point = 25
    while not changed >> point & 1:
        point -= 1
    return point
