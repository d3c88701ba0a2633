/* Arrays cut up over several ranks, all of which this process drives, against the host's version of
 * the whole. */
#include <stdlib.h>
#include <string.h>

#include <primitives/distributed.h>

#include "../calls.h"
#include "oracles.h"
#include "stress.h"

enum { MOST_RANKS = 8 };

/* What a rank has, and what becomes of it. */
typedef struct part {
    size_t begin, count;
    operand *in, *in_y, *out, *second, *space;
    cudaStream_t stream;
} part;

typedef struct team {
    size_t ranks, whole;
    size_t counts[MOST_RANKS];
    part parts[MOST_RANKS];
    prim_rank members[MOST_RANKS];
    char *h_in, *h_in_y;
} team;

/* ---- devices ---- */

static void check_nccl(ncclResult_t result)
{
    check(result == ncclSuccess ? cudaSuccess : cudaErrorUnknown);
}

/* Communicators of so many ranks, which stay. */
static ncclComm_t *comms_of(size_t ranks)
{
    static ncclComm_t comms[MOST_RANKS + 1][MOST_RANKS];
    if (comms[ranks][0] == NULL)
        check_nccl(ncclCommInitAll(comms[ranks], (int)ranks, NULL));
    return comms[ranks];
}

static void wait_for_all(const team *all)
{
    for (size_t r = 0; r < all->ranks; r++) {
        check(cudaSetDevice((int)r));
        check(cudaDeviceSynchronize());
    }
    check(cudaSetDevice(0));
}

/* ---- teams ---- */

/* Parts of any length, many of them empty. */
static team pick_team(trial *t, size_t most)
{
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    team all = {.ranks = 1 + pick(t, devices < MOST_RANKS ? (size_t)devices : MOST_RANKS),
                .whole = pick_size(t, most)};
    size_t left = all.whole;
    for (size_t r = 0; r < all.ranks; r++) {
        const size_t count = pick_size(t, left);
        all.counts[r] = r + 1 == all.ranks ? left : count;
        all.parts[r] = (part){.begin = all.whole - left, .count = all.counts[r]};
        left -= all.counts[r];
    }
    t->has_no_variant = true;
    return all;
}

static char *copy_of_whole(const team *all, bool of_second, size_t bytes)
{
    char *h = malloc(all->whole * bytes + 1);
    for (size_t r = 0; r < all->ranks; r++) {
        const part *p = &all->parts[r];
        const operand *const x = of_second ? p->in_y : p->in;
        memcpy(h + p->begin * bytes, x->before, p->count * bytes);
    }
    return h;
}

/* Elements of so many bytes a unit of a part, where units are rows. */
static void add_inputs(trial *t, team *all, cudaDataType_t type, size_t columns, bool is_sign,
                       bool has_two)
{
    for (size_t r = 0; r < all->ranks; r++) {
        part *const p = &all->parts[r];
        check(cudaSetDevice((int)r));
        p->in = add_input(t, type, p->count * columns, is_sign);
        p->in_y = has_two ? add_input(t, type, p->count * columns, is_sign) : NULL;
    }
    check(cudaSetDevice(0));
    all->h_in = copy_of_whole(all, false, columns * bytes_of(type));
    all->h_in_y = has_two ? copy_of_whole(all, true, columns * bytes_of(type)) : NULL;
}

/* `each` for every rank, and `of_unit` for each unit of its part. */
static void add_outputs(trial *t, team *all, cudaDataType_t type, size_t each, size_t of_unit)
{
    for (size_t r = 0; r < all->ranks; r++) {
        part *const p = &all->parts[r];
        check(cudaSetDevice((int)r));
        p->out = add_output(t, type, each + of_unit * p->count);
        p->out->has_any_nan = true;
    }
    check(cudaSetDevice(0));
}

static void add_seconds(trial *t, team *all, cudaDataType_t type, size_t count, bool is_needed)
{
    for (size_t r = 0; r < all->ranks; r++) {
        part *const p = &all->parts[r];
        check(cudaSetDevice((int)r));
        p->second = add_output(t, type, count);
        p->second->has_any_nan = true;
        p->second->may_be_null |= !is_needed;
    }
    check(cudaSetDevice(0));
}

/* Memory of each rank's own, or from the pool: *asked_for bytes, which the query for `asked` has
 * filled by then. */
