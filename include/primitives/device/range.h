/* Ranges: contiguous global memory of any alignment, into shared memory and back.
 *
 * EXPERIMENTAL: until 1.0, this folder may change with each minor version.
 *
 *     PRIM_SHARED(prim_range_vector, room, [prim_range_vectors<float>(1000)]);
 *     float *const row = prim_load_range<128>(room, global, count);         (count <= 1000)
 *     prim_wait_for_ranges();
 *     __syncthreads();                          row[0] … row[count - 1]
 *     …
 *     __syncthreads();
 *     prim_store_range<128>(to, room, count);   if `to` lies as far past 16 bytes as `global`
 *
 * The range keeps its distance past a multiple of 16 bytes, so that whole vectors of 16 bytes are
 * aligned in both memories. The elements at the ends go one by one: nothing outside of the range is
 * read or written.
 *
 *     global   ┃ · · · a ┃ b b b b ┃ c c c c ┃ d d · · ┃
 *     accesses         1      16        16     1 1
 *     room     ┃ · · · a ┃ b b b b ┃ c c c c ┃ d d · · ┃
 *
 * T is any trivially copyable type, and a range needs its alignment, no more. THREADS consecutive
 * threads make the call together, from a multiple of THREADS in x on: a block, or each of its warps
 * with a room of its own. There is no barrier inside. */
#ifndef PRIMITIVES_DEVICE_RANGE_H
#define PRIMITIVES_DEVICE_RANGE_H

#include <primitives/device/kernel.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/* What goes in one access; of bytes, since they may be read as anything. */
template <unsigned BYTES>
struct alignas(BYTES) prim_range_piece {
    unsigned char bytes[BYTES];
};

typedef prim_range_piece<16> prim_range_vector;

/* As many of them has the room for `count` elements, wherever the range begins. */
template <typename T>
static __host__ __device__ constexpr size_t prim_range_vectors(size_t count)
{
    static_assert(std::is_trivially_copyable<T>::value && alignof(T) <= 16, "plain bytes");
    return (16 - alignof(T) + count * sizeof(T) + 15) / 16;
}

/* Where the elements of a range lie in the room. */
template <typename T>
static __device__ inline T *prim_range_place(prim_range_vector *room, const T *range)
{
    return reinterpret_cast<T *>(reinterpret_cast<unsigned char *>(room) +
                                 reinterpret_cast<uintptr_t>(range) % 16);
}

/* ---- the ways of a piece ---- */

struct prim_copy_now {
    template <typename Piece>
    __device__ void operator()(Piece *to, const Piece *from) const
    {
        *to = *from;
    }
};

/* From global into shared memory: asynchronously from compute capability 8.0 on, where there is an
 * instruction for such pieces. */
struct prim_copy_async {
    template <unsigned BYTES>
    __device__ void operator()(prim_range_piece<BYTES> *to,
                               const prim_range_piece<BYTES> *from) const
    {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
        if constexpr (BYTES == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from)
                         : "memory");
        else if constexpr (BYTES >= 4)
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from),
                         "n"(BYTES)
                         : "memory");
        else
            *to = *from;
#else
#ifdef SIMT_BACKEND
        if (BYTES >= 4 && simt_copies_are_late) {
            simt_copy_late(to, from, BYTES, 0);
            return;
        }
#endif
        *to = *from;
#endif
    }
};

/* Pieces of a T's alignment up to the first whole vector, whole vectors, and pieces again. */
template <unsigned THREADS, typename T, class Copy>
static __device__ inline void prim_copy_range(T *to, const T *from, unsigned count, Copy copy)
{
    using piece = prim_range_piece<alignof(T)>;
    constexpr unsigned SIZE = alignof(T);
    const unsigned thread = threadIdx.x % THREADS, bytes = count * sizeof(T);
    const unsigned past = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % 16);
    const unsigned up_to_vector = (16 - past) % 16;
    const unsigned head = up_to_vector < bytes ? up_to_vector : bytes;
    const unsigned tail = (bytes - head) % 16, vectors = (bytes - head) / 16;

    unsigned char *const target = reinterpret_cast<unsigned char *>(to);
    const unsigned char *const source = reinterpret_cast<const unsigned char *>(from);
    const auto copy_piece = [=](unsigned at) {
        copy(reinterpret_cast<piece *>(target + at), reinterpret_cast<const piece *>(source + at));
    };
    for (unsigned v = thread; v < vectors; v += THREADS)
        copy(reinterpret_cast<prim_range_vector *>(target + head) + v,
             reinterpret_cast<const prim_range_vector *>(source + head) + v);
    if (thread * SIZE < head)
        copy_piece(thread * SIZE);
    if (thread * SIZE < tail)
        copy_piece(bytes - tail + thread * SIZE);
}

/* ---- what is called ---- */

/* Begins to bring `count` elements into the room, which has prim_range_vectors<T>(count) vectors,
 * and returns where the first one will be. They may be read after prim_wait_for_ranges() and a
 * barrier after it; nobody uses the room before. */
template <unsigned THREADS, typename T>
static __device__ inline T *prim_load_range(prim_range_vector *room, const T *from, unsigned count)
{
    static_assert(THREADS >= 32 && THREADS % 32 == 0, "whole warps");
    T *const place = prim_range_place(room, from);
    prim_copy_range<THREADS>(place, from, count, prim_copy_async());
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#elif defined(SIMT_BACKEND)
    if (simt_copies_are_late)
        simt_copies_commit();
#endif
    return place;
}

/* Waits for all ranges that this thread has begun to load, but the last LEFT ones. */
template <unsigned LEFT = 0>
static __device__ inline void prim_wait_for_ranges()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#elif defined(SIMT_BACKEND)
    if (simt_copies_are_late)
        simt_copies_wait(LEFT);
#endif
}

/* Stores `count` elements, which lie at prim_range_place(room, to): a barrier stands between who
 * wrote them and this call. */
template <unsigned THREADS, typename T>
static __device__ inline void prim_store_range(T *to, prim_range_vector *room, unsigned count)
{
    static_assert(THREADS >= 32 && THREADS % 32 == 0, "whole warps");
    const T *const place = prim_range_place(room, to);
    prim_copy_range<THREADS>(to, place, count, prim_copy_now());
}

#endif
