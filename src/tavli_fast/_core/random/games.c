/* Random games: who plays when, rolls that do not go through the lanes, and results. */
#include "random/games.h"

#include "board/result.h"
#include "generate/movegen.h"
#include "random/lanes.h"

/* Plies that a game's counter holds; that of a longer game is set anew. */
#define LONGEST (1 << 30)

static void init_pool(tf_pool *pool, const tf_rules *rules)
{
    memset(pool, 0, sizeof *pool);
    /* Rules that the lanes do not know, of house rules all. */
    pool->one_by_one = !rules->bearoff_internal || !rules->bearoff_oversize
        || rules->bearoff_while_pinned || rules->trap == TF_IMMOBILE
        || (rules->mother != TF_NO_MOTHER && rules->mother_immediate)
        || (rules->contact == TF_NO_CONTACT && !rules->parallel)
        || (rules->head_limit > 1 && rules->head_limit < 15);
    for (int i = TF_POOL; i < TF_POOL + TF_LANES; i++) {
        /* Nobody on the board: every roll is a dance. */
        pool->games[i].stream[0] = 1;
        pool->games[i].dice = 2 | 1 << 8;
    }
}

static void get_side(tf_side *side, const uint32_t *planes, uint32_t pinned)
{
    *side = (tf_side){planes[0], planes[1], planes[2], planes[3], pinned};
}

static void get_sides(const tf_game *game, tf_side *mover, tf_side *enemy)
{
    get_side(mover, game->mover, game->mover_pinned);
    get_side(enemy, game->enemy, game->enemy_pinned);
}

static void put_sides(tf_game *game, const tf_side *mover, const tf_side *enemy)
{
    memcpy(game->mover, mover, sizeof game->mover);
    memcpy(game->enemy, enemy, sizeof game->enemy);
    game->mover_pinned = mover->pinned;
    game->enemy_pinned = enemy->pinned;
}

/* Plays a game's roll without lanes; false if it has too many plays to find (a cascade of doubles). */
static bool play_single(tf_game *game, const tf_rules *rules, tf_work *work)
{
    tf_side mover, enemy;
    tf_roll roll;
    get_sides(game, &mover, &enemy);
    uint32_t bits = tf_next_bits(game->stream);
    int plays = tf_find_plays(
        &roll, &mover, &enemy, (int)(game->dice & 0xff), (int)(game->dice >> 8), rules, work);
    if (work->failed) {
        work->failed = false;
        return false;
    }
    if (plays) {
        int k = (int)tf_below_bits(game->stream, bits, (uint32_t)plays);
        tf_pick_play(&roll, k, &mover, &enemy, rules, work);
        put_sides(game, &mover, &enemy);
    }
    return true;
}

/* The kind of step that comes next, or TF_STEPS if no game is left: one for all lanes if there is any,
 * else the one for which most games wait. */
static int next_step(const tf_pool *pool)
{
    int kind = TF_STEPS;
    uint32_t most = 0;
    for (int i = 0; i < TF_STEPS && most < TF_LANES; i++)
        if (tf_waiting(pool, i) > most) {
            most = tf_waiting(pool, i);
            kind = i;
        }
    return kind;
}

/* The games under way, and what is to be known of them besides. */
typedef struct {
    tf_pool pool;
    int64_t rest[TF_POOL]; /* plies that a game may go on for when its counter has run out */
    uint8_t idle[TF_POOL]; /* places without a game */
    int n_idle;
} tf_table;

/* Counts a game that has come to an end, or lets it go on if only its counter has. */
static void end_game(
    tf_table *table, uint8_t place, const tf_rules *rules, int64_t max_plies, int64_t *out)
{
    tf_game *game = &table->pool.games[place];
    tf_side mover, enemy; /* who has just moved, and the other */
    get_sides(game, &enemy, &mover);
    int points = tf_game_result(&mover, &enemy, rules);
    if (points == TF_UNDECIDED && table->rest[place]) {
        game->left = table->rest[place] < LONGEST ? (uint32_t)table->rest[place] : LONGEST;
        table->rest[place] -= game->left;
        tf_wait(&table->pool, TF_STEP_SINGLE, place); /* which takes any roll */
        return;
    }
    int64_t plies = max_plies - table->rest[place] - game->left;
    out[8] += plies;
    if (points == TF_UNDECIDED)
        out[7]++;
    else /* after an odd number of plies the first mover has just moved */
        out[plies & 1 ? 3 + points : 3 - points]++;
    table->idle[table->n_idle++] = place;
}

