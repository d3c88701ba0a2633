#include "trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AddressSanitizer sees more where an operand ends with its memory. */
#if defined(__SANITIZE_ADDRESS__)
enum { GUARD_BYTES = 0 };
#else
enum { GUARD_BYTES = 512 };
#endif
enum { PATTERN = 0xA5 };

static void give_up(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "stress: %s\n", what);
    exit(2);
}

void check(cudaError_t error)
{
    if (error != cudaSuccess)
        give_up(cudaGetErrorString(error));
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL)
        give_up("no memory");
    return memory;
}

/* ---- dials ---- */

size_t pick(trial *t, size_t limit)
{
    if (t->used == MOST_DIALS)
        give_up("more dials are needed");
    uint64_t *const dial = &t->dials[t->used];
    const uint64_t bits = t->used < t->turned ? *dial : random_bits(t->seed * MOST_DIALS + t->used);
    t->used++;
    *dial = bits % limit;
    return (size_t)*dial;
}

size_t pick_size(trial *t, size_t most)
{
    size_t bits = 1;
    while (most >> bits > 0)
        bits++;
    const size_t size = pick(t, (size_t)1 << pick(t, bits + 1));
    return size < most ? size : most;
}

cudaDataType_t pick_type(trial *t, const cudaDataType_t *types, size_t count)
{
    return types[pick(t, count)];
}

int pick_variant(trial *t, const prim_variant *(*variant_at)(size_t index))
{
    size_t count = 0;
    while (variant_at(count) != NULL)
        count++;
    return variant_at(pick(t, count))->value;
}

void pick_values(trial *t, values most)
{
    const size_t kind = pick(t, 4);
    const values wish = kind < 2 ? WHOLE_NUMBERS : kind == 2 ? FRACTIONS : ANYTHING;
    t->values = wish < most ? wish : most;
}

/* ---- operands ---- */

size_t span(size_t rows, size_t columns, size_t ld)
{
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * ld + columns;
}

/* On a GPU an operand lies in one allocation with all others, since to allocate and to free costs
 * more than a call does; on the CPU backend in one of its own, whose end AddressSanitizer sees. */
#if defined(SIMT_BACKEND)
static char *take(size_t bytes)
{
    char *memory;
    check(cudaMalloc((void **)&memory, bytes > 0 ? bytes : 1));
    return memory;
}

static void give_back(char *memory)
{
    check(cudaFree(memory));
}
#else
enum { POOL_BYTES = 256 << 20, BOUNDARY = 256, MOST_DEVICES = 8 };
static struct pool {
    char *memory;
    size_t used, users;
} pools[MOST_DEVICES];

