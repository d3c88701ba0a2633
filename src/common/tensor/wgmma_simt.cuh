/* wgmma on the CPU backend: each thread computes its elements of D, of operands that it finds in
 * shared memory by their descriptors.
 *
 *     bits 0 … 13     the address / 16
 *     bits 16 … 29    the leading offset / 16: MN-major, from 64 elements to the next 64
 *     bits 32 … 45    the stride offset / 16: from eight rows to the next eight
 *     bits 49 … 51    where in a pattern of eight rows the address is: 0
 *     bits 62 … 63    1: swizzled, by 128 bytes */
#ifndef PRIM_COMMON_WGMMA_SIMT_CUH
#define PRIM_COMMON_WGMMA_SIMT_CUH

#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

#include "common/math/half.cuh"

namespace
{

#ifdef SIMT_BACKEND

struct decoded_descriptor {
    uint32_t address, leading, stride;

    explicit decoded_descriptor(uint64_t bits)
        : address((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
          stride((bits >> 32 & 0x3fff) << 4)
    {
        if (bits >> 62 != 1 || (bits >> 49 & 7) != 0 || (address >> 7 & 7) != 0)
            simt_refuse("a descriptor of wgmma that is not of rows of 128 swizzled bytes from a "
                        "multiple of 1024 on");
    }

    /* What lies `bytes` after the address, before swizzling is undone. */
    template <typename T>
    T at(uint32_t bytes) const
    {
        const uint32_t behind = address + bytes;
        return *static_cast<const T *>(simt_shared_at(behind ^ (behind >> 7 & 7) << 4));
    }

    /* Of element i across, step k. */
    uint16_t half_at(bool mn_major, unsigned i, unsigned k) const
    {
        return at<uint16_t>(mn_major ? i / 64 * leading + i % 64 * 2 + k % 8 * 128 + k / 8 * stride
                                     : i / 8 * stride + i % 8 * 128 + k * 2);
    }

    /* K-major: of element i across, 32 steps of k. */
    uint32_t bits_at(unsigned i, unsigned word) const
    {
        return at<uint32_t>(i / 8 * stride + i % 8 * 128 + word * 4);
    }
};

/* ---- what an instruction multiplies: rows of A and columns of B, and their product ---- */

template <typename Half, bool A_MN_MAJOR, bool B_MN_MAJOR>
struct products_of_halves_along_k {
    using sum = float;
    using line = double[16];

    static void read(const decoded_descriptor &from, bool mn_major, unsigned i, line &values)
    {
        for (unsigned k = 0; k < 16; k++)
            values[k] = static_cast<double>(to_float(Half{from.half_at(mn_major, i, k)}));
    }

    static void read_row(const decoded_descriptor &a, unsigned i, line &values)
    {
        read(a, A_MN_MAJOR, i, values);
    }

    static void read_column(const decoded_descriptor &b, unsigned i, line &values)
    {
        read(b, B_MN_MAJOR, i, values);
    }

    static float plus(float so_far, const line &a, const line &b)
    {
        double exact = static_cast<double>(so_far);
        for (unsigned k = 0; k < 16; k++)
            exact += a[k] * b[k];
        return static_cast<float>(exact);
    }
};

struct products_of_bits_along_k {
    using sum = int32_t;
    using line = uint32_t[8];

    static void read_row(const decoded_descriptor &a, unsigned i, line &words)
    {
        for (unsigned w = 0; w < 8; w++)
            words[w] = a.bits_at(i, w);
    }

    static void read_column(const decoded_descriptor &b, unsigned i, line &words)
    {
        read_row(b, i, words);
    }

    static int32_t plus(int32_t so_far, const line &a, const line &b)
    {
        for (unsigned w = 0; w < 8; w++)
            so_far += __builtin_popcount(a[w] & b[w]);
        return so_far;
    }
};

/* ---- a product on its way ---- */

/* A thread's share of a product that is not done yet. Until then its sums are what no sum is: a
 * NaN, or a number of bits below 0. */
template <class Products, unsigned N>
struct pending_products {
    using sum = typename Products::sum;

    sum *d;
    uint64_t a, b;
    bool is_first; /* of those that add to d: it keeps d's values */
    sum values[N / 2];

    static constexpr uint32_t POISON = 0xfff7dead;

    /* While it waits. */
    static void hold(void *self)
    {
        pending_products &p = *static_cast<pending_products *>(self);
        uint32_t first;
        std::memcpy(&first, p.d, sizeof first);
        if (first == POISON)
            return;
        p.is_first = true;
        std::memcpy(p.values, p.d, sizeof p.values);
        for (unsigned i = 0; i < N / 2; i++)
            std::memcpy(&p.d[i], &POISON, sizeof POISON);
    }

    static void complete(void *self)
    {
        pending_products &p = *static_cast<pending_products *>(self);
        if (p.is_first)
            std::memcpy(p.d, p.values, sizeof p.values);
        p.add();
    }

    void add() const
    {
        const decoded_descriptor of_a(a), of_b(b);
        const unsigned warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
        typename Products::line row[2], column;
        for (unsigned half = 0; half < 2; half++)
            Products::read_row(of_a, 16 * warp + lane / 4 + 8 * half, row[half]);
        for (unsigned j = 0; j < N / 8; j++)
            for (unsigned e = 0; e < 2; e++) {
                Products::read_column(of_b, 8 * j + 2 * (lane % 4) + e, column);
                for (unsigned half = 0; half < 2; half++) {
                    sum &one = d[4 * j + 2 * half + e];
                    one = Products::plus(one, row[half], column);
                }
            }
    }
};

template <class Products, unsigned N>
void issue_products(typename Products::sum (&d)[N / 2], uint64_t a, uint64_t b)
{
    using pending = pending_products<Products, N>;
    pending p = {d, a, b, false, {}};
    simt_async(pending::hold, pending::complete, &p, sizeof p);
}

#endif

} // namespace

#endif
