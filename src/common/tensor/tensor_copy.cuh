/* Bulk tensor copies (TMA): one thread has a box of a matrix brought from global into shared
 * memory. Compute capability 9.0 and up.
 *
 *     a row of the box   ▒▒▒▒▒▒▒▒   8 pieces of 16 bytes; row i keeps piece p at place p ^ (i % 8)
 *
 * which is bits 4 … 6 of an address by its bits 7 … 9, so a box begins at a multiple of 1,024
 * bytes. In the matrix it begins at a column that is a multiple of 16 bytes: at another one, GPUs
 * stop with an illegal instruction. Outside of the matrix there are zeros. The bytes count at an
 * mbarrier when they have come. */
#ifndef PRIM_COMMON_TENSOR_COPY_CUH
#define PRIM_COMMON_TENSOR_COPY_CUH

#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

#include "common/host/tensor_map.h"
#include "common/tensor/mbarrier.cuh"

namespace
{

/* A box's first element. */
struct tensor_place {
    int column, row, matrix;
};

#ifdef SIMT_BACKEND

/* A copy on its way. */
struct tensor_load {
    unsigned char *to;
    prim_tensor from;
    tensor_place at;

    unsigned bytes() const
    {
        return from.box_rows * from.box_columns * static_cast<unsigned>(sizeof(uint16_t));
    }

    const uint16_t *element(unsigned row, unsigned column) const
    {
        const int64_t r = int64_t(at.row) + row, c = int64_t(at.column) + column;
        const bool inside = r >= 0 && static_cast<uint64_t>(r) < from.rows && c >= 0 &&
                            static_cast<uint64_t>(c) < from.columns && at.matrix >= 0 &&
                            static_cast<size_t>(at.matrix) < from.matrices;
        if (!inside)
            return nullptr;
        const char *const line = static_cast<const char *>(from.data) +
                                 static_cast<size_t>(at.matrix) * from.stride +
                                 static_cast<size_t>(r) * from.pitch;
        return reinterpret_cast<const uint16_t *>(line) + c;
    }

    /* By the bits of the address in shared memory, wherever the box begins. */
    uint16_t *place(unsigned row, unsigned column) const
    {
        const uintptr_t address =
            reinterpret_cast<uintptr_t>(to) + (row * from.box_columns + column) * 2;
        return reinterpret_cast<uint16_t *>(address ^ (address >> 7 & 7) << 4);
    }

    static void complete(void *copy)
    {
        const tensor_load &load = *static_cast<const tensor_load *>(copy);
        for (unsigned row = 0; row < load.from.box_rows; row++)
            for (unsigned column = 0; column < load.from.box_columns; column++) {
                const uint16_t *const element = load.element(row, column);
                *load.place(row, column) = element == nullptr ? uint16_t(0) : *element;
            }
    }
};

inline void tensor_load_box(void *to, const prim_tensor_map &map, tensor_place at,
                            mbarrier *barrier)
{
    if (reinterpret_cast<uintptr_t>(to) % 128 != 0)
        simt_refuse("a tensor copy to shared memory that is not aligned to 128 bytes");
    if (at.column % 8 != 0)
        simt_refuse("a tensor copy from a column that is not aligned to 16 bytes");
    const tensor_load load = {static_cast<unsigned char *>(to), map.tensor, at};
    simt_begin_copy(to, load.bytes(), barrier, tensor_load::complete, &load, sizeof load);
}

inline void tensor_load_box_to_blocks(void *to, const prim_tensor_map &map, tensor_place at,
                                      mbarrier *barrier, unsigned blocks)
{
    for (unsigned rank = 0; blocks >> rank != 0; rank++)
        if ((blocks >> rank & 1) != 0)
            tensor_load_box(simt_shared_of_block(to, rank), map, at,
                            static_cast<mbarrier *>(simt_shared_of_block(barrier, rank)));
}

#else

__device__ inline void tensor_load_box(void *to, const prim_tensor_map &map, tensor_place at,
                                       mbarrier *barrier)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
        "l"(&map), "r"(at.column), "r"(at.row), "r"(at.matrix), "r"(shared_address(barrier))
        : "memory");
#endif
}

/* To the same place in each block of the cluster whose bit is set in `blocks`; bytes count at each
 * one's own barrier. */
__device__ inline void tensor_load_box_to_blocks(void *to, const prim_tensor_map &map,
                                                 tensor_place at, mbarrier *barrier,
                                                 unsigned blocks)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
                 "l"(&map), "r"(at.column), "r"(at.row), "r"(at.matrix),
                 "r"(shared_address(barrier)), "h"(static_cast<uint16_t>(blocks))
                 : "memory");
#endif
}

#endif

} // namespace

#endif
