/* Many GPUs: what distributed.h says of each call's workspace, computed here from its sentences,
 * against what the queries return: never more, and less by no more than what was rounded up. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include <primitives/distributed.h>

#include "calls.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { KB = 1024, TILE_BYTES = 16 * KB, SCAN_TILE_BYTES = 32 * KB, MANY_RANKS = 300000 };

/* ---- how arrays are cut ---- */

typedef struct parts {
    const size_t *counts;
    size_t ranks;
} parts;

static const size_t none[] = {0}, one[] = {1}, few[] = {5, 0, 3},
                    within_tiles[] = {12305, 1, 0, 99}, longer[] = {1 << 20, 3, 12345678},
                    huge[] = {(size_t)1 << 33, 0, 1, 1ull << 32}, bands[] = {1637, 1700, 1583},
                    whole_tiles[] = {8192, 8192, 16384};
/* More ranks than their parts have elements, and the same with a long part. */
static size_t ones[MANY_RANKS], ones_and_many[MANY_RANKS];

static const parts cuts[] = {
    {none, 1}, {one, 1},   {few, 3},         {within_tiles, 4},  {longer, 3},
    {huge, 4}, {bands, 3}, {whole_tiles, 3}, {ones, MANY_RANKS}, {ones_and_many, MANY_RANKS}};

static void make_ones(void)
{
    for (size_t r = 0; r < MANY_RANKS; r++)
        ones[r] = ones_and_many[r] = 1;
    ones_and_many[7] = 10 * MANY_RANKS;
}

static size_t more_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t sum_of(parts p)
{
    size_t sum = 0;
    for (size_t r = 0; r < p.ranks; r++)
        sum += p.counts[r];
    return sum;
}

static size_t largest_of(parts p)
{
    size_t most = 0;
    for (size_t r = 0; r < p.ranks; r++)
        most = more_of(most, p.counts[r]);
    return most;
}

static size_t divide_up(size_t a, size_t b)
{
    return a / b + (a % b > 0);
}

/* ---- types ---- */

typedef struct pair {
    cudaDataType_t in, out;
} pair;

static const pair reduced_pairs[] = {{CUDA_R_8I, CUDA_R_8I},    {CUDA_R_16U, CUDA_R_16U},
                                     {CUDA_R_32I, CUDA_R_32I},  {CUDA_R_64U, CUDA_R_64U},
                                     {CUDA_R_8U, CUDA_R_64U},   {CUDA_R_16F, CUDA_R_16F},
                                     {CUDA_R_32F, CUDA_R_32F},  {CUDA_R_64F, CUDA_R_64F},
                                     {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_64F}};

static const prim_op operators[] = {PRIM_OP_SUM, PRIM_OP_PRODUCT, PRIM_OP_MAX};

static bool has_order(prim_op op, cudaDataType_t out)
{
    return type_is_float(out) && op != PRIM_OP_MAX;
}

/* The type they are combined in. */
static cudaDataType_t combined(cudaDataType_t out)
{
    return out == CUDA_R_16F || out == CUDA_R_16BF ? CUDA_R_32F : out;
}

/* ---- the workspaces of calls for one device ---- */

static size_t of_reduce(prim_op op, pair types, size_t count)
{
    size_t bytes;
    cr_prim(asked_bytes(prim_reduce(PRIM_REDUCE_AUTO, op, PRIM_TRANSFORM_NONE, types.in, NULL,
                                    count, types.out, NULL, asking()),
                        &bytes));
    return bytes;
}

static size_t of_reduced_values(prim_op op, cudaDataType_t type, size_t count)
{
    return of_reduce(op, (pair){type, type}, count);
}

static size_t of_dot(pair types, size_t count)
{
    size_t bytes;
    cr_prim(asked_bytes(
        prim_dot(PRIM_REDUCE_AUTO, types.in, NULL, NULL, count, types.out, NULL, asking()),
        &bytes));
    return bytes;
}

static size_t of_arg_reduce(prim_op op, cudaDataType_t type, size_t count)
{
    size_t bytes;
    cr_prim(asked_bytes(prim_arg_reduce(PRIM_REDUCE_AUTO, op, PRIM_TRANSFORM_NONE, type, NULL,
                                        count, NULL, NULL, asking()),
                        &bytes));
    return bytes;
}

static size_t of_rows(prim_op op, pair types, size_t rows, size_t columns)
{
    size_t bytes;
    cr_prim(asked_bytes(prim_reduce_rows(PRIM_REDUCE_AUTO, op, PRIM_TRANSFORM_NONE,
                                         prim_matrix_of(types.in, NULL, rows, columns, 0),
                                         types.out, NULL, asking()),
                        &bytes));
    return bytes;
}

