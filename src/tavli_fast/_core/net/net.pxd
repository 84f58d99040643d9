"""Nets in the core: their weights, and the outputs of boards and of afterstates (`evaluate.h`)."""

from libc.stdint cimport int8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free

from tavli_fast._core.constants cimport RANDOM
from tavli_fast._core.ruleset cimport RuleSet

cdef extern from "aligned.h" nogil:
    void* new_aligned "tf_new_aligned"(size_t size)
    void free_aligned "tf_free_aligned"(void* memory)

cdef extern from "net/evaluate.h" nogil:
    enum:
        FIRST_FLAG "TF_FIRST_FLAG"
        BIAS_ROW "TF_BIAS_ROW"
        FIRST_OUTPUT "TF_FIRST_OUTPUT"
        EIGHT "TF_EIGHT"
        BATCH "TF_BATCH"
        FIRST_SCALAR "TF_FIRST_SCALAR"
        HITS "TF_HITS"
        SIDE_ROOM "TF_SIDE_ROOM"
        MOST_KEPT "TF_MOST_KEPT"
        SIEVE_HEAD "TF_SIEVE_HEAD"
    ctypedef struct Net "tf_net":
        int kind
        const float* sieve_head
        Net* sieve
        int kept
        const float* table
        int form
        int phases
        int width
        int outputs
        const float** rows
        const float** biases
        float* prepared
    ctypedef struct Root "tf_root":
        int8_t* board
    ctypedef struct Accumulator "tf_accumulator":
        Root root
        float* equity
    ctypedef struct BoardInputs "tf_board_inputs":
        uint16_t* ones
        uint16_t* rows
        float* values
        float* scales
        int n_ones
        int n
    int form_of "tf_form_of"(int kind)
    int phases_of "tf_phases_of"(int form)
    long phase_floats "tf_phase_floats"(int width, int form)
    long prepared_floats "tf_prepared_floats"(int width, int form)
    void set_weights "tf_open_net"(
        Net* net, const float* weights, float* prepared, int kind, int width, int outputs)
    void prepare "tf_prepare"(Net* net, const RuleSet* rules)
    void forget_roots "tf_forget_roots"(Accumulator* acc)
    void set_root_of "tf_set_root_of"(Accumulator* acc, const Net* net, const int8_t* board)
    void set_next_root_of "tf_set_next_root"(
        Accumulator* acc, const Net* net, const int8_t* board)
    void evaluate_afterstates "tf_evaluate_afterstates"(
        Accumulator* acc, Net* net, const RuleSet* rules, const int8_t* boards, int n)
    void outputs_of "tf_outputs_of"(float* outputs, const Accumulator* acc, int i)
    int best_afterstate "tf_best_afterstate"(
        float* outputs, Accumulator* acc, Net* net, const RuleSet* rules, const int8_t* boards,
        int n)
    int rank_afterstates "tf_rank_afterstates"(
        int* order, Accumulator* acc, Net* net, const RuleSet* rules, const int8_t* boards, int n,
        int most)
    void evaluate_boards "tf_evaluate_boards"(
        float* outputs, Net* net, const RuleSet* rules, const int8_t** boards, int n)
    int tabled "tf_tabled"(
        float* outcomes, const Net* net, const RuleSet* rules, const int8_t* board)
    int see_one "tf_see_one"(
        uint32_t* code, uint32_t* levels, const RuleSet* rules, int form, const int8_t* board)
    int board_inputs "tf_inputs_of_board"(
        BoardInputs* inputs, const RuleSet* rules, int form, const int8_t* board)
    float scalar_scale "tf_scalar_scale"(int scalar)
    uint32_t possible_results "tf_possible_results"(const RuleSet* rules, const int8_t* board)
    uint32_t flags_of "tf_flags_of"(uint32_t code, int contact)


cdef inline float tail_scale(int cell) noexcept nogil:
    """What a checker above the third of a cell adds to its fourth feature."""
    return 0.125 if cell % 26 == 0 else 0.5


cdef inline int open_net(
    Net* net, const float* weights, int kind, int width, int outputs, const RuleSet* rules
) except -1:
    """Make a net of a block of weights, which the net does not own; `free_net` ends it."""
    cdef float* prepared = NULL
    cdef const float* head
    if kind != RANDOM:
        prepared = <float*>new_aligned(sizeof(float) * prepared_floats(width, form_of(kind)))
        if prepared == NULL:
            raise MemoryError("no room for a net")
    set_weights(net, weights, prepared, kind, width, outputs)
    if kind == RANDOM:
        return 0
    prepare(net, rules)
    head = net.sieve_head
    if head != NULL:
        net.sieve = <Net*>calloc(1, sizeof(Net))
        if net.sieve == NULL:
            free_net(net)
            raise MemoryError("no room for a net")
        open_net(
            net.sieve, head + <int>SIEVE_HEAD, <int>head[0], <int>head[1], <int>head[2], rules
        )
        net.sieve.table = net.table
    return 0


cdef inline void free_net(Net* net) noexcept nogil:
    if net.sieve != NULL:
        free_aligned(net.sieve.prepared)
        free(net.sieve)
        net.sieve = NULL
    free_aligned(net.prepared)
    net.prepared = NULL
