#include <string.h>

#include <primitives/merge.h>

#include "../calls.h"
#include "../merge_variants.h"
#include "oracles.h"
#include "stress.h"

static const cudaDataType_t key_types[] = {CUDA_R_8I,   CUDA_R_16U, CUDA_R_32I,
                                           CUDA_R_32U,  CUDA_R_64I, CUDA_R_16F,
                                           CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};

/* Any values: keys are moved and never computed with. */
static cudaDataType_t pick_keys(trial *t, prim_order *order)
{
    *order = (prim_order)pick(t, 2);
    pick_values(t, ANYTHING);
    return pick_type(t, key_types, COUNT_OF(key_types));
}

static size_t pick_value_bytes(trial *t)
{
    return (size_t)4 << pick(t, 3);
}

static operand *add_sorted(trial *t, prim_order order, cudaDataType_t type, size_t count)
{
    operand *x = add_input(t, type, count, false);
    on_host(t, prim_merge_sort_host(order, type, x->h, count, x->h, 1));
    send(x);
    return x;
}

/* Numbered, so that the order of equal keys shows. */
static operand *add_payload(trial *t, size_t value_bytes, size_t count, uint64_t first)
{
    operand *x = add_input(t, type_of_bytes(value_bytes), count, false);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number[2] = {first + i, ~(first + i)};
        memcpy(x->h + i * value_bytes, number, value_bytes);
    }
    send(x);
    return x;
}

/* x itself, or an output of its own. */
static operand *maybe_in_place(trial *t, operand *x, size_t count)
{
    operand *y = pick(t, 3) > 0 ? add_output(t, x->type, count) : x;
    y->is_output = true;
    return y;
}

