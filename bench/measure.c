/* Measures a plan group by group. Within a group the first case, which is auto unless other
 * variants were asked for, and the peers are measured in turn; the other variants follow one by
 * one. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "draw.h"
#include "peers/peers.h"

/* A longer call outlives what the cache held: it is as fast cold. */
enum { LONGEST_HOT_US = 2000 };

/* ---- a case and what it runs on ---- */

typedef struct bound_case {
    const bench_case *c;
    const bench_pattern *pattern;
    const bench_peer *peer; /* NULL: ours */
    bench_operands operands;
    bench_result *results; /* one for each mode */
} bound_case;

static prim_status run_bound(const void *argument, cudaStream_t stream)
{
    const bound_case *b = argument;
    if (b->peer != NULL)
        return b->peer->run(b->c, &b->operands, stream);
    return b->pattern->run(b->c, &b->operands, stream);
}

/* Of these operands: a sparse matrix has sizes that the case does not tell. */
static prim_status ask(const bound_case *b, prim_answer *answer)
{
    bench_operands asking = b->operands;
    asking.answer = answer;
    asking.d_workspace = NULL;
    asking.workspace_bytes = 0;
    return b->pattern->run(b->c, &asking, NULL);
}

static bool takes(const bound_case *b)
{
    prim_answer answer;
    return ask(b, &answer) == PRIM_OK;
}

static size_t workspace_of(const bound_case *b)
{
    prim_answer answer;
    must_prim(ask(b, &answer));
    return answer.workspace_bytes;
}

static void give_workspace(bound_case *b)
{
    bench_operands *o = &b->operands;
    must(cudaFree(o->d_workspace), "freeing");
    o->workspace_bytes = b->peer != NULL ? b->peer->workspace_bytes(b->c, o) : workspace_of(b);
    must(cudaMalloc(&o->d_workspace, o->workspace_bytes), "memory for the workspace");
}

static void bind_case(bound_case *b, const bench_case *c, bench_result *results)
{
    *b = (bound_case){.c = c,
                      .pattern = find_pattern(c->pattern),
                      .peer = c->peer != NULL ? find_peer(c) : NULL,
                      .results = results};
    b->pattern->set_up(c, &b->operands);
    give_workspace(b);
    must(cudaDeviceSynchronize(), "setting up");
}

static void unbind_case(bound_case *b)
{
    must(cudaFree(b->operands.d_in), "freeing");
    must(cudaFree(b->operands.d_out), "freeing");
    must(cudaFree(b->operands.d_workspace), "freeing");
    free(b->operands.h_state);
}

/* ---- times ---- */

static bool has_mode(const bound_case *b, bench_mode mode)
{
    const bool is_short = b->results[MODE_COLD].time.median_us < LONGEST_HOT_US;
    return mode != MODE_HOT || (on_gpu() && !b->c->has_state && is_short);
}

static void time_mode(bound_case *turn, size_t count, bench_mode mode,
                      const bench_ceilings *ceilings)
{
    const void *arguments[MOST_IN_TURN];
    bench_time times[MOST_IN_TURN];
    size_t timed = 0;
    for (size_t i = 0; i < count; i++) {
        turn[i].results[mode] = (bench_result){.c = turn[i].c, .mode = mode};
        if (has_mode(&turn[i], mode))
            arguments[timed++] = &turn[i];
    }
    if (timed > 0)
        measure_in_turn(mode, run_bound, arguments, timed, times);
    for (size_t i = 0; i < timed; i++) {
        bench_result *r = &((const bound_case *)arguments[i])->results[mode];
        r->time = times[i];
        if (mode == MODE_COLD && on_gpu() && times[i].median_us < LONGEST_HOT_US)
            r->time.host_us = measure_host_us(run_bound, arguments[i], times[i].median_us);
        set_shares(r, ceilings);
    }
}

/* A peer may round otherwise (CUB puts f32 samples at a bin's edge into the other bin): it is
 * named, and its times are not compared with ours. */
