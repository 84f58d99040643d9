/* Random games, eight side by side: one ply of each in the lanes of vector registers.
 *
 * What differs between the games of a step is data and no branch. A ply goes as follows: the sets of
 * points from which the dice can be played, as masks; from these the numbers of plays of each kind;
 * one number drawn below their sum; the kind and the sources that it stands for; both sides' counts
 * after the play; the next player's dice. Where counting exactly would take longer, the number is
 * drawn among proposals instead: each play has the same number of them, and one that stands for no
 * play is rejected, so that the game draws again in its next step. Rejection leaves all plays equal
 * chances.
 *
 * Every game has a random stream of its own and draws from it in the order of its own plies. So it
 * does not matter which games share a step, nor in what order they come. */
#ifndef TAVLI_FAST_RANDOM_LANES_H
#define TAVLI_FAST_RANDOM_LANES_H

#include "generate/primes.h"
#include "random/vector.h"

/* A game: counts as bit planes in each side's own numbers (`tf_side`), the one on
 * roll first; its stream, which is xoshiro128++ (Blackman and Vigna, public domain); its dice. */
typedef struct {
    uint32_t mover[4], enemy[4];
    uint32_t stream[4]; /* not all 0 */
    uint32_t dice; /* the higher, and the lower << 8 */
    uint32_t left; /* plies until it is cut */
    uint32_t mover_pinned, enemy_pinned;
} __attribute__((aligned(64))) tf_game;

/* What comes next in a game. */
enum {
    TF_STEP_MIXED, /* a mixed roll, in lanes */
    TF_STEP_LATE, /* the same, where at most one checker is as far out as the higher die */
    TF_STEP_DOUBLES, /* doubles, in lanes */
    TF_STEP_SINGLE, /* a roll that is played without lanes */
    TF_STEP_ENDED, /* nothing: it is over, or cut */
    TF_STEPS
};

enum { TF_POOL = 128 }; /* games under way */

/* The games under way, and for each kind of step those that wait for it, first come, first served. */
typedef struct {
    tf_game games[TF_POOL + TF_LANES]; /* those behind fill lanes that nobody needs */
    uint8_t waiting[TF_STEPS][256]; /* numbers of games; a ring */
    uint32_t first[TF_STEPS], end[TF_STEPS]; /* counted on and on, modulo 256 a place in it */
    uint32_t proposals[TF_LANES]; /* of the last step: how many plays were drawn from */
    bool one_by_one; /* the rules let no roll through the lanes */
} tf_pool;

TF_INLINE uint32_t tf_waiting(const tf_pool *pool, int kind)
{
    return pool->end[kind] - pool->first[kind];
}

TF_INLINE void tf_wait(tf_pool *pool, int kind, uint8_t game)
{
    pool->waiting[kind][pool->end[kind]++ & 255] = game;
}

TF_INLINE uint8_t tf_next_waiting(tf_pool *pool, int kind)
{
    return pool->waiting[kind][pool->first[kind]++ & 255];
}

/* A number of 32 bits from a game's stream. */
TF_INLINE uint32_t tf_next_bits(uint32_t *s)
{
    uint32_t sum = s[0] + s[3], bits = ((sum << 7) | (sum >> 25)) + s[0], t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 11) | (s[3] >> 21);
    return bits;
}

/* A uniform number below n from such bits, or from more of the stream: `tf_below` of a game. */
TF_INLINE uint32_t tf_below_bits(uint32_t *stream, uint32_t bits, uint32_t n)
{
    uint64_t product = (uint64_t)bits * n;
    if ((uint32_t)product < n) {
        uint32_t tail = (0 - n) % n;
        while ((uint32_t)product < tail)
            product = (uint64_t)tf_next_bits(stream) * n;
    }
    return (uint32_t)(product >> 32);
}

/* The games of a step in lanes, word by word of `tf_game`. */
typedef struct {
    tf_lanes m[4], e[4], s[4], dice, left, mp, ep;
} tf_game_lanes;

TF_INLINE void tf_load_games(const tf_pool *pool, const uint8_t *which, tf_game_lanes *g)
{
    tf_lanes *words = (tf_lanes *)g;
#if defined(__AVX2__)
    for (int i = 0; i < TF_LANES; i++) {
        const tf_lanes *game = (const tf_lanes *)&pool->games[which[i]];
        words[i] = game[0];
        words[8 + i] = game[1];
    }
    tf_transpose(words);
    tf_transpose(words + 8);
#else
    for (int i = 0; i < TF_LANES; i++)
        for (int f = 0; f < 16; f++)
            ((uint32_t *)&words[f])[i] = ((const uint32_t *)&pool->games[which[i]])[f];
#endif
}

TF_INLINE void tf_store_games(tf_pool *pool, const uint8_t *which, tf_game_lanes *g)
{
    tf_lanes *words = (tf_lanes *)g;
#if defined(__AVX2__)
    tf_transpose(words);
    tf_transpose(words + 8);
    for (int i = 0; i < TF_LANES; i++) {
        tf_lanes *game = (tf_lanes *)&pool->games[which[i]];
        game[0] = words[i];
        game[1] = words[8 + i];
    }
#else
    for (int i = 0; i < TF_LANES; i++)
        for (int f = 0; f < 16; f++)
            ((uint32_t *)&pool->games[which[i]])[f] = ((uint32_t *)&words[f])[i];
#endif
}

/* `tf_next_bits` in lanes. */
TF_INLINE tf_lanes tf_next_bits_lanes(tf_lanes *s)
{
    tf_lanes sum = s[0] + s[3], bits = ((sum << 7) | (sum >> 25)) + s[0], t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 11) | (s[3] >> 21);
    return bits;
}

/* Take a checker from the point of each lane's bit, if it has one, or put one there. A count may be
 * below 0 on the way: it is a number modulo 16, and all is well in the end. */
TF_INLINE void tf_remove_lanes(tf_lanes *side, tf_lanes b)
{
    side[0] ^= b;
    b &= side[0];
    side[1] ^= b;
    b &= side[1];
    side[2] ^= b;
    side[3] ^= b & side[2];
}

