/* NPP: square masks of f32 over f32 and over bytes of three channels, the border repeated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nppi_filtering_functions.h>

#include "convolution_mask.h"
#include "peers/peers.h"

static bool does(const bench_case *c)
{
    const extent_of_mask mask = convolution_mask(c);
    return strncmp(c->name, "2d-", 3) == 0 && !mask.is_separable && c->rows > 1 && c->ld == 0 &&
           mask.width <= 15 && /* of larger ones its results are not those of the others */
           (c->element == CUDA_R_32F ? mask.channels == 1
                                     : c->element == CUDA_R_8U && mask.channels == 3);
}

static size_t workspace_bytes(const bench_case *c, const bench_operands *o)
{
    (void)c;
    (void)o;
    return 0;
}

static int attribute(enum cudaDeviceAttr which, int device)
{
    int value = 0;
    must(cudaDeviceGetAttribute(&value, which, device), "asking for NPP");
    return value;
}

/* What NPP would ask of the device at each call. */
static NppStreamContext context_on(cudaStream_t stream)
{
    static NppStreamContext context;
    if (context.nMultiProcessorCount == 0) {
        int device;
        size_t shared;
        must(cudaGetDevice(&device), "asking for NPP");
        shared = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock, device);
        context.nCudaDeviceId = device;
        context.nMultiProcessorCount = attribute(cudaDevAttrMultiProcessorCount, device);
        context.nMaxThreadsPerMultiProcessor =
            attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device);
        context.nMaxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock, device);
        context.nSharedMemPerBlock = shared;
        context.nCudaDevAttrComputeCapabilityMajor =
            attribute(cudaDevAttrComputeCapabilityMajor, device);
        context.nCudaDevAttrComputeCapabilityMinor =
            attribute(cudaDevAttrComputeCapabilityMinor, device);
    }
    enum cudaStreamCaptureStatus status;
    must(cudaStreamIsCapturing(stream, &status), "asking for NPP");
    if (status == cudaStreamCaptureStatusNone) /* otherwise that of the runs before */
        must(cudaStreamGetFlags(stream, &context.nStreamFlags), "asking for NPP");
    context.hStream = stream;
    return context;
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const extent_of_mask mask = convolution_mask(c);
    const size_t row = c->size / c->rows;
    const NppiSize size = {(int)(row / (size_t)mask.channels), (int)c->rows};
    const NppiPoint origin = {0, 0};
    const NppiSize sides = {(int)mask.width, (int)mask.height};
    const NppiPoint anchor = {(int)(mask.width / 2), (int)(mask.height / 2)};
    /* It walks the mask from its end. */
    const float *turned = (const float *)((const char *)o->d_in + convolution_weights_at(c)) +
                          mask.width * mask.height;
    const NppStreamContext context = context_on(stream);
    const NppStatus status =
        c->element == CUDA_R_32F
            ? nppiFilterBorder_32f_C1R_Ctx(o->d_in, (int)(row * sizeof(float)), size, origin,
                                           o->d_out, (int)(row * sizeof(float)), size, turned,
                                           sides, anchor, NPP_BORDER_REPLICATE, context)
            : nppiFilterBorder32f_8u_C3R_Ctx(o->d_in, (int)row, size, origin, o->d_out, (int)row,
                                             size, turned, sides, anchor, NPP_BORDER_REPLICATE,
                                             context);
    if (status == NPP_SUCCESS)
        return PRIM_OK;
    fprintf(stderr, "primbench: NPP says %d\n", (int)status);
    exit(1);
}

const bench_peer npp_convolution = {"npp", "convolution", does, workspace_bytes, run};
