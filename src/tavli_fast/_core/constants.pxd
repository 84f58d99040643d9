"""Numbers that the core and Python share, each named once: Python reads them as ints."""

cdef extern from "net/evaluate.h" nogil:
    # Nets (docs/evaluators.md): the rows of weights in each phase's block, and their order.
    cpdef enum:
        CELLS "TF_CELLS"  # of a board: off, 24 points and bar of both sides
        LEVELS "TF_LEVELS"  # rows of a cell: 1, 2 and 3 checkers, each further one, a pinned one
        PINNED "TF_PINNED"  # the level of a pinned checker
        FLAG_ROWS "TF_FLAG_ROWS"
        BLOCK "TF_BLOCK"  # the number of hidden units is filled up to a multiple of this
        WIDEST "TF_WIDEST"  # hidden units at most
        LANES "TF_LANES"  # floats of the outputs' biases
        OUTPUTS "TF_OUTPUTS"
        PHASES "TF_PHASES"
        CONTACT "TF_CONTACT"
        RACE "TF_RACE"
    # How a player evaluates boards.
    cpdef enum:
        RANDOM "TF_RANDOM"  # not at all: plays are chosen uniformly
        SIGMOID "TF_SIGMOID"
        CLIPPED "TF_CLIPPED"
        LINEAR "TF_LINEAR"

# A trial of a rollout, as a row: the six outcomes come first.
cpdef enum:
    TRIAL_PLIES = 6  # how many plies were played
    TRIAL_POINTS = 7  # the first player's points, or TRUNCATED or UNFINISHED
    TRIAL_VALUES = 8  # with a cube: what the game is worth for each place of it
    TRIAL_COLUMNS = 12
    TRUNCATED = 100
    UNFINISHED = 200

cpdef enum:
    CUBE_PLACES = 4  # in the middle, the first player's, his opponent's, his opponent's after a double
    CUBE_LEVELS = 12  # cubes from 1 to 2,048
