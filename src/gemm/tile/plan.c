/* Chooses the tile, and the number of parts of k, by an estimate of the time of each choice; AUTO
 * compares these estimates with those of SMALL_PRODUCTS and THIN.
 *
 * A device runs the blocks in waves ("rounds" here), BLOCKS to a multiprocessor; the last wave may
 * have fewer, and a multiprocessor with fewer is slower. So a C of a few large tiles is cut into
 * small ones, or its sums into parts, until the waves are nearly full. */
#include "gemm/tile/plan.h"

#include "common/host/device.h"
#include "common/host/element.h"
#include "common/host/sizes.h"
#include "gemm/tensor/tiles.h"
#include "gemm/tile/tiles.h"

enum { RATES = 4 };

typedef struct tile {
    size_t m, n, k;
    unsigned blocks; /* on a multiprocessor */
    double rates[RATES];
    double start;  /* clocks until the first of them multiplies, beyond those of every tile */
    double of_sum; /* clocks for each element that a block stores */
} tile;

#define CLOCKS_OF_SUM 0.25
#define CLOCKS_ALONE 0.5   /* where no other block multiplies meanwhile */
#define CLOCKS_OF_TURN 0.5 /* to store and load it between two parts */

#define TILE(m, n, k, warps_m, warps_n, lanes_m, stages, blocks, r1, r2, r3, r4) \
    {m, n, k, blocks, {r1, r2, r3, r4}, 0, (blocks) > 1 ? CLOCKS_OF_SUM : CLOCKS_ALONE},

static const tile tiles_f32[] = {PRIM_GEMM_TILES_F32(TILE)};
static const tile tiles_f64[] = {PRIM_GEMM_TILES_F64(TILE)};
static const tile tiles_i32[] = {PRIM_GEMM_TILES_I32(TILE)};
static const tile tiles_halves[] = {PRIM_GEMM_TILES_HALVES(TILE)};
static const tile tiles_i8[] = {PRIM_GEMM_TILES_I8(TILE)};

#define MMA_TILE(m, n, warps_m, warps_n, stages, blocks, r1, r2, r3, r4) \
    {m, n, PRIM_GEMM_MMA_STEPS, blocks, {r1, r2, r3, r4}, 0, CLOCKS_OF_SUM},

static const tile tiles_mma[] = {PRIM_GEMM_TILES_MMA(MMA_TILE)};

#define WGMMA_TILE(m, n, stages, blocks, r1, r2, r3, r4) \
    {m, n, PRIM_GEMM_BOX, blocks, {r1, r2, r3, r4}, 0, CLOCKS_OF_SUM},
#define SPECIALIZED_TILE(n, instruction, stages, rate, start, of_sum) \
    {PRIM_GEMM_WGMMA_ROWS, n, PRIM_GEMM_BOX, 1, {rate, rate, rate, rate}, start, of_sum},

static const tile tiles_wgmma[] = {PRIM_GEMM_TILES_WGMMA(WGMMA_TILE)};
static const tile tiles_specialized[] = {PRIM_GEMM_TILES_WGMMA_SPECIALIZED(SPECIALIZED_TILE)};

typedef struct tile_list {
    const tile *tiles;
    unsigned count;
    size_t least_part; /* steps of k, where k is cut */
} tile_list;

enum { LEAST_PART = 48, LEAST_PART_MMA = 256 };

#define LIST(tiles, least_part)                         \
    {                                                   \
        tiles, sizeof tiles / sizeof *tiles, least_part \
    }

static const tile_list list_f32 = LIST(tiles_f32, LEAST_PART);
static const tile_list list_f64 = LIST(tiles_f64, LEAST_PART);
static const tile_list list_i32 = LIST(tiles_i32, LEAST_PART);
static const tile_list list_halves = LIST(tiles_halves, LEAST_PART);
static const tile_list list_i8 = LIST(tiles_i8, LEAST_PART);
static const tile_list list_mma = LIST(tiles_mma, LEAST_PART_MMA);
static const tile_list list_wgmma = LIST(tiles_wgmma, LEAST_PART_MMA);
static const tile_list list_specialized = LIST(tiles_specialized, LEAST_PART_MMA);

static const tile_list *tiles_of(const prim_gemm_args *args)
{
    switch (args->a_type) {
    case CUDA_R_32F:
        return &list_f32;
    case CUDA_R_64F:
        return &list_f64;
    case CUDA_R_32I:
        return &list_i32;
    case CUDA_R_8I:
        return &list_i8;
    default:
        return &list_halves;
    }
}