static size_t of_columns(prim_op op, pair types, size_t rows, size_t columns)
{
    size_t bytes;
    cr_prim(asked_bytes(prim_reduce_columns(PRIM_REDUCE_AUTO, op, PRIM_TRANSFORM_NONE,
                                            prim_matrix_of(types.in, NULL, rows, columns, 0),
                                            types.out, NULL, asking()),
                        &bytes));
    return bytes;
}

static size_t of_scan(prim_op op, pair types, size_t count)
{
    size_t bytes;
    cr_prim(asked_bytes(prim_scan(PRIM_SCAN_AUTO, PRIM_SCAN_EXCLUSIVE, op, PRIM_TRANSFORM_NONE,
                                  types.in, NULL, count, types.out, NULL, NULL, asking()),
                        &bytes));
    return bytes;
}

/* ---- the comparison ---- */

static void check(const char *call, size_t at, pair types, size_t found, size_t most, size_t slack)
{
    cr_assert(found <= most, "%s of cut %zu, %s to %s: %zu bytes, more than the %zu of the header",
              call, at, type_name(types.in), type_name(types.out), found, most);
    cr_assert(found + slack >= most,
              "%s of cut %zu, %s to %s: %zu bytes, far below the %zu of the header", call, at,
              type_name(types.in), type_name(types.out), found, most);
}

#define EACH_CUT(c, p)                          \
    make_ones();                                \
    for (size_t c = 0; c < COUNT_OF(cuts); c++) \
        for (parts p = cuts[c], *once = &p; once != NULL; once = NULL)

/* ---- reduce and dot ---- */

/* Sums and products of floats: `arrays` is 2 for a dot product. */
static size_t most_of_ordered(prim_op op, pair types, parts p, size_t arrays)
{
    const cudaDataType_t type = combined(types.out);
    const size_t tiles = divide_up(sum_of(p), TILE_BYTES / type_bytes(types.in));
    return tiles * type_bytes(type) + of_reduced_values(op, type, tiles) + arrays * TILE_BYTES + KB;
}

static void check_reduce(size_t c, parts p, prim_op op, pair types)
{
    size_t found;
    cr_prim(asked_bytes(prim_distributed_reduce(op, PRIM_TRANSFORM_NONE, types.in, p.counts,
                                                p.ranks, types.out, ASKING_RANK, 1),
                        &found));
    const size_t most = has_order(op, types.out)
                            ? most_of_ordered(op, types, p, 1)
                            : p.ranks * type_bytes(types.out) +
                                  more_of(of_reduce(op, types, largest_of(p)),
                                          of_reduced_values(op, types.out, p.ranks)) +
                                  KB;
    check("reduce", c, types, found, most, KB);
}

Test(workspace, of_reduce)
{
    EACH_CUT(c, p)
    {
        for (size_t t = 0; t < COUNT_OF(reduced_pairs); t++)
            for (size_t o = 0; o < COUNT_OF(operators); o++)
                check_reduce(c, p, operators[o], reduced_pairs[t]);
    }
}

static void check_dot(size_t c, parts p, pair types)
{
    size_t found;
    cr_prim(asked_bytes(
        prim_distributed_dot(types.in, p.counts, p.ranks, types.out, ASKING_RANK, 1), &found));
    const size_t most = has_order(PRIM_OP_SUM, types.out)
                            ? most_of_ordered(PRIM_OP_SUM, types, p, 2)
                            : p.ranks * type_bytes(types.out) +
                                  more_of(of_dot(types, largest_of(p)),
                                          of_reduced_values(PRIM_OP_SUM, types.out, p.ranks)) +
                                  KB;
    check("dot", c, types, found, most, KB);
}

Test(workspace, of_dot)
{
    EACH_CUT(c, p)
    {
        for (size_t t = 0; t < COUNT_OF(reduced_pairs); t++)
            check_dot(c, p, reduced_pairs[t]);
    }
}

/* ---- bands of rows ---- */

static const size_t widths[] = {1, 3, 5, 20, 33, 1000};

/* Rows of a tile. */
static size_t tile_rows(size_t rows, size_t columns, cudaDataType_t in)
{
    const size_t bytes = columns * type_bytes(in);
    if (rows <= 1024)
        return 1024;
    return bytes <= 16 ? 8192 : bytes <= 32 ? 4096 : bytes <= 64 ? 2048 : 1024;
}

