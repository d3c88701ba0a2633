/* Histograms: each rank counts its own part, and the counters are added. */
#include <string.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "common/host/workspace.h"
#include "distributed/finish.h"
#include "distributed/team/team.h"
#include "histogram/histogram_args.h"

typedef struct histogram_args {
    prim_histogram_variant variant;
    prim_histogram_range range;
    cudaDataType_t sample_type;
    prim_counters counters; /* of any rank: without memory */
} histogram_args;

static bool adds(const histogram_args *args)
{
    return (args->counters.flags & PRIM_HISTOGRAM_ADD) != 0;
}

/* Where a rank counts: with PRIM_HISTOGRAM_ADD not in the call's counters, whose old values must
 * not be part of the sum of all ranks. */
static void *counters_of(const histogram_args *args, const prim_member *member)
{
    return adds(args) ? member->call.workspace : member->rank->d_out;
}

static void *outside_of(const histogram_args *args, const prim_member *member)
{
    const size_t bytes = args->counters.bins * prim_element_bytes(args->counters.type);
    return adds(args) ? (char *)member->call.workspace + prim_team_padded(bytes)
                      : member->rank->d_second;
}

/* Where a rank's prim_histogram_even() counts. */
static prim_counters to(const histogram_args *args, void *counters, void *outside)
{
    prim_counters own = args->counters;
    own.data = counters;
    own.flags &= ~(unsigned)PRIM_HISTOGRAM_ADD;
    own.outside_data = outside;
    return own;
}

/* What prim_histogram_even() needs for `count` samples. */
static prim_status inner_bytes(const prim_team *team, size_t count, size_t *bytes)
{
    const histogram_args *args = team->args;
    prim_answer answer;
    return prim_team_asked(prim_histogram_even(args->variant, args->range, args->sample_type, NULL,
                                               count, to(args, NULL, NULL),
                                               &(prim_call){.answer = &answer}),
                           &answer, bytes);
}

/* Room for what a rank counts, where it must not count in the call's counters. */
static size_t apart_bytes(const histogram_args *args)
{
    const size_t bytes = prim_element_bytes(args->counters.type);
    return adds(args) ? prim_team_padded(args->counters.bins * bytes) +
                            prim_team_padded(PRIM_HISTOGRAM_OUTSIDE_COUNTERS * bytes)
                      : 0;
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    const histogram_args *args = team->args;
    size_t whole, inner;
    prim_status status = inner_bytes(team, team->whole, &whole);
    if (status == PRIM_OK)
        status = inner_bytes(team, prim_team_largest_part(team), &inner);
    if (status != PRIM_OK)
        return status;
    const size_t rounding = 2 * PRIM_WORKSPACE_ALIGNMENT;
    if (args->counters.bins >
        (SIZE_MAX - rounding - inner) / prim_element_bytes(args->counters.type))
        return prim_fail(PRIM_ERROR_SIZE, "the bytes of %zu counters do not fit size_t",
                         args->counters.bins);
    *bytes = apart_bytes(args) + inner;
    return PRIM_OK;
}