static void drop_peer(const bound_case *b)
{
    fprintf(stderr, "primbench: the rows of this peer are left out\n");
    for (int mode = 0; mode < mode_count() && b->results != NULL; mode++)
        b->results[mode].time = (bench_time){0};
}

static void *read_result(const void *d_out, size_t bytes)
{
    void *const h_out = malloc(bytes > 0 ? bytes : 1);
    if (h_out == NULL)
        exit(1);
    must(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost), "reading the result");
    return h_out;
}

static bool has_same_bits(const void *d_a, const void *d_b, size_t bytes)
{
    unsigned *d_differ, differ;
    must(cudaMalloc((void **)&d_differ, sizeof *d_differ), "memory to compare with");
    must(cudaMemset(d_differ, 0, sizeof *d_differ), "comparing results");
    must(compare_on_device(d_a, d_b, bytes, d_differ, 0), "comparing results");
    must(cudaMemcpy(&differ, d_differ, sizeof differ, cudaMemcpyDeviceToHost), "comparing results");
    must(cudaFree(d_differ), "freeing");
    return differ == 0;
}

/* The same but for rounding: that is compared on the host, which takes long where there is much. */
static bool is_same_result(const bound_case *b, const void *d_first)
{
    const size_t bytes = b->operands.out_bytes;
    if (has_same_bits(d_first, b->operands.d_out, bytes))
        return true;
    void *const h_first = read_result(d_first, bytes), *const h_out =
                                                           read_result(b->operands.d_out, bytes);
    const bool is_same = b->pattern->same(b->c, h_first, h_out);
    free(h_first);
    free(h_out);
    return is_same;
}

/* Fails where this case's result is not that of the group's first: a fast wrong kernel is none. */
static void check_result(const bound_case *b, void **d_first)
{
    if (*d_first == NULL) {
        must(cudaMalloc(d_first, b->operands.out_bytes), "memory for the first result");
        must(cudaMemcpy(*d_first, b->operands.d_out, b->operands.out_bytes,
                        cudaMemcpyDeviceToDevice),
             "keeping the first result");
        return;
    }
    if (is_same_result(b, *d_first))
        return;
    fprintf(stderr, "primbench: %s %s %s %s: %s gives another result than the first variant\n",
            b->c->pattern, b->c->name, b->c->type, b->c->shape, case_label(b->c));
    if (b->peer == NULL)
        exit(1);
    drop_peer(b);
}

/* ---- a group ---- */

typedef struct group {
    const bench_case *cases;
    size_t count;
    bench_result *results; /* mode_count() for each case; NULL: nothing is timed */
    void *d_first;         /* the first case's result */
} group;

static void run_once(bound_case *b)
{
    must_prim(run_bound(b, 0));
    must(cudaDeviceSynchronize(), "running a case");
}

/* false: it is a peer that refuses the case after all, and is not bound. */
static bool bind_member(bound_case *b, const group *g, size_t member)
{
    const size_t first = member * (size_t)mode_count();
    bind_case(b, &g->cases[member], g->results != NULL ? &g->results[first] : NULL);
    const bool is_taken = b->peer == NULL || run_bound(b, 0) == PRIM_OK;
    must(cudaDeviceSynchronize(), "trying a peer");
    if (is_taken)
        return true;
    for (int mode = 0; mode < mode_count() && b->results != NULL; mode++)
        b->results[mode] = (bench_result){.c = b->c, .mode = (bench_mode)mode};
    unbind_case(b);
    return false;
}

static void measure_turn(group *g, const size_t *members, size_t count,
                         const bench_ceilings *ceilings)
{
    bound_case turn[MOST_IN_TURN];
    const size_t modes = (size_t)mode_count();
    size_t bound = 0;
    for (size_t i = 0; i < count; i++)
        bound += bind_member(&turn[bound], g, members[i]);
    for (size_t i = 0; i < bound && g->results == NULL; i++)
        run_once(&turn[i]);
    for (size_t mode = 0; mode < modes && g->results != NULL; mode++)
        time_mode(turn, bound, (bench_mode)mode, ceilings);
    for (size_t i = 0; i < bound; i++)
        check_result(&turn[i], &g->d_first);
    for (size_t i = 0; i < bound; i++)
        unbind_case(&turn[i]);
}

