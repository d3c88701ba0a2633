/* Copies and memsets: judged when they are submitted, whatever runs them later. */
#include "work.h"

/* ---- what they may touch ---- */

/* Where one side of a copy lies: on the device, or not. Fails where an allocation is too short. */
static cudaError_t check_side(const void *pointer, size_t bytes, bool *on_device)
{
    const simt_place place = simt_find(pointer);
    *on_device = place.space != SIMT_PAGEABLE_MEMORY && place.space != SIMT_PINNED_MEMORY;
    return pointer == NULL || (*on_device && bytes > place.bytes_left) ? cudaErrorInvalidValue
                                                                       : cudaSuccess;
}

static cudaError_t check_direction(bool to_device, bool from_device, enum cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDefault)
        return cudaSuccess;
    const bool wants_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool wants_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return to_device == wants_to && from_device == wants_from ? cudaSuccess : cudaErrorInvalidValue;
}

/* From the first row's beginning to the last one's end. */
static size_t span_of(const simt_copy *c, size_t pitch)
{
    return (c->rows - 1) * pitch + c->bytes;
}

static cudaError_t check_copy(const simt_copy *c, enum cudaMemcpyKind kind)
{
    bool to_device, from_device;
    if ((int)kind < cudaMemcpyHostToHost || (int)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = check_side(c->to, span_of(c, c->to_pitch), &to_device);
    if (error == cudaSuccess)
        error = check_side(c->from, span_of(c, c->from_pitch), &from_device);
    return error != cudaSuccess ? error : check_direction(to_device, from_device, kind);
}

static cudaError_t check_set(const void *to, size_t bytes)
{
    bool on_device;
    const cudaError_t error = check_side(to, bytes, &on_device);
    return error == cudaSuccess && !on_device ? cudaErrorInvalidValue : error;
}

/* ---- the work ---- */

static bool is_pageable(const void *pointer)
{
    return simt_find(pointer).space == SIMT_PAGEABLE_MEMORY;
}

static bool is_hosts(const void *pointer)
{
    return is_pageable(pointer) || simt_find(pointer).space == SIMT_PINNED_MEMORY;
}

/* Pageable memory has been read when the call returns, and is written by then. */
static cudaError_t submit_copy(simt_work *work, bool waits, cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_stream_state(stream, &capturing);
    const bool runs_later = error == cudaSuccess && !capturing;
    waits = runs_later && (waits || is_pageable(work->as.copy.to));
    if (runs_later && !waits && is_pageable(work->as.copy.from) &&
        simt_get_settings()->streams_deferred)
        error = simt_stage(work);
    if (error == cudaSuccess)
        error = simt_submit(stream, work);
    return error == cudaSuccess && waits ? simt_stream_finish(stream) : error;
}

/* A call without a stream waits where the host's memory takes part, and only there. */
static cudaError_t copy_rows(simt_copy c, enum cudaMemcpyKind kind, bool is_async,
                             cudaStream_t stream)
{
    if (c.bytes > c.to_pitch || c.bytes > c.from_pitch)
        return cudaErrorInvalidPitchValue;
    if (c.bytes == 0 || c.rows == 0)
        return cudaSuccess;
    const cudaError_t error = check_copy(&c, kind);
    if (error != cudaSuccess)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeMemcpy, .as.copy = c};
    return submit_copy(&work, !is_async && (is_hosts(c.to) || is_hosts(c.from)), stream);
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        bool is_async, cudaStream_t stream)
{
    return copy_rows((simt_copy){to, from, bytes, 1, bytes, bytes, NULL}, kind, is_async, stream);
}

static cudaError_t set(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    const cudaError_t error = bytes == 0 ? cudaSuccess : check_set(to, bytes);
    if (error != cudaSuccess || bytes == 0)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeMemset, .as.set = {to, byte, bytes}};
    return simt_submit(stream, &work);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return SIMT_CALL(cudaErrorInvalidValue, copy(to, from, bytes, kind, false, NULL));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorInvalidValue, copy(to, from, bytes, kind, true, stream));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const simt_copy c = {to, from, width, height, to_pitch, from_pitch, NULL};
    return SIMT_CALL(cudaErrorInvalidValue, copy_rows(c, kind, false, NULL));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    const simt_copy c = {to, from, width, height, to_pitch, from_pitch, NULL};
    return SIMT_CALL(cudaErrorInvalidValue, copy_rows(c, kind, true, stream));
}

cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    return SIMT_CALL(cudaErrorInvalidValue, set(to, byte, bytes, NULL));
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorInvalidValue, set(to, byte, bytes, stream));
}
