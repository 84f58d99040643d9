/* Which way the plays of a roll are found, and the tables that listing them needs. */
#include "generate/movegen.h"

tf_tables TF_TABLES;

static void fill_move(int8_t *row, int from, int to)
{
    row[from] = -1;
    row[to] = 1;
}

__attribute__((constructor)) static void fill_tables(void)
{
    for (int pins = 0; pins < 2; pins++)
        for (int die = 1; die <= 6; die++)
            for (int point = 1; point <= TF_BAR; point++) {
                int to = point > die ? point - die : 0;
                fill_move(TF_TABLES.move[pins][die][point], point, to);
                if (to == 0)
                    continue;
                int8_t *joining = TF_TABLES.move[pins][die][point + TF_JOINING];
                int enemy = 26 + 25 - to; /* contacts come in opposed games only */
                fill_move(joining, point, to);
                joining[enemy] = pins ? -2 : -1; /* pinned: from 1 to -1 */
                if (!pins)
                    joining[26 + TF_BAR] = 1;
            }
    for (int point = 1; point < TF_BAR; point++)
        TF_TABLES.unpin[point][26 + 25 - point] = 2;
}

/* All points on which a checker from the points `from` could land in this turn, if nothing but closed
 * points stood in its way. */
static inline uint32_t reach(const tf_turn *turn, uint32_t from, int die1, int die2)
{
    uint32_t to = from >> die1 | from >> die2 | from >> (die1 + die2);
    if (die1 == die2)
        to |= from >> 3 * die1 | from >> 4 * die1;
    return to & turn->land;
}

/* Whether so many moves may hold these points, if they reach the others. */
static inline bool may_fill(uint32_t points, uint32_t reached, int moves)
{
    return !(points & ~reached) && tf_count_bits(points) <= moves;
}

/* Whether the turn could make a prime that the trap rule asks about. */
static bool may_trap(const tf_turn *turn, int die1, int die2, int moves, const tf_rules *rules)
{
    uint32_t prime = tf_bit(rules->prime_len) - 1;
    int first, foremost;
    if (rules->trap == TF_IMMOBILE)
        return true;
    foremost = tf_lowest(turn->enemy);
    if (rules->trap == TF_SINGLE_POINT) {
        /* The prime right in front of all the enemy's checkers. */
        if (turn->enemy & (turn->enemy - 1) || foremost <= rules->prime_len)
            return false;
        first = foremost - rules->prime_len;
    } else {
        /* Any prime that no enemy checker has passed; who is off has passed them all. */
        if (!turn->enemy_all_there)
            return false;
        first = 1;
        foremost = (foremost < 25 - rules->prime_len ? foremost : 25 - rules->prime_len) + 1;
    }
    uint32_t held = tf_opposite(turn->own.ge1 | turn->own.fixed, rules);
    uint32_t reached = tf_opposite(reach(turn, turn->own.ge1, die1, die2), rules);
    for (; first < foremost; first++) {
        if (may_fill(prime << first & ~held, reached, moves))
            return true;
        if (rules->trap == TF_SINGLE_POINT)
            break;
    }
    return false;
}

/* How many of the points `fresh`, which are not ours, may be held at once by moves of this roll from
 * the points `from`: at most so many, and not less. One point takes as many moves as its nearest
 * checker is dice away. */
static int most_filled(const tf_turn *turn, uint32_t from, uint32_t fresh, int die1, int die2)
{
    uint32_t by1 = from >> die1 & turn->land, by2 = from >> die2 & turn->land;
    if (die1 != die2) {
        if (fresh & by1 && fresh & by2 && tf_count_bits(fresh & (by1 | by2)) > 1)
            return 2;
        return (fresh & (by1 | by2 | ((by1 >> die2 | by2 >> die1) & turn->land))) != 0;
    }
    int filled = 0, left = 4;
    for (int cost = 1; cost <= left; cost++) {
        int n = tf_count_bits(fresh & by1);
        if (n * cost > left)
            n = left / cost;
        filled += n;
        left -= n * cost;
        fresh &= ~by1;
        by1 = by1 >> die1 & turn->land;
    }
    return filled;
}

/* Which way the plays of a roll are found. Where a rule that the mask formulas do not know may bite it
 * is the search, or for bans on primes that are read after each die both orders of a mixed roll. The
 * search where it is not needed costs time, a formula that does not hold would be a wrong answer. */
