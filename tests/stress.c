/* Random calls with random operands, valid and not, against the host's versions:
 *
 *     stress [--seed N] [--seconds S] [--calls N]
 *     stress --replay CALL DIAL…
 *
 * A call is chosen by dials, numbers that say one thing each: a size, a type, a stream. What fails
 * is tried again with dials turned down until no smaller call fails; what --replay takes is printed
 * then. Of sums and counts an element is looked at by a plain loop too, since the host's versions
 * share code with the device's. */
#include "stress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static void check(cudaError_t error)
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

static uint64_t random_bits(uint64_t i) /* splitmix64 */
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

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

/* ---- operands ---- */

size_t bytes_of(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
        return 1;
    case CUDA_R_16I:
    case CUDA_R_16U:
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_64I:
    case CUDA_R_64U:
    case CUDA_R_64F:
        return 8;
    default:
        return 4;
    }
}

bool is_float(cudaDataType_t type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
}

/* A whole number of at most four bits in 16 bits, whose exponent has so many and begins there. */
static uint16_t half_of(int number, int fraction_bits, int bias)
{
    int magnitude = abs(number), exponent = 0;
    if (magnitude == 0)
        return 0;
    while (magnitude >> (exponent + 1) > 0)
        exponent++;
    const int fraction = (magnitude << (fraction_bits - exponent)) - (1 << fraction_bits);
    return (uint16_t)((number < 0 ? 0x8000 : 0) + ((exponent + bias) << fraction_bits) + fraction);
}

static void write_number(char *to, cudaDataType_t type, int number)
{
    const double wide = number;
    const float real = (float)number;
    const uint16_t half = type == CUDA_R_16F ? half_of(number, 10, 15) : half_of(number, 7, 127);
    const int64_t integer = number;
    const void *const from = type == CUDA_R_64F   ? (const void *)&wide
                             : type == CUDA_R_32F ? (const void *)&real
                             : is_float(type)     ? (const void *)&half
                                                  : (const void *)&integer;
    memcpy(to, from, bytes_of(type));
}