TF_INLINE void tf_add_lanes(tf_lanes *side, tf_lanes b)
{
    side[0] ^= b;
    b &= ~side[0];
    side[1] ^= b;
    b &= ~side[1];
    side[2] ^= b;
    side[3] ^= b & ~side[2];
}

/* The same with n (below 8) checkers and one bit for all lanes' points. */
TF_INLINE void tf_add_many_lanes(tf_lanes *side, tf_lanes b, tf_lanes n)
{
    tf_lanes one = b & tf_is_set(n & 1u), two = b & tf_is_set(n & 2u);
    tf_lanes four = b & tf_is_set(n & 4u);
    tf_add_lanes(side, one);
    side[1] ^= two;
    two &= ~side[1];
    side[2] ^= two;
    side[3] ^= two & ~side[2];
    side[2] ^= four;
    side[3] ^= four & ~side[2];
}

/* The other side's points in the mover's numbers. */
TF_INLINE tf_lanes tf_opposite_lanes(tf_lanes x, int contact)
{
    if (contact == TF_NO_CONTACT)
        return (x << 12 | (x & TF_POINTS) >> 12) & TF_POINTS;
    return tf_mirror_lanes(x);
}

/* What a turn begins with. */
typedef struct {
    tf_lanes own1, own2; /* points with one or more and two or more of the mover's */
    tf_lanes land; /* open points; and 0, borne off, if all are home and may be borne off */
    tf_lanes blot; /* lone enemy checkers that can be hit */
    tf_lanes stop; /* those whose hitter may not move on */
    tf_lanes on_bar; /* mask: the mover has a checker on the bar */
    tf_lanes home; /* mask: checkers may be borne off */
} tf_lane_turn;

TF_INLINE tf_lane_turn tf_lane_turn_of(const tf_game_lanes *g, const tf_rules *rules, int contact)
{
    tf_lane_turn t;
    tf_lanes enemy2 = g->e[1] | g->e[2] | g->e[3];
    t.own2 = g->m[1] | g->m[2] | g->m[3];
    t.own1 = g->m[0] | t.own2;
    t.blot = t.stop = t.on_bar = tf_all(0);
    if (contact == TF_NO_CONTACT) {
        t.land = ~tf_opposite_lanes(g->e[0] | enemy2, contact) & TF_POINTS;
    } else if (contact == TF_HIT) {
        t.land = ~tf_mirror_lanes(enemy2) & TF_POINTS;
        t.blot = tf_mirror_lanes(g->e[0]) & t.land;
        t.stop = t.blot & rules->stop;
        t.on_bar = tf_is_set(t.own1 & TF_BAR_BIT);
    } else {
        t.land = ~(tf_mirror_lanes(enemy2) | g->mp) & TF_POINTS;
    }
    if (contact == TF_NO_CONTACT && rules->head_limit == 1)
        t.own2 &= ~TF_START_BIT; /* the others are held: nobody asks for them (`fix_head`) */
    t.home = tf_is_zero((t.own1 | g->mp) & TF_OUTSIDE);
    if (contact == TF_PIN)
        t.home &= tf_is_zero(g->mp); /* nobody bears off while one of his is pinned */
    t.land |= t.home & 1u;
    return t;
}

/* Do to the enemy what the mover's play does: `hits` are the mover's points on which it hit, `pinned`
 * the mover's own pinned checkers (see `tf_meet`). */
TF_INLINE void tf_meet_lanes(tf_game_lanes *g, tf_lanes hits, int contact)
{
    if (contact == TF_HIT) {
        g->e[0] ^= tf_mirror_lanes(hits); /* a blot is one checker: no borrow */
        tf_add_many_lanes(g->e, tf_all(TF_BAR_BIT), tf_count(hits));
    } else if (contact == TF_PIN) {
        tf_lanes own1 = g->m[0] | g->m[1] | g->m[2] | g->m[3];
        tf_lanes enemy2 = g->e[1] | g->e[2] | g->e[3];
        tf_lanes single = (g->e[0] & ~enemy2 & ~tf_mirror_lanes(g->mp)) | g->ep;
        tf_lanes caught = single & tf_mirror_lanes(own1);
        g->ep = caught;
        g->e[0] = (g->e[0] & ~single) | (single ^ caught);
    }
}

/* Whether the mover, who has just played, has ended the game: `over` is a mask. */
TF_INLINE tf_lanes tf_over_lanes(
    const tf_game_lanes *g, const tf_rules *rules, int contact, int may_bear_off)
{
    tf_lanes over = tf_all(0);
    tf_lanes mine = g->m[0] | g->m[1] | g->m[2] | g->m[3];
    if (may_bear_off)
        over = tf_is_zero(mine | g->mp);
    if (contact == TF_PIN && rules->mother != TF_NO_MOTHER) {
        /* See `tf_mother_result`. */
        tf_lanes theirs = g->e[0] | g->e[1] | g->e[2] | g->e[3];
        tf_lanes mine_caught = tf_is_set(g->mp & TF_START_BIT);
        tf_lanes theirs_caught = tf_is_set(g->ep & TF_START_BIT);
        if (rules->mother_draw)
            over |= mine_caught & theirs_caught;
        if (rules->mother == TF_LOSE_UNLESS_OWN_START) {
            over |= theirs_caught & ~mine_caught & tf_is_zero(mine & TF_START_BIT);
            over |= mine_caught & ~theirs_caught & tf_is_zero(theirs & TF_START_BIT);
        } else if (rules->mother == TF_LOSE_ALWAYS) {
            over |= theirs_caught ^ mine_caught;
        }
    }
    return over;
}

/* All points on which one of `from` could land in this turn, if nothing but closed points stood in
 * its way (`reach` in generate/movegen.c). */
TF_INLINE tf_lanes tf_reach_lanes(
    tf_lanes from, tf_lanes high, tf_lanes low, tf_lanes doubles, tf_lanes land)
{
    tf_lanes twice = from >> (high + low);
    return (from >> high | from >> low | twice | (doubles & (twice >> high | twice >> (high + low))))
        & land;
}

/* Whether a prime may be made in this turn that the rules ask about, or only the foremost may move: a
 * mask. A yes too many costs time (`needs_search` in generate/movegen.c). */
