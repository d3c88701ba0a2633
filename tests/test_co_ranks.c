/* prim_co_ranks(): where the first k keys of several runs end in each, against a stable sort of all
 * of them, whose places say which run a key is from. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/merge.h>

#include "calls.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { MOST = PRIM_CO_RANKS_MOST_RUNS, DIAGONALS = 23 };

static const cudaDataType_t types[] = {CUDA_R_8I,  CUDA_R_8U,   CUDA_R_16I, CUDA_R_16U,
                                       CUDA_R_32I, CUDA_R_32U,  CUDA_R_64I, CUDA_R_64U,
                                       CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};

/* Runs after each other, each one sorted. */
typedef struct many_runs {
    prim_order order;
    cudaDataType_t type;
    size_t count, lengths[MOST], all;
    char *h_keys;
} many_runs;

static many_runs make_runs(prim_order order, cudaDataType_t type, size_t count,
                           const size_t *lengths, distribution d, uint64_t seed)
{
    const size_t bytes = type_bytes(type);
    many_runs r = {.order = order, .type = type, .count = count};
    for (size_t i = 0; i < count; i++)
        r.all += r.lengths[i] = lengths[i];
    r.h_keys = malloc(r.all * bytes + 1);
    char *const unsorted = malloc(r.all * bytes + 1);
    fill(type, unsorted, r.all, d, seed);
    for (size_t i = 0, at = 0; i < count; at += lengths[i++])
        cr_prim(prim_merge_sort_host(order, type, unsorted + at * bytes, lengths[i],
                                     r.h_keys + at * bytes, 1));
    free(unsorted);
    return r;
}

/* expected[r] of the first k merged keys come from run r. */
static void expect(const many_runs *r, const uint32_t *places, uint64_t k, uint64_t *expected)
{
    memset(expected, 0, r->count * sizeof *expected);
    for (uint64_t i = 0; i < k && i < r->all; i++) {
        size_t run = 0;
        for (size_t end = r->lengths[0]; places[i] >= end; end += r->lengths[run])
            run++;
        expected[run]++;
    }
}

static void check(const many_runs *r)
{
    const size_t bytes = type_bytes(r->type), count = DIAGONALS;
    uint64_t diagonals[DIAGONALS], ranks[DIAGONALS * MOST], on_host[DIAGONALS * MOST],
        expected[MOST];
    uint32_t *const places = malloc(r->all * 4 + 4);
    const void *h_runs[MOST], *d_runs[MOST];
    for (size_t i = 0; i < count; i++)
        diagonals[i] = random_bits(i) % (r->all + 1);
    const uint64_t edges[] = {0,
                              r->all,
                              r->all + 5,
                              (uint64_t)1 << 32,
                              ((uint64_t)1 << 32) + 1,
                              (uint64_t)1 << 63,
                              UINT64_MAX};
    memcpy(diagonals, edges, sizeof edges);
    cr_prim(prim_merge_sort_permutation_host(r->order, r->type, r->h_keys, r->all, CUDA_R_32U,
                                             places, 1));
    guarded keys = guarded_copy(r->h_keys, r->all * bytes, bytes),
            d = guarded_copy(diagonals, sizeof diagonals, 8),
            out = guarded_new(count * r->count * 8, 8);
    for (size_t i = 0, at = 0; i < r->count; at += r->lengths[i++]) {
        const bool none = r->lengths[i] == 0;
        h_runs[i] = none ? NULL : r->h_keys + at * bytes;
        d_runs[i] = none ? NULL : (char *)keys.data + at * bytes;
    }
    cr_own(prim_co_ranks(r->order, r->type, r->count, d_runs, r->lengths, d.data, count, out.data,
                         into(own_stream())));
    guarded_read(&out, ranks);
    cr_prim(prim_co_ranks_host(r->order, r->type, r->count, h_runs, r->lengths, diagonals, count,
                               on_host));
    for (size_t i = 0; i < count; i++) {
        expect(r, places, diagonals[i], expected);
        for (size_t run = 0; run < r->count; run++) {
            cr_assert_eq(ranks[i * r->count + run], expected[run],
                         "%s, order %d, %zu runs, the first %llu: %llu from run %zu, not %llu",
                         type_name(r->type), (int)r->order, r->count,
                         (unsigned long long)diagonals[i],
                         (unsigned long long)ranks[i * r->count + run], run,
                         (unsigned long long)expected[run]);
            cr_assert_eq(on_host[i * r->count + run], expected[run]);
        }
    }
    guarded_free(&keys);
    guarded_free(&d);
    guarded_free(&out);
    free(places);
}