/* A drawn case that no peer takes is compared with the lowest rung that does, where that is quick:
 * some rungs have one thread. */
static bool is_to_be_compared(const group *g)
{
    const double most_bytes = 0x1p20, most_flops = 0x1p28;
    const bench_case *const c = &g->cases[0];
    return g->count == 1 && is_drawn(c) && c->variant_value == 0 && c->bytes <= most_bytes &&
           c->flops <= most_flops;
}

static void compare_with_a_rung(group *g)
{
    enum { MOST_VARIANTS = 32 };
    bench_case rung = g->cases[0];
    bound_case bound;
    rung.variant = "the lowest rung";
    bind_case(&bound, &rung, NULL);
    do
        rung.variant_value++;
    while (rung.variant_value < MOST_VARIANTS && !takes(&bound));
    if (rung.variant_value < MOST_VARIANTS) {
        give_workspace(&bound);
        run_once(&bound);
        check_result(&bound, &g->d_first);
    }
    unbind_case(&bound);
}

/* The first case and the peers: their numbers in the group. */
static size_t in_turn(const group *g, size_t *members)
{
    size_t count = 0;
    members[count++] = 0;
    for (size_t i = 1; i < g->count && count < MOST_IN_TURN; i++)
        if (g->cases[i].peer != NULL)
            members[count++] = i;
    return count;
}

static void measure_group(group *g, const bench_plan *plan, const bench_ceilings *ceilings)
{
    size_t members[MOST_IN_TURN], done = (size_t)(g->cases - plan->cases);
    const size_t count = in_turn(g, members);
    show_progress(done, plan->count, case_label(&g->cases[0]));
    measure_turn(g, members, count, ceilings);
    if (is_to_be_compared(g))
        compare_with_a_rung(g);
    done += count;
    for (size_t i = 1; i < g->count; i++) {
        if (g->cases[i].peer != NULL)
            continue;
        show_progress(done++, plan->count, case_label(&g->cases[i]));
        measure_turn(g, &i, 1, ceilings);
    }
    must(cudaFree(g->d_first), "freeing");
}

static size_t count_cases(const bench_plan *plan, size_t first)
{
    size_t end = first + 1;
    while (end < plan->count && same_group(&plan->cases[first], &plan->cases[end]))
        end++;
    return end - first;
}

void measure_all(const bench_plan *plan, const bench_context *context, print_results *print,
                 bench_result *results)
{
    const size_t modes = (size_t)mode_count();
    for (size_t first = 0; first < plan->count;) {
        group g = {.cases = &plan->cases[first],
                   .count = count_cases(plan, first),
                   .results = &results[first * modes]};
        measure_group(&g, plan, &context->ceilings);
        clear_progress();
        print(context, g.results, g.count * modes);
        first += g.count;
    }
}

/* ---- without times ---- */

/* Variants that any of the cases names: "auto" is one of the others. */
static size_t count_rungs(const bench_case *cases, size_t count)
{
    size_t rungs = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(case_label(&cases[first]), case_label(&cases[i])) != 0)
            first++;
        rungs += first == i && strcmp(case_label(&cases[i]), "auto") != 0;
    }
    return rungs;
}

void agree_all(const bench_plan *plan)
{
    for (size_t first = 0, begin = 0, inputs = 0; first < plan->count;) {
        group g = {.cases = &plan->cases[first], .count = count_cases(plan, first)};
        measure_group(&g, plan, NULL);
        first += g.count;
        inputs++;
        const char *const pattern = g.cases[0].pattern;
        if (first < plan->count && strcmp(plan->cases[first].pattern, pattern) == 0)
            continue;
        clear_progress();
        printf("  %-12s %2zu variants agree on %3zu input%s\n", pattern,
               count_rungs(&plan->cases[begin], first - begin), inputs, inputs > 1 ? "s" : "");
        fflush(stdout);
        begin = first;
        inputs = 0;
    }
}
