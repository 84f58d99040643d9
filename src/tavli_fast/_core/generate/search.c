/* The search: forwards, die by die, all positions that the dice lead to in this order, each once, with
 * the moves between them; then backwards from those in which the turn may end. It is slower than the
 * mask formulas of mixed.h and doubles.h by an order of magnitude, and asked only where those do not
 * hold (`tf_needs_search` in movegen.h): a prime that may be barred, a cascade of doubles, a capture
 * that ends the game at once, a home in which nothing may be moved, a gate inside the home. */
#include "generate/search.h"

#include <stdlib.h>
#include <string.h>

#include "generate/primes.h"

enum {
    /* Marks of a node on the way back. */
    FRUITFUL = 1, /* a turn may end here or further on */
    END = 2,      /* it may end here; TF_LEGAL (4): and does its duty */
};

void tf_begin_work(tf_work *work)
{
    memset(work, 0, sizeof *work);
    work->most_nodes = TF_MAX_NODES;
}

void tf_end_work(tf_work *work)
{
    free(work->nodes);
    free(work->edges);
    free(work->marks);
    free(work->table);
    free(work->plays);
}

tf_work *tf_new_work(void)
{
    tf_work *work = malloc(sizeof *work);
    if (work)
        tf_begin_work(work);
    return work;
}

void tf_free_work(tf_work *work)
{
    if (work)
        tf_end_work(work);
    free(work);
}

/* Makes room for `needed` entries; returns whether there is. */
static bool grow(void **memory, int32_t *room, int32_t needed, size_t size)
{
    if (needed <= *room)
        return true;
    int32_t wanted = needed + needed / 2 > 1024 ? needed + needed / 2 : 1024;
    void *larger = realloc(*memory, (size_t)wanted * size);
    if (larger == NULL)
        return false;
    *memory = larger;
    *room = wanted;
    return true;
}

