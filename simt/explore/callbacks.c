/* What clang's -fsanitize=thread calls at each access to memory. Only accesses by kernels' threads
 * to the arena count. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#include "internal.h"

static inline void access(const void *address, size_t bytes, bool writes)
{
    actor *const a = simt_explorer.current;
    if (a == NULL || simt_explorer.mode != RUN_EXPLORED)
        return;
    const size_t offset = explore_offset(address);
    if (offset >= SIMT_EXPLORE_ARENA_BYTES)
        return;
    if (simt_explorer.has_clusters && offset >= SIMT_EXPLORE_DEVICE_BYTES)
        clusters_note_access(a, address);
    uint32_t words[MOST_WORDS];
    const unsigned count = races_plain(a, offset, bytes, writes, words);
    for (unsigned i = 0; i < count; i++)
        memory_check_plain(a, words[i], writes);
}

void simt_explore_store(void *at, size_t bytes)
{
    access(at, bytes, true);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

#define PLAIN(bytes)                                  \
    void __tsan_read##bytes(void *address)            \
    {                                                 \
        access(address, bytes, false);                \
    }                                                 \
    void __tsan_write##bytes(void *address)           \
    {                                                 \
        access(address, bytes, true);                 \
    }                                                 \
    void __tsan_unaligned_read##bytes(void *address)  \
    {                                                 \
        access(address, bytes, false);                \
    }                                                 \
    void __tsan_unaligned_write##bytes(void *address) \
    {                                                 \
        access(address, bytes, true);                 \
    }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_vptr_update(void **vptr, void *value)
{
    (void)vptr;
    (void)value;
}

void __tsan_vptr_read(void **vptr)
{
    (void)vptr;
}

/* ---- copies, which clang leaves to the library ---- */

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    access(from, bytes, false);
    access(to, bytes, true);
    void *const result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
    return result;
}

void *memset(void *to, int value, size_t bytes)
{
    access(to, bytes, true);
    void *const result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
    return result;
}

/* ---- atomic operations ---- */

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST ||
           order == __ATOMIC_CONSUME;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* false: not a kernel's thread, or its own memory. */
static bool is_shared(const volatile void *address)
{
    return simt_explorer.current != NULL &&
           explore_offset((const void *)address) < SIMT_EXPLORE_ARENA_BYTES;
}

#define OPERATION(kind_, bits, value_, expected_, order)                                        \
    simt_explore_operation((operation){.kind = kind_,                                           \
                                       .address = (uintptr_t)address,                           \
                                       .bytes = (bits) / 8,                                     \
                                       .acquires = acquires(order) && kind_ != OPERATION_STORE, \
                                       .releases = releases(order) && kind_ != OPERATION_LOAD,  \
                                       .value = (uint64_t)(value_),                             \
                                       .expected = (uint64_t)(expected_),                       \
                                       .site = __builtin_return_address(0)})

#define FETCH(bits, name, kind, direct)                                                    \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *address,          \
                                                uint##bits##_t value, int order)           \
    {                                                                                      \
        return is_shared(address) ? (uint##bits##_t)OPERATION(kind, bits, value, 0, order) \
                                  : direct(address, value, __ATOMIC_SEQ_CST);              \
    }

#define EXCHANGE_IF(bits, name)                                                                   \
    int __tsan_atomic##bits##_##name(volatile uint##bits##_t *address, uint##bits##_t *expected,  \
                                     uint##bits##_t value, int order, int failed)                 \
    {                                                                                             \
        (void)failed;                                                                             \
        if (!is_shared(address))                                                                  \
            return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, \
                                               __ATOMIC_SEQ_CST);                                 \
        const uint##bits##_t before =                                                             \
            (uint##bits##_t)OPERATION(OPERATION_COMPARE, bits, value, *expected, order);          \
        const int exchanged = before == *expected;                                                \
        *expected = before;                                                                       \
        return exchanged;                                                                         \
    }

#define ATOMICS(bits)                                                                            \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order) \
    {                                                                                            \
        return is_shared(address) ? (uint##bits##_t)OPERATION(OPERATION_LOAD, bits, 0, 0, order) \
                                  : __atomic_load_n(address, __ATOMIC_SEQ_CST);                  \
    }                                                                                            \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,     \
                                     int order)                                                  \
    {                                                                                            \
        if (is_shared(address))                                                                  \
            OPERATION(OPERATION_STORE, bits, value, 0, order);                                   \
        else                                                                                     \
            __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                  \
    }                                                                                            \
    FETCH(bits, exchange, OPERATION_EXCHANGE, __atomic_exchange_n)                               \
    FETCH(bits, fetch_add, OPERATION_ADD, __atomic_fetch_add)                                    \
    FETCH(bits, fetch_sub, OPERATION_SUB, __atomic_fetch_sub)                                    \
    FETCH(bits, fetch_and, OPERATION_AND, __atomic_fetch_and)                                    \
    FETCH(bits, fetch_or, OPERATION_OR, __atomic_fetch_or)                                       \
    FETCH(bits, fetch_xor, OPERATION_XOR, __atomic_fetch_xor)                                    \
    EXCHANGE_IF(bits, compare_exchange_strong)                                                   \
    EXCHANGE_IF(bits, compare_exchange_weak)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order)
{
    if (simt_explorer.current != NULL && simt_explorer.mode == RUN_EXPLORED)
        memory_fence(simt_explorer.current, acquires(order), releases(order));
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