static char *take(size_t bytes)
{
    int device = 0;
    check(cudaGetDevice(&device));
    if (device >= MOST_DEVICES)
        give_up("there are more devices than pools");
    struct pool *const pool = &pools[device];
    if (pool->memory == NULL)
        check(cudaMalloc((void **)&pool->memory, POOL_BYTES));
    if (bytes > POOL_BYTES - pool->used)
        give_up("the operands are larger than their pool");
    char *const memory = pool->memory + pool->used;
    pool->used += (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
    pool->users++;
    return memory;
}

static void give_back(char *memory)
{
    for (struct pool *pool = pools; pool < pools + MOST_DEVICES; pool++)
        if (pool->memory != NULL && memory >= pool->memory && memory < pool->memory + POOL_BYTES &&
            --pool->users == 0)
            pool->used = 0;
}
#endif

/* d begins so many bytes after a 256-byte boundary. */
static operand new_operand(cudaDataType_t type, size_t bytes, size_t offset)
{
    operand x = {.type = type, .bytes = bytes, .lead = GUARD_BYTES + offset, .h = allocate(bytes)};
    const size_t all = x.lead + bytes + GUARD_BYTES;
    x.base = take(all);
    check(cudaMemset(x.base, PATTERN, all));
    memset(x.h, PATTERN, bytes);
    x.d = x.base + x.lead;
    return x;
}

static operand *add_at(trial *t, cudaDataType_t type, size_t count, size_t offset)
{
    if (t->operand_count == MOST_OPERANDS)
        give_up("more operands are needed");
    operand *x = &t->operands[t->operand_count++];
    *x = new_operand(type, count * bytes_of(type), offset);
    x->before = allocate(x->bytes);
    x->may_be_null = x->bytes == 0;
    return x;
}

static operand *add(trial *t, cudaDataType_t type, size_t count)
{
    return add_at(t, type, count, pick(t, 4) * bytes_of(type));
}

operand *add_space(trial *t, size_t bytes)
{
    operand *x = add_at(t, CUDA_R_8U, bytes, 0);
    memcpy(x->before, x->h, x->bytes);
    x->is_output = x->is_aside = true;
    return x;
}

void send(operand *x)
{
    memcpy(x->before, x->h, x->bytes);
    check(cudaMemcpy(x->base + x->lead, x->h, x->bytes, cudaMemcpyHostToDevice));
}

void receive(operand *x)
{
    check(cudaMemcpy(x->h, x->base + x->lead, x->bytes, cudaMemcpyDeviceToHost));
}

operand *add_input(trial *t, cudaDataType_t type, size_t count, bool is_sign)
{
    operand *x = add(t, type, count);
    const uint64_t seed = pick(t, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(seed + i);
        const int number = is_sign ? (bits & 1 ? 1 : -1) : (int)(bits % 17) - 8;
        char *const to = x->h + i * bytes_of(type);
        if (t->values == WHOLE_NUMBERS && bytes_of(type) <= sizeof bits)
            write_number(to, type, is_unsigned(type) && !is_sign ? number + 8 : number);
        else
            write_bits(to, type, t->values, bits);
    }
    send(x);
    return x;
}

operand *add_numbers(trial *t, cudaDataType_t type, size_t count, size_t limit)
{
    operand *x = add(t, type, count);
    const uint64_t seed = pick(t, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = random_bits(seed + i) % limit;
        memcpy(x->h + i * bytes_of(type), &number, bytes_of(type));
    }
    send(x);
    return x;
}

operand *add_output(trial *t, cudaDataType_t type, size_t count)
{
    operand *x = add_input(t, type, count, false);
    x->is_output = true;
    return x;
}

/* The operand and its guards as they are on the device; the caller frees it. */
static char *fetch(const operand *x)
{
    const size_t all = x->lead + x->bytes + GUARD_BYTES;
    char *h = allocate(all);
    check(cudaMemcpy(h, x->base, all, cudaMemcpyDeviceToHost));
    return h;
}

static bool guards_hold(const operand *x, const char *fetched)
{
    const size_t all = x->lead + x->bytes + GUARD_BYTES;
    size_t i = 0;
    while (i < all &&
           ((i >= x->lead && i < x->lead + x->bytes) || (unsigned char)fetched[i] == PATTERN))
        i++;
    return i == all;
}

static bool are_equal(const operand *x, const char *a, const char *b)
{
    const size_t bytes = bytes_of(x->type);
    return memcmp(a, b, bytes) == 0 ||
           (x->has_any_zero && is_zero(a, bytes) && is_zero(b, bytes)) ||
           (x->has_any_nan && is_nan(x->type, a) && is_nan(x->type, b));
}

/* The operand's first element on the device that differs, or their number. */
static size_t differs_at(const operand *x, const char *fetched, const char *expected)
{
    const size_t bytes = bytes_of(x->type), count = x->bytes / bytes;
    const char *const h = fetched + x->lead;
    size_t i = 0;
    while (i < count && are_equal(x, h + i * bytes, expected + i * bytes))
        i++;
    return i;
}

static void free_operand(operand *x)
{
    give_back(x->base);
    free(x->h);
    free(x->before);
}

/* ---- texts ---- */

void describe(trial *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->text, sizeof t->text, format, arguments);
    va_end(arguments);
}

void complain(trial *t, const char *format, ...)
{
    va_list arguments;
    if (t->complaint[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(t->complaint, sizeof t->complaint, format, arguments);
    va_end(arguments);
}

/* ---- faults: one in eight calls has one ---- */

static void spoil(trial *t, const char *fault, prim_status wanted)
{
    t->fault = fault;
    t->wanted = wanted;
}

static void spoil_operand(trial *t)
{
    operand *x = &t->operands[pick(t, t->operand_count)];
    const bool null = pick(t, 2) == 0;
    if (x->is_aside)
        return;
    if (null && !x->may_be_null) {
        x->d = NULL;
        spoil(t, "an operand is NULL", PRIM_ERROR_NULL);
    } else if (bytes_of(x->type) > 1 && x->bytes > 0) {
        x->d++;
        spoil(t, "an operand is misaligned", PRIM_ERROR_MISALIGNED);
    }
}

static void spoil_workspace(trial *t)
{
    const bool is_short = pick(t, 2) == 0;
    if (t->workspace == NULL)
        return;
    if (is_short) {
        t->workspace_bytes = t->space.bytes - 1;
        spoil(t, "the workspace is short", PRIM_ERROR_WORKSPACE);
    } else {
        t->workspace += 16;
        spoil(t, "the workspace is misaligned", PRIM_ERROR_MISALIGNED);
    }
}

static void maybe_spoil(trial *t)
{
    const size_t kind = pick(t, 24);
    if (t->asked != PRIM_OK || kind < 21)
        return;
    if (kind == 21 && t->operand_count > 0)
        spoil_operand(t);
    else if (kind == 22)
        spoil_workspace(t);
    else if (kind == 23 && !t->has_no_variant) {
        t->variant = 1000;
        spoil(t, "no variant", PRIM_ERROR_ENUM);
    }
}

/* ---- the call ---- */

static void choose_workspace(trial *t, size_t bytes)
{
    const size_t more = pick(t, 3) == 0 ? pick(t, GUARD_BYTES + 1) : 0; /* said, and not there */
    t->workspace = NULL;
    t->workspace_bytes = 0;
    t->space = new_operand(CUDA_R_8U, bytes, 0);
    if (bytes > 0 && pick(t, 3) > 0) {
        t->workspace = t->space.d;
        t->workspace_bytes = bytes + more;
    }
}

void begin(trial *t, prim_status asked, size_t bytes, bool can_be_captured)
{
    static const int threads[] = {1, 2, 3, 7};
    t->asked = t->wanted = asked;
    t->threads = threads[pick(t, sizeof threads / sizeof *threads)];
    choose_workspace(t, asked == PRIM_OK ? bytes : 0);
    const size_t stream = pick(t, 3);
    maybe_spoil(t);
    check(cudaDeviceSynchronize());
    if (stream > 0)
        check(cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking));
    t->is_captured = stream == 2 && can_be_captured;
    if (t->is_captured)
        check(cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeGlobal));
}

