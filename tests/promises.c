/* What all patterns promise, asked of every entry point and variant in one table. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/merge.h>

#include "entry_points.h"
#include "queries.h"
#include "support.h"
#ifdef SIMT_BACKEND
#include <simt.h>
#endif

/* ---- operands of one entry point ---- */

typedef struct test_stand {
    const entry_point *entry;
    const char *variant_name;
    operands o;
    guarded in, out, workspace;
    void *h_in, *h_out, *h_expected;
} test_stand;

static void set_input(test_stand *s, unsigned seed)
{
    s->entry->make_input(s->h_in, seed);
    if (s->entry->set_addresses != NULL)
        s->entry->set_addresses(s->h_in, s->in.data, s->out.data);
    s->entry->right_answer(s->h_in, s->o.count, s->h_expected);
    cr_cuda(cudaMemcpy(s->in.data, s->h_in, s->entry->in_bytes, cudaMemcpyHostToDevice));
    cr_cuda(cudaStreamSynchronize(0)); /* the copy may return before all bytes have arrived */
}

static test_stand set_up(const entry_point *entry, int variant)
{
    test_stand s = {.entry = entry, .variant_name = variant_name(entry, variant)};
    prim_answer answer;
    cr_prim(ask_entry(entry, variant, entry->count, &answer));
    const size_t bytes = answer.workspace_bytes;
    s.in = guarded_new(entry->in_bytes, 0);
    s.out = guarded_new(entry->out_bytes, 0);
    s.workspace = guarded_new(bytes, 0);
    s.h_in = malloc(entry->in_bytes);
    s.h_out = malloc(entry->out_bytes);
    s.h_expected = malloc(entry->out_bytes);
    s.o = (operands){.d_in = s.in.data,
                     .d_out = s.out.data,
                     .d_workspace = bytes > 0 ? s.workspace.data : NULL,
                     .in_bytes = entry->in_bytes,
                     .out_bytes = entry->out_bytes,
                     .workspace_bytes = bytes,
                     .count = entry->count,
                     .variant = variant};
    set_input(&s, 1);
    return s;
}

static void tear_down(test_stand *s)
{
    guarded_free(&s->in);
    guarded_free(&s->out);
    guarded_free(&s->workspace);
    free(s->h_in);
    free(s->h_out);
    free(s->h_expected);
}

static void check_answer(test_stand *s, const char *where)
{
    guarded_read(&s->out, s->h_out);
    cr_assert_arr_eq(s->h_out, s->h_expected, s->entry->out_bytes, "%s, variant %s: %s",
                     s->entry->name, s->variant_name, where);
}

/* Calls check(stand) for every variant of every entry point. */
static void for_each_variant(void (*check)(test_stand *s))
{
    for (size_t e = 0; e < entry_point_count; e++)
        for (size_t v = 0; entry_variant_at(entry_points[e], v) != NULL; v++) {
            test_stand s = set_up(entry_points[e], entry_variant_at(entry_points[e], v)->value);
            check(&s);
            tear_down(&s);
        }
}

static bool is_stateless(const test_stand *s)
{
    return s->entry->is_stateless == NULL || s->entry->is_stateless(s->o.variant);
}

/* ---- capture ---- */

static cudaGraph_t capture(test_stand *s, prim_status (*call)(const operands *o),
                           prim_status *status)
{
    cudaGraph_t graph;
    cudaStream_t stream;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    s->o.stream = stream;
    /* In this mode, any allocation or synchronisation by any thread would fail. */
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    *status = call(&s->o);
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_cuda(cudaStreamDestroy(stream));
    s->o.stream = 0;
    return graph;
}

static size_t count_nodes(cudaGraph_t graph, enum cudaGraphNodeType wanted)
{
    size_t count = 0, found = 0;
    cr_cuda(cudaGraphGetNodes(graph, NULL, &count));
    cudaGraphNode_t *nodes = malloc((count + 1) * sizeof *nodes);
    cr_cuda(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        enum cudaGraphNodeType type;
        cr_cuda(cudaGraphNodeGetType(nodes[i], &type));
        found += type == wanted;
    }
    free(nodes);
    return found;
}

