/* Faults planted on purpose, each beside its correct twin: proof that the backend catches them.
 *
 *     simt_faults NAME broken|correct
 *
 * Prints "result: right", "result: wrong" or "launch: <error>"; a sanitizer may speak first. */
#include <cstdio>
#include <cstring>

#include "common/kernel/async_copy.cuh"
#include "common/kernel/atomic.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "common/tensor/tensor_copy.cuh"

namespace
{

constexpr int THREADS = 64, MANY_THREADS = 512, BLOCKS = 8;

/* A thread reads its neighbour's word; broken: without the barrier between. */
__global__ void race_in_block(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    words[t] = t;
    if (!broken)
        __syncthreads();
    out[blockIdx.x * THREADS + t] = words[(t + 1) % THREADS];
}

/* The same in a large block, after a barrier that all threads have waited at. */
__global__ void race_behind_barrier(bool broken, int *out)
{
    PRIM_SHARED(int, words, [MANY_THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    __syncthreads();
    words[t] = t;
    if (!broken)
        __syncthreads();
    const int next = words[(t + 1) % MANY_THREADS];
    if (t < THREADS)
        out[blockIdx.x * THREADS + t] = next;
}

/* The same among the lanes of a warp, who leave at once; broken: without meeting. */
__global__ void race_in_warp(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x), first = t / 32 * 32;
    words[t] = t;
    if (!broken)
        __syncwarp();
    out[blockIdx.x * THREADS + t] = words[first + (t + 1) % 32];
}

/* Every block counts into one word; broken: with a plain addition. */
__global__ void race_between_blocks(bool broken, int *out)
{
    if (threadIdx.x != 0)
        return;
    if (broken)
        out[0] = out[0] + 1;
    else
        atomicAdd(&out[0], 1);
}

/* Broken: the last thread writes one word after the array. */
__global__ void shared_overrun(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    PRIM_SHARED(int, others, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    int *word = words; /* a pointer, so that the array's bounds are AddressSanitizer's to know */
    others[t] = 0;
    word[broken ? t + 1 : t] = t;
    __syncthreads();
    out[blockIdx.x * THREADS + t] = words[t] + others[t];
}

/* Broken: reads one element after the input. */
__global__ void global_overrun(bool broken, int *out)
{
    const int last = BLOCKS * THREADS - 1;
    const int i = static_cast<int>(blockIdx.x * THREADS + threadIdx.x);
    const int value = broken ? out[i + 1] : out[i < last ? i + 1 : i];
    __syncthreads();
    if (i < 0)
        out[i] = value;
}

/* Broken: one thread goes round the barrier and waits at the next one. */
__global__ void stuck_barrier(bool broken, int *out)
{
    const int t = static_cast<int>(threadIdx.x);
    if (broken && t == 5)
        __syncwarp(1u << 5 | 1u << 6);
    __syncthreads();
    out[blockIdx.x * THREADS + t] = t;
}

/* Both halves of the block meet; broken: each at a barrier of its own, which CUDA leaves undefined.
 * The hardware counts arrivals and takes the two for one: an H200 gave the right result, where
 * compute-sanitizer's synccheck reports it. */
__global__ void two_barriers(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    words[t] = t;
    if (broken && t < THREADS / 2)
        __syncthreads();
    else
        __syncthreads();
    out[blockIdx.x * THREADS + t] = words[(t + 1) % THREADS];
}

/* A thread reads what a lower one wrote; broken: without a barrier. In forward order, the writer
 * has always run before. */
__global__ void forgotten_barrier(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    words[t] = t;
    if (!broken)
        __syncthreads();
    out[blockIdx.x * THREADS + t] = t == 0 ? 0 : words[t - 1] + 1;
}

/* Broken: adds to shared memory that nobody has set to 0. */
__global__ void uninitialised_shared(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    if (!broken)
        words[t] = 0;
    words[t] += t;
    out[blockIdx.x * THREADS + t] = words[t];
}

/* Broken: a shuffle whose mask leaves out the calling lane. */
__global__ void lane_outside_mask(bool broken, int *out)
{
    const int t = static_cast<int>(threadIdx.x);
    const unsigned mask = broken ? 0xfffffffeu : 0xffffffffu;
    out[blockIdx.x * THREADS + t] = t + 0 * __shfl_sync(mask, t, 1);
}

/* Two arrays of 32 KB; broken: three, more than a block may have. */
__global__ void too_much_shared(bool broken, int *out)
{
    PRIM_SHARED(int, first, [6000]);
    PRIM_SHARED(int, second, [6000]);
    const int t = static_cast<int>(threadIdx.x);
    first[t] = second[t] = t;
    if (broken) {
        PRIM_SHARED(int, third, [6000]);
        third[t] = t;
    }
    out[blockIdx.x * THREADS + t] = (first[t] + second[t]) / 2;
}

/* The first word counts blocks, each next one is set by the block of that turn when the one before
 * has set its own; broken: each waits for the one after it. */
__global__ void wrong_turn(bool broken, int *out)
{
    PRIM_SHARED(unsigned, turn, );
    uint64_t *const words = reinterpret_cast<uint64_t *>(out);
    if (threadIdx.x == 0)
        turn = take_ticket(reinterpret_cast<unsigned *>(out));
    __syncthreads();
    const unsigned before = broken ? turn + 1 : turn - 1;
    if (threadIdx.x == 0 && (broken || turn > 0))
        while (atomic_load(&words[1 + before]) == 0)
            relax(20);
    __syncthreads();
    if (threadIdx.x == 0)
        atomic_store(&words[1 + turn], turn + 1);
}

constexpr uint64_t THERE = uint64_t(1) << 32;

__device__ uint64_t await(uint64_t *word)
{
    for (;;) {
        const uint64_t found = atomic_load(word);
        if (found >= THERE)
            return found - THERE;
        relax(20);
    }
}

/* Where a turn keeps its two words, after the counter, and its result, after all words. */
__device__ uint64_t *words_of(int *out, unsigned turn)
{
    return reinterpret_cast<uint64_t *>(out) + 1 + 2 * turn;
}

/* Every turn adds its number to the sum of the turns before. The first word holds the sum and says
 * that it is there; broken: it is taken as a flag alone, with the sum in the second one. */
__global__ void flag_first(bool broken, int *out)
{
    if (threadIdx.x != 0)
        return;
    const unsigned turn = take_ticket(reinterpret_cast<unsigned *>(out));
    uint64_t sum = turn;
    if (turn > 0) {
        uint64_t *const words = words_of(out, turn - 1);
        const uint64_t before = await(&words[0]);
        sum += broken ? atomic_load(&words[1]) : before;
    }
    atomic_store(&words_of(out, turn)[0], THERE + sum);
    atomic_store(&words_of(out, turn)[1], sum);
    out[BLOCKS * THREADS / 2 + turn] = static_cast<int>(sum);
}

/* The same with the halves of a sum in a word each, which both say that they are there; broken: the
 * second one is not waited for. */
__global__ void half_awaited(bool broken, int *out)
{
    if (threadIdx.x != 0)
        return;
    const unsigned turn = take_ticket(reinterpret_cast<unsigned *>(out));
    uint64_t low = turn, high = turn;
    if (turn > 0) {
        uint64_t *const before = words_of(out, turn - 1);
        low += await(&before[0]);
        high += broken ? atomic_load(&before[1]) % THERE : await(&before[1]);
    }
    atomic_store(&words_of(out, turn)[0], THERE + low);
    atomic_store(&words_of(out, turn)[1], THERE + high);
    out[BLOCKS * THREADS / 2 + turn] = static_cast<int>(low + high);
}

/* ---- in clusters ---- */

/* Every block reads the next one's word; broken: the cluster doesn't meet between write and read.
 */
__global__ void race_in_cluster(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    simt_cluster_arrive();
    simt_cluster_wait(); /* all blocks have begun */
    words[t] = t;
    if (!broken) {
        simt_cluster_arrive();
        simt_cluster_wait();
    }
    int *const theirs =
        static_cast<int *>(simt_shared_of_block(&words[t], (blockIdx.x + 1) % gridDim.x));
    out[blockIdx.x * THREADS + t] = *theirs;
    simt_cluster_arrive();
    simt_cluster_wait(); /* all have read */
}

/* Broken: a thread goes round the cluster's barrier. */
__global__ void stuck_cluster(bool broken, int *out)
{
    const int t = static_cast<int>(threadIdx.x);
    simt_cluster_arrive();
    if (broken && blockIdx.x == 3 && t == 5)
        __syncwarp(1u << 5 | 1u << 6);
    simt_cluster_wait();
    simt_cluster_arrive();
    simt_cluster_wait();
    out[blockIdx.x * THREADS + t] = t;
}

/* Block 0 reads a word of each other one; broken: they may not have begun. */
__global__ void cluster_not_begun(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    words[t] = t;
    if (!broken) {
        simt_cluster_arrive();
        simt_cluster_wait();
    }
    for (unsigned rank = 0; rank < gridDim.x && blockIdx.x == 0; rank++)
        out[rank * THREADS + t] = *static_cast<int *>(simt_shared_of_block(&words[t], rank));
    simt_cluster_arrive();
    simt_cluster_wait();
}

/* The same, where they have begun; broken: and return before block 0 reads. */
__global__ void cluster_returned(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    words[t] = t;
    simt_cluster_arrive();
    simt_cluster_wait();
    __syncthreads();
    if (broken && blockIdx.x > 0)
        return;
    relax(20);
    for (unsigned rank = 0; rank < gridDim.x && blockIdx.x == 0; rank++)
        out[rank * THREADS + t] = *static_cast<int *>(simt_shared_of_block(&words[t], rank));
    simt_cluster_arrive();
    simt_cluster_wait();
}

/* Broken: waits where it has not arrived. */
__global__ void cluster_not_arrived(bool broken, int *out)
{
    const int t = static_cast<int>(threadIdx.x);
    if (!broken || t != 7)
        simt_cluster_arrive();
    simt_cluster_wait();
    out[blockIdx.x * THREADS + t] = t;
}

/* Broken: arrives twice before it waits. */
__global__ void cluster_arrived_twice(bool broken, int *out)
{
    const int t = static_cast<int>(threadIdx.x);
    simt_cluster_arrive();
    if (broken && t == 7)
        simt_cluster_arrive();
    simt_cluster_wait();
    out[blockIdx.x * THREADS + t] = t;
}

/* Broken: reaches for a block that the cluster has not. */
__global__ void cluster_too_small(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    const int t = static_cast<int>(threadIdx.x);
    words[t] = t;
    simt_cluster_arrive();
    simt_cluster_wait();
    const unsigned rank = broken ? gridDim.x : gridDim.x - 1;
    out[blockIdx.x * THREADS + t] = *static_cast<int *>(simt_shared_of_block(&words[t], rank));
    simt_cluster_arrive();
    simt_cluster_wait();
}

/* ---- asynchronous work ---- */

/* One row of numbers, which a tensor copy brings to shared memory. */
struct row_box {
    alignas(1024) uint16_t numbers[THREADS];
    mbarrier full;
};

/* 0 1 2 … */
struct row_of_numbers {
    uint16_t at[THREADS];

    constexpr row_of_numbers() : at()
    {
        for (int i = 0; i < THREADS; i++)
            at[i] = static_cast<uint16_t>(i);
    }
};

constexpr row_of_numbers numbers;
constexpr unsigned ROW_BYTES = THREADS * sizeof(uint16_t);

struct row_fault {
    bool forgets_fence = false, forgets_wait = false;
    unsigned bytes = ROW_BYTES; /* that are expected */
};

/* The box, after its copy unless a wait is forgotten. */
row_box &bring_row(const row_fault &fault)
{
    PRIM_SHARED(row_box, box, );
    const prim_tensor_map map = {{numbers.at, THREADS, 1, 1, ROW_BYTES, ROW_BYTES, THREADS, 1}};
    if (threadIdx.x == 0) {
        mbarrier_init(&box.full, 1);
        if (!fault.forgets_fence)
            fence_mbarrier_init();
        mbarrier_arrive_expect_tx(&box.full, fault.bytes);
        tensor_load_box(box.numbers, map, {0, 0, 0}, &box.full);
    }
    __syncthreads();
    if (!fault.forgets_wait)
        mbarrier_wait(&box.full, 0);
    return box;
}

void write_row(const row_box &box, int *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] = box.numbers[threadIdx.x];
}

__global__ void copy_not_awaited(bool broken, int *out)
{
    row_fault fault;
    fault.forgets_wait = broken;
    row_box &box = bring_row(fault);
    write_row(box, out);
    mbarrier_wait(&box.full, 0);
}

__global__ void copy_not_fenced(bool broken, int *out)
{
    row_fault fault;
    fault.forgets_fence = broken;
    write_row(bring_row(fault), out);
}

__global__ void copy_too_short(bool broken, int *out)
{
    row_fault fault;
    fault.bytes = broken ? 2 * ROW_BYTES : ROW_BYTES;
    write_row(bring_row(fault), out);
}

/* Broken: the block has returned when the copy comes. */
__global__ void copy_left_behind(bool broken, int *out)
{
    row_fault fault;
    fault.forgets_wait = broken;
    bring_row(fault);
    out[blockIdx.x * THREADS + threadIdx.x] = static_cast<int>(threadIdx.x);
}

/* An operation that gives a number, and until then something else. */
struct number_operation {
    int *to, number;

    static void hold(void *self)
    {
        *static_cast<number_operation *>(self)->to = -1;
    }
    static void complete(void *self)
    {
        const number_operation &mine = *static_cast<number_operation *>(self);
        *mine.to = mine.number;
    }
};

/* Broken: only the first of two groups is awaited. */
__global__ void group_not_awaited(bool broken, int *out)
{
    int number[2] = {};
    for (int i = 0; i < 2; i++) {
        const number_operation mine = {&number[i], static_cast<int>(threadIdx.x)};
        simt_async(number_operation::hold, number_operation::complete, &mine, sizeof mine);
        simt_async_commit();
    }
    simt_async_wait(broken ? 1 : 0);
    out[blockIdx.x * THREADS + threadIdx.x] = number[1];
}

/* What an operation reads, it reads when it is done. Broken: the word is overwritten before. */
struct reading_operation {
    int *to;
    const int *from;

    static void hold(void *)
    {
    }
    static void complete(void *self)
    {
        const reading_operation &mine = *static_cast<reading_operation *>(self);
        *mine.to = *mine.from;
    }
};

__global__ void source_overwritten(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    int got = -1;
    words[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    const reading_operation mine = {&got, &words[threadIdx.x]};
    simt_async(reading_operation::hold, reading_operation::complete, &mine, sizeof mine);
    simt_async_commit();
    if (!broken)
        simt_async_wait(0);
    __syncthreads();
    words[THREADS - 1 - threadIdx.x] = -2;
    simt_async_wait(0);
    out[blockIdx.x * THREADS + threadIdx.x] = got;
}

/* ---- copies by a thread, into its own place of shared memory ---- */

/* The thread's result, which so far is its number. */
__device__ int *own_result(int *out)
{
    int *const result = &out[blockIdx.x * THREADS + threadIdx.x];
    *result = static_cast<int>(threadIdx.x);
    return result;
}

/* Broken: reads what it has not waited for, and not what was there before either. */
__global__ void own_copy_not_awaited(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    int *const result = own_result(out);
    words[threadIdx.x] = *result;
    copy_async(&words[threadIdx.x], result);
    if (!broken)
        wait_for_copies();
    *result = words[threadIdx.x];
}

/* Of two batches the second one is read; broken: waits for the first one alone. */
__global__ void own_batch_not_awaited(bool broken, int *out)
{
    PRIM_SHARED(int, words, [2][THREADS]);
    int *const result = own_result(out);
    for (auto &batch : words) {
        copy_async(&batch[threadIdx.x], result);
        close_batch_of_copies();
    }
    if (broken)
        wait_for_copies_but<1>();
    else
        wait_for_copies_but<0>();
    *result = words[1][threadIdx.x];
}

/* Broken: the copy belongs to no batch, which is all that is waited for. */
__global__ void own_batch_not_closed(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    int *const result = own_result(out);
    copy_async(&words[threadIdx.x], result);
    if (!broken)
        close_batch_of_copies();
    wait_for_copies_but<0>();
    *result = words[threadIdx.x];
}

/* Zeros come with the copy; broken: those are read that were there before. */
__global__ void own_zeros_not_awaited(bool broken, int *out)
{
    struct alignas(16) four_words {
        int at[4];
    };
    PRIM_SHARED(four_words, vectors, [THREADS]);
    PRIM_SHARED(int, words, [THREADS]);
    int *const result = own_result(out);
    four_words &vector = vectors[threadIdx.x];
    vector = {};
    words[threadIdx.x] = 0;
    __syncthreads();
    copy_async_first(&vector, out + blockIdx.x * THREADS, sizeof(int));
    copy_async_or_zeros(false, &words[threadIdx.x], result);
    if (!broken)
        wait_for_copies();
    *result += vector.at[1] + vector.at[2] + vector.at[3] + words[threadIdx.x];
}

/* Broken: overwrites what is still to be copied. */
__global__ void own_source_overwritten(bool broken, int *out)
{
    PRIM_SHARED(int, words, [THREADS]);
    int *const result = own_result(out);
    copy_async(&words[threadIdx.x], result);
    if (!broken)
        wait_for_copies();
    *result = -1;
    wait_for_copies();
    *result = words[threadIdx.x];
}

typedef void fault_kernel(bool broken, int *out);

/* What a correct kernel leaves, for element i. */
int thread_number(int i)
{
    return i % THREADS;
}

int next_thread_number(int i)
{
    return (i + 1) % THREADS;
}

int number_behind(int i)
{
    return i % THREADS + 1;
}

int next_lane_number(int i)
{
    return i % THREADS / 32 * 32 + (i + 1) % 32;
}

int block_count_first(int i)
{
    return i == 0 ? BLOCKS : 0;
}

/* As ints: the count, nothing, and 1 2 3 … with nothing between. */
int turns(int i)
{
    return i == 0 ? BLOCKS : i % 2 == 0 && i <= 2 * BLOCKS ? i / 2 : 0;
}

/* As ints: the count, nothing, and of each turn two words, and after them what it came to. */
int sums(int i, bool in_both)
{
    const int turn = i >= BLOCKS * THREADS / 2 ? i - BLOCKS * THREADS / 2 : (i - 2) / 4;
    const int sum = turn * (turn + 1) / 2, place = (i - 2) % 4;
    if (i < 2 || turn >= BLOCKS)
        return i == 0 ? BLOCKS : 0;
    if (i >= BLOCKS * THREADS / 2)
        return in_both ? 2 * sum : sum;
    return place % 2 == 0 ? sum : place == 1 || in_both;
}

int sums_in_one_word(int i)
{
    return sums(i, false);
}

int sums_in_two_words(int i)
{
    return sums(i, true);
}

int zero(int)
{
    return 0;
}

struct fault {
    const char *name;
    fault_kernel *kernel;
    int (*expected)(int i);
    int threads = THREADS;
    int rounds = 1;          /* each launch has an order of its own, where orders are shuffled */
    bool in_cluster = false; /* all blocks */
};

const fault faults[] = {
    {"race_in_block", race_in_block, next_thread_number},
    {"race_behind_barrier", race_behind_barrier, number_behind, MANY_THREADS},
    {"race_in_warp", race_in_warp, next_lane_number},
    {"race_between_blocks", race_between_blocks, block_count_first},
    {"shared_overrun", shared_overrun, thread_number},
    {"global_overrun", global_overrun, zero},
    {"stuck_barrier", stuck_barrier, thread_number},
    {"two_barriers", two_barriers, next_thread_number},
    {"forgotten_barrier", forgotten_barrier, thread_number},
    {"uninitialised_shared", uninitialised_shared, thread_number},
    {"lane_outside_mask", lane_outside_mask, thread_number},
    {"too_much_shared", too_much_shared, thread_number},
    {"wrong_turn", wrong_turn, turns},
    {"flag_first", flag_first, sums_in_one_word, THREADS, 100},
    {"half_awaited", half_awaited, sums_in_two_words, THREADS, 100},
    {"race_in_cluster", race_in_cluster, thread_number, THREADS, 1, true},
    {"stuck_cluster", stuck_cluster, thread_number, THREADS, 1, true},
    {"cluster_not_begun", cluster_not_begun, thread_number, THREADS, 1, true},
    {"cluster_returned", cluster_returned, thread_number, THREADS, 1, true},
    {"cluster_not_arrived", cluster_not_arrived, thread_number, THREADS, 1, true},
    {"cluster_arrived_twice", cluster_arrived_twice, thread_number, THREADS, 1, true},
    {"cluster_too_small", cluster_too_small, thread_number, THREADS, 1, true},
    {"copy_not_awaited", copy_not_awaited, thread_number},
    {"copy_not_fenced", copy_not_fenced, thread_number},
    {"copy_too_short", copy_too_short, thread_number},
    {"copy_left_behind", copy_left_behind, thread_number},
    {"group_not_awaited", group_not_awaited, thread_number},
    {"source_overwritten", source_overwritten, thread_number},
    {"own_copy_not_awaited", own_copy_not_awaited, thread_number},
    {"own_batch_not_awaited", own_batch_not_awaited, thread_number},
    {"own_batch_not_closed", own_batch_not_closed, thread_number},
    {"own_zeros_not_awaited", own_zeros_not_awaited, thread_number},
    {"own_source_overwritten", own_source_overwritten, thread_number},
};

cudaError_t launch(const fault &f, bool broken, int *h_out, size_t bytes)
{
    int *d_out;
    cudaMalloc(&d_out, bytes);
    cudaMemset(d_out, 0, bytes);
    launch_config where = {nullptr, BLOCKS, f.threads};
    where.cluster = f.in_cluster ? BLOCKS : 0;
    cudaError_t error = prim_launch(where, f.kernel, broken, d_out);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return error;
}

int run(const fault &f, bool broken)
{
    constexpr int COUNT = BLOCKS * THREADS;
    int h_out[COUNT];
    for (int round = 0; round < f.rounds; round++) {
        const cudaError_t error = launch(f, broken, h_out, sizeof h_out);
        if (error != cudaSuccess) {
            void *d_more;
            std::printf("launch: %s\n", cudaGetErrorName(error));
            std::printf("afterwards: %s\n", cudaGetErrorName(cudaMalloc(&d_more, 4)));
            return 1;
        }
        for (int i = 0; i < COUNT; i++)
            if (h_out[i] != f.expected(i)) {
                std::printf("result: wrong at %d\n", i);
                return 1;
            }
    }
    std::printf("result: right\n");
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    for (const fault &f : faults)
        if (argc == 3 && std::strcmp(argv[1], f.name) == 0)
            return run(f, std::strcmp(argv[2], "broken") == 0);
    std::fprintf(stderr, "usage: %s NAME broken|correct, NAME being one of:\n", argv[0]);
    for (const fault &f : faults)
        std::fprintf(stderr, "  %s\n", f.name);
    return 2;
}
