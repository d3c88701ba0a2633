/* From the elements' type as an enum to a problem that kernels take. */
#ifndef PRIM_CONVOLUTION_DISPATCH_CUH
#define PRIM_CONVOLUTION_DISPATCH_CUH

#include "common/launch.cuh"
#include "convolution/instances.h"
#include "convolution/problem.cuh"

namespace
{

/* Run::run(args, problem, more…) for the arguments' type, or Run::not_built(args, more…). */
template <typename Run, typename... More>
auto dispatch(const prim_convolution_args *args, More... more)
{
#define TYPE(type_enum, pixel)      \
    if (args->in.type == type_enum) \
        return Run::run(args, make_problem<pixel>(args), more...);
    PRIM_CONVOLUTION_TYPES(TYPE)
#undef TYPE
    return Run::not_built(args, more...);
}

} // namespace

#endif
