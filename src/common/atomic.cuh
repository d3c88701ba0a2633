/* Words that blocks of one launch pass to each other while they run.
 *
 * Where nothing else is said, these are relaxed: a word is read and written whole, and says nothing
 * about other memory. So what belongs together travels in one word. Words are at home in L2: no
 * block finds an old one in its own cache, as an ordinary load might. */
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

__device__ inline void atomic_store(uint64_t *word, uint64_t value)
{
#ifdef SIMT_BACKEND
    simt_interleave();
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#else
    __nv_atomic_store_n(word, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
#endif
}

/* The same between the warps of a block, in its shared memory. */
__device__ inline uint64_t atomic_load_in_block(uint64_t *word)
{
#ifdef SIMT_BACKEND
    return atomic_load(word);
#else
    return __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
#endif
}

__device__ inline void atomic_store_in_block(uint64_t *word, uint64_t value)
{
#ifdef SIMT_BACKEND
    atomic_store(word, value);
#else
    __nv_atomic_store_n(word, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
#endif
}

/* The next number of a counter that starts at 0. Blocks that take their turn from it, and wait for
 * earlier turns only, wait for blocks that run: whatever order the device starts blocks in. */
__device__ inline unsigned take_ticket(unsigned *counter)
{
    return atomicAdd(counter, 1u);
}

/* The same, and what this thread wrote before is there for whoever takes a later number. */
__device__ inline unsigned take_ticket_behind(unsigned *counter)
{
#ifdef SIMT_BACKEND
    simt_interleave();
    return __atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL);
#else
    return __nv_atomic_fetch_add(counter, 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
#endif
}

/* The same for who reads with load_past_caches() alone, behind a branch on the number: no GPU loads
 * before it knows that it has to, so the order is kept without an acquire. That would empty the
 * first cache, of what others read there as well. */
__device__ inline unsigned take_ticket_past_caches(unsigned *counter)
{
#ifdef SIMT_BACKEND
    return take_ticket_behind(counter);
#else
    return __nv_atomic_fetch_add(counter, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
#endif
}

template <typename T>
__device__ T load_past_caches(T *word)
{
#ifdef SIMT_BACKEND
    return *word;
#else
    T value;
    __nv_atomic_load(word, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    return value;
#endif
}

/* In a loop that waits for another block's word. The CPU backend lets other threads and blocks run
 * here, without which it would wait for ever. */
__device__ inline void relax(unsigned nanoseconds)
{
    __nanosleep(nanoseconds);
}

/* The same where everybody waits for this warp: a GPU goes on at once. */
__device__ inline void look_again()
{
#ifdef SIMT_BACKEND
    __nanosleep(0);
#endif
}

} // namespace

#endif