static size_t count_all_nodes(cudaGraph_t graph)
{
    size_t count = 0;
    cr_cuda(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

static void replay(test_stand *s, cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned seed = 2; seed < 5; seed++) {
        set_input(s, seed);
        guarded_poison(&s->out);
        guarded_poison(&s->workspace);
        cr_cuda(cudaGraphLaunch(exec, 0));
        cr_cuda(cudaStreamSynchronize(0));
        check_answer(s, "replayed");
    }
    cr_cuda(cudaGraphExecDestroy(exec));
}

/* ---- promises ---- */

/* Its work comes after what its stream has to do already, and is done when that stream is: what a
 * call does not write still holds the pattern. */
static void check_in_own_stream(test_stand *s, const char *where)
{
    s->o.stream = own_stream();
    cr_cuda(cudaMemsetAsync(s->o.d_out, GUARD_PATTERN, s->entry->out_bytes, s->o.stream));
    const uint64_t others = submissions_to_others();
    cr_prim(s->entry->call(&s->o));
    cr_assert_eq(submissions_to_others(), others, "%s, variant %s: %s, used another stream",
                 s->entry->name, s->variant_name, where);
    cr_cuda(cudaMemcpyAsync(s->h_out, s->o.d_out, s->entry->out_bytes, cudaMemcpyDeviceToHost,
                            s->o.stream));
    cr_cuda(cudaStreamSynchronize(s->o.stream));
    cr_assert_arr_eq(s->h_out, s->h_expected, s->entry->out_bytes, "%s, variant %s: %s",
                     s->entry->name, s->variant_name, where);
    s->o.stream = 0;
}

static void check_workspace(test_stand *s)
{
    check_in_own_stream(s, "with a workspace");
}

Test(promises, the_workspace_asked_for_is_enough)
{
    for_each_variant(check_workspace);
}

static void check_pool(test_stand *s)
{
    s->o.d_workspace = NULL;
    s->o.workspace_bytes = 0;
    cr_prim(s->entry->call(&s->o));
    check_answer(s, "with the pool");
}

Test(promises, no_workspace_means_the_pool)
{
    for_each_variant(check_pool);
}

/* A graph would replay a variant with state against what others have made of that state. */
static void check_no_capture(test_stand *s)
{
    prim_status status;
    cudaGraph_t graph = capture(s, s->entry->call, &status);
    cr_assert_eq(status, PRIM_ERROR_UNSUPPORTED, "%s", prim_status_string(status));
    cr_assert(strstr(prim_last_error(NULL), "capture") != NULL, "%s", prim_last_error(NULL));
    cr_assert_eq(count_all_nodes(graph), 0, "a refused call submitted something");
    cr_assert(guarded_untouched(&s->out), "a refused call ran");
    cr_cuda(cudaGraphDestroy(graph));
    cr_prim(s->entry->call(&s->o));
    check_answer(s, "after a refused capture");
}

static void check_capture(test_stand *s)
{
    if (!is_stateless(s)) {
        check_no_capture(s);
        return;
    }
    prim_status status;
    cudaGraph_t graph = capture(s, s->entry->call, &status);
    cr_assert_eq(status, PRIM_OK, "%s", prim_last_error(NULL));
    cr_assert(guarded_untouched(&s->out), "a captured call ran");
    cr_assert(count_nodes(graph, cudaGraphNodeTypeKernel) >= 1);
    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemAlloc), 0, "allocates despite a workspace");
    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemcpy), 0, "copies from host memory");
    replay(s, graph);
    cr_cuda(cudaGraphDestroy(graph));
}

Test(promises, a_call_is_captured_and_replayed)
{
    for_each_variant(check_capture);
}

static void check_pool_capture(test_stand *s)
{
    prim_status status;
    s->o.d_workspace = NULL;
    s->o.workspace_bytes = 0;
    if (!is_stateless(s)) {
        check_no_capture(s);
        return;
    }
    cudaGraph_t graph = capture(s, s->entry->call, &status);
    cr_assert_eq(status, PRIM_OK, "%s", prim_last_error(NULL));
    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemAlloc),
                 count_nodes(graph, cudaGraphNodeTypeMemFree));
    replay(s, graph);
    cr_cuda(cudaGraphDestroy(graph));
}

Test(promises, a_call_without_workspace_is_captured_too)
{
    for_each_variant(check_pool_capture);
}