static void begin_team(trial *t, team *all, prim_status asked, const size_t *asked_for)
{
    const size_t bytes = *asked_for;
    const bool is_own = pick(t, 2) == 0;
    for (size_t r = 0; r < all->ranks; r++) {
        part *const p = &all->parts[r];
        check(cudaSetDevice((int)r));
        check(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
        p->space = is_own && asked == PRIM_OK && bytes > 0 ? add_space(t, bytes) : NULL;
    }
    check(cudaSetDevice(0));
    begin(t, asked, 0, false);
    wait_for_all(all);
    for (size_t r = 0; r < all->ranks; r++) {
        const part *const p = &all->parts[r];
        all->members[r] =
            (prim_rank){.comm = comms_of(all->ranks)[r],
                        .d_in = p->in->d,
                        .d_in_y = p->in_y != NULL ? p->in_y->d : NULL,
                        .d_out = p->out->d,
                        .d_second = p->second != NULL ? p->second->d : NULL,
                        .call = *with(p->stream, p->space != NULL ? p->space->d : NULL,
                                      p->space != NULL ? bytes : 0)};
    }
}

static bool end_team(trial *t, const team *all, prim_status status)
{
    wait_for_all(all);
    for (size_t r = 0; r < all->ranks; r++) {
        check(cudaSetDevice((int)r));
        check(cudaStreamDestroy(all->parts[r].stream));
        if (all->parts[r].space != NULL)
            receive(all->parts[r].space);
    }
    check(cudaSetDevice(0));
    return end(t, status);
}

/* What every rank has, from rank 0's twin. */
static void give_to_all(const team *all)
{
    for (size_t r = 1; r < all->ranks; r++) {
        const part *const p = &all->parts[r], *const first = &all->parts[0];
        memcpy(p->out->h, first->out->h, p->out->bytes);
        if (p->second != NULL)
            memcpy(p->second->h, first->second->h, p->second->bytes);
    }
}

static void forget(team *all)
{
    free(all->h_in);
    free(all->h_in_y);
}

/* ---- calls ---- */

static void reduce(trial *t)
{
    const prim_op op = (prim_op)pick(t, 7);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair types = pick_pair(t);
    team all = pick_team(t, 70000);
    size_t bytes = 0;
    pick_values(t, ANYTHING);
    add_inputs(t, &all, types.in, 1, needs_signs(t, op, types.in), false);
    add_outputs(t, &all, types.out, 1, 0);
    begin_team(t, &all,
               asked_bytes(prim_distributed_reduce(op, f, types.in, all.counts, all.ranks,
                                                   types.out, ASKING_RANK, 1),
                           &bytes),
               &bytes);
    describe(t, "distributed_reduce: op %d, transform %d, types %d %d, %zu elements, %zu ranks", op,
             f, types.in, types.out, all.whole, all.ranks);
    if (end_team(t, &all,
                 prim_distributed_reduce(op, f, types.in, all.counts, all.ranks, types.out,
                                         all.members, all.ranks))) {
        on_host(t, prim_reduce_host(op, f, types.in, all.h_in, all.whole, types.out,
                                    all.parts[0].out->h, t->threads));
        give_to_all(&all);
    }
    forget(&all);
}

static void dot(trial *t)
{
    const type_pair types = pick_pair(t);
    team all = pick_team(t, 70000);
    size_t bytes = 0;
    pick_values(t, ANYTHING);
    add_inputs(t, &all, types.in, 1, false, true);
    add_outputs(t, &all, types.out, 1, 0);
    begin_team(t, &all,
               asked_bytes(
                   prim_distributed_dot(types.in, all.counts, all.ranks, types.out, ASKING_RANK, 1),
                   &bytes),
               &bytes);
    describe(t, "distributed_dot: types %d %d, %zu elements, %zu ranks", types.in, types.out,
             all.whole, all.ranks);
    if (end_team(t, &all,
                 prim_distributed_dot(types.in, all.counts, all.ranks, types.out, all.members,
                                      all.ranks))) {
        on_host(t, prim_dot_host(types.in, all.h_in, all.h_in_y, all.whole, types.out,
                                 all.parts[0].out->h, t->threads));
        give_to_all(&all);
    }
    forget(&all);
}

static void arg_reduce(trial *t)
{
    const prim_op op = pick(t, 2) == 0 ? PRIM_OP_MIN : PRIM_OP_MAX;
    const prim_transform f = (prim_transform)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types));
    team all = pick_team(t, 70000);
    size_t bytes = 0;
    pick_values(t, ANYTHING);
    add_inputs(t, &all, type, 1, false, false);
    add_outputs(t, &all, type, 1, 0);
    add_seconds(t, &all, CUDA_R_64U, 1, true);
    begin_team(
        t, &all,
        asked_bytes(prim_distributed_arg_reduce(op, f, type, all.counts, all.ranks, ASKING_RANK, 1),
                    &bytes),
        &bytes);
    describe(t, "distributed_arg_reduce: op %d, transform %d, type %d, %zu elements, %zu ranks", op,
             f, type, all.whole, all.ranks);
    if (end_team(t, &all,
                 prim_distributed_arg_reduce(op, f, type, all.counts, all.ranks, all.members,
                                             all.ranks))) {
        on_host(t, prim_arg_reduce_host(op, f, type, all.h_in, all.whole, all.parts[0].out->h,
                                        (void *)all.parts[0].second->h, t->threads));
        give_to_all(&all);
    }
    forget(&all);
}

