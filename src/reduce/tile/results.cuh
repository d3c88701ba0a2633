/* Where results go: combined values, turned back and converted to the call's type.
 *
 * A kernel of one type of result serves only calls of that type. Values of 32 bits become results
 * of several types, and sums of bytes of two, and which one is then chosen at the store, of which
 * there is one for each line: so kernels that combine the same values are built once, not for each
 * type. */
#ifndef PRIM_REDUCE_RESULTS_CUH
#define PRIM_REDUCE_RESULTS_CUH

#include "common/host/element.h"
#include "common/math/turned.cuh"
#include "reduce/dispatch.cuh"

namespace
{

/* Results of one type. */
template <typename Out>
struct results {
    Out *out;
    turned_bits<Out> turned;

    __host__ __device__ void store(size_t i, accumulator_t<Out> value) const
    {
        out[i] = finished_turned<Out>(value, turned);
    }
};

/* Results of any type that these values become. */
template <typename Value>
struct results_of_values {
    void *out;
    cudaDataType_t type;
    turned_bits<Value> turned;

    /* Calls store(results<Out>), Out being the type. An integer result is the low bytes of its
     * value, signed or not. */
    template <class Store>
    __host__ __device__ void as_typed(const Store &store) const
    {
        if constexpr (std::is_same<Value, float>::value) {
            if (type == CUDA_R_16F)
                store(of<f16>());
            else if (type == CUDA_R_16BF)
                store(of<bf16>());
            else
                store(of<float>());
        } else if constexpr (sizeof(Value) == 4) {
            if (type == CUDA_R_8I || type == CUDA_R_8U)
                store(of<uint8_t>());
            else if (type == CUDA_R_16I || type == CUDA_R_16U)
                store(of<uint16_t>());
            else
                store(of<uint32_t>());
        } else if constexpr (std::is_integral<Value>::value) {
            if (type == CUDA_R_32U)
                store(of<uint32_t>());
            else
                store(of<uint64_t>());
        } else {
            store(of<Value>());
        }
    }

    template <typename Out>
    __host__ __device__ results<Out> of() const
    {
        return {static_cast<Out *>(out), static_cast<turned_bits<Out>>(turned)};
    }

    __host__ __device__ void store(size_t i, Value value) const
    {
        as_typed([=](const auto &typed) { typed.store(i, value); });
    }
};

/* Which bits of the call's results are flipped, in values of their type. */
template <typename Value>
turned_bits<Value> bits_of_results(const prim_reduce_args *args)
{
    if constexpr (std::is_integral<Value>::value && sizeof(Value) == 4) {
        if (prim_element_bytes(args->out_type) == 1)
            return bits_to_turn<uint8_t>(args->op, args->out_type);
        if (prim_element_bytes(args->out_type) == 2)
            return bits_to_turn<uint16_t>(args->op, args->out_type);
    }
    return bits_to_turn<Value>(args->op, args->out_type);
}

template <typename Value>
results_of_values<Value> results_of_any(const prim_reduce_args *args)
{
    return {args->out, args->out_type, bits_of_results<Value>(args)};
}

/* Whether a first pass has results of several types: what reduced_t says. */
template <typename In, typename Out>
constexpr bool HAS_ANY_RESULTS = IS_HALF<In> || (sizeof(In) == 1 && sizeof(Out) == 8);

template <typename In, typename Out>
using results_t =
    typename std::conditional<HAS_ANY_RESULTS<In, Out>, results_of_values<Out>, results<Out>>::type;

template <typename In, typename Out>
results_t<In, Out> results_of(const prim_reduce_args *args)
{
    if constexpr (HAS_ANY_RESULTS<In, Out>)
        return results_of_any<Out>(args);
    else
        return {static_cast<Out *>(args->out), bits_to_turn<Out>(args->op, args->out_type)};
}

} // namespace

#endif