static bool is_unsigned(cudaDataType_t type)
{
    return type == CUDA_R_8U || type == CUDA_R_16U || type == CUDA_R_32U || type == CUDA_R_64U;
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
static struct {
    char *memory;
    size_t used, users;
} pool;
enum { POOL_BYTES = 256 << 20, BOUNDARY = 256 };

static char *take(size_t bytes)
{
    if (pool.memory == NULL)
        check(cudaMalloc((void **)&pool.memory, POOL_BYTES));
    if (bytes > POOL_BYTES - pool.used)
        give_up("the operands are larger than their pool");
    char *const memory = pool.memory + pool.used;
    pool.used += (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
    pool.users++;
    return memory;
}

static void give_back(char *memory)
{
    if (memory != NULL && --pool.users == 0)
        pool.used = 0;
}
#endif

/* d begins so many bytes behind a 256-byte boundary. */
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

static operand *add(trial *t, cudaDataType_t type, size_t count)
{
    if (t->operand_count == MOST_OPERANDS)
        give_up("more operands are needed");
    operand *x = &t->operands[t->operand_count++];
    *x = new_operand(type, count * bytes_of(type), pick(t, 4) * bytes_of(type));
    x->before = allocate(x->bytes);
    x->may_be_null = x->bytes == 0;
    return x;
}

void send(operand *x)
{
    memcpy(x->before, x->h, x->bytes);
    check(cudaMemcpy(x->base + x->lead, x->h, x->bytes, cudaMemcpyHostToDevice));
}

operand *add_input(trial *t, cudaDataType_t type, size_t count, bool is_sign)
{
    operand *x = add(t, type, count);
    const uint64_t seed = pick(t, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(seed + i);
        const int number = is_sign ? (bits & 1 ? 1 : -1) : (int)(bits % 17) - 8;
        write_number(x->h + i * bytes_of(type), type,
                     is_unsigned(type) && !is_sign ? number + 8 : number);
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

/* Nothing but the sign, which is the last bit, is set. */
static bool is_zero(const char *element, size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes; i++)
        if (element[i] != 0)
            return false;
    return (element[bytes - 1] & 0x7f) == 0;
}

/* The operand's first element on the device that differs, or their number. */
static size_t differs_at(const operand *x, const char *fetched, const char *expected)
{
    const size_t bytes = bytes_of(x->type), count = x->bytes / bytes;
    const char *const h = fetched + x->lead;
    size_t i = 0;
    while (i < count && (memcmp(h + i * bytes, expected + i * bytes, bytes) == 0 ||
                         (x->has_any_zero && is_zero(h + i * bytes, bytes) &&
                          is_zero(expected + i * bytes, bytes))))
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
    else if (kind == 23) {
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

/* The operands hold what they should: outputs the twins' bytes, all others what they held. */
static void check_memory(trial *t, bool has_run)
{
    for (size_t i = 0; i < t->operand_count; i++) {
        const operand *x = &t->operands[i];
        char *const fetched = fetch(x);
        const size_t at = differs_at(x, fetched, has_run && x->is_output ? x->h : x->before);
        if (at < x->bytes / bytes_of(x->type))
            complain(t, "operand %zu of %zu bytes differs at element %zu", i, x->bytes, at);
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

double number_at(cudaDataType_t type, const char *h, size_t i)
{
    const size_t bytes = bytes_of(type), unused = 64 - 8 * bytes;
    float real;
    double wide;
    uint64_t bits = 0;
    memcpy(&bits, h + i * bytes, bytes);
    memcpy(&real, &bits, sizeof real);
    memcpy(&wide, &bits, sizeof wide);
    if (is_float(type))
        return type == CUDA_R_32F ? (double)real : wide;
    return is_unsigned(type) ? (double)bits : (double)((int64_t)(bits << unused) >> unused);
}

void expect(trial *t, const operand *x, size_t i, double number)
{
    const size_t bytes = bytes_of(x->type);
    const float real = (float)number;
    const int64_t integer = is_float(x->type) ? 0 : (int64_t)number;
    const void *const right = x->type == CUDA_R_64F   ? (const void *)&number
                              : x->type == CUDA_R_32F ? (const void *)&real
                                                      : (const void *)&integer;
    if (memcmp(right, x->h + i * bytes, bytes) != 0 && number != 0)
        complain(t, "element %zu is %.17g on host and device, and should be %.17g", i,
                 number_at(x->type, x->h, i), number);
}

/* true: all is right. */
static bool run(const stress_call *call, trial *t)
{
    call->run(t);
    check_memory(t, t->wanted == PRIM_OK);
    if (t->space.base != NULL) {
        char *const fetched = fetch(&t->space);
        if (!guards_hold(&t->space, fetched))
            complain(t, "bytes beside the workspace were written");
        free(fetched);
        free_operand(&t->space);
    }
    for (size_t i = 0; i < t->operand_count; i++)
        free_operand(&t->operands[i]);
    return t->complaint[0] == '\0';
}

/* ---- shrinking ---- */

/* The same dials again, but one; those that were not used stand at 0. */
static bool still_fails(const stress_call *call, const trial *failed, size_t dial, uint64_t value,
                        trial *smaller)
{
    *smaller = (trial){.turned = MOST_DIALS};
    memcpy(smaller->dials, failed->dials, sizeof failed->dials);
    smaller->dials[dial] = value;
    return !run(call, smaller);
}

/* One dial turned down, where the call then still fails. */
static bool turn_down(const stress_call *call, trial *failed, size_t dial)
{
    const uint64_t now = failed->dials[dial], tries[] = {0, now / 2, now - now / 8, now - 1};
    trial smaller;
    for (size_t n = 0; n < sizeof tries / sizeof *tries && now > 0; n++)
        if (tries[n] < now && still_fails(call, failed, dial, tries[n], &smaller)) {
            *failed = smaller;
            return true;
        }
    return false;
}

static void shrink(const stress_call *call, trial *failed)
{
    enum { ROUNDS = 40 };
    bool again = true;
    for (int round = 0; again && round < ROUNDS; round++) {
        again = false;
        for (size_t i = 0; i < failed->used; i++)
            again |= turn_down(call, failed, i);
    }
}

static void report(const stress_call *call, const trial *t)
{
    printf("%s\n%s\n--replay %s", t->text, t->complaint, call->name);
    for (size_t i = 0; i < t->used; i++)
        printf(" %llu", (unsigned long long)t->dials[i]);
    printf("\n");
}

/* ---- the program ---- */

static const stress_call *find(const char *name)
{
    for (size_t i = 0; i < stress_call_count; i++)
        if (strcmp(stress_calls[i].name, name) == 0)
            return &stress_calls[i];
    give_up("no such call");
    return NULL;
}

static int replay_one(int count, char **words)
{
    trial t = {.turned = MOST_DIALS};
    const stress_call *call = find(count > 0 ? words[0] : "");
    for (int i = 1; i < count && i <= MOST_DIALS; i++)
        t.dials[i - 1] = strtoull(words[i], NULL, 10);
    const bool right = run(call, &t);
    report(call, &t);
    return right ? 0 : 1;
}

static int random_calls(uint64_t seed, double seconds, uint64_t most)
{
    uint64_t calls = 0, right = 0;
    const time_t begin_time = time(NULL);
    printf("stress: --seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    for (; calls < most && difftime(time(NULL), begin_time) < seconds; calls++) {
        trial t = {.seed = random_bits(seed) + calls};
        const stress_call *call = &stress_calls[random_bits(t.seed) % stress_call_count];
        if (!run(call, &t)) {
            printf("call %llu fails: %s\n%s\n", (unsigned long long)calls, t.text, t.complaint);
            fflush(stdout);
            shrink(call, &t);
            printf("the smallest that fails so:\n");
            report(call, &t);
            return 1;
        }
        right += t.wanted == PRIM_OK;
    }
    printf("stress: %llu calls, %llu of them valid and right\n", (unsigned long long)calls,
           (unsigned long long)right);
    return right > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    uint64_t seed = (uint64_t)time(NULL) << 20, calls = UINT64_MAX;
    double seconds = 60;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--replay") == 0)
            return replay_one(argc - i - 1, argv + i + 1);
        if (i + 1 == argc)
            give_up("a number is missing");
        if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--calls") == 0) {
            calls = strtoull(argv[i + 1], NULL, 10);
            seconds = 1e18;
        } else
            give_up("--seed N, --seconds S, --calls N or --replay CALL DIAL…");
    }
    return random_calls(seed, seconds, calls);
}
