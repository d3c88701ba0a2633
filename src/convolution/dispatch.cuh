/* Turns the elements' types from enums into a pixel, the template argument of kernels. */
#ifndef PRIM_CONVOLUTION_DISPATCH_CUH
#define PRIM_CONVOLUTION_DISPATCH_CUH

#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "convolution/instances.h"
#include "convolution/problem.cuh"

namespace
{

/* The threads of a block in every textbook rung. */
constexpr unsigned THREADS = 256;

/* Run::run<Pixel>(args, more…) for elements of one type. */
PRIM_DISPATCH_TYPE(dispatch_one, PRIM_CONVOLUTION_TYPES, in.type)

template <class Run, typename Args, typename... More>
auto dispatch(const Args *args, More... more)
{
    if (args->in.type != args->out.type || prim_convolution_has_integers(args))
        return Run::not_built(args, more...);
    return dispatch_one<Run>(args, more...);
}

/* A textbook rung's launch: Run::run<Pixel>(args). */
template <class Run>
cudaError_t launch_textbook(const void *args)
{
    return dispatch<Run>(static_cast<const prim_convolution_args *>(args));
}

/* For the types of in, out and sums. */
template <class Run, typename Args, typename... More>
auto dispatch_pair(const Args *args, More... more)
{
    const cudaDataType_t sums = prim_convolution_sum_type(args);
#define PRIM_PAIR_ROW(in_value, out_value, sum_value, pixel_struct)                    \
    if (args->in.type == in_value && args->out.type == out_value && sums == sum_value) \
        return Run::template run<pixel_struct>(args, more...);
    PRIM_CONVOLUTION_PAIRS(PRIM_PAIR_ROW)
#undef PRIM_PAIR_ROW
    return Run::not_built(args, more...);
}

} // namespace

#endif