/* Rows of the largest tile that a cut divides. */
static size_t divided_rows(parts p, size_t tile)
{
    const size_t whole = sum_of(p);
    size_t most = 0;
    for (size_t r = 0, end = 0; r < p.ranks; r++) {
        end += p.counts[r];
        const size_t begin = end / tile * tile;
        if (end > begin && end < whole)
            most = more_of(most, whole - begin < tile ? whole - begin : tile);
    }
    return most;
}

static void check_ordered_columns(size_t c, parts p, prim_op op, pair types, size_t columns,
                                  size_t ld)
{
    size_t found;
    cr_prim(asked_bytes(prim_distributed_reduce_columns(op, PRIM_TRANSFORM_NONE, types.in, p.counts,
                                                        p.ranks, columns, ld, types.out,
                                                        ASKING_RANK, 1),
                        &found));
    const cudaDataType_t type = combined(types.out);
    const size_t tile = tile_rows(sum_of(p), columns, types.in), tiles = divide_up(sum_of(p), tile),
                 row = columns * type_bytes(type) + 16,
                 divided = divided_rows(p, tile) * columns * type_bytes(types.in);
    check("columns", c, types, found,
          tiles * row + (ld > columns ? 2 : 1) * divided + row +
              of_columns(op, (pair){type, type}, tiles, columns) + KB,
          KB + (tiles + 1) * 16 + row + (ld > columns ? divided : 0));
}

static void check_columns(size_t c, parts p, prim_op op, pair types, size_t columns, size_t ld)
{
    size_t found;
    if (has_order(op, types.out)) {
        check_ordered_columns(c, p, op, types, columns, ld);
        return;
    }
    cr_prim(asked_bytes(prim_distributed_reduce_columns(op, PRIM_TRANSFORM_NONE, types.in, p.counts,
                                                        p.ranks, columns, ld, types.out,
                                                        ASKING_RANK, 1),
                        &found));
    check("columns", c, types, found,
          p.ranks * (columns * type_bytes(types.out) + 256) +
              more_of(of_columns(op, types, largest_of(p), columns),
                      of_columns(op, (pair){types.out, types.out}, p.ranks, columns)),
          p.ranks * 256);
}

static void check_rows(size_t c, parts p, prim_op op, pair types, size_t columns, size_t ld)
{
    size_t found;
    cr_prim(
        asked_bytes(prim_distributed_reduce_rows(op, PRIM_TRANSFORM_NONE, types.in, p.counts,
                                                 p.ranks, columns, ld, types.out, ASKING_RANK, 1),
                    &found));
    check("rows", c, types, found, of_rows(op, types, largest_of(p), columns), 0);
}

/* A grid has a block for so many rows, and not for more. */
enum { MOST_ROWS = INT32_MAX };

Test(workspace, of_bands)
{
    EACH_CUT(c, p)
    {
        for (size_t t = 0; t < COUNT_OF(reduced_pairs) && sum_of(p) <= MOST_ROWS; t++)
            for (size_t w = 0; w < COUNT_OF(widths); w++) {
                const prim_op op = operators[(t + w + c) % COUNT_OF(operators)];
                const size_t columns = widths[w], ld = columns + (t % 2) * 7;
                check_columns(c, p, op, reduced_pairs[t], columns, ld);
                check_rows(c, p, op, reduced_pairs[t], columns, ld);
            }
    }
}

/* ---- arg_reduce and histograms ---- */

Test(workspace, of_arg_reduce)
{
    EACH_CUT(c, p)
    {
        for (size_t t = 0; t < COUNT_OF(reduced_pairs) && sum_of(p) > 0; t++) {
            size_t found;
            const cudaDataType_t type = reduced_pairs[t].in;
            cr_prim(asked_bytes(prim_distributed_arg_reduce(PRIM_OP_MIN, PRIM_TRANSFORM_NONE, type,
                                                            p.counts, p.ranks, ASKING_RANK, 1),
                                &found));
            check("arg_reduce", c, (pair){type, type}, found,
                  more_of(of_arg_reduce(PRIM_OP_MIN, type, largest_of(p)),
                          of_arg_reduce(PRIM_OP_MIN, type, p.ranks)) +
                      p.ranks * (type_bytes(type) + 8) + KB,
                  KB);
        }
    }
}