static prim_status check(const prim_team *team, const prim_member *member, prim_operands *operands)
{
    const histogram_args *args = team->args;
    const size_t counter_bytes = prim_element_bytes(args->counters.type);
    prim_span *const spans = operands->spans;
    operands->count = args->counters.outside == PRIM_OUTSIDE_COUNT ? 3 : 2;
    prim_status status = prim_check_vector(&member->call, "in", member->rank->d_in, member->count,
                                           prim_element_bytes(args->sample_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "out", member->rank->d_out, args->counters.bins,
                                   counter_bytes, &spans[1]);
    if (status == PRIM_OK && operands->count == 3)
        status = prim_check_vector(&member->call, "second", member->rank->d_second,
                                   PRIM_HISTOGRAM_OUTSIDE_COUNTERS, counter_bytes, &spans[2]);
    return status == PRIM_OK ? prim_check_all_disjoint(&member->call, spans, operands->count)
                             : status;
}

static prim_status count_own(const prim_team *team, const prim_member *member)
{
    const histogram_args *args = team->args;
    size_t inner;
    const prim_status status = inner_bytes(team, prim_team_largest_part(team), &inner);
    if (status != PRIM_OK)
        return status;
    void *const memory = inner > 0 ? (char *)member->call.workspace + apart_bytes(args) : NULL;
    return prim_histogram_even(
        args->variant, args->range, args->sample_type, member->rank->d_in, member->count,
        to(args, counters_of(args, member), outside_of(args, member)),
        &(prim_call){
            .stream = member->call.stream, .d_workspace = memory, .workspace_bytes = inner});
}

static prim_status sum(const histogram_args *args, const prim_member *member, void *counters,
                       size_t count)
{
    const ncclDataType_t type = args->counters.type == CUDA_R_32U ? ncclUint32 : ncclUint64;
    return prim_team_nccl(member, "ncclAllReduce",
                          ncclAllReduce(counters, counters, count, type, ncclSum,
                                        member->rank->comm, member->call.stream));
}

static prim_status sum_counters(const prim_team *team, const prim_member *member)
{
    const histogram_args *args = team->args;
    const prim_status status = sum(args, member, counters_of(args, member), args->counters.bins);
    return status == PRIM_OK && args->counters.outside == PRIM_OUTSIDE_COUNT
               ? sum(args, member, outside_of(args, member), PRIM_HISTOGRAM_OUTSIDE_COUNTERS)
               : status;
}

static prim_status add_up(const prim_team *team, const prim_member *member)
{
    const histogram_args *args = team->args;
    const cudaStream_t stream = member->call.stream;
    if (!adds(args))
        return PRIM_OK;
    cudaError_t error =
        prim_distributed_add(args->counters.type, member->rank->d_out, counters_of(args, member),
                             args->counters.bins, stream);
    if (error == cudaSuccess && args->counters.outside == PRIM_OUTSIDE_COUNT)
        error =
            prim_distributed_add(args->counters.type, member->rank->d_second,
                                 outside_of(args, member), PRIM_HISTOGRAM_OUTSIDE_COUNTERS, stream);
    return prim_team_cuda(member, "the counts could not be added", error);
}

/* Adds the fields of the range that are used. */
static void sign_range(const histogram_args *args, prim_digest *digest)
{
    const double reals[] = {args->range.real_lower, args->range.real_upper};
    uint64_t bits[2];
    memcpy(bits, reals, sizeof bits);
    const bool real = prim_element_is_float(args->sample_type);
    prim_digest_add(digest, real ? bits[0] : (uint64_t)args->range.lower);
    prim_digest_add(digest, real ? bits[1] : (uint64_t)args->range.upper);
}

static void sign(const prim_team *team, prim_digest *digest)
{
    const histogram_args *args = team->args;
    prim_digest_add(digest, (uint64_t)args->variant);
    prim_digest_add(digest, args->counters.flags);
    prim_digest_add(digest, args->counters.outside);
    prim_digest_add(digest, args->sample_type);
    prim_digest_add(digest, args->counters.bins);
    prim_digest_add(digest, args->counters.type);
    sign_range(args, digest);
}

static const prim_team_steps steps = {
    .check = check,
    .needed = needed,
    .sign = sign,
    .steps = {{count_own, false}, {sum_counters, true}, {add_up, false}},
};

prim_status prim_distributed_histogram_even(prim_histogram_variant variant,
                                            prim_histogram_range range, cudaDataType_t sample_type,
                                            const size_t *h_counts, size_t total_ranks,
                                            prim_counters counters, const prim_rank *ranks,
                                            size_t own_ranks)
{
    const histogram_args args = {variant, range, sample_type, counters};
    prim_team team = {.name = "prim_distributed_histogram_even",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_run(&team, &steps, ranks, own_ranks);
}