static int way_of(const tf_turn *turn, int die1, int die2, const tf_rules *rules)
{
    bool doubles = die1 == die2, bans = false;
    int moves = doubles ? 4 : 2, way = doubles ? TF_BY_DOUBLES : TF_BY_MIXED;
    uint32_t there = turn->own.ge1 | turn->own.fixed;
    if (!rules->bearoff_internal && tf_outside(&turn->own) < moves)
        return TF_BY_SEARCH;
    if (rules->cascade && doubles && die1 < 6)
        return TF_BY_SEARCH;
    if (rules->contact == TF_HIT)
        return way;
    if (rules->contact == TF_PIN)
        /* A capture of the mother that ends the turn: the enemy's 24-point is the mover's 1. */
        return rules->mother_immediate && rules->mother != TF_NO_MOTHER && turn->lone & tf_bit(1)
            ? TF_BY_SEARCH
            : way;
    if (turn->gate && !(turn->gate & tf_bit(6)))
        return TF_BY_SEARCH; /* a gate in the home: bearing off may open it */
    if (!rules->parallel)
        return way;
    if (rules->trap != TF_NO_TRAP && may_trap(turn, die1, die2, moves, rules)) {
        if (rules->trap != TF_NEED_AHEAD)
            return TF_BY_SEARCH;
        bans = true;
    }
    if (!rules->own_start_prime) {
        /* All six own start points can be held only if each that is not is filled from another of
         * them that keeps a checker. */
        uint32_t fresh = TF_OWN_START & ~there, from = turn->own.ge2 & TF_OWN_START;
        bans |= tf_count_bits(fresh) <= moves
            && most_filled(turn, from, fresh, die1, die2) == tf_count_bits(fresh);
    }
    if (rules->opp_start_max < 6) {
        uint32_t fresh = TF_ENEMY_START & ~there;
        bans |= tf_count_bits(there & TF_ENEMY_START)
                + most_filled(turn, turn->own.ge1, fresh, die1, die2)
            > rules->opp_start_max;
    }
    if (!bans)
        return way;
    return doubles || !rules->each_die ? TF_BY_SEARCH : TF_BY_MIXED_UNDER_BANS;
}

/* Lets no more checkers on the head move than may leave it: the rest is fixed (section 4.7). */
static inline void fix_head(tf_turn *turn, int die1, int die2, const tf_rules *rules)
{
    if (turn->head <= rules->head_limit)
        return;
    turn->head_limit = tf_head_limit(rules, turn->head, die1 == die2 ? tf_bit(die1) : 0);
    if (turn->head <= turn->head_limit)
        return;
    turn->own.fixed |= TF_START_BIT;
    turn->own.ge5 &= ~TF_START_BIT;
    if (turn->head_limit < 4)
        turn->own.ge4 &= ~TF_START_BIT;
    if (turn->head_limit < 3)
        turn->own.ge3 &= ~TF_START_BIT;
    if (turn->head_limit < 2)
        turn->own.ge2 &= ~TF_START_BIT;
}

/* Finds the plays of a roll by the mask formulas; `roll->turn` and `roll->way` are set. */
static inline void find_by_masks(tf_roll *roll, int die1, int die2, const tf_rules *rules)
{
    fix_head(&roll->turn, die1, die2, rules);
    if (roll->way == TF_BY_DOUBLES) {
        tf_find_doubles(&roll->turn, die1, rules, &roll->doubles);
        roll->plays = roll->doubles.plays;
    } else {
        int high = die1 > die2 ? die1 : die2, low = die1 > die2 ? die2 : die1;
        if (roll->way == TF_BY_MIXED)
            tf_find_mixed(&roll->turn, high, low, rules, &roll->mixed);
        else
            tf_find_mixed_under_bans(&roll->turn, high, low, rules, &roll->mixed);
        roll->plays = roll->mixed.plays;
    }
}

static int search_board(
    const int8_t *board, int die1, int die2, const tf_rules *rules, tf_work *work)
{
    tf_side mine = tf_load_side(board), theirs = tf_load_side(board + 26);
    return tf_search_plays(&mine, &theirs, die1, die2, rules, work);
}