TF_INLINE tf_lanes tf_search_lanes(
    const tf_game_lanes *g, tf_lanes own1, tf_lanes own2, tf_lanes high, tf_lanes low,
    tf_lanes doubles, const tf_rules *rules)
{
    tf_lanes care = tf_all(0), moves = 2u + (doubles & 2u);
    tf_lanes theirs = g->e[0] | g->e[1] | g->e[2] | g->e[3];
    tf_lanes land = ~tf_opposite_lanes(theirs, TF_NO_CONTACT) & TF_POINTS;
    if (rules->gate)
        care |= tf_is_zero(own1 & rules->gate);
    if (rules->head_limit == 1) /* with some doubles another one may leave in the first turn */
        care |= doubles & tf_is_zero(own1 & ~TF_START_BIT);
    if (!rules->own_start_prime) {
        tf_lanes reached = tf_reach_lanes(own2 & TF_OWN_START, high, low, doubles, land);
        tf_lanes missing = TF_OWN_START & ~own1;
        care |= tf_is_zero(missing & ~reached) & ~tf_less(moves, tf_count(missing));
    }
    if (rules->opp_start_max < 6 || rules->trap != TF_NO_TRAP) {
        tf_lanes reached = tf_reach_lanes(own1, high, low, doubles, land);
        if (rules->opp_start_max < 6) {
            tf_lanes held = tf_count(own1 & TF_ENEMY_START);
            tf_lanes more = tf_count(reached & TF_ENEMY_START & ~own1);
            care |= tf_less(
                tf_all((uint32_t)rules->opp_start_max), held + tf_lesser(more, moves));
        }
        if (rules->trap == TF_NEED_AHEAD) {
            /* The first points of primes, in the enemy's numbers, that no checker of his has passed. */
            tf_lanes held = tf_opposite_lanes(own1 | reached, TF_NO_CONTACT), first = held;
            for (int i = 1; i < rules->prime_len; i++)
                first &= held >> i;
            care |= tf_is_set(first & (theirs ^ (theirs - 1)));
        } else if (rules->trap == TF_SINGLE_POINT) {
            /* The prime right in front of all the enemy's checkers. */
            tf_lanes held = tf_opposite_lanes(own1 | reached, TF_NO_CONTACT);
            tf_lanes last = theirs >> rules->prime_len;
            care |= tf_is_zero(theirs & (theirs - 1)) & tf_is_set(last & TF_POINTS)
                & tf_is_zero((theirs - last) & ~held);
        }
    }
    return care;
}

/* End the ply of the lanes `played`, whose mover has moved: the other side rolls its dice from `bits`,
 * and the game waits for its next step. The others wait for the step `again`. Both are written back. */
TF_INLINE void tf_end_ply(
    tf_pool *pool, const uint8_t *which, int n, tf_game_lanes *g, tf_lanes played, tf_lanes bits,
    int again, const tf_rules *rules, int contact, int may_bear_off)
{
    tf_lanes over = tf_over_lanes(g, rules, contact, may_bear_off) & played;
    tf_lanes low, number = tf_multiply(bits, tf_all(36), &low);
    tf_lanes rare = tf_is_zero(low & ~3u) & played; /* 2^32 % 36 == 4: see `tf_below_bits` */
    uint32_t redo = tf_lane_bits(rare);
    for (int i = 0; i < 4; i++) {
        tf_lanes mover = g->m[i];
        g->m[i] = tf_choose(played, g->e[i], mover);
        g->e[i] = tf_choose(played, mover, g->e[i]);
    }
    if (contact == TF_PIN) {
        tf_lanes pinned = g->mp;
        g->mp = tf_choose(played, g->ep, pinned);
        g->ep = tf_choose(played, pinned, g->ep);
    }
    g->left += played;
    if (redo) {
        for (int i = 0; i < TF_LANES; i++) {
            if (redo >> i & 1) {
                uint32_t stream[4] = {g->s[0][i], g->s[1][i], g->s[2][i], g->s[3][i]};
                number[i] = tf_below_bits(stream, bits[i], 36);
                for (int k = 0; k < 4; k++)
                    g->s[k][i] = stream[k];
            }
        }
    }
    tf_lanes die2 = (number * 43u) >> 8; /* number / 6, below 36 */
    tf_lanes die1 = number - 6u * die2;
    tf_lanes high = tf_greater(die1, die2) + 1u, low_die = tf_lesser(die1, die2) + 1u;
    g->dice = tf_choose(played, high | low_die << 8, g->dice);

    /* Which way the roll is played. Bearing off may make the order of the moves matter
     * (`tf_is_ordered`, `free` in doubles.h). */
    tf_lanes doubles = tf_equal(high, low_die);
    tf_lanes own2 = g->m[1] | g->m[2] | g->m[3], own1 = g->m[0] | own2;
    tf_lanes out = own1 & TF_OUTSIDE;
    tf_lanes many = (own2 | g->mp) & TF_OUTSIDE;
    tf_lanes far = own1 >> high << high, far2 = (far & (far - 1)) | (own2 & far);
    tf_lanes bears_off = tf_is_zero(out & (out - 1)) & tf_is_zero(many)
        & tf_is_zero((out >> high) & TF_OUTSIDE);
    /* With doubles, if three moves can bring all home: so many as checkers are outside, and one more
     * for those further out by one die, by two and by three. */
    tf_lanes needed = tf_all(0), beyond = tf_all(TF_OUTSIDE);
    for (int i = 0; i < 4; i++) {
        tf_lanes twos = tf_count_in_bytes(g->m[1] & beyond);
        needed += tf_count_in_bytes(g->m[0] & beyond) + twos + twos;
        beyond <<= high;
    }
    tf_lanes bears_off_4 = tf_is_set(out) & tf_less(tf_sum_of_bytes(needed), tf_all(4))
        & tf_is_zero((g->m[2] | g->m[3] | g->mp) & TF_OUTSIDE);
    if (contact == TF_HIT)
        bears_off_4 &= tf_is_zero(out & TF_BAR_BIT);
    if (contact == TF_PIN) {
        tf_lanes none_pinned = tf_is_zero(g->mp);
        bears_off &= none_pinned;
        bears_off_4 &= none_pinned;
    }
    /* One checker on the board may win with one die, and some rules allow that. */
    tf_lanes late = bears_off & tf_is_zero(far2) & tf_is_set((own1 & (own1 - 1)) | own2);
    tf_lanes single = bears_off & ~late & tf_is_zero(far2);
    single = tf_choose(doubles, bears_off_4, single);
    if (pool->one_by_one)
        single = tf_all(~0u);
    if (rules->cascade)
        single |= doubles;
    if (contact == TF_NO_CONTACT)
        single |= tf_search_lanes(g, own1, own2, high, low_die, doubles, rules);
    tf_lanes kind = tf_choose(doubles, tf_all(TF_STEP_DOUBLES), late & TF_STEP_LATE);
    kind = tf_choose(single, tf_all(TF_STEP_SINGLE), kind);
    kind = tf_choose(over | tf_is_zero(g->left), tf_all(TF_STEP_ENDED), kind);
    kind = tf_choose(played, kind, tf_all((uint32_t)again));
    uint32_t kinds[TF_LANES];
    memcpy(kinds, &kind, sizeof kinds);
    tf_store_games(pool, which, g);
    for (int i = 0; i < n; i++)
        tf_wait(pool, (int)kinds[i], which[i]);
}