static size_t sum_bytes(const prim_gemm_args *args)
{
    return prim_element_bytes(prim_accumulator_type(args->c_type));
}

/* ---- the estimate, in clocks ---- */

static const double BLOCK_CLOCKS = 2000; /* for a block's beginning and end */
static const double PASS_CLOCKS = 4500;  /* a pass's launch, and its reads' latency */
static const double PASS_BYTES = 1400;   /* that all move in a clock, through L2 */
static const double BY_ELEMENTS = 4;     /* MMA's rate by 16 bytes to that by elements */

double prim_gemm_pass_clocks(double bytes)
{
    return PASS_CLOCKS + bytes / PASS_BYTES;
}

/* The time of a round with `blocks` blocks on a multiprocessor. */
static double round_clocks(const tile *t, size_t blocks, size_t steps)
{
    const size_t rate = blocks < RATES ? blocks - 1 : RATES - 1;
    return (double)(blocks * t->m * t->n * steps) / t->rates[rate] + BLOCK_CLOCKS +
           t->of_sum * (double)(t->m * t->n);
}

static double estimate(const prim_gemm_args *args, size_t multiprocessors, const tile *t,
                       size_t parts, size_t part)
{
    const size_t all = multiprocessors * t->blocks;
    const double blocks = (double)prim_divide_up(args->m, t->m) *
                          (double)prim_divide_up(args->n, t->n) * (double)parts *
                          (double)args->batches;
    const double whole = blocks / (double)all >= 1e9 ? 1e9 : (double)(size_t)(blocks / (double)all);
    const double left = blocks - whole * (double)all;
    double clocks = t->start + whole * round_clocks(t, t->blocks, part);
    if (left > 0 && whole < 1e9)
        clocks += round_clocks(t, prim_divide_up((size_t)left, multiprocessors), part);
    if (parts > 1)
        clocks +=
            prim_gemm_pass_clocks(2 * (double)parts * (double)(args->m * args->n * args->batches) *
                                  (double)sum_bytes(args));
    return clocks;
}

/* The lanes of a warp read different columns of B: where those lie a cache line or more apart, a
 * line for each. Queries know no leading dimension, which is k at least. */
static bool reads_many_lines(const prim_gemm_args *args)
{
    enum { LINE_BYTES = 128, MANY = 8 };
    return args->op_b == PRIM_TRANSPOSED && args->n > MANY &&
           args->k * prim_element_bytes(args->b_type) >= LINE_BYTES;
}

/* The time of SMALL_PRODUCTS, as measured on an H200. While there are enough threads, an element of
 * C and each step of its sum keep a multiprocessor busy for a fixed time. And no sum is done before
 * all of its loads are, some of which wait for memory. */
double prim_gemm_small_products_clocks(const prim_gemm_args *args)
{
    const double bytes = (double)prim_element_bytes(args->a_type), k = (double)args->k;
    const double elements = (double)args->m * (double)args->n * (double)args->batches;
    const double step = (0.1 + 0.028 * bytes) * (reads_many_lines(args) ? 3 : 1);
    const double each = 1.3 + k * step, latency = 1000 + k * (40 + 60 * bytes);
    return elements / (double)prim_device_multiprocessors() * each + latency;
}

/* ---- plans ---- */

/* The numbers of parts that are tried, while none is too short, and the device has no more than
 * ROUNDS rounds of blocks. */
static const size_t some_parts[] = {2,  3,  4,  5,  6,  7,   8,   10,   12,
                                    14, 16, 24, 32, 64, 128, 256, 1024, 4096};
enum { ROUNDS = 4 };

static prim_gemm_plan make_plan(const prim_gemm_args *args, size_t multiprocessors,
                                const tile_list *list, unsigned index, size_t parts)
{
    const tile *const t = &list->tiles[index];
    const size_t slabs = prim_divide_up(args->k, t->k);
    const size_t part = slabs == 0 ? t->k : prim_divide_up(slabs, parts) * t->k;
    const size_t filled = args->k == 0 ? 1 : prim_divide_up(args->k, part);
    return (prim_gemm_plan){.tile = index,
                            .m = (unsigned)t->m,
                            .n = (unsigned)t->n,
                            .parts = (unsigned)filled,
                            .part = part,
                            .clocks = estimate(args, multiprocessors, t, filled, part)};
}

