/* From the elements' type as an enum to a pixel of kernels. */
#ifndef PRIM_CONVOLUTION_DISPATCH_CUH
#define PRIM_CONVOLUTION_DISPATCH_CUH

#include "common/dispatch.cuh"
#include "common/launch.cuh"
#include "convolution/instances.h"
#include "convolution/problem.cuh"

namespace
{

/* Every rung has blocks of so many threads. */
constexpr unsigned THREADS = 256;

/* Run::run<Pixel>(args, more…) for the type of the elements. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_CONVOLUTION_TYPES, in.type)

} // namespace

#endif
