/* BASIC: a thread for each output, and everything from global memory.
 *
 *     image  · · · · · · ·      mask  a b c      out  · · · · ·
 *            · ┌─────┐ · ·            d e f           · · ■ · ·
 *            · │· × ·│ · ·            g h i           · · · · ·
 *            · └─────┘ · ·
 *
 *     thread (x, y):  out[y][x] = a · in[y - 1][x - 1] + b · in[y - 1][x] + …
 *
 * Neighbouring outputs need nearly the same elements, and all of them the same weights; the caches
 * have both, and pass them to each thread anew.
 *
 * What holds it back: two loads for each product. CONSTANT saves one of them.
 *
 * Work: w · h products an output. Steps: w · h. Bytes from memory: in and out once, if the caches
 * hold h rows of the image; out of the caches: w · h elements and as many weights an output.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapter 7. */
#include "convolution/outputs.cuh"

namespace
{

template <typename Pixel>
__global__ void __launch_bounds__(PRIM_CONVOLUTION_BLOCK)
    basic(const __grid_constant__ problem<Pixel> p, unsigned blocks_across)
{
    convolve_outputs(p, p.weights, blocks_across);
}

struct basic_rung : device_rung {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args, const problem<Pixel> &p)
    {
        return launch_outputs(args, basic<Pixel>, p);
    }
};

} // namespace

cudaError_t prim_convolution_basic(const void *args)
{
    return dispatch<basic_rung>(static_cast<const prim_convolution_args *>(args));
}
