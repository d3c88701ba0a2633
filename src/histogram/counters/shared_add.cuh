/* Additions to words of shared memory. nvcc would compute a word's address from the start: eleven
 * instructions in place of two. */
#ifndef PRIM_HISTOGRAM_SHARED_ADD_CUH
#define PRIM_HISTOGRAM_SHARED_ADD_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace
{

#ifdef __CUDA_ARCH__
typedef uint32_t shared_words; /* an address in shared memory */
#else
typedef char *shared_words;
#endif

/* Held in a register: nvcc would otherwise ask for the block's number in its cluster before every
 * addition, and wait for it. */
__device__ inline shared_words shared_words_of(uint32_t *words)
{
#ifdef __CUDA_ARCH__
    uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(words));
    asm volatile("" : "+r"(address));
    return address;
#else
    return reinterpret_cast<char *>(words);
#endif
}

/* Adds 1 to the word `bytes` bytes after `words`. The hardware combines lanes that add to one word,
 * at no cost. */
__device__ inline void add_one(shared_words words, uint32_t bytes)
{
#ifdef __CUDA_ARCH__
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(words + bytes) : "memory");
#else
    atomicAdd(reinterpret_cast<uint32_t *>(words + bytes), 1u);
#endif
}

/* The same with n; lanes that add to one word wait for each other. */
__device__ inline void add_some(shared_words words, uint32_t bytes, uint32_t n)
{
#ifdef __CUDA_ARCH__
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(words + bytes), "r"(n) : "memory");
#else
    atomicAdd(reinterpret_cast<uint32_t *>(words + bytes), n);
#endif
}

} // namespace

#endif