Test(co_ranks, every_type_order_and_number_of_runs)
{
    static const size_t lengths[][MOST] = {{7, 0, 1, 300, 2, 40, 129, 128},
                                           {128, 129, 127, 1, 0, 0, 500, 3},
                                           {1000, 1000, 1000, 1000, 1, 1, 1, 1},
                                           {0, 0, 0, 0, 0, 0, 0, 0},
                                           {2100, 1, 0, 2, 0, 1, 77, 900}};
    const size_t step = get_test_level() == LEVEL_QUICK ? 7 : 1;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int order = 0; order < 2; order++)
            for (size_t runs = 1; runs <= MOST; runs++)
                for (size_t l = 0; l < COUNT_OF(lengths); l++, turn++) {
                    if (turn % step != 0)
                        continue;
                    many_runs r =
                        make_runs(order ? PRIM_DESCENDING : PRIM_ASCENDING, types[t], runs,
                                  lengths[l], (distribution)(turn / 7 % DISTRIBUTION_COUNT), turn);
                    check(&r);
                    free(r.h_keys);
                }
}

/* All keys equal: those of earlier runs come first. */
Test(co_ranks, equal_keys)
{
    static const size_t lengths[] = {200, 0, 129, 1000, 1, 5, 128, 3};
    many_runs r = {.order = PRIM_ASCENDING, .type = CUDA_R_32I, .count = MOST};
    for (size_t i = 0; i < MOST; i++)
        r.all += r.lengths[i] = lengths[i];
    r.h_keys = calloc(r.all, 4);
    check(&r);
    free(r.h_keys);
}

Test(co_ranks, no_diagonals)
{
    const size_t none = 0;
    const void *nothing = NULL;
    cr_own(prim_co_ranks(PRIM_ASCENDING, CUDA_R_32I, 1, &nothing, &none, NULL, 0, NULL,
                         into(own_stream())));
    cr_prim(prim_co_ranks_host(PRIM_ASCENDING, CUDA_R_32I, 1, &nothing, &none, NULL, 0, NULL));
}

Test(co_ranks, what_is_refused)
{
    int32_t keys[8] = {0};
    uint64_t diagonals[2] = {1, 2}, ranks[6];
    const void *runs[] = {keys, keys + 4, NULL};
    size_t counts[] = {4, 4, 0};
#define HOST(order, type, run_count, h_runs, h_counts, h_diagonals, h_ranks) \
    prim_co_ranks_host(order, type, run_count, h_runs, h_counts, h_diagonals, 2, h_ranks)
    const prim_order up = PRIM_ASCENDING;
    const cudaDataType_t i32 = CUDA_R_32I;
    cr_assert_eq(HOST(up, i32, 3, runs, counts, diagonals, ranks), PRIM_OK);
    cr_assert_eq(ranks[0] + ranks[1] + ranks[2], 1);
    cr_assert_eq(HOST(up, i32, 0, runs, counts, diagonals, ranks), PRIM_ERROR_VALUE);
    cr_refused(HOST(up, i32, 9, runs, counts, diagonals, ranks), PRIM_ERROR_VALUE, "run_count");
    cr_assert_eq(HOST((prim_order)2, i32, 3, runs, counts, diagonals, ranks), PRIM_ERROR_ENUM);
    cr_assert_eq(HOST(up, (cudaDataType_t)9999, 3, runs, counts, diagonals, ranks),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(up, i32, 3, NULL, counts, diagonals, ranks), PRIM_ERROR_NULL);
    cr_assert_eq(HOST(up, i32, 3, runs, NULL, diagonals, ranks), PRIM_ERROR_NULL);
    cr_assert_eq(HOST(up, i32, 3, runs, counts, NULL, ranks), PRIM_ERROR_NULL);
    cr_assert_eq(HOST(up, i32, 3, runs, counts, diagonals, diagonals), PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST(up, i32, 3, runs, counts, diagonals, (uint64_t *)(void *)keys),
                 PRIM_ERROR_OVERLAP);
    counts[2] = 1;
    cr_refused(HOST(up, i32, 3, runs, counts, diagonals, ranks), PRIM_ERROR_NULL, "runs[2]");
    counts[2] = SIZE_MAX - 4;
    cr_assert_eq(HOST(up, i32, 3, runs, counts, diagonals, ranks), PRIM_ERROR_SIZE);
    runs[1] = (char *)keys + 1;
    counts[2] = 0;
    cr_assert_eq(HOST(up, i32, 3, runs, counts, diagonals, ranks), PRIM_ERROR_MISALIGNED);
}