void tf_random_games(
    const tf_side *mover, const tf_side *enemy, const tf_rules *rules, tf_stream stream,
    int64_t trials, int64_t max_plies, const volatile unsigned char *stop, tf_work *work,
    int64_t *out)
{
    tf_table table;
    tf_pool *pool = &table.pool;
    uint8_t which[TF_LANES];
    int64_t begun = 0, counted = max_plies < LONGEST ? max_plies : LONGEST;
    init_pool(pool, rules);
    for (int i = 0; i < TF_POOL; i++)
        table.idle[i] = (uint8_t)(TF_POOL - 1 - i);
    table.n_idle = TF_POOL;
    while (!*stop) {
        int64_t n = trials - begun < TF_LANES ? trials - begun : TF_LANES;
        if (n && table.n_idle >= n) {
            /* As if the enemy had just moved: the end of that ply rolls the first dice. */
            for (int i = 0; i < n; i++) {
                uint8_t place = which[i] = table.idle[--table.n_idle];
                tf_game *game = &pool->games[place];
                uint64_t words[2] = {tf_next_word(&stream), tf_next_word(&stream)};
                put_sides(game, enemy, mover);
                game->stream[0] = (uint32_t)words[0] | 1; /* not all may be 0 */
                game->stream[1] = (uint32_t)(words[0] >> 32);
                game->stream[2] = (uint32_t)words[1];
                game->stream[3] = (uint32_t)(words[1] >> 32);
                game->left = (uint32_t)counted + 1;
                table.rest[place] = max_plies - counted;
            }
            begun += n;
            tf_step(pool, TF_STEP_SINGLE, which, (int)n, rules);
            continue;
        }
        int kind = next_step(pool), games = 0;
        if (kind == TF_STEPS)
            return;
        n = tf_waiting(pool, kind) < TF_LANES ? tf_waiting(pool, kind) : TF_LANES;
        for (int i = 0; i < n; i++) {
            uint8_t place = tf_next_waiting(pool, kind);
            if (kind == TF_STEP_ENDED) {
                end_game(&table, place, rules, max_plies, out);
            } else if (kind == TF_STEP_SINGLE && !play_single(&pool->games[place], rules, work)) {
                out[7]++;
                out[8] += max_plies - table.rest[place] - pool->games[place].left;
                table.idle[table.n_idle++] = place;
            } else {
                which[games++] = place;
            }
        }
        if (games)
            tf_step(pool, kind, which, games, rules);
    }
}

/* Makes the next number of a game's stream `bits`; those after it are arbitrary. */
static void next_bits_are(tf_game *game, uint32_t bits)
{
    game->stream[0] = game->stream[2] = 0;
    game->stream[1] = 1;
    game->stream[3] = bits >> 7 | bits << 25;
}

int64_t tf_drawn_plays(
    const tf_side *mover, const tf_side *enemy, int die1, int die2, const tf_rules *rules,
    const uint32_t *bits, int64_t n, tf_work *work, int8_t *boards, unsigned char *drawn)
{
    tf_pool pool;
    uint8_t which[TF_LANES];
    /* The middle of the numbers that roll these dice (`tf_end_ply`). */
    uint64_t dice_bits = ((uint64_t)(2 * (6 * (die2 - 1) + die1 - 1) + 1) << 31) / 36;
    for (int64_t at = 0; at < n; at += TF_LANES) {
        int kind = 0;
        init_pool(&pool, rules);
        for (int i = 0; i < TF_LANES; i++) {
            which[i] = (uint8_t)i;
            put_sides(&pool.games[i], enemy, mover);
            pool.games[i].left = 2;
            next_bits_are(&pool.games[i], (uint32_t)dice_bits);
        }
        tf_step(&pool, TF_STEP_SINGLE, which, TF_LANES, rules);
        while (!tf_waiting(&pool, kind))
            kind++;
        for (int i = 0; i < TF_LANES; i++) {
            next_bits_are(&pool.games[i], bits[at + i < n ? at + i : n - 1]);
            if (kind == TF_STEP_SINGLE && !play_single(&pool.games[i], rules, work))
                return -1;
        }
        tf_step(&pool, kind, which, TF_LANES, rules);
        for (int i = 0; i < TF_LANES && at + i < n; i++) {
            tf_side played, other;
            get_sides(&pool.games[i], &other, &played); /* the turn has passed */
            drawn[at + i] = pool.games[i].left == 0;
            tf_store_side(&played, rules->checkers, boards + 52 * (at + i));
            tf_store_side(&other, rules->checkers, boards + 52 * (at + i) + 26);
        }
    }
    return pool.proposals[0];
}
