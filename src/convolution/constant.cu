/* CONSTANT: as BASIC, but the mask is a kernel argument.
 *
 *     host   a b c d e f g h i ──copied at the call──▶ launch ──▶ constant bank
 *                                                                    │ one weight,
 *     warp   × × × × × × × × × × × × × × × × × × × × × × × × × × ◀───┘ to all lanes at once
 *
 * Arguments lie in constant memory, whose cache hands one word to all lanes of a warp; all lanes
 * need the same weight at the same time. Unlike a __constant__ array, which belongs to the process,
 * an argument belongs to the launch: calls do not interfere with each other, and a graph keeps the
 * weights that it was captured with.
 *
 * Arguments of a kernel may have 32,764 bytes, and are copied at every launch. So small masks have
 * a kernel of their own, that takes 1 KB.
 *
 * What holds it back: each product still loads its element through the L1 cache. TILED_HALO loads
 * each element once for a whole tile.
 *
 * Work: w · h products an output. Steps: w · h. Bytes: as BASIC, without the weights.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapter 7, there with a __constant__ array. */
#include "convolution/outputs.cuh"

namespace
{
namespace constant
{

/* 32,000 of the 32,764 bytes that a kernel's arguments may have. */
constexpr int FEW_WEIGHTS = 256, MOST_WEIGHTS = 8000;

template <typename T, int COUNT>
struct argument_weights {
    T values[COUNT];

    __device__ T operator[](int k) const
    {
        return values[k];
    }
};

template <typename Pixel, int COUNT>
__global__ void __launch_bounds__(THREADS)
    convolve(const __grid_constant__ problem<Pixel> p, unsigned blocks_across,
             const __grid_constant__ argument_weights<typename Pixel::sum, COUNT> weights)
{
    convolve_outputs(p, weights, blocks_across);
}

template <int COUNT, typename Pixel>
cudaError_t launch_with_weights(const prim_convolution_args *args)
{
    using weight = typename Pixel::sum;
    argument_weights<weight, COUNT> weights = {};
    const size_t count = args->mask.width * args->mask.height;
    const weight_list<weight> list = list_of<weight>(args, args->mask.h_values, count);
    for (size_t k = 0; k < count; k++)
        weights.values[k] = list[static_cast<int>(k)];
    return launch_outputs(args, convolve<Pixel, COUNT>, make_problem<Pixel>(args), weights);
}

const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->mask.h_values == nullptr)
        return "it needs the mask's h_values";
    if (args->mask.width * args->mask.height > MOST_WEIGHTS)
        return "it takes masks of at most 8,000 weights";
    return outputs_why_not(args);
}

struct run_convolve : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        return args->mask.width * args->mask.height <= FEW_WEIGHTS
                   ? launch_with_weights<FEW_WEIGHTS, Pixel>(args)
                   : launch_with_weights<MOST_WEIGHTS, Pixel>(args);
    }
};

} // namespace constant
} // namespace

PRIM_DEFINE_RUNG(convolution, constant) = {
    {PRIM_CONVOLUTION_CONSTANT, "constant", "the same, and the mask travels as a kernel argument"},
    constant::why_not,
    nullptr,
    launch_textbook<constant::run_convolve>};