/* Bands of rows, down their columns or along them. */
static void reduce_bands(trial *t, bool down)
{
    const prim_op op = (prim_op)pick(t, 7);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair types = pick_pair(t);
    const size_t columns = 1 + pick_size(t, 30);
    team all = pick_team(t, 5000);
    size_t bytes = 0;
    pick_values(t, ANYTHING);
    add_inputs(t, &all, types.in, columns, needs_signs(t, op, types.in), false);
    add_outputs(t, &all, types.out, down ? columns : 0, !down);
    begin_team(t, &all,
               asked_bytes((down ? prim_distributed_reduce_columns : prim_distributed_reduce_rows)(
                               op, f, types.in, all.counts, all.ranks, columns, columns, types.out,
                               ASKING_RANK, 1),
                           &bytes),
               &bytes);
    describe(t, "distributed_reduce_%s: op %d, transform %d, types %d %d, %zu × %zu, %zu ranks",
             down ? "columns" : "rows", op, f, types.in, types.out, all.whole, columns, all.ranks);
    if (end_team(t, &all,
                 (down ? prim_distributed_reduce_columns : prim_distributed_reduce_rows)(
                     op, f, types.in, all.counts, all.ranks, columns, columns, types.out,
                     all.members, all.ranks))) {
        if (down) {
            on_host(t, prim_reduce_columns_host(
                           op, f, prim_matrix_of(types.in, all.h_in, all.whole, columns, 0),
                           types.out, all.parts[0].out->h, t->threads));
            give_to_all(&all);
        }
        for (size_t r = 0; !down && r < all.ranks; r++)
            on_host(t, prim_reduce_rows_host(op, f,
                                             prim_matrix_of(types.in, all.parts[r].in->h,
                                                            all.parts[r].count, columns, 0),
                                             types.out, all.parts[r].out->h, t->threads));
    }
    forget(&all);
}

static void reduce_rows(trial *t)
{
    reduce_bands(t, false);
}

static void reduce_columns(trial *t)
{
    reduce_bands(t, true);
}

static void histogram_even(trial *t)
{
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         counter = pick(t, 3) == 0 ? CUDA_R_64U : CUDA_R_32U;
    const prim_histogram_range range = {
        .lower = -5, .upper = 7, .real_lower = -3.5, .real_upper = 5.25};
    const size_t bins = 1 + pick_size(t, 3000);
    team all = pick_team(t, 30000);
    size_t bytes = 0;
    PICK_VARIANT(t, histogram);
    t->has_no_variant = false;
    pick_values(t, ANYTHING);
    add_inputs(t, &all, type, 1, false, false);
    add_outputs(t, &all, counter, bins, 0);
    add_seconds(t, &all, counter, 3, outside == PRIM_OUTSIDE_COUNT);
    for (size_t r = 0; r < all.ranks; r++) {
        all.parts[r].second->is_aside = outside != PRIM_OUTSIDE_COUNT;
        all.parts[r].second->is_output = !all.parts[r].second->is_aside;
    }
    begin_team(
        t, &all,
        asked_bytes(
            prim_distributed_histogram_even(
                t->variant, range, type, all.counts, all.ranks,
                (prim_counters){.bins = bins, .type = counter, .flags = flags, .outside = outside},
                ASKING_RANK, 1),
            &bytes),
        &bytes);
    describe(t,
             "distributed_histogram_even: variant %d, flags %u, outside %d, type %d, %zu samples, "
             "%zu bins, %zu ranks",
             t->variant, flags, outside, type, all.whole, bins, all.ranks);
    if (end_team(
            t, &all,
            prim_distributed_histogram_even(
                t->variant, range, type, all.counts, all.ranks,
                (prim_counters){.bins = bins, .type = counter, .flags = flags, .outside = outside},
                all.members, all.ranks)))
        for (size_t r = 0; r < all.ranks; r++) /* each adds to its own counters */
            on_host(
                t, prim_histogram_even_host(range, type, all.h_in, all.whole,
                                            (prim_counters){.data = all.parts[r].out->h,
                                                            .bins = bins,
                                                            .type = counter,
                                                            .flags = flags,
                                                            .outside = outside,
                                                            .outside_data = all.parts[r].second->h},
                                            t->threads));
    forget(&all);
}