/* Which numbers below `n` may not stand, so that all have the same chance (`tf_below_bits`): a mask. */
TF_INLINE tf_lanes tf_short_tail(tf_lanes low, tf_lanes n)
{
    tf_lanes tail = tf_all(0);
    /* Hardly ever so small; `low` as a signed number would be compared wrongly. */
    tf_lanes small = tf_is_zero(low & ~0x3ffffu) & tf_less(low, n);
    uint32_t rare = tf_lane_bits(small);
    if (rare)
        for (int i = 0; i < TF_LANES; i++)
            if (rare >> i & 1 && low[i] < (0 - n[i]) % n[i])
                tail[i] = ~0u;
    return tail;
}

/* Sub-step of a choice: whether k is below n, in a kind not yet found; else k goes down by n. */
TF_INLINE tf_lanes tf_falls_in(tf_lanes *k, tf_lanes n, tf_lanes *found)
{
    tf_lanes here = tf_less(*k, n) & ~*found;
    *found |= here;
    *k -= n & ~*found;
    return here;
}

/* A mixed roll in lanes (see generate/mixed.h for what is a play). The order of the dice does not
 * matter here: either nobody can bear off, or at least two checkers stand as far out as the higher die
 * or further. Then whatever goes first, each die bears off from its own point only, and to be off is
 * like standing on one more open point; if one checker is still outside, only after it has come home. */