static void check_histogram(size_t c, parts p, prim_histogram_variant variant, bool adds,
                            size_t bins, cudaDataType_t counter)
{
    static const prim_histogram_range range = {.lower = 0, .upper = 1 << 20};
    size_t found, of_part;
    cr_prim(asked_bytes(
        prim_distributed_histogram_even(variant, range, CUDA_R_32U, p.counts, p.ranks,
                                        (prim_counters){.bins = bins,
                                                        .type = counter,
                                                        .flags = adds ? PRIM_HISTOGRAM_ADD : 0,
                                                        .outside = PRIM_OUTSIDE_COUNT},
                                        ASKING_RANK, 1),
        &found));
    cr_prim(asked_bytes(
        prim_histogram_even(
            variant, range, CUDA_R_32U, NULL, largest_of(p),
            (prim_counters){.bins = bins, .type = counter, .outside = PRIM_OUTSIDE_COUNT},
            asking()),
        &of_part));
    check("histogram", c, (pair){CUDA_R_32U, counter}, found,
          of_part + (adds ? (bins + 3) * type_bytes(counter) + 512 : 0), 512);
}

Test(workspace, of_histogram_even)
{
    static const cudaDataType_t counters[] = {CUDA_R_32U, CUDA_R_64U};
    static const size_t bins[] = {1, 61, 64, 1000, 1 << 18, 1 << 20};
    EACH_CUT(c, p)
    {
        for (size_t t = 0; t < COUNT_OF(counters); t++)
            for (size_t b = 0; b < COUNT_OF(bins); b++)
                for (unsigned adds = 0; adds < 2; adds++) {
                    check_histogram(c, p, PRIM_HISTOGRAM_AUTO, adds, bins[b], counters[t]);
                    if (bins[b] <= 1 << 18) /* on every device */
                        check_histogram(c, p, PRIM_HISTOGRAM_PARTITIONED, adds, bins[b],
                                        counters[t]);
                }
    }
}

/* ---- scan and carry ---- */

static const pair scanned_pairs[] = {{CUDA_R_8I, CUDA_R_8I},   {CUDA_R_32I, CUDA_R_32I},
                                     {CUDA_R_64U, CUDA_R_64U}, {CUDA_R_8U, CUDA_R_32U},
                                     {CUDA_R_8U, CUDA_R_64U},  {CUDA_R_16F, CUDA_R_16F},
                                     {CUDA_R_32F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_32F},
                                     {CUDA_R_32F, CUDA_R_64F}, {CUDA_R_64F, CUDA_R_64F}};

/* Sums and products of floats; prim_scan() takes part where it takes carries as they are. */
static size_t most_of_chained(prim_op op, pair types, parts p, bool is_carry)
{
    const bool scans = !is_carry && combined(types.out) == types.out;
    const size_t in = type_bytes(types.in), out = type_bytes(types.out),
                 tile = SCAN_TILE_BYTES / more_of(in, out), tiles = divide_up(sum_of(p), tile);
    return (tiles + 1) * type_bytes(combined(types.out)) + tile * (in + out) + KB +
           (scans ? of_scan(op, types, largest_of(p)) : 0);
}

/* u8 is summed up in u64. */
static size_t most_of_scanned(prim_op op, pair types, parts p, bool is_carry)
{
    const bool is_short = types.in == CUDA_R_8U && types.out == CUDA_R_32U;
    const pair reduced = {types.in, is_short ? CUDA_R_64U : types.out};
    const size_t reduce = more_of(of_reduce(op, reduced, largest_of(p)),
                                  of_reduced_values(op, reduced.out, p.ranks)),
                 scan = is_carry ? 0 : of_scan(op, types, largest_of(p));
    return (p.ranks + 2) * type_bytes(reduced.out) + KB + more_of(reduce, scan);
}

static void check_scan(size_t c, parts p, prim_op op, pair types)
{
    size_t scan, carry;
    const bool ordered = has_order(op, types.out);
    cr_prim(
        asked_bytes(prim_distributed_scan(PRIM_SCAN_EXCLUSIVE, op, PRIM_TRANSFORM_NONE, types.in,
                                          p.counts, p.ranks, types.out, ASKING_RANK, 1),
                    &scan));
    cr_prim(asked_bytes(prim_distributed_carry(op, PRIM_TRANSFORM_NONE, types.in, p.counts, p.ranks,
                                               types.out, ASKING_RANK, 1),
                        &carry));
    check("scan", c, types, scan,
          ordered ? most_of_chained(op, types, p, false) : most_of_scanned(op, types, p, false),
          KB);
    check("carry", c, types, carry,
          ordered ? most_of_chained(op, types, p, true) : most_of_scanned(op, types, p, true), KB);
}

Test(workspace, of_scan_and_carry)
{
    EACH_CUT(c, p)
    {
        for (size_t t = 0; t < COUNT_OF(scanned_pairs); t++)
            for (size_t o = 0; o < COUNT_OF(operators); o++)
                check_scan(c, p, operators[o], scanned_pairs[t]);
    }
}