/* The whole on the host, of which each rank has its part. */
static void scan(trial *t)
{
    const prim_scan_kind kind = (prim_scan_kind)pick(t, 2);
    const prim_op op = (prim_op)pick(t, 4);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair types = pick_pair(t);
    team all = pick_team(t, 70000);
    const size_t out_bytes = bytes_of(types.out);
    size_t bytes = 0;
    pick_values(t, ANYTHING);
    add_inputs(t, &all, types.in, 1, needs_signs(t, op, types.in), false);
    add_outputs(t, &all, types.out, 0, 1);
    add_seconds(t, &all, types.out, 1, false);
    begin_team(t, &all,
               asked_bytes(prim_distributed_scan(kind, op, f, types.in, all.counts, all.ranks,
                                                 types.out, ASKING_RANK, 1),
                           &bytes),
               &bytes);
    describe(t, "distributed_scan: kind %d, op %d, transform %d, types %d %d, %zu in %zu ranks",
             kind, op, f, types.in, types.out, all.whole, all.ranks);
    if (end_team(t, &all,
                 prim_distributed_scan(kind, op, f, types.in, all.counts, all.ranks, types.out,
                                       all.members, all.ranks))) {
        char *const h_out = malloc(all.whole * out_bytes + 1);
        _Alignas(16) char total[16];
        on_host(t, prim_scan_host(kind, op, f, types.in, all.h_in, all.whole, types.out, h_out,
                                  &(prim_scan_ends){.total = total}, t->threads));
        for (size_t r = 0; r < all.ranks; r++) {
            const part *const p = &all.parts[r];
            memcpy(p->out->h, h_out + p->begin * out_bytes, p->count * out_bytes);
            memcpy(p->second->h, total, out_bytes);
        }
        free(h_out);
    }
    forget(&all);
}

/* What the exclusive scan has where each part begins. */
static void carry(trial *t)
{
    const prim_op op = (prim_op)pick(t, 4);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair types = pick_pair(t);
    team all = pick_team(t, 70000);
    const size_t out_bytes = bytes_of(types.out);
    size_t bytes = 0;
    pick_values(t, ANYTHING);
    add_inputs(t, &all, types.in, 1, needs_signs(t, op, types.in), false);
    add_outputs(t, &all, types.out, 1, 0);
    begin_team(t, &all,
               asked_bytes(prim_distributed_carry(op, f, types.in, all.counts, all.ranks, types.out,
                                                  ASKING_RANK, 1),
                           &bytes),
               &bytes);
    describe(t, "distributed_carry: op %d, transform %d, types %d %d, %zu in %zu ranks", op, f,
             types.in, types.out, all.whole, all.ranks);
    if (end_team(t, &all,
                 prim_distributed_carry(op, f, types.in, all.counts, all.ranks, types.out,
                                        all.members, all.ranks))) {
        char *const h_out = malloc((all.whole + 1) * out_bytes);
        _Alignas(16) char total[16];
        on_host(t, prim_scan_host(PRIM_SCAN_EXCLUSIVE, op, f, types.in, all.h_in, all.whole,
                                  types.out, h_out, &(prim_scan_ends){.total = total}, t->threads));
        memcpy(h_out + all.whole * out_bytes, total, out_bytes);
        for (size_t r = 0; r < all.ranks; r++)
            memcpy(all.parts[r].out->h, h_out + all.parts[r].begin * out_bytes, out_bytes);
        free(h_out);
    }
    forget(&all);
}

const stress_call distributed_calls[] = {
    {"distributed_reduce", reduce},
    {"distributed_dot", dot},
    {"distributed_arg_reduce", arg_reduce},
    {"distributed_reduce_rows", reduce_rows},
    {"distributed_reduce_columns", reduce_columns},
    {"distributed_histogram_even", histogram_even},
    {"distributed_scan", scan},
    {"distributed_carry", carry},
    {NULL, NULL},
};
