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

    /* Of element i across, step k. */
    uint16_t bits_at(bool mn_major, unsigned i, unsigned k) const
    {
        const uint32_t within = mn_major
                                    ? i / 64 * leading + i % 64 * 2 + k % 8 * 128 + k / 8 * stride
                                    : i / 8 * stride + i % 8 * 128 + k * 2;
        const uint32_t at = address + within;
        return *static_cast<const uint16_t *>(simt_shared_at(at ^ (at >> 7 & 7) << 4));
    }

    template <typename Half>
    void read(bool mn_major, unsigned i, double (&values)[16]) const
    {
        for (unsigned k = 0; k < 16; k++)
            values[k] = static_cast<double>(to_float(Half{bits_at(mn_major, i, k)}));
    }
};

inline float plus_products(float sum, const double (&a)[16], const double (&b)[16])
{
    double exact = static_cast<double>(sum);
    for (unsigned k = 0; k < 16; k++)
        exact += a[k] * b[k];
    return static_cast<float>(exact);
}

/* A thread's share of a product that is not done yet. Its sums are NaNs until then. */
template <typename Half, unsigned N, bool A_MN_MAJOR, bool B_MN_MAJOR>
struct pending_products {
    float *d;
    uint64_t a, b;
    bool is_first; /* of those that add to d: it keeps d's values */
    float values[N / 2];

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
        double row[2][16], column[16];
        for (unsigned half = 0; half < 2; half++)
            of_a.read<Half>(A_MN_MAJOR, 16 * warp + lane / 4 + 8 * half, row[half]);
        for (unsigned j = 0; j < N / 8; j++)
            for (unsigned e = 0; e < 2; e++) {
                of_b.read<Half>(B_MN_MAJOR, 8 * j + 2 * (lane % 4) + e, column);
                for (unsigned half = 0; half < 2; half++) {
                    float &sum = d[4 * j + 2 * half + e];
                    sum = plus_products(sum, row[half], column);
                }
            }
    }
};

template <typename Half, unsigned N, bool A_MN_MAJOR, bool B_MN_MAJOR>
void issue_products(float (&d)[N / 2], uint64_t a, uint64_t b)
{
    using pending = pending_products<Half, N, A_MN_MAJOR, B_MN_MAJOR>;
    pending p = {d, a, b, false, {}};
    simt_async(pending::hold, pending::complete, &p, sizeof p);
}

#endif

} // namespace

#endif