TF_INLINE void tf_mixed_lanes(
    tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules, int contact)
{
    tf_game_lanes g;
    tf_load_games(pool, which, &g);
    tf_lanes bits = tf_next_bits_lanes(g.s), dice_bits = tf_next_bits_lanes(g.s);
    tf_lane_turn t = tf_lane_turn_of(&g, rules, contact);
    tf_lanes high = g.dice & 0xffu, low = g.dice >> 8;
    tf_lanes H = t.own1 & t.land << high, L = t.own1 & t.land << low; /* sources of each die */
    tf_lanes both = t.land << (high + low), one = tf_all(1);
    /* One outside, which may come home. (Where nobody is as far out as two dice, `tf_late_lanes`.) */
    tf_lanes last = t.own1 & TF_OUTSIDE;
    last &= tf_is_zero((last & (last - 1)) | (t.own2 & TF_OUTSIDE) | (last >> high & TF_OUTSIDE));
    if (contact == TF_PIN)
        last &= tf_is_zero(g.mp);
    both |= last & one << (high + low);
    tf_lanes high_bit = one << high, low_bit = one << low;
    tf_lanes last_low = last & L & tf_is_zero(last >> low & TF_OUTSIDE);
    tf_lanes then_low = last & H & tf_is_set(t.own1 & low_bit);
    tf_lanes then_high = last_low & tf_is_set(t.own1 & high_bit);
    tf_lanes high_only = H, low_only = L; /* those that may go first */
    tf_lanes second_low = L; /* those of the lower die that may go beside one of `high_only` */
    tf_lanes second_high = tf_all(0); /* with one on the bar: of the higher die, after its entry */
    if (contact == TF_HIT) {
        tf_lanes two = tf_is_set(t.own2 & TF_BAR_BIT), one = t.on_bar & ~two;
        high_only &= ~t.on_bar | TF_BAR_BIT;
        low_only &= ~t.on_bar | TF_BAR_BIT;
        both &= ~two;
        second_low &= ~(one & TF_BAR_BIT) & ~(two & ~TF_BAR_BIT);
        second_high = H & one & ~TF_BAR_BIT & tf_is_set(L & TF_BAR_BIT);
    }
    /* Runs of one checker by both dice, by the die that goes first. If neither way hits, the two
     * are the same play. */
    tf_lanes high_runs = high_only & both, low_runs = low_only & both;
    tf_lanes dead_high = high_only & ~high_runs, dead_low = low_only & ~low_runs;
    if (contact == TF_HIT) {
        tf_lanes blot_low = t.blot << low;
        high_runs &= ~(t.stop << high);
        low_runs &= ~(t.stop << low);
        if (!rules->max_dice) {
            dead_high = high_only & ~high_runs;
            dead_low = low_only & ~low_runs;
        }
        low_runs &= blot_low | ~(high_runs & ~(t.blot << high));
    } else {
        low_runs &= ~high_runs;
    }
    tf_lanes first = high_only, second = second_low;
    /* The sources of the higher die beside one of the lower that is known: the checker on the bar, or
     * the last one outside and whoever bears off then. Without runs. */
    tf_lanes beside = (second_high & ~(TF_BAR_BIT >> low)) | (then_low & ~(low_bit << high))
        | (high_bit & tf_is_set(then_high & ~(high_bit << low)));
    tf_lanes n_first = tf_count(first), n_second = tf_count(second);
    tf_lanes n_pairs = n_first * n_second;
    /* Pairs that are no play of their own: the same single checker twice, or a run of another. */
    tf_lanes same = first & second & ~t.own2;
    tf_lanes not_pairs = tf_sum_of_bytes(
        tf_count_in_bytes(same) + tf_count_in_bytes(first & second << high)
        + tf_count_in_bytes(second & first << low));
    tf_lanes n_beside = tf_count(beside);
    tf_lanes n_high_runs = tf_count(high_runs), n_low_runs = tf_count(low_runs);
    tf_lanes no_twos = tf_equal(n_pairs, not_pairs)
        & tf_is_zero(n_beside + n_high_runs + n_low_runs);
    n_pairs &= ~no_twos;
    /* Plays of one die (29 to 32). */
    tf_lanes only_high, only_low;
    if (rules->max_dice) {
        only_high = high_only & no_twos;
        only_low = low_only & no_twos;
    } else {
        /* Only those after which the other die cannot be played (`dead_ends`). */
        tf_lanes lows = second_low, highs = H;
        if (contact == TF_HIT) {
            tf_lanes two = tf_is_set(t.own2 & TF_BAR_BIT), one = t.on_bar & ~two;
            highs &= ~(one & TF_BAR_BIT) & ~(two & ~TF_BAR_BIT);
        }
        only_high = dead_high
            & (tf_is_zero(lows) | (tf_is_zero(lows & (lows - 1)) & lows & ~t.own2));
        only_low = dead_low
            & (tf_is_zero(highs) | (tf_is_zero(highs & (highs - 1)) & highs & ~t.own2));
        only_high &= ~then_low;
        only_low &= ~then_high;
    }
    if (rules->higher_die)
        only_low &= ~(no_twos & tf_is_set(only_high));
    tf_lanes n_only_high = tf_count(only_high), n_only_low = tf_count(only_low);
    tf_lanes all = n_pairs + n_beside + n_high_runs + n_low_runs + n_only_high + n_only_low;
    memcpy(pool->proposals, &all, sizeof all);

    tf_lanes tail, k = tf_multiply(bits, all, &tail);
    tf_lanes rejected = tf_short_tail(tail, all);
    tf_lanes found = tf_all(0);
    tf_lanes is_pair = tf_falls_in(&k, n_pairs, &found);
    tf_lanes j, i = tf_divide(k, tf_greater(n_second, tf_all(1)), &j);
    i = tf_choose(is_pair, i, k);
    tf_lanes is_beside = tf_falls_in(&k, n_beside, &found);
    tf_lanes is_high_run = tf_falls_in(&k, n_high_runs, &found);
    tf_lanes is_low_run = tf_falls_in(&k, n_low_runs, &found);
    tf_lanes is_only_high = tf_falls_in(&k, n_only_high, &found);
    tf_lanes is_only_low = tf_falls_in(&k, n_only_low, &found);
    i = tf_choose(is_pair, i, k);
    tf_lanes from = (first & is_pair) | (beside & is_beside) | (high_runs & is_high_run)
        | (low_runs & is_low_run) | (only_high & is_only_high) | (only_low & is_only_low);
    tf_lanes x = tf_nth_bit(from, i), y = tf_nth_bit(second & is_pair, j);
    tf_lanes other = tf_choose(
        t.on_bar, tf_all(TF_BAR_BIT), tf_choose(tf_is_set(x & last), low_bit, last));
    /* The source of each die; 0 is none. A run's second source is where its first move lands. */
    tf_lanes a = tf_choose(is_low_run, x >> low, x & ~is_only_low);
    tf_lanes b = (y & is_pair) | (is_beside & other) | (is_high_run & x >> high)
        | ((is_low_run | is_only_low) & x);
    rejected |= is_pair
        & tf_is_set((a & b & ~t.own2) | (b & a >> high) | (a & b >> low));
    tf_lanes played = ~rejected;
    a &= played;
    b &= played;
    tf_lanes to_a = a >> high & TF_POINTS, to_b = b >> low & TF_POINTS;
    tf_remove_lanes(g.m, a);
    tf_remove_lanes(g.m, b);
    tf_add_lanes(g.m, to_a);
    tf_add_lanes(g.m, to_b);
    tf_meet_lanes(&g, (to_a | to_b) & t.blot, contact);
    tf_end_ply(pool, which, n, &g, played, dice_bits, TF_STEP_MIXED, rules, contact, 0);
}

/* A mixed roll in lanes, where all are home, but for one checker maybe that comes home with the higher
 * die; no other is as far out as the higher die, and there are two checkers or more.
 *
 * So the higher die, when it is played first, has one source: the farthest checker q, which it may
 * bear off; and if it is played second, the same, unless q has gone first. So the plays are: q by
 * the higher die, then any that the lower die can play; and, if it stands there alone, q by the lower die
 * and then whoever is the farthest by the higher. That is a play of the first kind only if q
 * takes both dice and comes to the same point either way, hitting nothing on the way. */
