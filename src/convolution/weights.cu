/* Copies a host mask that does not fit the arguments of one launch, by the arguments of several
 * launches. So it is read during the call, and a graph keeps it. */
#include <cstring>

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "convolution/register.h"

namespace
{
namespace put
{

/* 32,000 of the 32,764 bytes that a kernel's arguments may have. */
constexpr size_t WORDS = 8000;
constexpr unsigned THREADS = 256;

struct words {
    uint32_t values[WORDS];
};

__global__ void __launch_bounds__(THREADS)
    store(uint32_t *to, size_t count, const __grid_constant__ words from)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < count)
        to[i] = from.values[i];
}

} // namespace put
} // namespace

size_t prim_convolution_weight_words(const prim_mask *mask)
{
    const size_t bytes = mask->width * mask->height * prim_element_bytes(mask->type);
    return prim_divide_up(bytes, sizeof(uint32_t));
}

cudaError_t prim_convolution_put_weights(const prim_convolution_args *args, void *d_values)
{
    const prim_mask &mask = args->mask;
    const char *const from = static_cast<const char *>(mask.h_values);
    const size_t bytes = mask.width * mask.height * prim_element_bytes(mask.type);
    const size_t all = prim_convolution_weight_words(&mask);
    for (size_t first = 0; first < all; first += put::WORDS) {
        const size_t left = all - first, count = left < put::WORDS ? left : put::WORDS;
        put::words some = {};
        const size_t begin = first * sizeof(uint32_t), rest = bytes - begin;
        std::memcpy(some.values, from + begin, rest < sizeof some ? rest : sizeof some);
        const unsigned blocks = static_cast<unsigned>((count + put::THREADS - 1) / put::THREADS);
        const cudaError_t error =
            prim_launch({args->call.stream, blocks, put::THREADS}, put::store,
                        static_cast<uint32_t *>(d_values) + first, count, some);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}
