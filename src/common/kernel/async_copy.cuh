/* Asynchronous copies from global into shared memory, without registers, from compute capability
 * 8.0 on. Elsewhere they are ordinary ones. */
#ifndef PRIM_COMMON_ASYNC_COPY_CUH
#define PRIM_COMMON_ASYNC_COPY_CUH

#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

namespace
{

/* The CPU backend may do a copy later, as a GPU of 8.0 does: of the first `bytes` of a T, and zeros
 * after them. false: the caller is to do it. */
template <typename T>
__device__ bool is_copied_later(T *shared, const void *global, unsigned bytes)
{
#ifdef SIMT_BACKEND
    if (sizeof(T) >= 4 && simt_copies_are_late) {
        simt_copy_late(shared, global, bytes, sizeof(T) - bytes);
        return true;
    }
#endif
    (void)shared;
    (void)global;
    (void)bytes;
    return false;
}

/* Both pointers are aligned to the size of a T, which is a power of two up to 16 bytes. The thread
 * itself may read the copy after wait_for_copies(), other threads after a barrier that follows
 * it. */
template <typename T>
__device__ void copy_async(T *shared, const T *global)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) >= 4) {
        const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
        if constexpr (sizeof(T) == 16) /* not through L1 */
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global),
                         "n"(sizeof(T))
                         : "memory");
        return;
    }
#endif
    if (!is_copied_later(shared, global, sizeof(T)))
        *shared = *global;
}

/* The same if `wanted`, and otherwise zeros, for which nothing is read. Of 4 bytes and more. */
template <typename T>
__device__ void copy_async_or_zeros(bool wanted, T *shared, const T *global)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global),
                 "n"(sizeof(T)), "r"(wanted ? static_cast<unsigned>(sizeof(T)) : 0u)
                 : "memory");
#else
    if (!is_copied_later(shared, global, wanted ? static_cast<unsigned>(sizeof(T)) : 0u))
        *shared = wanted ? *global : T{};
#endif
}

/* copy_async() of the first `bytes` of a T of 4 or 16 bytes, and zeros after them: nothing else is
 * read. `global` is aligned to a T: the CPU backend refuses what is not, as GPUs do. */
template <typename T>
__device__ void copy_async_first(T *shared, const void *global, unsigned bytes)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 16, "a word or a vector");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (sizeof(T) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                     "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global),
                     "r"(bytes)
                     : "memory");
#else
#ifdef SIMT_BACKEND
    if (reinterpret_cast<uintptr_t>(global) % sizeof(T) != 0)
        simt_refuse("an asynchronous copy from an address that is not aligned");
#endif
    if (is_copied_later(shared, global, bytes))
        return;
    T whole = {};
    std::memcpy(&whole, global, bytes);
    *shared = whole;
#endif
}

/* copy_async() of 16 bytes, of lines whose neighbours are read at about the same time: L2 brings
 * 256 bytes at once. */
template <typename T>
__device__ void copy_async_of_line(T *shared, const T *global)
{
    static_assert(sizeof(T) == 16, "a vector");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(to), "l"(global)
                 : "memory");
#else
    if (!is_copied_later(shared, global, sizeof(T)))
        *shared = *global;
#endif
}

/* A pointer to shared memory that takes only 32 bits on the GPU. */
template <typename T>
struct shared_place {
#ifdef __CUDA_ARCH__
    unsigned address;
#else
    T *address;
#endif

    __device__ shared_place operator+(int elements) const
    {
#ifdef __CUDA_ARCH__
        return {address + elements * static_cast<int>(sizeof(T))};
#else
        return {address + elements};
#endif
    }
    __device__ T *pointer() const
    {
#ifdef __CUDA_ARCH__
        return static_cast<T *>(__cvta_shared_to_generic(address));
#else
        return address;
#endif
    }
};

template <typename T>
__device__ shared_place<T> place_in_shared(T *shared)
{
#ifdef __CUDA_ARCH__
    return {static_cast<unsigned>(__cvta_generic_to_shared(shared))};
#else
    return {shared};
#endif
}

/* copy_async() of COUNT elements, aligned to the size of all. */
template <unsigned COUNT, typename T>
__device__ void copy_async_to(shared_place<T> shared, const T *global)
{
    constexpr unsigned BYTES = COUNT * sizeof(T);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "what the instruction takes");
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared.address), "l"(global)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared.address), "l"(global),
                     "n"(BYTES)
                     : "memory");
#else
    struct alignas(BYTES) whole {
        T elements[COUNT];
    };
    whole *const to = reinterpret_cast<whole *>(shared.pointer());
    if (!is_copied_later(to, global, sizeof(whole)))
        *to = *reinterpret_cast<const whole *>(global);
#endif
}

/* The same if `wanted`; predicated, without a branch, from 8.0 on. */
template <unsigned COUNT, typename T>
__device__ void copy_async_if(bool wanted, shared_place<T> shared, const T *global)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    static_assert(COUNT * sizeof(T) == 16, "vectors");
    asm volatile("{\n"
                 ".reg .pred wanted;\n"
                 "setp.ne.u32 wanted, %2, 0;\n"
                 "@wanted cp.async.cg.shared.global [%0], [%1], 16;\n"
                 "}" ::"r"(shared.address),
                 "l"(global), "r"(static_cast<unsigned>(wanted))
                 : "memory");
#else
    if (wanted)
        copy_async_to<COUNT>(shared, global);
#endif
}

/* A predicated store of 4 bytes to shared memory. */
template <typename T>
__device__ void store_shared_if(bool wanted, shared_place<T> shared, T value)
{
#ifdef __CUDA_ARCH__
    static_assert(sizeof(T) == 4, "a word");
    unsigned word;
    std::memcpy(&word, &value, sizeof word);
    asm volatile("{\n"
                 ".reg .pred wanted;\n"
                 "setp.ne.u32 wanted, %2, 0;\n"
                 "@wanted st.shared.b32 [%0], %1;\n"
                 "}" ::"r"(shared.address),
                 "r"(word), "r"(static_cast<unsigned>(wanted))
                 : "memory");
#else
    if (wanted)
        *shared.pointer() = value;
#endif
}

/* The copies that this thread has begun since the last call are one batch. */
__device__ inline void close_batch_of_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#elif defined(SIMT_BACKEND)
    if (simt_copies_are_late)
        simt_copies_commit();
#endif
}

/* Waits for all batches of this thread but its last `LEFT` ones. */
template <unsigned LEFT>
__device__ void wait_for_copies_but()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#elif defined(SIMT_BACKEND)
    if (simt_copies_are_late)
        simt_copies_wait(LEFT);
#endif
}

/* Waits for all copies that this thread has begun. */
__device__ inline void wait_for_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#elif defined(SIMT_BACKEND)
    if (simt_copies_are_late) {
        simt_copies_commit();
        simt_copies_wait(0);
    }
#endif
}

/* Brings a cache line to L2 without using it, while the thread has to wait for something else. */
__device__ inline void prefetch(const void *address)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#else
    (void)address;
#endif
}

} // namespace

#endif
