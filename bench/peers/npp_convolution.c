/* NPP: masks of f32 over f32, u8 and u16 of one, three and four channels, the border repeated. */
#include <string.h>

#include <nppi_filtering_functions.h>

#include <primitives/convolution.h>

#include "convolution_mask.h"
#include "draw.h"
#include "peers/peers.h"

static bool is_of_masks(const bench_case *c)
{
    return strncmp(listed_name(c), "2d", 2) == 0 && strcmp(c->type, "u8/i8") != 0;
}

static bool does(const bench_case *c)
{
    const extent_of_mask mask = convolution_mask(c);
    return is_of_masks(c) && c->boundary == PRIM_BOUNDARY_CLAMP && c->rows > 1 &&
           (mask.channels == 1 || mask.channels == 3 || mask.channels == 4) && mask.width <= 15 &&
           mask.height <= 15 && /* of larger ones its results are not those of the others */
           (c->element == CUDA_R_32F || c->element == CUDA_R_8U || c->element == CUDA_R_16U);
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

/* NPP has a function for each type and number of channels, with the same arguments. */
#define FILTER(CHANNELS, T, CALL)                                                               \
    case CHANNELS * 8 + sizeof(T):                                                              \
        status =                                                                                \
            nppiFilterBorder##CALL((const T *)d_in, step, size, origin, (T *)d_out, step, size, \
                                   flipped, sides, anchor, NPP_BORDER_REPLICATE, context);      \
        break;

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const extent_of_mask mask = convolution_mask(c);
    const size_t bytes = c->element == CUDA_R_32F ? 4 : c->element == CUDA_R_16U ? 2 : 1;
    const size_t row = c->size / c->rows;
    const int step = (int)((c->ld != 0 ? c->ld : row) * bytes);
    const NppiSize size = {(int)(row / (size_t)mask.channels), (int)c->rows};
    const NppiPoint origin = {0, 0};
    const NppiSize sides = {(int)mask.width, (int)mask.height};
    /* It walks the mask from its end, and counts the anchor from there. */
    const NppiPoint anchor = {(int)(mask.width - 1 - mask.width / 2),
                              (int)(mask.height - 1 - mask.height / 2)};
    const float *flipped = (const float *)((const char *)o->d_in + convolution_weights_at(c)) +
                           mask.width * mask.height;
    const char *const d_in = (const char *)o->d_in + c->offset * bytes;
    char *const d_out = (char *)o->d_out + c->offset * bytes;
    const NppStreamContext context = context_on(stream);
    NppStatus status = NPP_ERROR;
    switch ((size_t)mask.channels * 8 + bytes) {
        FILTER(1, Npp8u, 32f_8u_C1R_Ctx)
        FILTER(1, Npp16u, 32f_16u_C1R_Ctx)
        FILTER(1, Npp32f, _32f_C1R_Ctx)
        FILTER(3, Npp8u, 32f_8u_C3R_Ctx)
        FILTER(3, Npp16u, 32f_16u_C3R_Ctx)
        FILTER(3, Npp32f, _32f_C3R_Ctx)
        FILTER(4, Npp8u, 32f_8u_C4R_Ctx)
        FILTER(4, Npp16u, 32f_16u_C4R_Ctx)
        FILTER(4, Npp32f, _32f_C4R_Ctx)
    }
    return status == NPP_SUCCESS ? PRIM_OK : PRIM_ERROR_UNSUPPORTED; /* as of some alignments */
}

const bench_peer npp_convolution = {"npp", "convolution", does, workspace_bytes, run};