/* ---- asking ---- */

/* AUTO names the rung that it takes; any other variant is itself. */
static void check_answered(const test_stand *s, const prim_answer *answer)
{
    const char *const name = s->entry->name;
    cr_assert(answer->variant != NULL && answer->variant->value != 0, "%s, variant %s", name,
              s->variant_name);
    if (s->o.variant != 0)
        cr_assert_eq(answer->variant->value, s->o.variant, "%s, variant %s, answers %s", name,
                     s->variant_name, answer->variant->name);
    cr_assert_eq(answer->workspace_bytes, s->o.workspace_bytes, "%s, variant %s", name,
                 s->variant_name);
}

/* With operands and without: the same answer, and nothing is done. */
static void check_asked(test_stand *s)
{
    prim_answer answer = {0}, without;
    s->o.answer = &answer;
    const uint64_t others = submissions_to_others();
    cr_prim(s->entry->call(&s->o));
    cr_assert_eq(submissions_to_others(), others, "%s submits something", s->entry->name);
    s->o.answer = NULL;
    check_answered(s, &answer);
    cr_prim(ask_entry(s->entry, s->o.variant, s->o.count, &without));
    check_answered(s, &without);
    cr_assert_eq(answer.variant, without.variant, "%s", s->entry->name);
    cr_assert_eq(answer.output_bytes, without.output_bytes, "%s", s->entry->name);
    cr_cuda(cudaDeviceSynchronize());
    cr_assert(guarded_untouched(&s->out), "%s wrote its output", s->entry->name);
    cr_assert(guarded_untouched(&s->workspace), "%s wrote its workspace", s->entry->name);
}

Test(promises, a_call_that_is_asked_answers_and_does_nothing)
{
    for_each_variant(check_asked);
}

/* Where the call comes past fewer faults than that, it is the valid call. */
static prim_status call_with_fault(test_stand *s, fault *f, size_t wanted)
{
    *f = (fault){.wanted = wanted};
    s->o.fault = f;
    const prim_status status = s->entry->call(&s->o);
    s->o.fault = NULL;
    return status;
}

/* Whether the sentence begins with the whole name: that of prim_reduce_rows() is not one of
 * prim_reduce(). */
static bool is_of(const char *call, const char *sentence)
{
    const size_t length = strlen(call);
    return strncmp(sentence, call, length) == 0 && sentence[length] == ':';
}

static void check_refusal(test_stand *s, const fault *f, prim_status status)
{
    const char *name = s->variant_name, *sentence = prim_last_error(NULL);
    cr_assert_eq(status, f->status, "%s %s, %s %s: %s", s->entry->name, name, f->word, f->what,
                 prim_status_string(status));
    cr_assert(is_of(s->entry->name, sentence), "%s: %s", s->entry->name, sentence);
    cr_assert(strstr(sentence, f->word) != NULL, "%s %s, %s: \"%s\" does not say %s",
              s->entry->name, name, f->what, sentence, f->word);
    cr_cuda(cudaDeviceSynchronize());
    cr_assert(guarded_untouched(&s->out), "%s, %s: d_out was written", name, f->what);
    cr_assert(guarded_untouched(&s->workspace), "%s, %s: workspace written", name, f->what);
}

static void check_refused_capture(test_stand *s, fault *f)
{
    prim_status status;
    f->seen = 0;
    s->o.fault = f;
    cudaGraph_t graph = capture(s, s->entry->call, &status);
    s->o.fault = NULL;
    const char *name = s->variant_name;
    cr_assert(status == f->status || (!is_stateless(s) && status == PRIM_ERROR_UNSUPPORTED),
              "%s %s, %s %s: %s", s->entry->name, name, f->word, f->what,
              prim_status_string(status));
    cr_assert_eq(count_all_nodes(graph), 0, "%s, %s: something was launched", name, f->what);
    cr_cuda(cudaGraphDestroy(graph));
}