/* The best tile for this number of parts. */
static prim_gemm_plan best_tile(const prim_gemm_args *args, size_t multiprocessors,
                                const tile_list *list, size_t parts)
{
    prim_gemm_plan best = make_plan(args, multiprocessors, list, 0, parts);
    for (unsigned index = 1; index < list->count; index++) {
        const prim_gemm_plan plan = make_plan(args, multiprocessors, list, index, parts);
        if (plan.clocks < best.clocks)
            best = plan;
    }
    return best;
}

static bool is_worth_trying(const prim_gemm_args *args, size_t multiprocessors,
                            const tile_list *list, unsigned index, size_t parts)
{
    const tile *const t = &list->tiles[index];
    const double blocks = (double)prim_divide_up(args->m, t->m) *
                          (double)prim_divide_up(args->n, t->n) * (double)args->batches;
    return args->k / parts >= list->least_part &&
           blocks * (double)parts <= (double)(ROUNDS * multiprocessors * t->blocks);
}

/* Tries several parts of k, as far as they are worth trying; returns `best` where none is
 * better. */
static prim_gemm_plan best_split(const prim_gemm_args *args, size_t multiprocessors,
                                 const tile_list *list, prim_gemm_plan best)
{
    for (unsigned index = 0; index < list->count; index++)
        for (size_t i = 0; i < sizeof some_parts / sizeof *some_parts; i++) {
            if (!is_worth_trying(args, multiprocessors, list, index, some_parts[i]))
                break;
            const prim_gemm_plan plan =
                make_plan(args, multiprocessors, list, index, some_parts[i]);
            if (plan.clocks < best.clocks)
                best = plan;
        }
    return best;
}

/* With BATCH_INVARIANT the number of parts must not depend on m, the batch or the device. It is the
 * number with which a C of one row of tiles of 128 columns has a block for each of 128
 * multiprocessors. But parts are at least eight times as long as they may be elsewhere: a large C
 * needs no parts, and its sums of each part pass through memory. All tiles of a list have slabs of
 * one length, so that they are cut at the same steps of k. */
static size_t invariant_parts(const prim_gemm_args *args, const tile_list *list)
{
    enum { COLUMNS = 128, BLOCKS = 128, LONGER = 8 };
    const size_t tiles = prim_divide_up(args->n, COLUMNS), most = BLOCKS / (tiles > 0 ? tiles : 1),
                 parts = args->k / (LONGER * list->least_part);
    const size_t least = parts < most ? parts : most;
    return least > 1 ? least : 1;
}

/* The first tile of WGMMA_SPECIALIZED, whose blocks sum a tile's parts one after the other. Between
 * two parts they store the sums, and then load them. */
static prim_gemm_plan in_turn(const prim_gemm_args *args, size_t multiprocessors)
{
    const tile_list *const list = &list_specialized;
    const size_t parts = invariant_parts(args, list);
    prim_gemm_plan plan = make_plan(args, multiprocessors, list, 0, parts);
    tile t = list->tiles[0];
    t.of_sum += CLOCKS_OF_TURN * (double)(plan.parts - 1);
    plan.clocks = estimate(args, multiprocessors, &t, 1, args->k);
    plan.in_turn = true;
    return plan;
}

/* What the plans are for. */
typedef enum plan_kind { WHOLE, SPLIT, MMA, WGMMA, SPECIALIZED, KINDS } plan_kind;

static const tile_list *list_of(plan_kind kind, const prim_gemm_args *args)
{
    switch (kind) {
    case MMA:
        return &list_mma;
    case WGMMA:
        return &list_wgmma;
    case SPECIALIZED:
        return &list_specialized;
    default:
        return tiles_of(args);
    }
}

/* Cuts k into parts where that is faster; `least` parts are tried first. */
static prim_gemm_plan best_plan(const prim_gemm_args *args, size_t multiprocessors,
                                const tile_list *list, size_t least)
{
    return best_split(args, multiprocessors, list, best_tile(args, multiprocessors, list, least));
}