/* Runs what was captured; of a call that was refused there is nothing. */
static void replay(trial *t, prim_status status)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes = 0;
    check(cudaStreamEndCapture(t->stream, &graph));
    check(cudaGraphGetNodes(graph, NULL, &nodes));
    if (status != PRIM_OK && nodes > 0)
        complain(t, "a refused call submitted %zu nodes", nodes);
    check(cudaGraphInstantiate(&exec, graph, 0));
    check(cudaGraphLaunch(exec, t->stream));
    check(cudaStreamSynchronize(t->stream));
    check(cudaGraphExecDestroy(exec));
    check(cudaGraphDestroy(graph));
}

bool end(trial *t, prim_status status)
{
    if (t->is_captured)
        replay(t, status);
    check(cudaDeviceSynchronize());
    if (t->stream != NULL)
        check(cudaStreamDestroy(t->stream));
    if (status != t->wanted)
        complain(t, "%s: %s, not %s: %s", t->fault != NULL ? t->fault : "valid or refused",
                 prim_status_string(status), prim_status_string(t->wanted), prim_last_error(NULL));
    if (status != PRIM_OK && prim_last_error(NULL)[0] == '\0')
        complain(t, "an error without a sentence");
    return status == PRIM_OK && t->complaint[0] == '\0';
}

/* An element's bytes, the highest first. */
static const char *hexadecimal(const char *element, size_t bytes, char text[33])
{
    for (size_t i = 0; i < bytes; i++)
        sprintf(text + 2 * i, "%02x", (unsigned char)element[bytes - 1 - i]);
    return text;
}

/* The operands hold what they should: outputs the twins' bytes, all others what they held. */
static void check_memory(trial *t, bool has_run)
{
    for (size_t i = 0; i < t->operand_count; i++) {
        const operand *x = &t->operands[i];
        const size_t bytes = bytes_of(x->type);
        char *const fetched = fetch(x), is[33], should_be[33];
        const char *const expected = has_run && x->is_output ? x->h : x->before;
        const size_t at = differs_at(x, fetched, expected);
        if (at < x->bytes / bytes)
            complain(t, "operand %zu of %zu bytes: element %zu is %s, not %s", i, x->bytes, at,
                     hexadecimal(fetched + x->lead + at * bytes, bytes, is),
                     hexadecimal(expected + at * bytes, bytes, should_be));
        if (!guards_hold(x, fetched))
            complain(t, "bytes beside operand %zu were written", i);
        free(fetched);
    }
}

void on_host(trial *t, prim_status status)
{
    if (status != PRIM_OK)
        complain(t, "on the host: %s: %s", prim_status_string(status), prim_last_error(NULL));
}

void expect(trial *t, const operand *x, size_t i, double number)
{
    const size_t bytes = bytes_of(x->type);
    const float real = (float)number;
    const int64_t integer = is_float(x->type) ? 0 : (int64_t)number;
    const void *const right = x->type == CUDA_R_64F   ? (const void *)&number
                              : x->type == CUDA_R_32F ? (const void *)&real
                                                      : (const void *)&integer;
    if (t->values == WHOLE_NUMBERS && memcmp(right, x->h + i * bytes, bytes) != 0 && number != 0)
        complain(t, "element %zu is %.17g on host and device, and should be %.17g", i,
                 number_at(x->type, x->h, i), number);
}

static void check_workspace(trial *t)
{
    if (t->space.base == NULL)
        return;
    char *const fetched = fetch(&t->space);
    if (!guards_hold(&t->space, fetched))
        complain(t, "bytes beside the workspace were written");
    free(fetched);
    free_operand(&t->space);
}

bool judge(trial *t)
{
    check_memory(t, t->wanted == PRIM_OK);
    check_workspace(t);
    for (size_t i = 0; i < t->operand_count; i++)
        free_operand(&t->operands[i]);
    return t->complaint[0] == '\0';
}