#define GROW(work, what, needed) \
    grow((void **)&(work)->what, &(work)->what##_room, needed, sizeof *(work)->what)

static inline bool same(const tf_node *x, const tf_node *y)
{
    return x->mine.b0 == y->mine.b0 && x->mine.b1 == y->mine.b1 && x->mine.b2 == y->mine.b2
        && x->mine.b3 == y->mine.b3 && x->hits == y->hits;
}

static inline uint32_t hash(const tf_node *node)
{
    uint64_t low = (node->mine.b0 | (uint64_t)node->mine.b1 << 32) * 0x9e3779b97f4a7c15u;
    uint64_t high = (node->mine.b2 | (uint64_t)node->mine.b3 << 32) * 0xc2b2ae3d27d4eb4fu;
    uint64_t h = (low ^ low >> 32 ^ high ^ high >> 29 ^ node->hits) * 0x165667b19e3779f9u;
    return (uint32_t)(h >> 32);
}

/* The hash table finds a node among those from some number on. A slot holds a node's number +
 * `table_base`; what is lower than that of the first node asked about is as good as empty, so no level
 * of a search and no search has to clear the table. It is at most half full. */
static void forget_nodes(tf_work *work)
{
    work->table_base += work->n_nodes + 1; /* slots that were never used hold 0 */
    if (work->table_base > INT32_MAX - 2 * TF_MAX_NODES) {
        memset(work->table, 0, (size_t)work->table_room * sizeof(int32_t));
        work->table_base = 1;
    }
    work->n_nodes = 0;
}

/* The slot of a node like this one among those from `first` on, or the empty one for it. */
static inline int32_t *slot_of(const tf_work *work, const tf_node *node, int32_t first)
{
    uint32_t slot = hash(node) & work->table_mask;
    for (;; slot = (slot + 1) & work->table_mask) {
        int32_t held = work->table[slot] - work->table_base;
        if (held < first || same(&work->nodes[held], node))
            return &work->table[slot];
    }
}

/* Makes the table large enough for the nodes from `first` on, and twice as many; returns whether there
 * is room. */
static bool fit_table(tf_work *work, int32_t first)
{
    int32_t before = work->table_room, slots = (int32_t)work->table_mask + 1;
    if (2 * (work->n_nodes - first) < slots && before)
        return true;
    slots = before ? 2 * slots : 64;
    while (2 * (work->n_nodes - first) >= slots) /* after a search level by level, all its nodes */
        slots *= 2;
    if (!GROW(work, table, slots))
        return false;
    memset(work->table + before, 0, (size_t)(work->table_room - before) * sizeof(int32_t));
    for (int32_t slot = 0; slot < slots; slot++)
        if (work->table[slot] >= work->table_base + first)
            work->table[slot] = 0;
    work->table_mask = (uint32_t)slots - 1;
    for (int32_t node = first; node < work->n_nodes; node++)
        *slot_of(work, &work->nodes[node], first) = work->table_base + node;
    return true;
}

/* Makes room for a node's children, so that the nodes stay where they are; returns whether there is. */
static bool fit_children(tf_work *work)
{
    return work->n_nodes + TF_BAR <= work->most_nodes && GROW(work, nodes, work->n_nodes + TF_BAR);
}

/* Asks for the memory that looking up the node behind the last but `i` will need. */
static inline void expect_node(const tf_work *work, int i)
{
    __builtin_prefetch(&work->table[hash(&work->nodes[work->n_nodes + i]) & work->table_mask]);
}

/* Takes the node behind the last one, unless there is one like it from `first` on; returns which of
 * them it is, -1 if there is no room. */
static inline int32_t take_node(tf_work *work, int32_t first)
{
    int32_t *slot = slot_of(work, &work->nodes[work->n_nodes], first);
    if (*slot >= work->table_base + first)
        return *slot - work->table_base;
    *slot = work->table_base + work->n_nodes++;
    return fit_table(work, first) ? work->n_nodes - 1 : -1;
}

/* Takes the mover's checkers before the turn as a node; returns whether there is room. */
static bool take_root(tf_work *work, const tf_side *mine)
{
    if (!fit_children(work) || !fit_table(work, work->n_nodes))
        return false;
    tf_node *root = &work->nodes[work->n_nodes++];
    memset(root, 0, sizeof(tf_node));
    root->mine = *mine;
    root->parent = -1;
    return true;
}

/* Adds all turns that the dice lead to in this order, and the moves between them; returns whether
 * there was room. */
static bool forwards(
    tf_work *work, const tf_side *mine, const int *dice, int n_dice, const tf_rules *rules)
{
    const tf_turn *turn = &work->turn;
    int32_t first = work->n_nodes;
    if (!take_root(work, mine))
        return false;
    for (int depth = 1; depth <= n_dice; depth++) {
        int die = dice[depth - 1];
        int32_t end = work->n_nodes;
        for (int32_t node = first; node < end; node++) {
            uint32_t left = tf_legal_sources(&work->nodes[node], turn, die, rules);
            if (!fit_children(work))
                return false;
            for (; left; left &= left - 1) {
                int from = tf_lowest(left);
                tf_node *child = &work->nodes[work->n_nodes];
                *child = tf_node_moved(&work->nodes[node], turn, from, die);
                child->parent = node;
                child->depth = (uint8_t)depth;
                if (depth == 1)
                    child->first_die = (uint8_t)die;
                int32_t which = take_node(work, end);
                if (which < 0 || !GROW(work, edges, 2 * work->n_edges + 2))
                    return false;
                work->edges[2 * work->n_edges] = node;
                work->edges[2 * work->n_edges + 1] = which;
                work->n_edges++;
            }
        }
        if (work->n_nodes == end)
            break;
        first = end;
    }
    return true;
}

/* Marks the nodes in which a turn may end; returns whether there is any. A player who can play a die
 * must go on (34, 48), and a die that can only be played towards an end which is barred cannot be
 * played. With `fair` a trap is barred too. */
static bool backwards(tf_work *work, bool fair, const tf_rules *rules)
{
    const tf_turn *turn = &work->turn;
    int32_t edge = work->n_edges - 1;
    bool any_end = false;
    for (int32_t node = work->n_nodes - 1; node >= 0; node--) {
        bool leads_on = false;
        /* Edges stand in the order of the nodes that they leave. */
        for (; edge >= 0 && work->edges[2 * edge] == node; edge--)
            leads_on |= work->marks[work->edges[2 * edge + 1]] & FRUITFUL;
        work->marks[node] = leads_on ? FRUITFUL : 0;
        if (leads_on || work->nodes[node].depth == 0)
            continue;
        const tf_node *start = &work->nodes[node];
        while (start->parent >= 0)
            start = &work->nodes[start->parent];
        if (!tf_may_end(start, &work->nodes[node], turn, rules))
            continue;
        if (fair && tf_is_trap(&work->nodes[node], turn, &work->theirs, rules))
            continue;
        work->marks[node] = FRUITFUL | END;
        any_end = true;
    }
    return any_end;
}

/* Whether a turn that ends here plays the dice that it must; `only_die` is the die that must be
 * played, 0 for either. */
static bool does_its_duty(
    const tf_node *end, const tf_work *work, int only_die, const tf_rules *rules)
{
    if (!rules->win_needs_all_dice && tf_standing(end, &work->turn) == 0)
        return true; /* H1 */
    if (rules->mother_immediate && tf_mother_decides(end, &work->turn, rules))
        return true; /* P6 */
    if (rules->max_dice && end->depth < work->longest)
        return false; /* 29, 30, 38 */
    return only_die == 0 || end->first_die == only_die; /* 31, 32 */
}

/* The die that must be played where not both can be; 0 if there is no such duty. */
static int only_die_of(const tf_work *work, bool doubles, const tf_rules *rules)
{
    int only = 0;
    if (rules->higher_die && work->longest == 1 && !doubles)
        for (int32_t node = 0; node < work->n_nodes; node++)
            if (work->marks[node] & END && work->nodes[node].first_die > only)
                only = work->nodes[node].first_die;
    return only;
}

/* Lists the distinct plays among the ends, those that leave no trap if `fair`; returns whether there
 * was room. */
static bool collect(tf_work *work, bool doubles, bool fair, const tf_rules *rules)
{
    int32_t n_nodes = work->n_nodes;
    int only_die = only_die_of(work, doubles, rules);
    work->n_plays = 0;
    if (!fit_table(work, 0))
        return false;
    forget_nodes(work); /* the table, not the nodes */
    work->n_nodes = n_nodes;
    for (int32_t node = 0; node < work->n_nodes; node++) {
        const tf_node *end = &work->nodes[node];
        if (!(work->marks[node] & END) || !does_its_duty(end, work, only_die, rules))
            continue;
        if (fair && tf_is_trap(end, &work->turn, &work->theirs, rules))
            continue;
        work->marks[node] |= TF_LEGAL;
        int32_t *slot = slot_of(work, end, 0);
        if (*slot >= work->table_base)
            continue;
        *slot = work->table_base + node;
        if (!GROW(work, plays, work->n_plays + 1))
            return false;
        work->plays[work->n_plays++] = node;
    }
    return true;
}

/* Writes the dice of a roll in the orders in which they may be played; returns how many dice. Doubles
 * have one order, a mixed roll two (28). */
static int orders_of(int die1, int die2, const tf_rules *rules, int dice[2][TF_MAX_MOVES])
{
    int n = 0;
    if (die1 != die2) {
        dice[0][0] = dice[1][1] = die1 > die2 ? die1 : die2;
        dice[0][1] = dice[1][0] = die1 > die2 ? die2 : die1;
        return 2;
    }
    for (int die = die1; die <= (rules->cascade ? 6 : die1); die++)
        for (int i = 0; i < 4; i++)
            dice[0][n++] = die;
    return n;
}

/* Doubles that need no way back: as many dice as possible have to be played, and no rule asks how the
 * turn ends. Then the plays are the positions after the most moves, each found once. Moves by equal
 * dice commute unless a ban or a gate reads the position between them: then only sources from the
 * last one's on need be tried (see doubles.h), of two ways to a position the one that leaves more. */
static bool ends_anyhow(const tf_rules *rules)
{
    return rules->max_dice && rules->win_needs_all_dice && !rules->mother_immediate
        && rules->trap != TF_SINGLE_POINT && rules->trap != TF_IMMOBILE
        && (rules->each_die || !rules->parallel);
}

static bool moves_commute(const tf_turn *turn, const tf_rules *rules)
{
    return !tf_bars_landings(rules) && turn->gate == 0 && turn->stop == 0 && rules->bearoff_internal;
}

/* Finds the plays of doubles for which `ends_anyhow`; returns whether there was room. */
static bool search_doubles(
    tf_work *work, const tf_side *mine, const int *dice, int n_dice, const tf_rules *rules)
{
    const tf_turn *turn = &work->turn;
    bool commute = moves_commute(turn, rules);
    int32_t first = 0;
    if (!take_root(work, mine))
        return false;
    for (int depth = 1; depth <= n_dice; depth++) {
        int die = dice[depth - 1];
        int32_t end = work->n_nodes;
        for (int32_t node = first; node < end; node++) {
            uint32_t left = tf_legal_sources(&work->nodes[node], turn, die, rules);
            if (commute && work->nodes[node].die == die)
                left &= tf_up_to(work->nodes[node].from);
            if (!fit_children(work))
                return false;
            /* All children first, so that the memory for looking them up is on its way. */
            tf_node *children = &work->nodes[work->n_nodes];
            int n = 0;
            for (; left; left &= left - 1, n++) {
                children[n] = tf_node_moved(&work->nodes[node], turn, tf_lowest(left), die);
                children[n].parent = node;
                children[n].depth = (uint8_t)depth;
                expect_node(work, n);
            }
            for (int i = 0; i < n; i++) {
                work->nodes[work->n_nodes] = children[i];
                int32_t which = take_node(work, end);
                if (which < 0)
                    return false;
                if (commute && work->nodes[which].from < children[i].from)
                    work->nodes[which] = children[i];
            }
        }
        if (work->n_nodes == end)
            break;
        first = end;
        work->longest = depth;
    }
    if (work->longest == 0)
        return true;
    work->n_plays = work->n_nodes - first;
    if (!GROW(work, plays, work->n_plays))
        return false;
    for (int32_t i = 0; i < work->n_plays; i++)
        work->plays[i] = first + i;
    return true;
}

/* Sets up the turn of a roll and writes its dice; returns how many. */
static int begin(
    const tf_side *mine, const tf_side *theirs, int die1, int die2, const tf_rules *rules,
    tf_work *work, int dice[2][TF_MAX_MOVES])
{
    forget_nodes(work);
    work->n_edges = work->n_plays = 0;
    work->longest = 0;
    work->theirs = *theirs;
    tf_side_turn(&work->turn, mine, theirs, rules);
    work->turn.head_limit =
        tf_head_limit(rules, work->turn.head, die1 == die2 ? tf_bit(die1) : 0);
    return orders_of(die1, die2, rules, dice);
}

/* Finds all turns of a roll and marks the plays among them; returns whether there was room. */
static bool search(
    const tf_side *mine, const tf_side *theirs, int die1, int die2, const tf_rules *rules,
    tf_work *work)
{
    int dice[2][TF_MAX_MOVES];
    int n_dice = begin(mine, theirs, die1, die2, rules, work, dice);
    bool doubles = die1 == die2;
    if (!forwards(work, mine, dice[0], n_dice, rules))
        return false;
    if (!doubles && !forwards(work, mine, dice[1], n_dice, rules))
        return false;
    if (!GROW(work, marks, work->n_nodes))
        return false;
    /* F9: avoiding the trap comes before the dice, or after them; F8: it lapses if all plays trap. */
    if (!(rules->trap_first && backwards(work, true, rules)))
        backwards(work, false, rules);
    for (int32_t node = 0; node < work->n_nodes; node++)
        if (work->marks[node] & END && work->nodes[node].depth > work->longest)
            work->longest = work->nodes[node].depth;
    if (rules->trap == TF_NO_TRAP || rules->trap_first)
        return collect(work, doubles, false, rules);
    if (!collect(work, doubles, true, rules))
        return false;
    return work->n_plays > 0 || collect(work, doubles, false, rules);
}

int tf_search_plays(
    const tf_side *mine, const tf_side *theirs, int die1, int die2, const tf_rules *rules,
    tf_work *work)
{
    bool found;
    if (die1 == die2 && ends_anyhow(rules)) {
        int dice[2][TF_MAX_MOVES];
        int n_dice = begin(mine, theirs, die1, die2, rules, work, dice);
        found = search_doubles(work, mine, dice[0], n_dice, rules);
    } else {
        found = search(mine, theirs, die1, die2, rules, work);
    }
    if (!found) {
        work->failed = true;
        work->n_plays = 0; /* what it has found so far is not to be used */
    }
    return work->n_plays;
}

bool tf_search_turns(
    const tf_side *mine, const tf_side *theirs, int die1, int die2, const tf_rules *rules,
    tf_work *work)
{
    work->failed = !search(mine, theirs, die1, die2, rules, work);
    return !work->failed;
}

void tf_moves_to(const tf_work *work, int32_t node, int8_t *moves, int room)
{
    const tf_node *end = &work->nodes[node];
    memset(moves, 0xff, 2 * (size_t)room);
    for (int i = end->depth - 1; i >= 0; i--) {
        moves[2 * i] = (int8_t)end->from;
        moves[2 * i + 1] = (int8_t)(end->from > end->die ? end->from - end->die : 0);
        end = &work->nodes[end->parent];
    }
}

void tf_sides_after(
    const tf_work *work, int32_t node, tf_side *mine, tf_side *theirs, const tf_rules *rules)
{
    tf_side before = *mine;
    *mine = work->nodes[node].mine;
    tf_meet(&before, mine, theirs, work->nodes[node].hits, rules);
}

/* Why a move from `from` to `to` by `die` is not possible, or TF_FINE. */
static int refusal(
    const tf_node *node, const tf_turn *turn, int from, int to, int die, const tf_rules *rules)
{
    uint32_t there = tf_standing(node, turn), mine = tf_one_or_more(&node->mine);
    if (!(1 <= from && from <= TF_BAR && 0 <= to && to < from && to < TF_BAR))
        return TF_NO_MOVE;
    uint32_t b = tf_bit(from);
    if (to > 0 ? from - to != die : from > die)
        return TF_NO_DIE;
    if (rules->mother_immediate && tf_mother_decides(node, turn, rules))
        return TF_GAME_OVER;
    if (!(mine & b))
        return there & b ? TF_IS_PINNED : TF_NO_CHECKER;
    if (tf_stopped(node, turn) & b)
        return TF_STOPPED;
    if (!(tf_may_leave(node, turn, rules) & b)) {
        if (mine & TF_BAR_BIT)
            return TF_BAR_FIRST;
        return b == TF_START_BIT && tf_head_is_spent(node, turn) ? TF_HEAD : TF_GATE;
    }
    if (tf_legal_sources(node, turn, die, rules) & b)
        return TF_FINE;
    if (tf_node_sources(node, turn, die, rules) & b)
        return TF_PRIME;
    if (to > 0)
        return turn->land & tf_bit(to) ? TF_HOME_ONLY : TF_CLOSED;
    if (there & TF_OUTSIDE)
        return TF_NOT_HOME;
    if (!turn->may_bear_off)
        return TF_NOT_WHILE_PINNED;
    return turn->oversize ? TF_NOT_FARTHEST : TF_NOT_EXACT;
}

/* Tries moves (pairs of from and to, the first -1 ends them) with the dice in the order given; without
 * dice (NULL) each takes whatever die it needs. */
static tf_verdict judge(
    const tf_turn *turn, const tf_side *mine, const int8_t *moves, int room, const int *dice,
    int n_dice, const tf_rules *rules, tf_node *end)
{
    tf_verdict verdict = {TF_FINE, 0};
    tf_node node;
    memset(&node, 0, sizeof node);
    node.mine = *mine;
    for (int i = 0; i < room && moves[2 * i] != -1; i++) {
        int from = moves[2 * i], to = moves[2 * i + 1];
        int die = from - to;
        verdict.at = i;
        if (dice == NULL)
            verdict.why = die < 1 || die > 6 ? TF_NO_MOVE : TF_FINE;
        else if (i >= n_dice)
            verdict.why = TF_NO_DIE;
        else
            die = dice[i];
        if (verdict.why == TF_FINE)
            verdict.why = refusal(&node, turn, from, to, die, rules);
        if (verdict.why != TF_FINE)
            return verdict;
        node = tf_node_moved(&node, turn, from, die);
        node.depth = (uint8_t)(i + 1);
        if (i == 0)
            node.first_die = (uint8_t)die;
    }
    *end = node;
    return verdict;
}

/* Whether a turn may end like this after a search: the same checkers after the same dice. Two turns
 * that end alike need not both be legal, if one of them wastes a die (27). */
static bool is_play(const tf_work *work, const tf_node *end, bool doubles)
{
    if (end->depth == 0)
        return work->n_plays == 0;
    for (int32_t i = 0; i < work->n_nodes; i++) {
        const tf_node *node = &work->nodes[i];
        if (work->marks[i] & TF_LEGAL && node->depth == end->depth
            && (doubles || node->first_die == end->first_die) && same(node, end))
            return true;
    }
    return false;
}

tf_verdict tf_judge_moves(
    tf_side *mine, tf_side *theirs, const int8_t *moves, int room, int die1, int die2,
    const tf_rules *rules, tf_work *work)
{
    tf_node end;
    tf_side before = *mine;
    tf_verdict best;
    if (die1 == 0) {
        tf_turn turn;
        tf_side_turn(&turn, mine, theirs, rules);
        turn.head_limit = tf_head_limit(rules, turn.head, ~(uint32_t)0); /* some roll allows it */
        best = judge(&turn, mine, moves, room, NULL, 0, rules, &end);
    } else {
        int dice[2][TF_MAX_MOVES];
        bool doubles = die1 == die2;
        best.why = TF_NO_DIE;
        best.at = -1;
        if (!search(mine, theirs, die1, die2, rules, work)) {
            work->failed = true;
            return best;
        }
        int n_dice = orders_of(die1, die2, rules, dice);
        for (int order = 0; order < (doubles ? 1 : 2); order++) {
            tf_verdict verdict =
                judge(&work->turn, mine, moves, room, dice[order], n_dice, rules, &end);
            if (verdict.why == TF_FINE) {
                if (is_play(work, &end, doubles)) {
                    best = verdict;
                    break;
                }
                verdict.why = TF_NOT_A_PLAY;
            }
            /* On a tie the reason is the one that is not about the other die. */
            if (verdict.at > best.at || (verdict.at == best.at && best.why == TF_NO_DIE))
                best = verdict;
        }
    }
    if (best.why == TF_FINE) {
        *mine = end.mine;
        tf_meet(&before, mine, theirs, end.hits, rules);
    }
    return best;
}
