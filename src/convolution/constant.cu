/* CONSTANT: as BASIC, and the mask travels with the launch, as a kernel argument.
 *
 *     host   a b c d e f g h i ──copied at the call──▶ launch ──▶ constant bank
 *                                                                    │ one weight,
 *     warp   × × × × × × × × × × × × × × × × × × × × × × × × × × ◀───┘ to all lanes at once
 *
 * Arguments lie in constant memory, whose cache hands one word to all lanes of a warp; all lanes
 * need the same weight at the same time. Unlike a __constant__ array, which belongs to the process,
 * an argument belongs to the launch: calls do not get into each other's way, and a graph keeps the
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
#include <cstring>

#include "convolution/outputs.cuh"

namespace
{

template <typename T, int COUNT>
struct argument_weights {
    T values[COUNT];

    __device__ T operator[](int k) const
    {
        return values[k];
    }
};

template <typename Pixel, int COUNT>
__global__ void __launch_bounds__(PRIM_CONVOLUTION_BLOCK)
    constant(const __grid_constant__ problem<Pixel> p, unsigned blocks_across,
             const __grid_constant__ argument_weights<typename Pixel::sum, COUNT> weights)
{
    convolve_outputs(p, weights, blocks_across);
}

template <int COUNT, typename Pixel>
cudaError_t launch_with_weights(const prim_convolution_args *args, const problem<Pixel> &p)
{
    using weight = typename Pixel::sum;
    argument_weights<weight, COUNT> weights = {};
    std::memcpy(weights.values, args->mask.h_values,
                args->mask.width * args->mask.height * sizeof(weight));
    return launch_outputs(args, constant<Pixel, COUNT>, p, weights);
}

struct constant_rung : device_rung {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args, const problem<Pixel> &p)
    {
        constexpr int few = 256, most = PRIM_CONVOLUTION_CONSTANT_WEIGHTS;
        return args->mask.width * args->mask.height <= few ? launch_with_weights<few>(args, p)
                                                           : launch_with_weights<most>(args, p);
    }
};

} // namespace

cudaError_t prim_convolution_constant(const void *args)
{
    return dispatch<constant_rung>(static_cast<const prim_convolution_args *>(args));
}