TF_INLINE void tf_late_lanes(
    tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules, int contact)
{
    tf_game_lanes g;
    tf_load_games(pool, which, &g);
    tf_lanes bits = tf_next_bits_lanes(g.s), dice_bits = tf_next_bits_lanes(g.s);
    tf_lane_turn t = tf_lane_turn_of(&g, rules, contact);
    tf_lanes high = g.dice & 0xffu, low = g.dice >> 8, one = tf_all(1);
    tf_lanes high_bit = one << high, low_bit = one << low;
    tf_lanes land = t.land & TF_POINTS;
    tf_lanes q = t.own1;
    q |= q >> 1;
    q |= q >> 2;
    q |= q >> 4;
    q |= q >> 8; /* at most point 12 */
    q &= ~(q >> 1);
    tf_lanes alone = tf_is_zero(q & t.own2);
    tf_lanes rest = t.own1 & ~(q & alone);
    tf_lanes next = rest; /* the farthest of the others */
    next |= next >> 1;
    next |= next >> 2;
    next |= next >> 4;
    next &= ~(next >> 1);
    /* The higher die first. */
    tf_lanes to_high = q >> high & land;
    tf_lanes high_off = ~tf_less(high_bit, q), high_goes = high_off | tf_is_set(to_high);
    tf_lanes then = rest | to_high; /* where the mover's checkers are then */
    tf_lanes farthest = tf_greater(next, to_high);
    tf_lanes may_go = then & ~(to_high & t.stop);
    tf_lanes after_high = (may_go & (land | 1u) << low)
        | (may_go & farthest & tf_less(farthest, low_bit));
    after_high &= high_goes;
    /* The lower die first, from q: to q1, and the higher die from there, or from `next`. */
    tf_lanes q1 = q >> low & land;
    tf_lanes self_runs = tf_less(high_bit, q1), self_exact = tf_equal(q1, high_bit);
    tf_lanes near = tf_less(q1, high_bit), other = near & tf_less(q1, next);
    tf_lanes self = (self_runs & tf_is_set(q1 >> high & land)) | self_exact | (near & ~other);
    self &= tf_is_zero(q1 & t.stop);
    tf_lanes low_goes = tf_is_set(q1) & alone & (self | other);
    tf_lanes same = self & tf_is_set(to_high) & tf_is_zero((to_high | q1) & t.blot)
        & (~near | ~tf_less(to_high, next));
    tf_lanes low_first = low_goes & ~same;
    /* Plays of one die: after them the other cannot be played. */
    tf_lanes only_high = q & high_goes & tf_is_zero(after_high);
    tf_lanes only_low = t.own1 & t.land << low & ~(q & low_goes);
    only_low &= ~high_goes | (q & alone & ~low_bit); /* if q is off, the next one can go */
    tf_lanes n_after = tf_count(after_high), n_low_first = one & low_first;
    tf_lanes no_twos = tf_is_zero(n_after + n_low_first);
    if (rules->max_dice) {
        only_high &= no_twos;
        only_low &= no_twos;
    }
    if (rules->higher_die)
        only_low &= ~(no_twos & tf_is_set(only_high));
    tf_lanes n_only_high = tf_count(only_high), n_only_low = tf_count(only_low);
    tf_lanes all = n_after + n_low_first + n_only_high + n_only_low;
    memcpy(pool->proposals, &all, sizeof all);

    tf_lanes tail, k = tf_multiply(bits, all, &tail);
    tf_lanes rejected = tf_short_tail(tail, all);
    tf_lanes found = tf_all(0);
    tf_lanes is_after = tf_falls_in(&k, n_after, &found);
    tf_lanes is_low_first = tf_falls_in(&k, n_low_first, &found);
    tf_lanes is_only_high = tf_falls_in(&k, n_only_high, &found);
    tf_lanes is_only_low = tf_falls_in(&k, n_only_low, &found);
    tf_lanes x = tf_nth_bit((after_high & is_after) | (only_low & is_only_low), k);
    tf_lanes played = ~rejected;
    tf_lanes a = (q & (is_after | is_only_high)) | (tf_choose(self, q1, next) & is_low_first);
    tf_lanes b = x | (q & is_low_first);
    a &= played;
    b &= played;
    tf_lanes to_a = a >> high & TF_POINTS, to_b = b >> low & TF_POINTS;
    tf_remove_lanes(g.m, a);
    tf_remove_lanes(g.m, b);
    tf_add_lanes(g.m, to_a);
    tf_add_lanes(g.m, to_b);
    tf_meet_lanes(&g, (to_a | to_b) & t.blot, contact);
    tf_end_ply(pool, which, n, &g, played, dice_bits, TF_STEP_LATE, rules, contact, 1);
}

/* Doubles in lanes, where nobody can bear off, or all are home.
 *
 * A play's position is told by how often each point is a source (generate/doubles.h). Say m(p) times
 * where the mover has own(p): then m(p) <= own(p) + m(p + die), and where a hitter must stop, one
 * less. Call a point that gives more than it had "fed" by the point before it, and a maximal run of
 * points, each fed by the one before, a block; a block may be one point alone. Each play falls into
 * its blocks in one way, and blocks that share no point can be put together as one likes. The blocks
 * of 1 to 4 moves are few kinds: a block [2 1 1] gives two from its first point, one from the
 * second, one from the third. So the plays are counted by the numbers of points with which the
 * blocks of each kind can begin, and no loop is needed:
 * F points for [1], `n2` blocks of two moves, `n3` of three, `n4` of four. Of four moves there are
 *   C(F, 4) + n2 C(F - 1, 2) + C(n2, 2) - clash + n3 (F - 1) - clash' + n4
 * plays: every block begins at one of the F points, which is then no other block's, and two pairs
 * of blocks clash besides, [2] with [1 1] from the same point, and [1 2] with [1] at its second.
 *
 * With all home, a checker on the die's own point bears off at any time: 0 is one more open point.
 * From a nearer point it bears off only when none is further out, so when all that stood there have
 * made all moves that they can; and then the rest of the moves leaves no choice. */