/* Asked, the call refuses in the same words; only a NULL is none of its operands. */
static void check_refused_asking(test_stand *s, fault *f)
{
    prim_answer answer;
    char sentence[320];
    snprintf(sentence, sizeof sentence, "%s", prim_last_error(NULL));
    memset(&answer, GUARD_PATTERN, sizeof answer);
    f->seen = 0;
    s->o.fault = f;
    s->o.answer = &answer;
    const prim_status status = s->entry->call(&s->o);
    s->o.fault = NULL;
    s->o.answer = NULL;
    if (status == PRIM_OK && f->status == PRIM_ERROR_NULL)
        return;
    cr_assert_eq(status, f->status, "%s %s, asked: %s", s->entry->name, f->what,
                 prim_status_string(status));
    cr_assert_str_eq(prim_last_error(NULL), sentence);
    cr_assert(answer.variant == NULL && answer.workspace_bytes == 0 && answer.output_bytes == 0,
              "%s %s: the answer is not empty", s->entry->name, f->what);
}

static void check_bad_arguments(test_stand *s)
{
    fault f;
    size_t planted = 0;
    for (prim_status status;; planted++) {
        status = call_with_fault(s, &f, planted);
        if (f.what == NULL)
            break;
        check_refusal(s, &f, status);
        check_refused_asking(s, &f);
        check_refused_capture(s, &f);
    }
    cr_assert_gt(planted, 0, "%s has no faults", s->entry->name);
    check_answer(s, "behind all refused calls"); /* they have not written to d_in either */
}

Test(promises, bad_arguments_are_refused_and_nothing_happens)
{
    for_each_variant(check_bad_arguments);
}

static void check_older_error(test_stand *s)
{
    int h[1] = {0};
    cudaGetLastError();
    cr_assert_eq(cudaMemcpy(h, h, sizeof h, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_prim(s->entry->call(&s->o));
    s->o.d_workspace = NULL;
    s->o.workspace_bytes = 0;
    cr_prim(s->entry->call(&s->o));
    cr_assert_eq(cudaGetLastError(), cudaErrorInvalidValue, "the caller's error was taken away");
    cr_cuda(cudaDeviceSynchronize());
    check_answer(s, "after an older error");
}

Test(promises, an_older_cuda_error_is_left_alone)
{
    for_each_variant(check_older_error);
}

static void check_empty(test_stand *s)
{
    s->o.count = 0;
    if (s->entry->needs_elements) {
        cr_assert_eq(s->entry->call(&s->o), PRIM_ERROR_SIZE);
        return;
    }
    memset(s->h_expected, GUARD_PATTERN, s->entry->out_bytes);
    s->entry->right_answer(s->h_in, 0, s->h_expected);
    check_in_own_stream(s, "without elements");
    s->o.d_in = NULL;
    check_in_own_stream(s, "without elements or d_in");
}

Test(promises, no_elements_are_valid)
{
    for_each_variant(check_empty);
}

/* ---- two host threads ---- */

typedef struct caller {
    test_stand stand;
    pthread_t thread;
    int failures;
} caller;

static int how_often(void)
{
    static const int often[] = {[LEVEL_QUICK] = 2, [LEVEL_NORMAL] = 5, [LEVEL_FULL] = 20};
    return often[get_test_level()];
}

static void *call_often(void *argument)
{
    caller *c = argument;
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
        c->failures++;
        return NULL;
    }
    c->stand.o.stream = stream;
    for (int i = how_often(); i > 0; i--) {
        c->failures += cudaMemsetAsync(c->stand.o.d_out, 0xA5, c->stand.o.out_bytes, stream) != 0;
        c->failures += c->stand.entry->call(&c->stand.o) != PRIM_OK;
        c->failures += cudaMemcpyAsync(c->stand.h_out, c->stand.o.d_out, c->stand.o.out_bytes,
                                       cudaMemcpyDeviceToHost, stream) != cudaSuccess;
        c->failures += cudaStreamSynchronize(stream) != cudaSuccess;
        c->failures += memcmp(c->stand.h_out, c->stand.h_expected, c->stand.o.out_bytes) != 0;
        /* an error of this thread must not show in the other's sentence */
        const size_t bytes = c->stand.o.workspace_bytes;
        c->stand.o.workspace_bytes = 0;
        c->failures += c->stand.o.d_workspace != NULL &&
                       c->stand.entry->call(&c->stand.o) != PRIM_ERROR_WORKSPACE;
        c->stand.o.workspace_bytes = bytes;
    }
    c->failures += cudaStreamDestroy(stream) != cudaSuccess;
    return NULL;
}

Test(promises, two_host_threads_at_once)
{
    for (size_t e = 0; e < entry_point_count; e++)
        for (size_t v = 0; entry_variant_at(entry_points[e], v) != NULL; v++) {
            caller callers[2] = {0};
            for (unsigned i = 0; i < 2; i++) {
                callers[i].stand =
                    set_up(entry_points[e], entry_variant_at(entry_points[e], v)->value);
                set_input(&callers[i].stand, 10 + i);
            }
            cr_cuda(cudaDeviceSynchronize());
            /* calls that share state come from one thread after the other */
            const bool at_once = is_stateless(&callers[0].stand);
            for (unsigned i = 0; i < 2; i++) {
                cr_assert_eq(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
                if (!at_once)
                    pthread_join(callers[i].thread, NULL);
            }
            for (unsigned i = 0; i < 2; i++) {
                if (at_once)
                    pthread_join(callers[i].thread, NULL);
                cr_assert_eq(callers[i].failures, 0);
                tear_down(&callers[i].stand);
            }
        }
}

/* ---- status and sentences ---- */

Test(promises, every_status_has_its_name)
{
    cr_assert_str_eq(prim_status_string(PRIM_OK), "PRIM_OK");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_NULL), "PRIM_ERROR_NULL");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_ENUM), "PRIM_ERROR_ENUM");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_TYPE), "PRIM_ERROR_TYPE");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_SIZE), "PRIM_ERROR_SIZE");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_OVERLAP), "PRIM_ERROR_OVERLAP");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_WORKSPACE), "PRIM_ERROR_WORKSPACE");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_MISALIGNED), "PRIM_ERROR_MISALIGNED");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_UNSUPPORTED), "PRIM_ERROR_UNSUPPORTED");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_VALUE), "PRIM_ERROR_VALUE");
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_CUDA), "PRIM_ERROR_CUDA");
    cr_assert_str_eq(prim_status_string((prim_status)77), "unknown prim_status");
}