/* SPLIT has at least two parts where k has two slabs, even if these are short. */
static prim_gemm_plan plan(plan_kind kind, const prim_gemm_args *args, size_t multiprocessors)
{
    const tile_list *const list = list_of(kind, args);
    const size_t least = kind == SPLIT ? 2 : 1;
    if (kind == WHOLE)
        return best_tile(args, multiprocessors, list, 1);
    if (!prim_gemm_is_invariant(args))
        return best_plan(args, multiprocessors, list, least);
    if (kind == SPECIALIZED)
        return in_turn(args, multiprocessors);
    const size_t parts = invariant_parts(args, list);
    return best_tile(args, multiprocessors, list, parts > least ? parts : least);
}

/* All that a plan depends on. */
typedef struct question {
    size_t m, n, k, batches, multiprocessors;
    cudaDataType_t a_type, c_type;
    prim_compute compute;
} question;

/* A thread's last plan: a call needs it up to five times, and the next call is often alike. */
typedef struct kept_plan {
    question of;
    prim_gemm_plan plan;
} kept_plan;

static bool is_plan_of(const kept_plan *kept, question q)
{
    const question *const of = &kept->of;
    return of->m == q.m && of->n == q.n && of->k == q.k && of->batches == q.batches &&
           of->multiprocessors == q.multiprocessors && of->a_type == q.a_type &&
           of->c_type == q.c_type && of->compute == q.compute;
}

static prim_gemm_plan plan_once(plan_kind kind, const prim_gemm_args *args)
{
    static _Thread_local kept_plan all[KINDS];
    kept_plan *const kept = &all[kind];
    const question q = {
        args->m,      args->n,      args->k,      args->batches, prim_device_multiprocessors(),
        args->a_type, args->c_type, args->compute};
    if (!is_plan_of(kept, q))
        *kept = (kept_plan){q, plan(kind, args, q.multiprocessors)};
    return kept->plan;
}

prim_gemm_plan prim_gemm_plan_whole(const prim_gemm_args *args)
{
    return plan_once(WHOLE, args);
}

prim_gemm_plan prim_gemm_plan_split(const prim_gemm_args *args)
{
    return plan_once(SPLIT, args);
}

prim_gemm_plan prim_gemm_plan_mma(const prim_gemm_args *args)
{
    return plan_once(MMA, args);
}

prim_gemm_plan prim_gemm_plan_wgmma(const prim_gemm_args *args)
{
    return plan_once(WGMMA, args);
}

prim_gemm_plan prim_gemm_plan_wgmma_specialized(const prim_gemm_args *args)
{
    return plan_once(SPECIALIZED, args);
}

bool prim_gemm_is_split(const prim_gemm_args *args)
{
    return invariant_parts(args, tiles_of(args)) > 1;
}

double prim_gemm_by_elements_clocks(const prim_gemm_args *args)
{
    const prim_gemm_plan plan = prim_gemm_plan_mma(args);
    tile slow = tiles_mma[plan.tile];
    for (int i = 0; i < RATES; i++)
        slow.rates[i] /= BY_ELEMENTS;
    return estimate(args, prim_device_multiprocessors(), &slow, plan.parts, plan.part) -
           plan.clocks;
}

bool prim_gemm_plan_fits(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const size_t down = prim_divide_up(args->m, plan.m), across = prim_divide_up(args->n, plan.n);
    return prim_fits_a_grid(down, across) && prim_fits_a_grid(down * across, plan.parts) &&
           prim_fits_a_grid(down * across * plan.parts, args->batches);
}

size_t prim_gemm_plan_ld(const prim_gemm_args *args)
{
    const size_t vector = 16 / sum_bytes(args);
    return prim_divide_up(args->n, vector) * vector;
}

/* Of a tile for each block; a C of one row of tiles has no pairs of blocks, of which any device
 * runs one. */
static size_t in_turn_bytes(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const size_t all = prim_device_multiprocessors(), most = all > 1 ? all : 2,
                 down = prim_divide_up(args->m, plan.m),
                 across = prim_divide_up(args->n, plan.n) * args->batches;
    const size_t blocks = (down + (down > 1 && down % 2)) * across;
    return (blocks < most ? blocks : most) * plan.m * plan.n * sum_bytes(args);
}

size_t prim_gemm_plan_bytes(const prim_gemm_args *args, prim_gemm_plan plan)
{
    if (plan.parts < 2)
        return 0;
    return plan.in_turn
               ? in_turn_bytes(args, plan)
               : args->batches * plan.parts * args->m * prim_gemm_plan_ld(args) * sum_bytes(args);
}
