#include "common/host/fail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[320];
static _Thread_local cudaError_t last_cuda_error = cudaSuccess;

const char *prim_status_string(prim_status status)
{
    switch (status) {
    case PRIM_OK:
        return "PRIM_OK";
    case PRIM_ERROR_NULL:
        return "PRIM_ERROR_NULL";
    case PRIM_ERROR_ENUM:
        return "PRIM_ERROR_ENUM";
    case PRIM_ERROR_TYPE:
        return "PRIM_ERROR_TYPE";
    case PRIM_ERROR_SIZE:
        return "PRIM_ERROR_SIZE";
    case PRIM_ERROR_OVERLAP:
        return "PRIM_ERROR_OVERLAP";
    case PRIM_ERROR_MEMORY:
        return "PRIM_ERROR_MEMORY";
    case PRIM_ERROR_WORKSPACE:
        return "PRIM_ERROR_WORKSPACE";
    case PRIM_ERROR_MISALIGNED:
        return "PRIM_ERROR_MISALIGNED";
    case PRIM_ERROR_UNSUPPORTED:
        return "PRIM_ERROR_UNSUPPORTED";
    case PRIM_ERROR_VALUE:
        return "PRIM_ERROR_VALUE";
    case PRIM_ERROR_NCCL:
        return "PRIM_ERROR_NCCL";
    case PRIM_ERROR_CUDA:
        return "PRIM_ERROR_CUDA";
    }
    return "unknown prim_status";
}

const char *prim_last_error(cudaError_t *cuda_error)
{
    if (cuda_error != NULL)
        *cuda_error = last_cuda_error;
    return message;
}

/* Writes a size that was meant to be negative as (size_t)-1 and not with its twenty digits, which
 * is never longer. */
static void show_negative_sizes(void)
{
    char *number = message;
    while ((number += strcspn(number, "0123456789"))[0] != '\0') {
        const size_t digits = strspn(number, "0123456789");
        const uint64_t below_zero = -strtoull(number, NULL, 10);
        char text[32];
        const size_t length = (size_t)snprintf(text, sizeof text, "(size_t)-%" PRIu64, below_zero);
        if (digits == 20 && below_zero <= UINT32_MAX) {
            memcpy(number, text, length);
            memmove(number + length, number + digits, strlen(number + digits) + 1);
            number += length;
        } else {
            number += digits;
        }
    }
}

static void keep_message(const char *format, va_list arguments)
{
    vsnprintf(message, sizeof message, format, arguments);
    show_negative_sizes();
}

prim_status prim_fail(prim_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep_message(format, arguments);
    va_end(arguments);
    last_cuda_error = cudaSuccess;
    return status;
}

prim_status prim_fail_cuda(prim_status status, cudaError_t error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep_message(format, arguments);
    va_end(arguments);
    const size_t used = strlen(message);
    snprintf(message + used, sizeof message - used, ": %s (%s)", cudaGetErrorName(error),
             cudaGetErrorString(error));
    last_cuda_error = error;
    return status;
}

prim_status prim_launch_status(const char *call, const char *variant, cudaError_t error)
{
    if (error == cudaSuccess)
        return PRIM_OK;
    const bool no_code =
        error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction;
    return prim_fail_cuda(no_code ? PRIM_ERROR_UNSUPPORTED : PRIM_ERROR_CUDA, error,
                          "%s: variant %s could not be launched", call, variant);
}