static void *ask_for_last_error(void *is_empty)
{
    cudaError_t error = cudaErrorUnknown;
    const char *const sentence = prim_last_error(&error);
    *(bool *)is_empty = strcmp(sentence, "") == 0 && error == cudaSuccess;
    return NULL;
}

/* A new one, since others may have run in this process before. */
Test(promises, a_thread_without_errors_has_no_sentence)
{
    pthread_t thread;
    bool is_empty = false;
    cr_assert_eq(pthread_create(&thread, NULL, ask_for_last_error, &is_empty), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert(is_empty);
}

/* A launch into a stream whose capture has broken is the CUDA runtime's error, told as such. */
static void check_cuda_error(test_stand *s)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaError_t error;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cr_assert_neq(cudaStreamSynchronize(stream), cudaSuccess);
    s->o.stream = stream;
    cr_assert_eq(s->entry->call(&s->o), PRIM_ERROR_CUDA);
    cr_assert(strstr(prim_last_error(&error), "cudaErrorStreamCaptureInvalidated") != NULL);
    cr_assert_eq(error, cudaErrorStreamCaptureInvalidated);
    cr_assert_neq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cr_cuda(cudaStreamDestroy(stream));
    cudaGetLastError();
    cr_assert(guarded_untouched(&s->out));
}

Test(promises, errors_of_the_runtime_are_passed_on)
{
    for_each_variant(check_cuda_error);
}

/* ---- each call of the runtime fails in turn ---- */

#ifdef SIMT_BACKEND

/* One call of an entry point, of whose calls of the runtime the n-th fails. */
static struct trial {
    const entry_point *entry;
    prim_status (*call)(const operands *o);
    uint64_t n;
    const char *failed; /* the call that did; NULL: there were fewer */
    uint64_t submissions, to_own_stream;
    size_t allocations, pool_bytes;
    prim_answer answer;
    char where[200];
} trial;

static prim_status call_with_failure(const operands *o)
{
    const uint64_t all = simt_submissions(), own = simt_submissions_to(o->stream);
    simt_fail_at(trial.n);
    const prim_status status = trial.call(o);
    trial.failed = simt_failed_call();
    simt_fail_at(0);
    trial.submissions = simt_submissions() - all;
    trial.to_own_stream = simt_submissions_to(o->stream) - own;
    return status;
}

