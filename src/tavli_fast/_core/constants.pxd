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
        MOST_PHASES "TF_MOST_PHASES"
        SCALAR_ROOM "TF_SCALAR_ROOM"  # rows for scalars in each phase
        SIDE_SCALARS "TF_SIDE_SCALARS"  # of each side
        SCALARS "TF_SCALARS"  # bits of a kind: what the net has
        EXPERTS "TF_EXPERTS"
        WITH_SIEVE "TF_WITH_SIEVE"  # and behind its weights another net, then a bear-off table
        WITH_BEAROFF "TF_WITH_BEAROFF"
        SIEVE_HEAD "TF_SIEVE_HEAD"  # floats before the weights of that net
        MOST_KEPT "TF_MOST_KEPT"  # plays of a roll that it leaves, at most
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

cdef extern from "generate/search.h":
    cpdef enum Refusal "tf_refusal":  # why given moves are refused
        FINE "TF_FINE"
        NO_MOVE "TF_NO_MOVE"
        NO_CHECKER "TF_NO_CHECKER"
        BAR_FIRST "TF_BAR_FIRST"
        CLOSED "TF_CLOSED"
        NOT_HOME "TF_NOT_HOME"
        STOPPED "TF_STOPPED"
        NO_DIE "TF_NO_DIE"
        NOT_FARTHEST "TF_NOT_FARTHEST"
        NOT_A_PLAY "TF_NOT_A_PLAY"
        GAME_OVER "TF_GAME_OVER"
        IS_PINNED "TF_IS_PINNED"
        GATE "TF_GATE"
        HEAD "TF_HEAD"
        PRIME "TF_PRIME"
        HOME_ONLY "TF_HOME_ONLY"
        NOT_WHILE_PINNED "TF_NOT_WHILE_PINNED"
        NOT_EXACT "TF_NOT_EXACT"
