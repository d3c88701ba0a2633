/* Squares of sides that are known at compile time, over narrow images and low ones: the types of
 * elements, and how a thread's sums become outputs. See narrow.cuh and low.cuh. */
#ifndef PRIM_CONVOLUTION_SQUARES_CUH
#define PRIM_CONVOLUTION_SQUARES_CUH

#include "convolution/bytes.cuh"

namespace
{
namespace squares
{

/* Of a block: with a thread's outputs, what shared memory of 48 KiB has room for in any shape. */
constexpr int THREADS = 256, BLOCKS = 4;

struct floats {
    using source = float;
    using element = float;
    struct ending {
    };
    static constexpr int OUTPUTS = 15; /* of a thread */

    __device__ static float loaded(float value)
    {
        return value;
    }
    /* The outputs lie `step` elements apart. */
    __device__ static void store(const ending &, const float (&sums)[OUTPUTS], float *to, int step)
    {
        PRIM_UNROLL(OUTPUTS)
        for (int o = 0; o < OUTPUTS; o++)
            to[o * step] = sums[o];
    }
};

/* As in bytes.cuh: a byte's bits are a subnormal float. */
struct tiny_bytes {
    using source = uint8_t;
    using element = uint8_t;
    using ending = bytes::ending;
    static constexpr int OUTPUTS = 21;

    __device__ static float loaded(uint8_t value)
    {
        return tiny_float(value);
    }
    __device__ static void store(const ending &end, const float (&sums)[OUTPUTS], uint8_t *to,
                                 int step)
    {
        float four[4] = {};
        PRIM_UNROLL(OUTPUTS)
        for (int o = 0; o < OUTPUTS; o++) {
            four[o % 4] = tiny_product(tiny_multiply_add(sums[o], end.factor, 0.0f), end.unit);
            if (o % 4 < 3 && o + 1 < OUTPUTS)
                continue;
            const uint32_t word = bytes_of_steps(four[0], four[1], four[2], four[3]);
            PRIM_UNROLL(4)
            for (int b = 0; b <= o % 4; b++)
                to[(o / 4 * 4 + b) * step] = static_cast<uint8_t>(word >> 8 * b);
        }
    }
};

} // namespace squares
} // namespace

#endif