static void begin_trial(const test_stand *s, uint64_t n)
{
    cr_cuda(cudaStreamSynchronize(s->o.stream)); /* what a failed call has submitted */
    guarded_poison(&s->out);
    trial.entry = s->entry;
    trial.call = s->entry->call;
    trial.n = n;
    trial.allocations = simt_device_allocations();
    trial.pool_bytes = simt_pool_bytes();
}

/* What holds of every call, whatever failed. */
static void check_left_behind(const test_stand *s)
{
    snprintf(trial.where, sizeof trial.where, "%s, variant %s, call %d of the runtime: %s",
             s->entry->name, s->variant_name, (int)trial.n,
             trial.failed != NULL ? trial.failed : "none");
    cr_assert_eq(trial.submissions, trial.to_own_stream, "%s: used another stream", trial.where);
    cr_assert_eq(simt_device_allocations(), trial.allocations, "%s: memory leaked", trial.where);
    cr_assert_eq(simt_pool_bytes(), trial.pool_bytes, "%s: the pool lacks bytes", trial.where);
}

/* `name` is the call's. PRIM_ERROR_CUDA: part of the work may have been submitted. Any other error:
 * none was. */
static void check_failure(const test_stand *s, prim_status status)
{
    cudaError_t error;
    const char *sentence = prim_last_error(&error);
    cr_assert(status == PRIM_ERROR_CUDA || status == PRIM_ERROR_WORKSPACE, "%s: %s", trial.where,
              prim_status_string(status));
    cr_assert(is_of(s->entry->name, sentence), "%s: %s", trial.where, sentence);
    cr_assert(strstr(sentence, cudaGetErrorName(cudaPeekAtLastError())) != NULL, "%s: \"%s\"",
              trial.where, sentence);
    cr_assert_eq(error, cudaPeekAtLastError(), "%s: %s", trial.where, cudaGetErrorName(error));
    if (status != PRIM_ERROR_CUDA)
        cr_assert_eq(trial.submissions, 0, "%s: submitted something", trial.where);
    if (trial.submissions == 0)
        cr_assert(guarded_untouched(&s->out), "%s: wrote to d_out", trial.where);
    cudaGetLastError();
}

/* The last call, of which nothing fails, shows that those before it left nothing broken. */
static void check_each_failure(test_stand *s)
{
    cudaStream_t stream;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    s->o.stream = stream;
    for (uint64_t n = 1;; n++) {
        begin_trial(s, n);
        const prim_status status = call_with_failure(&s->o);
        check_left_behind(s);
        if (trial.failed == NULL) {
            cr_prim(status);
            cr_cuda(cudaStreamSynchronize(stream));
            check_answer(s, "after each failure");
            break;
        }
        check_failure(s, status);
    }
    cr_assert(trial.n > 1, "%s calls nothing that can fail", s->entry->name);
    cr_cuda(cudaStreamDestroy(stream));
    s->o.stream = 0;
}

/* With a workspace and without; at level quick, variants take turns. */
static void check_each_failure_twice(test_stand *s)
{
    static bool with_workspace;
    const bool quick = get_test_level() == LEVEL_QUICK;
    with_workspace = !with_workspace;
    if (!quick || with_workspace)
        check_each_failure(s);
    s->o.d_workspace = NULL;
    s->o.workspace_bytes = 0;
    if (!quick || !with_workspace)
        check_each_failure(s);
}

Test(promises, a_call_of_the_runtime_that_fails_is_a_status_and_leaves_nothing)
{
    for_each_variant(check_each_failure_twice);
}

static void check_each_failure_captured(test_stand *s)
{
    s->o.d_workspace = NULL;
    s->o.workspace_bytes = 0;
    for (uint64_t n = 1; is_stateless(s); n++) {
        prim_status status;
        begin_trial(s, n);
        cudaGraph_t graph = capture(s, call_with_failure, &status);
        cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemAlloc),
                     count_nodes(graph, cudaGraphNodeTypeMemFree));
        cr_cuda(cudaGraphDestroy(graph));
        check_left_behind(s);
        cr_assert(guarded_untouched(&s->out), "%s: a captured call ran", trial.where);
        if (trial.failed == NULL) {
            cr_prim(status);
            break;
        }
        check_failure(s, status);
    }
}

