/* Words that blocks of one launch pass to each other while they run.
 *
 * Unless said otherwise, these are relaxed: a word is read and written as a whole, and orders no
 * other memory. So a flag and its value travel in one word. Words are read and written in L2: no
 * block sees a stale one in its L1, as with an ordinary load. */
#ifndef PRIM_COMMON_ATOMIC_CUH
#define PRIM_COMMON_ATOMIC_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace
{

template <typename Word>
__device__ Word atomic_load(Word *word)
{
#ifdef SIMT_BACKEND
    simt_interleave();
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
    return __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#endif
}

template <typename Word, typename Value>
__device__ void atomic_store(Word *word, Value value)
{
#ifdef SIMT_BACKEND
    simt_interleave();
    __atomic_store_n(word, static_cast<Word>(value), __ATOMIC_RELAXED);
#else
    __nv_atomic_store_n(word, static_cast<Word>(value), __NV_ATOMIC_RELAXED,
                        __NV_THREAD_SCOPE_DEVICE);
#endif
}

/* The same between the warps of a block, in its shared memory. */
__device__ inline uint64_t atomic_load_in_block(uint64_t *word)
{
#ifdef SIMT_BACKEND
    simt_interleave_in_block();
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
    return __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
#endif
}

__device__ inline void atomic_store_in_block(uint64_t *word, uint64_t value)
{
#ifdef SIMT_BACKEND
    simt_interleave_in_block();
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#else
    __nv_atomic_store_n(word, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
#endif
}

/* The next number of a counter that starts at 0. Blocks that take their work by it, and wait only
 * for blocks with earlier numbers, wait only for blocks that run, whatever order the device starts
 * blocks in. */
__device__ inline unsigned take_ticket(unsigned *counter)
{
    return atomicAdd(counter, 1u);
}

/* The same with acquire and release: who takes a later number sees what this thread wrote. */
__device__ inline unsigned take_ticket_ordered(unsigned *counter)
{
#ifdef SIMT_BACKEND
    simt_interleave();
    return __atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL);
#else
    return __nv_atomic_fetch_add(counter, 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
#endif
}

/* The same for a thread that then reads only with load_from_l2(), after a branch on the number:
 * no GPU loads speculatively, so the order holds without an acquire, which would invalidate L1 for
 * all threads of the multiprocessor. */
__device__ inline unsigned take_ticket_releasing(unsigned *counter)
{
#ifdef SIMT_BACKEND
    return take_ticket_ordered(counter);
#else
    return __nv_atomic_fetch_add(counter, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
#endif
}

template <typename T>
__device__ T load_from_l2(T *word)
{
    T value;
#ifdef SIMT_BACKEND
    __atomic_load(word, &value, __ATOMIC_RELAXED);
#else
    __nv_atomic_load(word, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#endif
    return value;
}

/* For a loop that waits for another block's word. The CPU backend runs other threads and blocks
 * here; without that it would wait for ever. */
__device__ inline void relax(unsigned nanoseconds)
{
    __nanosleep(nanoseconds);
}

/* The same where all others wait for this warp: a GPU does not sleep. */
__device__ inline void poll_again()
{
#ifdef SIMT_BACKEND
    __nanosleep(0);
#endif
}

} // namespace

#endif