static void merge(trial *t)
{
    prim_order order;
    t->variant = pick_variant(t, merging_variant_at);
    const cudaDataType_t type = pick_keys(t, &order);
    const size_t a_count = pick_size(t, 30000), b_count = pick_size(t, 30000);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_merge(t->variant, order, type, NULL, a_count, NULL, b_count, NULL, asking()), &bytes);
    operand *a = add_sorted(t, order, type, a_count), *b = add_sorted(t, order, type, b_count);
    operand *y = add_output(t, type, a_count + b_count);
    begin(t, asked, bytes, true);
    describe(t, "merge: variant %d, order %d, type %d, %zu and %zu keys", t->variant, order, type,
             a_count, b_count);
    if (end(t, prim_merge(t->variant, order, type, a->d, a_count, b->d, b_count, y->d,
                          with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_merge_host(order, type, a->h, a_count, b->h, b_count, y->h, t->threads));
}

static void merge_pairs(trial *t)
{
    prim_order order;
    t->variant = pick_variant(t, merging_variant_at);
    const cudaDataType_t type = pick_keys(t, &order);
    const size_t a_count = pick_size(t, 20000), b_count = pick_size(t, 20000),
                 value_bytes = pick_value_bytes(t);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_merge_pairs(t->variant, order, type, value_bytes, (prim_keys){NULL, NULL, a_count},
                         (prim_keys){NULL, NULL, b_count}, NULL, NULL, asking()),
        &bytes);
    operand *a = add_sorted(t, order, type, a_count), *b = add_sorted(t, order, type, b_count),
            *a_values = add_payload(t, value_bytes, a_count, 0),
            *b_values = add_payload(t, value_bytes, b_count, a_count),
            *y = add_output(t, type, a_count + b_count),
            *y_values = add_output(t, a_values->type, a_count + b_count);
    begin(t, asked, bytes, true);
    describe(t, "merge_pairs: variant %d, order %d, type %d, %zu bytes, %zu and %zu keys",
             t->variant, order, type, value_bytes, a_count, b_count);
    if (end(t, prim_merge_pairs(t->variant, order, type, value_bytes,
                                (prim_keys){a->d, a_values->d, a_count},
                                (prim_keys){b->d, b_values->d, b_count}, y->d, y_values->d,
                                with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_merge_pairs_host(
                       order, type, value_bytes, (prim_keys){a->h, a_values->h, a_count},
                       (prim_keys){b->h, b_values->h, b_count}, y->h, y_values->h, t->threads));
}

static void merge_sort(trial *t)
{
    prim_order order;
    t->variant = pick_variant(t, sorting_variant_at);
    const cudaDataType_t type = pick_keys(t, &order);
    const size_t count = pick_size(t, 30000);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes(prim_merge_sort(t->variant, order, type, NULL, count, NULL, asking()), &bytes);
    operand *x = add_input(t, type, count, false), *y = maybe_in_place(t, x, count);
    begin(t, asked, bytes, true);
    describe(t, "merge_sort: variant %d, order %d, type %d, %zu keys%s", t->variant, order, type,
             count, x == y ? ", in place" : "");
    if (end(t, prim_merge_sort(t->variant, order, type, x->d, count, y->d,
                               with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_merge_sort_host(order, type, x->h, count, y->h, t->threads));
}

static void merge_sort_pairs(trial *t)
{
    prim_order order;
    t->variant = pick_variant(t, sorting_variant_at);
    const cudaDataType_t type = pick_keys(t, &order);
    const size_t count = pick_size(t, 20000), value_bytes = pick_value_bytes(t);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes(prim_merge_sort_pairs(t->variant, order, type, value_bytes,
                                          (prim_keys){NULL, NULL, count}, NULL, NULL, asking()),
                    &bytes);
    operand *x = add_input(t, type, count, false),
            *x_values = add_payload(t, value_bytes, count, 0), *y = maybe_in_place(t, x, count),
            *y_values = maybe_in_place(t, x_values, count);
    begin(t, asked, bytes, true);
    describe(t, "merge_sort_pairs: variant %d, order %d, type %d, %zu bytes, %zu keys%s%s",
             t->variant, order, type, value_bytes, count, x == y ? ", keys in place" : "",
             x_values == y_values ? ", values in place" : "");
    if (end(t, prim_merge_sort_pairs(t->variant, order, type, value_bytes,
                                     (prim_keys){x->d, x_values->d, count}, y->d, y_values->d,
                                     with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_merge_sort_pairs_host(order, type, value_bytes,
                                              (prim_keys){x->h, x_values->h, count}, y->h,
                                              y_values->h, t->threads));
}

static cudaDataType_t pick_index_type(trial *t)
{
    return pick(t, 2) == 0 ? CUDA_R_32U : CUDA_R_64U;
}

static void merge_sort_permutation(trial *t)
{
    prim_order order;
    t->variant = pick_variant(t, sorting_variant_at);
    const cudaDataType_t type = pick_keys(t, &order), index_type = pick_index_type(t);
    const size_t count = pick_size(t, 20000);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes(prim_merge_sort_permutation(t->variant, order, type, NULL, count, index_type,
                                                NULL, asking()),
                    &bytes);
    operand *x = add_input(t, type, count, false), *y = add_output(t, index_type, count);
    begin(t, asked, bytes, true);
    describe(t, "merge_sort_permutation: variant %d, order %d, types %d %d, %zu keys", t->variant,
             order, type, index_type, count);
    if (end(t, prim_merge_sort_permutation(t->variant, order, type, x->d, count, index_type, y->d,
                                           with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_merge_sort_permutation_host(order, type, x->h, count, index_type, y->h,
                                                    t->threads));
}

static void gather(trial *t)
{
    const cudaDataType_t index_type = pick_index_type(t);
    const size_t value_bytes = pick(t, 50), value_count = pick_size(t, 3000),
                 count = pick_size(t, 3000);
    operand *table = add_input(t, CUDA_R_8U, value_count * value_bytes, false),
            *indices = add_numbers(t, index_type, count, value_count + 1 + value_count / 20),
            *y = add_output(t, CUDA_R_8U, count * value_bytes);
    t->has_no_variant = true;
    begin(t, value_bytes == 0 ? PRIM_ERROR_VALUE : PRIM_OK, 0, true);
    describe(t, "gather: %zu of %zu values of %zu bytes, indices of type %d", count, value_count,
             value_bytes, index_type);
    if (!end(t, prim_gather(value_bytes, table->d, value_count, index_type, indices->d, count, y->d,
                            into(t->stream))))
        return;
    on_host(t, prim_gather_host(value_bytes, table->h, value_count, index_type, indices->h, count,
                                y->h));
    const size_t i = pick(t, count + 1);
    if (i == count)
        return;
    const size_t from = (size_t)before(indices, i);
    if (memcmp(y->h + i * value_bytes,
               from < value_count ? table->before + from * value_bytes
                                  : y->before + i * value_bytes,
               value_bytes) != 0)
        complain(t, "value %zu is not number %zu", i, from);
}

/* Of a merge's keys those before a diagonal: the host's merge, not its search, is the oracle. */
static void expect_ranks(trial *t, prim_order order, const operand *ranks, size_t i,
                         size_t diagonal, const operand *a, const operand *b)
{
    const size_t bytes = bytes_of(a->type), a_count = a->bytes / bytes, b_count = b->bytes / bytes;
    const size_t all = a_count + b_count, wanted = diagonal < all ? diagonal : all;
    size_t from_a = 0, from_b = 0;
    uint32_t is_sorted = 0;
    while (from_a + from_b < wanted) {
        char two[2 * 16];
        if (from_a < a_count && from_b < b_count) {
            memcpy(two, a->before + from_a * bytes, bytes);
            memcpy(two + bytes, b->before + from_b * bytes, bytes);
            on_host(t, prim_is_sorted_host(order, a->type, two, 2, &is_sorted));
        } else {
            is_sorted = from_a < a_count;
        }
        *(is_sorted ? &from_a : &from_b) += 1;
    }
    if ((size_t)number_at(CUDA_R_64U, ranks->h, i) != from_a)
        complain(t, "rank %zu is not %zu", i, from_a);
}

static void co_rank(trial *t)
{
    prim_order order;
    const cudaDataType_t type = pick_keys(t, &order);
    const size_t a_count = pick_size(t, 3000), b_count = pick_size(t, 3000),
                 count = pick_size(t, 300);
    operand *a = add_sorted(t, order, type, a_count), *b = add_sorted(t, order, type, b_count),
            *diagonals = add_numbers(t, CUDA_R_64U, count, a_count + b_count + 3),
            *ranks = add_output(t, CUDA_R_64U, count);
    t->has_no_variant = true;
    begin(t, PRIM_OK, 0, true);
    describe(t, "co_rank: order %d, type %d, %zu and %zu keys, %zu diagonals", order, type, a_count,
             b_count, count);
    if (!end(t, prim_co_rank(order, type, a->d, a_count, b->d, b_count, (void *)diagonals->d, count,
                             (void *)ranks->d, into(t->stream))))
        return;
    on_host(t, prim_co_rank_host(order, type, a->h, a_count, b->h, b_count, (void *)diagonals->h,
                                 count, (void *)ranks->h));
    const size_t i = pick(t, count + 1);
    if (i < count)
        expect_ranks(t, order, ranks, i, (size_t)before(diagonals, i), a, b);
}

static void co_ranks(trial *t)
{
    prim_order order;
    const cudaDataType_t type = pick_keys(t, &order);
    const size_t run_count = 1 + pick(t, PRIM_CO_RANKS_MOST_RUNS), count = pick_size(t, 40);
    operand *runs[PRIM_CO_RANKS_MOST_RUNS];
    const void *on_device[PRIM_CO_RANKS_MOST_RUNS], *in_host[PRIM_CO_RANKS_MOST_RUNS];
    size_t counts[PRIM_CO_RANKS_MOST_RUNS], all = 0;
    for (size_t r = 0; r < run_count; r++) {
        all += counts[r] = pick_size(t, 2000);
        runs[r] = add_sorted(t, order, type, counts[r]);
    }
    operand *diagonals = add_numbers(t, CUDA_R_64U, count, all + 3),
            *ranks = add_output(t, CUDA_R_64U, count * run_count);
    t->has_no_variant = true;
    begin(t, PRIM_OK, 0, true);
    describe(t, "co_ranks: order %d, type %d, %zu runs, %zu keys, %zu diagonals", order, type,
             run_count, all, count);
    for (size_t r = 0; r < run_count; r++) {
        on_device[r] = runs[r]->d;
        in_host[r] = runs[r]->h;
    }
    if (!end(t, prim_co_ranks(order, type, run_count, on_device, counts, (void *)diagonals->d,
                              count, (void *)ranks->d, into(t->stream))))
        return;
    on_host(t, prim_co_ranks_host(order, type, run_count, in_host, counts, (void *)diagonals->h,
                                  count, (void *)ranks->h));
    const size_t i = pick(t, count + 1);
    if (i < count && run_count == 2) {
        const size_t diagonal = (size_t)before(diagonals, i);
        expect_ranks(t, order, ranks, 2 * i, diagonal, runs[0], runs[1]);
    }
}

/* In order, or with one key that is perhaps not. */
static void is_sorted(trial *t)
{
    prim_order order;
    const cudaDataType_t type = pick_keys(t, &order);
    const size_t count = pick_size(t, 30000), turned = pick(t, 2 * count + 2);
    operand *x = add_sorted(t, order, type, count), *answer = add_output(t, CUDA_R_32U, 1);
    if (turned < count) {
        memmove(x->h + turned * bytes_of(type), x->before, bytes_of(type));
        send(x);
    }
    t->has_no_variant = true;
    begin(t, PRIM_OK, 0, true);
    describe(t, "is_sorted: order %d, type %d, %zu keys, key %zu is the first one", order, type,
             count, turned);
    if (end(t, prim_is_sorted(order, type, x->d, count, (void *)answer->d, into(t->stream))))
        on_host(t, prim_is_sorted_host(order, type, x->h, count, (void *)answer->h));
}

const stress_call merge_calls[] = {
    {"merge", merge},
    {"merge_pairs", merge_pairs},
    {"merge_sort", merge_sort},
    {"merge_sort_pairs", merge_sort_pairs},
    {"merge_sort_permutation", merge_sort_permutation},
    {"gather", gather},
    {"co_rank", co_rank},
    {"co_ranks", co_ranks},
    {"is_sorted", is_sorted},
    {NULL, NULL},
};