Test(promises, a_capture_outlives_a_call_that_fails)
{
    for_each_variant(check_each_failure_captured);
}

static prim_status ask_trial(const operands *o)
{
    return ask_entry(trial.entry, o->variant, o->count, &trial.answer);
}

static void check_each_failure_asked(test_stand *s)
{
    for (uint64_t n = 1;; n++) {
        begin_trial(s, n);
        trial.call = ask_trial;
        const prim_status status = call_with_failure(&s->o);
        check_left_behind(s);
        if (trial.failed == NULL) {
            cr_prim(status);
            break;
        }
        check_failure(s, status);
    }
}

Test(promises, an_asked_call_that_learns_nothing_of_the_device_says_so)
{
    for_each_variant(check_each_failure_asked);
}

/* ---- asking, of which each call of the runtime fails in turn ---- */

/* A question, asked once more with a failure. */
typedef struct question {
    const query *of;
    int variant;
    size_t size;
    const char *failed; /* NULL: there were fewer calls */
} question;

/* So that no older sentence is taken for the next refusal's. */
static void fail_elsewhere(void)
{
    cr_assert_eq(prim_gather_host(0, NULL, 0, CUDA_R_32U, NULL, 0, NULL), PRIM_ERROR_VALUE);
}

static prim_status ask_without(question *q, uint64_t n, prim_answer *answer)
{
    fail_elsewhere();
    cudaGetLastError();
    simt_fail_at(n);
    const prim_status status = q->of->ask(q->variant, q->size, answer);
    q->failed = simt_failed_call();
    simt_fail_at(0);
    return status;
}

/* It is what the call said of what failed. */
static void check_told(const question *q)
{
    cudaError_t error;
    const char *const sentence = prim_last_error(&error);
    cr_assert(is_of(q->of->call, sentence) &&
                  strstr(sentence, cudaGetErrorName(cudaPeekAtLastError())) != NULL,
              "%s, variant %d, size %zu, without %s: \"%s\"", q->of->call, q->variant, q->size,
              q->failed, sentence);
    cr_assert_eq(error, cudaPeekAtLastError(), "%s: %s", sentence, cudaGetErrorName(error));
}

/* What could not be read is told, or it did not matter. */
static void check_question(question *q)
{
    prim_answer expected, answer;
    const prim_status status = q->of->ask(q->variant, q->size, &expected);
    for (uint64_t n = 1;; n++) {
        const prim_status found = ask_without(q, n, &answer);
        if (found != status) {
            cr_assert_not_null(q->failed, "%s, variant %d, size %zu", q->of->call, q->variant,
                               q->size);
            cr_assert_neq(found, PRIM_OK, "%s, variant %d, size %zu, without %s", q->of->call,
                          q->variant, q->size, q->failed);
            check_told(q);
            continue;
        }
        cr_assert(answer.variant == expected.variant &&
                      answer.workspace_bytes == expected.workspace_bytes,
                  "%s, variant %d, size %zu, answers otherwise without %s", q->of->call, q->variant,
                  q->size, q->failed);
        if (q->failed == NULL)
            break;
    }
    cudaGetLastError();
}

Test(promises, an_answer_is_not_guessed)
{
    for (size_t c = 0; c < query_count; c++)
        for (size_t s = 0; s < query_size_count; s++)
            for (size_t v = 0; queries[c].variant_at(v) != NULL; v++) {
                question q = {&queries[c], queries[c].variant_at(v)->value, query_sizes[s], NULL};
                check_question(&q);
            }
}

/* Every call with variants has a row there, and AUTO runs it. */
Test(promises, no_call_lacks_its_row)
{
    prim_answer answer;
    for (size_t e = 0; e < entry_point_count; e++) {
        size_t q = 0;
        while (q < query_count && strcmp(queries[q].call, entry_points[e]->name) != 0)
            q++;
        if (entry_points[e]->variant_at == only_variant_at)
            continue;
        cr_assert_gt(query_count, q, "%s is not in queries.c", entry_points[e]->name);
        cr_prim(queries[q].ask(0, query_sizes[0], &answer));
    }
}

#endif
