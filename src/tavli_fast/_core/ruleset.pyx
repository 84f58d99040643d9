"""Compiling a Rules object to the struct that the core reads, once for each object."""


cdef class _Compiled:
    cdef RuleSet value
    cdef object rules  # keeps the object, and so its id, from being used again


cdef dict _COMPILED = {}  # by id: hashing a Rules takes longer than a small call


cdef RuleSet rule_set(object rules) except *:
    """Compile a Rules (already checked by its own constructor)."""
    cdef _Compiled compiled = _COMPILED.get(id(rules))
    if compiled is None:
        rules.__post_init__()  # check again: object.__setattr__ can bypass the constructor
        compiled = _Compiled()
        compiled.rules = rules
        compiled.value = _compile(rules)
        if len(_COMPILED) > 100:
            _COMPILED.clear()
        _COMPILED[id(rules)] = compiled
    return compiled.value


cdef RuleSet _compile(object rules) except *:
    cdef RuleSet compiled
    compiled.checkers = rules.checkers
    compiled.parallel = rules.parallel
    compiled.contact = ("hit", "pin", "none").index(rules.contact)
    compiled.stop = 0 if rules.hit_and_run_home else 0x7e
    compiled.max_dice = rules.max_dice
    compiled.higher_die = rules.higher_die
    compiled.win_needs_all_dice = rules.win_needs_all_dice
    compiled.cascade = rules.cascade
    compiled.gate = 0 if rules.runner_gate is None else (2 << rules.runner_gate) - 2
    compiled.head_limit = 15 if rules.head_limit is None else rules.head_limit
    compiled.head_first = 0
    for die in rules.head_first_turn:
        compiled.head_first |= 1 << die
    compiled.prime_len = rules.prime_len
    compiled.own_start_prime = rules.own_start_prime == "allowed"
    compiled.opp_start_max = min(
        rules.opp_start_max, 6 if rules.opp_start_prime == "allowed" else 5
    )
    compiled.each_die = rules.prime_check == "submove"
    compiled.trap = ("none", "single_point", "immobile", "need_ahead").index(rules.trap)
    compiled.trap_first = rules.trap_first
    compiled.bearoff_oversize = rules.bearoff_oversize
    compiled.bearoff_internal = rules.bearoff_internal
    compiled.bearoff_while_pinned = rules.bearoff_while_pinned
    compiled.mother = (
        "none", "lose_unless_own_start", "lose_always", "draw_only"
    ).index(rules.mother)
    compiled.mother_points = rules.mother_points
    compiled.mother_draw = rules.mother_draw
    compiled.mother_immediate = rules.mother_ends == "immediate"
    compiled.single_points = rules.single_points
    compiled.gammon_points = rules.gammon_points
    compiled.backgammon_points = rules.backgammon_points
    compiled.triple_in_home = rules.backgammon_needs == "home_or_bar"
    return compiled
