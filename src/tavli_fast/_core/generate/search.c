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
    END = 2,      /* it may end here */
    LEGAL = 4,    /* and does its duty */
};

tf_work *tf_new_work(void)
{
    tf_work *work = calloc(1, sizeof(tf_work));
    if (work)
        work->most_nodes = TF_MAX_NODES;
    return work;
}

void tf_free_work(tf_work *work)
{
    if (work == NULL)
        return;
    free(work->nodes);
    free(work->edges);
    free(work->marks);
    free(work->table);
    free(work->plays);
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
    uint32_t h = node->mine.b0 * 0x9e3779b1u;
    h = (h ^ h >> 15 ^ node->mine.b1) * 0x85ebca6bu;
    h = (h ^ h >> 13 ^ node->mine.b2) * 0xc2b2ae35u;
    h = (h ^ h >> 16 ^ node->mine.b3) * 0x27d4eb2fu;
    return h ^ h >> 15 ^ node->hits;
}

/* Puts the nodes from `first` on into a new table, at most half full; returns whether there is room. */
static bool make_table(tf_work *work, int32_t first, int32_t *slots)
{
    *slots = 64;
    while (*slots < 4 * (work->n_nodes - first))
        *slots *= 2;
    if (!GROW(work, table, *slots))
        return false;
    memset(work->table, 0xff, (size_t)*slots * sizeof(int32_t));
    for (int32_t node = first; node < work->n_nodes; node++) {
        uint32_t slot = hash(&work->nodes[node]) & (uint32_t)(*slots - 1);
        while (work->table[slot] >= 0)
            slot = (slot + 1) & (uint32_t)(*slots - 1);
        work->table[slot] = node;
    }
    return true;
}

/* Returns the number of the node like this one among those from `first` on, adding it if there is
 * none; -1 if there is no room. */
static int32_t find_or_add(tf_work *work, const tf_node *node, int32_t first, int32_t *slots)
{
    uint32_t slot = hash(node) & (uint32_t)(*slots - 1);
    for (; work->table[slot] >= 0; slot = (slot + 1) & (uint32_t)(*slots - 1))
        if (same(&work->nodes[work->table[slot]], node))
            return work->table[slot];
    if (work->n_nodes >= work->most_nodes || !GROW(work, nodes, work->n_nodes + 1))
        return -1;
    work->nodes[work->n_nodes] = *node;
    work->table[slot] = work->n_nodes++;
    if (2 * (work->n_nodes - first) > *slots && !make_table(work, first, slots))
        return -1;
    return work->n_nodes - 1;
}

/* Adds all turns that the dice lead to in this order, and the moves between them; returns whether
 * there was room. */
static bool forwards(
    tf_work *work, const tf_side *mine, const int *dice, int n_dice, const tf_rules *rules)
{
    const tf_turn *turn = &work->turn;
    int32_t first = work->n_nodes, slots;
    if (!GROW(work, nodes, work->n_nodes + 1))
        return false;
    memset(&work->nodes[first], 0, sizeof(tf_node));
    work->nodes[first].mine = *mine;
    work->nodes[first].parent = -1;
    work->n_nodes++;
    for (int depth = 1; depth <= n_dice; depth++) {
        int die = dice[depth - 1];
        int32_t end = work->n_nodes;
        if (!make_table(work, end, &slots))
            return false;
        for (int32_t node = first; node < end; node++) {
            uint32_t left = tf_node_sources(&work->nodes[node], turn, die, rules);
            for (; left; left &= left - 1) {
                int from = tf_lowest(left);
                tf_node after = tf_node_moved(&work->nodes[node], turn, from, die);
                if (from > die && !tf_may_land(&after, turn, from - die, rules))
                    continue;
                after.parent = node;
                after.depth = (uint8_t)depth;
                if (depth == 1)
                    after.first_die = (uint8_t)die;
                int32_t child = find_or_add(work, &after, end, &slots);
                if (child < 0 || !GROW(work, edges, 2 * work->n_edges + 2))
                    return false;
                work->edges[2 * work->n_edges] = node;
                work->edges[2 * work->n_edges + 1] = child;
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
        return true; /* 33 */
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
    int32_t slots = 64;
    int only_die = only_die_of(work, doubles, rules);
    work->n_plays = 0;
    while (slots < 2 * work->n_nodes)
        slots *= 2;
    if (!GROW(work, table, slots))
        return false;
    memset(work->table, 0xff, (size_t)slots * sizeof(int32_t));
    for (int32_t node = 0; node < work->n_nodes; node++) {
        const tf_node *end = &work->nodes[node];
        if (!(work->marks[node] & END) || !does_its_duty(end, work, only_die, rules))
            continue;
        if (fair && tf_is_trap(end, &work->turn, &work->theirs, rules))
            continue;
        work->marks[node] |= LEGAL;
        uint32_t slot = hash(end) & (uint32_t)(slots - 1);
        while (work->table[slot] >= 0 && !same(&work->nodes[work->table[slot]], end))
            slot = (slot + 1) & (uint32_t)(slots - 1);
        if (work->table[slot] >= 0)
            continue;
        work->table[slot] = node;
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

/* Finds the turns and plays of a roll; returns whether there was room. */
static bool search(
    const tf_side *mine, const tf_side *theirs, int die1, int die2, const tf_rules *rules,
    tf_work *work)
{
    int dice[2][TF_MAX_MOVES];
    int n_dice = orders_of(die1, die2, rules, dice);
    bool doubles = die1 == die2;
    work->n_nodes = work->n_edges = work->n_plays = 0;
    work->longest = 0;
    work->theirs = *theirs;
    tf_side_turn(&work->turn, mine, theirs, rules);
    work->turn.head_limit =
        tf_head_limit(rules, work->turn.head, doubles ? tf_bit(die1) : 0);
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
    if (!search(mine, theirs, die1, die2, rules, work)) {
        work->failed = true;
        work->n_plays = 0; /* what it has found so far is not to be used */
    }
    return work->n_plays;
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
    if (tf_node_sources(node, turn, die, rules) & b) {
        tf_node after = tf_node_moved(node, turn, from, die);
        return to == 0 || tf_may_land(&after, turn, to, rules) ? TF_FINE : TF_PRIME;
    }
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
        if (work->marks[i] & LEGAL && node->depth == end->depth
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