TF_INLINE void tf_doubles_lanes(
    tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules, int contact)
{
    tf_game_lanes g;
    tf_load_games(pool, which, &g);
    tf_lanes bits = tf_next_bits_lanes(g.s), dice_bits = tf_next_bits_lanes(g.s);
    tf_lane_turn t = tf_lane_turn_of(&g, rules, contact);
    tf_lanes die = g.dice >> 8, die2 = die + die, die3 = die2 + die;
    tf_lanes left = tf_all(4); /* moves after those that leave no choice */
    tf_lanes entry = tf_all(0), entered = tf_all(0), m[4] = {g.m[0], g.m[1], g.m[2], g.m[3]};
    if (contact == TF_HIT) {
        /* Checkers on the bar enter first (43, 47); if they cannot, nothing moves. */
        tf_lanes four = tf_is_set((m[2] | m[3]) & TF_BAR_BIT);
        entry = (TF_BAR_BIT >> die) & t.land & t.on_bar;
        entered = (m[0] >> 25 & 1u) + (m[1] >> 24 & 2u);
        entered = tf_choose(four, tf_all(4), entered) & tf_is_set(entry);
        left = (left - entered) & (tf_is_set(entry) | ~t.on_bar);
        tf_lanes leaves = tf_is_set(entry) & TF_BAR_BIT, rest = leaves & four;
        m[0] &= ~(leaves & ~rest);
        m[1] &= ~(leaves & ~rest);
        m[2] ^= rest;
        m[3] ^= rest & m[2];
        tf_add_many_lanes(m, entry, entered);
    }
    tf_lanes ge4 = m[2] | m[3], ge2 = m[1] | ge4, ge1 = m[0] | ge2, ge3 = ge4 | (m[1] & m[0]);
    if (contact == TF_NO_CONTACT && rules->head_limit == 1) {
        ge2 &= ~TF_START_BIT;
        ge3 &= ~TF_START_BIT;
        ge4 &= ~TF_START_BIT;
    }
    tf_lanes open = t.land << die & TF_POINTS; /* from there the die can be played */
    tf_lanes F = ge1 & open;
    /* Points that can be fed, by what they have themselves. A hitter that stops is not fed on. */
    tf_lanes fed0 = open & ~ge1, fed0_go = fed0 & ~t.stop;
    tf_lanes fed1 = ge1 & ~ge2 & open, fed2 = ge2 & ~ge3 & open;
    tf_lanes from0 = fed0 << die, from0_go = fed0_go << die, from1 = fed1 << die;
    tf_lanes then0 = fed0 << die2, then0_go = fed0_go << die2, then1 = fed1 << die2;
    tf_lanes block[14];
    block[0] = ge2 & open; /* [2] */
    block[1] = F & from0_go; /* [1 1] */
    block[2] = ge3 & open; /* [3] */
    block[3] = block[0] & from0; /* [2 1] */
    block[4] = F & from1; /* [1 2] */
    block[5] = block[1] & then0_go; /* [1 1 1] */
    block[6] = ge4 & open; /* [4] */
    block[7] = block[2] & from0; /* [3 1] */
    block[8] = block[0] & (from0_go | from1); /* [2 2] */
    block[9] = F & fed2 << die; /* [1 3] */
    block[10] = block[3] & then0_go; /* [2 1 1] */
    block[11] = block[4] & then0; /* [1 2 1] */
    block[12] = block[1] & then1; /* [1 1 2] */
    block[13] = block[5] & fed0_go << die3; /* [1 1 1 1] */
    /* How many points further the second, third and fourth move of a block begin, two bits each. */
    static const uint8_t steps[14] = {
        0, 1, 0, 4, 5, 9, 0, 16, 20, 21, 36, 37, 41, 57,
    };
    tf_lanes count[14], bytes3 = tf_all(0), bytes4 = tf_all(0);
    for (int i = 0; i < 14; i++) {
        tf_lanes in_bytes = tf_count_in_bytes(block[i]);
        if (i >= 6)
            bytes4 += in_bytes;
        else if (i >= 2)
            bytes3 += in_bytes;
        count[i] = tf_sum_of_bytes(in_bytes);
    }
    tf_lanes f = tf_count(F), f1 = f - (tf_all(1) & tf_is_set(f));
    tf_lanes f2 = f1 - (tf_all(1) & tf_is_set(f1)), f3 = f2 - (tf_all(1) & tf_is_set(f2));
    tf_lanes n2 = count[0] + count[1], n21 = n2 - (tf_all(1) & tf_is_set(n2));
    tf_lanes n3 = tf_sum_of_bytes(bytes3), n4 = tf_sum_of_bytes(bytes4);
    tf_lanes ff = f * f1, fff = ff * f2;
    /* Proposals: 24 for each play of four moves, 6, 2 and 1 for those of three, two and one, for
     * points for [1], and two blocks of two moves, are drawn one after the other. */
    tf_lanes four0 = fff * f3, four1 = 12u * n2 * (f1 * f2), four2 = 12u * n2 * n21;
    tf_lanes four3 = 24u * n3 * f1, four4 = 24u * n4;
    tf_lanes clashes = 24u * (tf_count(block[0] & block[1]) + count[4]);
    tf_lanes is4 = tf_equal(left, tf_all(4)) & tf_is_set(four0 + four1 + four2 + four3 + four4 - clashes);
    tf_lanes three = fff + 6u * (n2 * f1) + 6u * n3;
    tf_lanes is3 = tf_less(tf_all(2), left) & ~is4 & tf_is_set(three);
    tf_lanes is2 = tf_less(tf_all(1), left) & ~is4 & ~is3 & tf_is_set(ff + n2);
    tf_lanes is1 = tf_is_set(left) & ~is4 & ~is3 & ~is2;
    tf_lanes all0 = (four0 & is4) | (fff & is3) | (ff & is2) | (f & is1);
    tf_lanes all1 = (four1 & is4) | (6u * (n2 * f1) & is3) | (2u * n2 & is2);
    tf_lanes all2 = four2 & is4;
    tf_lanes all3 = (four3 & is4) | (6u * n3 & is3);
    tf_lanes all4 = four4 & is4;
    tf_lanes all = all0 + all1 + all2 + all3 + all4;
    memcpy(pool->proposals, &all, sizeof all);

    tf_lanes tail, k = tf_multiply(bits, all, &tail);
    tf_lanes rejected = tf_short_tail(tail, all);
    tf_lanes found = tf_all(0);
    tf_lanes in0 = tf_falls_in(&k, all0, &found), in1 = tf_falls_in(&k, all1, &found);
    tf_lanes in2 = tf_falls_in(&k, all2, &found), in3 = tf_falls_in(&k, all3, &found);
    tf_lanes in4 = tf_falls_in(&k, all4, &found);
    tf_lanes twos = in1 | in2, one = tf_all(1);
    /* Mixed digits: which block comes first, and which of the remaining ones follow. */
    tf_lanes base = (f & in0) | (n2 & twos) | (n3 & in3) | (n4 & in4);
    tf_lanes i1, i2, i3, i4, rest = tf_divide(k, tf_greater(base, one), &i1);
    rest = tf_divide(rest, tf_greater(tf_choose(in2, n21, f1), one), &i2);
    rest = tf_divide(rest, tf_greater(f2, one), &i3);
    tf_divide(rest, tf_greater(f3, one), &i4);

    /* The first block, among those of its number of moves. */
    tf_lanes at = i1, first = F & in0, offset = tf_all(0), is_12 = tf_all(0);
    found = in0 | ~(in0 | twos | in3 | in4);
    for (int i = 0; i < 14; i++) {
        tf_lanes size = i < 2 ? twos : i < 6 ? in3 : in4;
        tf_lanes here = tf_less(at, count[i]) & size & ~found;
        found |= here;
        at -= count[i] & size & ~found;
        first |= block[i] & here;
        offset |= here & steps[i];
        if (i == 4)
            is_12 = here;
    }
    tf_lanes s1 = tf_nth_bit(first, at);
    /* The second: a block of two moves, or [1]. */
    i2 += one & in2 & ~tf_less(i2, i1);
    tf_lanes second_is_2 = ~tf_less(i2, count[0]) & in2;
    i2 -= count[0] & second_is_2;
    tf_lanes second = tf_choose(
        in2, tf_choose(second_is_2, block[1], block[0]), F & ~s1);
    tf_lanes needs2 = (in0 & (is4 | is3 | is2)) | (in1 & (is4 | is3)) | in2 | (in3 & is4);
    tf_lanes s2 = tf_nth_bit(second & needs2, i2);
    tf_lanes needs3 = (in0 & (is4 | is3)) | (in1 & is4);
    tf_lanes s3 = tf_nth_bit(F & ~(s1 | s2) & needs3, i3);
    tf_lanes s4 = tf_nth_bit(F & ~(s1 | s2 | s3) & in0 & is4, i4);
    rejected |= tf_is_set(in2 & s1 & s2) | tf_is_set(is_12 & s2 & s1 >> die);
    tf_lanes played = ~rejected;

    /* The four sources: those of the first block, then the others. */
    tf_lanes step2 = s1 >> (offset & 3u) * die, step3 = s1 >> (offset >> 2 & 3u) * die;
    tf_lanes step4 = s1 >> (offset >> 4) * die;
    tf_lanes source[4];
    source[0] = s1;
    source[1] = tf_choose(in0, s2, step2);
    source[2] = (s3 & in0) | (s2 & twos) | (step3 & (in3 | in4));
    source[3] = (s4 & in0) | (s3 & in1) | (tf_choose(second_is_2, s2 >> die, s2) & in2)
        | (s2 & in3) | (step4 & in4);
    tf_lanes landings = entry;
    for (int i = 0; i < 4; i++) {
        tf_lanes from = source[i], to = from >> die & TF_POINTS;
        landings |= to;
        tf_remove_lanes(m, from);
        tf_add_lanes(m, to);
    }
    /* Moves that are left bear off the farthest, if none is as far out as the die. */
    tf_lanes unused = t.home & (left - (is4 & 4u) - (is3 & 3u) - (is2 & 2u) - (is1 & tf_is_set(f) & 1u));
    unused &= tf_is_zero((m[0] | m[1] | m[2] | m[3]) >> die);
    if (tf_lane_bits(tf_is_set(unused)))
        for (uint32_t i = 0; i < 4; i++) {
            tf_lanes there = m[0] | m[1] | m[2] | m[3];
            there |= there >> 1;
            there |= there >> 2;
            there |= there >> 4;
            tf_remove_lanes(m, there & ~(there >> 1) & tf_less(tf_all(i), unused));
        }
    for (int i = 0; i < 4; i++)
        g.m[i] = tf_choose(played, m[i], g.m[i]);
    tf_meet_lanes(&g, landings & t.blot & played, contact);
    tf_end_ply(pool, which, n, &g, played, dice_bits, TF_STEP_DOUBLES, rules, contact, 1);
}