int tf_count_turn(const int8_t *board, int die1, int die2, const tf_rules *rules, tf_work *work)
{
    tf_roll roll;
    if (tf_is_over(board, rules))
        return 0;
    tf_load_turn(&roll.turn, board, rules);
    roll.way = way_of(&roll.turn, die1, die2, rules);
    if (roll.way == TF_BY_SEARCH)
        return search_board(board, die1, die2, rules, work);
    find_by_masks(&roll, die1, die2, rules);
    return roll.plays;
}

/* Writes the plays that the search has found, and the moves to them unless `moves` is NULL. */
static void write_searched(
    const int8_t *board, const tf_rules *rules, const tf_work *work, int8_t *after, int8_t *moves,
    int room)
{
    tf_side mine = tf_load_side(board), theirs = tf_load_side(board + 26);
    for (int i = 0; i < work->n_plays; i++) {
        tf_side after_mine = mine, after_theirs = theirs;
        tf_sides_after(work, work->plays[i], &after_mine, &after_theirs, rules);
        tf_store_side(&after_mine, rules->checkers, after);
        tf_store_side(&after_theirs, rules->checkers, after + 26);
        after += TF_BOARD_BYTES;
        if (moves)
            tf_moves_to(work, work->plays[i], moves + 2 * room * i, room);
    }
}

int64_t tf_list_turn(
    const int8_t *board, int die1, int die2, const tf_rules *rules, tf_work *work, int8_t *after,
    int64_t capacity, int8_t *moves, int room)
{
    tf_roll roll;
    tf_sink sink;
    if (tf_is_over(board, rules))
        return 0;
    tf_load_turn(&roll.turn, board, rules);
    roll.way = way_of(&roll.turn, die1, die2, rules);
    if (roll.way == TF_BY_SEARCH) {
        int n = search_board(board, die1, die2, rules, work);
        if (n <= capacity)
            write_searched(board, rules, work, after, moves, room);
        return n;
    }
    tf_load(&sink.base, board);
    sink.codes = NULL;
    sink.boards = after;
    if (moves == NULL && roll.way == TF_BY_DOUBLES && capacity >= TF_MAX_PLAYS) {
        fix_head(&roll.turn, die1, die2, rules);
        tf_list_doubles(&roll.turn, die1, rules, &roll.doubles, &sink);
        return (sink.boards - after) / TF_BOARD_BYTES;
    }
    find_by_masks(&roll, die1, die2, rules);
    if (roll.plays == 0 || roll.plays > capacity)
        return roll.plays; /* and nothing is written */
    tf_play codes[TF_MAX_PLAYS];
    if (moves)
        sink.codes = codes;
    if (roll.way == TF_BY_DOUBLES)
        tf_enumerate_doubles(&roll.turn, &roll.doubles, &sink);
    else
        tf_enumerate_mixed(&roll.turn, &roll.mixed, &sink);
    if (moves)
        for (int i = 0; i < roll.plays; i++)
            tf_write_moves(codes[i], moves + 2 * room * i, room);
    return roll.plays;
}

int tf_find_plays(
    tf_roll *roll, const tf_side *mover, const tf_side *enemy, int die1, int die2,
    const tf_rules *rules, tf_work *work)
{
    tf_side_turn(&roll->turn, mover, enemy, rules);
    roll->way = way_of(&roll->turn, die1, die2, rules);
    if (roll->way == TF_BY_SEARCH)
        roll->plays = tf_search_plays(mover, enemy, die1, die2, rules, work);
    else
        find_by_masks(roll, die1, die2, rules);
    return roll->plays;
}

int tf_search_roll(
    tf_roll *roll, const tf_side *mover, const tf_side *enemy, int die1, int die2,
    const tf_rules *rules, tf_work *work)
{
    tf_side_turn(&roll->turn, mover, enemy, rules);
    roll->way = TF_BY_SEARCH;
    roll->plays = tf_search_plays(mover, enemy, die1, die2, rules, work);
    return roll->plays;
}

void tf_pick_play(
    const tf_roll *roll, int k, tf_side *mover, tf_side *enemy, const tf_rules *rules,
    const tf_work *work)
{
    if (roll->way == TF_BY_SEARCH)
        tf_sides_after(work, work->plays[k], mover, enemy, rules);
    else
        tf_make_play(
            mover, enemy,
            roll->way == TF_BY_DOUBLES ? tf_pick_doubles(&roll->turn, &roll->doubles, k)
                                       : tf_pick_mixed(&roll->turn, &roll->mixed, k),
            roll->turn.blot, rules);
}
