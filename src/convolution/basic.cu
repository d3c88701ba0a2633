/* BASIC: a thread for each output, with everything read from global memory.
 *
 *     image  · · · · · · ·      mask  a b c      out  · · · · ·
 *            · ┌─────┐ · ·            d e f           · · ■ · ·
 *            · │· × ·│ · ·            g h i           · · · · ·
 *            · └─────┘ · ·
 *
 *     thread (x, y):  out[y][x] = a · in[y - 1][x - 1] + b · in[y - 1][x] + …
 *
 * Neighbouring outputs need nearly the same elements, and all of them the same weights, which the
 * caches serve.
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
namespace basic
{

template <typename Pixel>
__global__ void __launch_bounds__(THREADS)
    convolve(const __grid_constant__ problem<Pixel> p, unsigned blocks_across)
{
    convolve_outputs(p, p.weights, blocks_across);
}

const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    return args->mask.d_values == nullptr ? "it needs the mask's d_values" : outputs_why_not(args);
}

struct run_convolve : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        return launch_outputs(args, convolve<Pixel>, make_problem<Pixel>(args));
    }
};

} // namespace basic
} // namespace

PRIM_DEFINE_RUNG(convolution, basic) = {
    {PRIM_CONVOLUTION_BASIC, "basic", "a thread for each output, all from global memory"},
    basic::why_not,
    nullptr,
    launch_textbook<basic::run_convolve>};
