/* Sums of bytes down columns, two to a register: what a thread adds up fits 16 bits, and the
 * registers that this saves leave room for more threads on a multiprocessor. Signed bytes wrap to
 * as many bits in the end. */
#ifndef PRIM_REDUCE_PACKED_SUMS_CUH
#define PRIM_REDUCE_PACKED_SUMS_CUH

#include "reduce/columns/columns.h"
#include "reduce/tile/sources.cuh"

namespace
{
namespace columns
{

template <class Operator, class Source>
constexpr bool PACKS = ADDS_BYTES<Operator, typename Source::element>;

struct packed_sums {
    uint32_t pairs[VECTOR_BYTES / 2]; /* bytes 0 and 2 of a word, then 1 and 3 */

    template <typename Byte>
    __device__ void add(const vector<Byte> &x)
    {
        PRIM_UNROLL(4)
        for (unsigned w = 0; w < VECTOR_BYTES / 4; w++) {
            pairs[2 * w] += x.words[w] & 0x00ff00ff;
            pairs[2 * w + 1] += x.words[w] >> 8 & 0x00ff00ff;
        }
    }

    template <typename Value>
    __device__ void add_to(Value (&so_far)[VECTOR_BYTES]) const
    {
        PRIM_UNROLL(VECTOR_BYTES)
        for (unsigned e = 0; e < VECTOR_BYTES; e++) {
            const uint32_t pair = pairs[e / 4 * 2 + e % 2];
            so_far[e] += static_cast<Value>(e % 4 < 2 ? pair & 0xffff : pair >> 16);
        }
    }
};
static_assert(PRIM_COLUMN_DEPTH * UINT8_MAX <= UINT16_MAX, "a tile's rows of a thread");
static_assert((PRIM_COLUMN_FEW_ROWS >> (PRIM_COLUMN_THREAD_BITS - PRIM_COLUMN_WIDE_ACROSS_BITS)) *
                      UINT8_MAX <=
                  UINT16_MAX,
              "few rows of a thread");

} // namespace columns
} // namespace

#endif