/* End the plies of games that were played without lanes. */
TF_INLINE void tf_end_single_plies(
    tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules, int contact)
{
    tf_game_lanes g;
    tf_load_games(pool, which, &g);
    tf_lanes bits = tf_next_bits_lanes(g.s);
    tf_end_ply(pool, which, n, &g, tf_all(~0u), bits, TF_STEP_SINGLE, rules, contact, 1);
}

/* A step of up to eight games: a function for each kind of step and of contact. */
#define TF_DEFINE_STEPS(name, contact)                                                              \
    static __attribute__((noinline)) void tf_mixed_##name(                                          \
        tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules)                     \
    {                                                                                               \
        tf_mixed_lanes(pool, which, n, rules, contact);                                             \
    }                                                                                               \
    static __attribute__((noinline)) void tf_late_##name(                                           \
        tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules)                     \
    {                                                                                               \
        tf_late_lanes(pool, which, n, rules, contact);                                              \
    }                                                                                               \
    static __attribute__((noinline)) void tf_doubles_##name(                                        \
        tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules)                     \
    {                                                                                               \
        tf_doubles_lanes(pool, which, n, rules, contact);                                           \
    }                                                                                               \
    static __attribute__((noinline)) void tf_single_##name(                                         \
        tf_pool *pool, const uint8_t *which, int n, const tf_rules *rules)                     \
    {                                                                                               \
        tf_end_single_plies(pool, which, n, rules, contact);                                        \
    }
TF_DEFINE_STEPS(hit, TF_HIT)
TF_DEFINE_STEPS(pin, TF_PIN)
TF_DEFINE_STEPS(block, TF_NO_CONTACT)
#undef TF_DEFINE_STEPS

static inline void tf_step(
    tf_pool *pool, int kind, const uint8_t *which, int n, const tf_rules *rules)
{
    typedef void (*step)(tf_pool *, const uint8_t *, int, const tf_rules *);
    static const step steps[3][TF_STEP_ENDED] = {
        {tf_mixed_hit, tf_late_hit, tf_doubles_hit, tf_single_hit},
        {tf_mixed_pin, tf_late_pin, tf_doubles_pin, tf_single_pin},
        {tf_mixed_block, tf_late_block, tf_doubles_block, tf_single_block},
    };
    uint8_t all[TF_LANES];
    for (int i = 0; i < TF_LANES; i++)
        all[i] = i < n ? which[i] : (uint8_t)(TF_POOL + i);
    steps[rules->contact][kind](pool, all, n, rules);
}

#endif
