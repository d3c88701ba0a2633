/* primitives: parallel patterns on NVIDIA GPUs for people who write C.
 *
 * What every pattern's header shares: conventions, status codes, operators, transforms, images,
 * variants, the last error.
 *
 * Conventions. d_ marks a pointer to device memory, h_ one to host memory; `count` counts elements,
 * `bytes` counts bytes, `ld` counts elements from the start of one row to the next. A call never
 * synchronises and never blocks: it submits work to the stream, writes its results to device
 * memory, and can be captured into a CUDA graph. It checks every argument first, so a call that
 * returns an error has launched and written nothing (PRIM_ERROR_CUDA apart: there the driver
 * refused part of the work). Calls are safe from any number of threads, and keep no state but one
 * memory pool of the kit's own for each device, from which calls without a workspace take one: made
 * when it is first needed, it keeps up to 64 MB until prim_release_memory(). Pointers need the
 * alignment of their element, no more.
 *
 * What every call has:
 *
 *   variant    a rung of the header's ladders, or AUTO, which takes the one that is as a rule the
 *              fastest. A rung runs or the call fails; none is replaced by another.
 *   call       the stream, a workspace, and the wish to be asked only: prim_call. NULL: the default
 *              stream, a workspace from the kit's pool, and the work is submitted.
 *
 * Beside most stands prim_x_host(): the same on the CPU, in host memory, done when the call
 * returns. `threads` OpenMP threads share the work: 1 to 1024 (otherwise PRIM_ERROR_VALUE); more
 * than 1 in a library built without OpenMP is PRIM_ERROR_UNSUPPORTED.
 *
 * What every call returns: PRIM_OK or
 *
 *   PRIM_ERROR_ENUM         the variant does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or the call does not take them
 *   PRIM_ERROR_NULL         an operand is NULL and not empty, or call->d_workspace is NULL although
 *                           its workspace_bytes is not 0
 *   PRIM_ERROR_MISALIGNED   an operand lacks its element's alignment, or the workspace its own
 *   PRIM_ERROR_SIZE         the bytes of an operand do not fit size_t
 *   PRIM_ERROR_VALUE        an ld is less than the columns of its matrix, or call->reserved is not
 *                           all zero
 *   PRIM_ERROR_OVERLAP      the workspace overlaps an operand
 *   PRIM_ERROR_MEMORY       an operand or the workspace is not empty and points to pageable host
 *                           memory, or to an allocation that ends too early. Found on the CPU
 *                           backend, where __device__ variables count as host memory, and on GPUs
 *                           by a library built with PRIM_CHECK_POINTERS; checked after everything
 *                           else, and not again when a graph is replayed
 *   PRIM_ERROR_WORKSPACE    workspace_bytes is too small, or the pool had no memory
 *   PRIM_ERROR_UNSUPPORTED  the variant does not do this here: prim_last_error() says why
 *   PRIM_ERROR_CUDA         the CUDA runtime returned an error
 *
 * and what the call's own comment adds. */
#ifndef PRIMITIVES_TYPES_H
#define PRIMITIVES_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>
#include <library_types.h>

/* The version of the headers. */
#define PRIM_VERSION_MAJOR 0
#define PRIM_VERSION_MINOR 1
#define PRIM_VERSION_PATCH 0

/* As one number, for #if: 100 for 0.1.0, 10203 for 1.2.3. */
#define PRIM_VERSION (PRIM_VERSION_MAJOR * 10000 + PRIM_VERSION_MINOR * 100 + PRIM_VERSION_PATCH)

/* Only libprimitives.so exports its calls. A copy inside another library follows that library's
 * -fvisibility. */
#if defined(PRIM_EXPORT)
#define PRIM_API __attribute__((visibility("default")))
#else
#define PRIM_API
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* What a call returns. The values never change; new ones go into the gaps. */
typedef enum prim_status {
    PRIM_OK = 0,
    PRIM_ERROR_NULL = 10,        /* a pointer is NULL that must not be */
    PRIM_ERROR_ENUM = 20,        /* a variant, operator or transform that does not exist */
    PRIM_ERROR_TYPE = 30,        /* element types that do not exist or cannot be combined */
    PRIM_ERROR_SIZE = 40,        /* a count whose bytes do not fit size_t */
    PRIM_ERROR_OVERLAP = 50,     /* operands overlap that must not */
    PRIM_ERROR_MEMORY = 55,      /* a d_ pointer to memory that the device does not reach */
    PRIM_ERROR_WORKSPACE = 60,   /* the workspace is too small, or none could be allocated */
    PRIM_ERROR_MISALIGNED = 70,  /* a pointer lacks the alignment that it needs */
    PRIM_ERROR_UNSUPPORTED = 80, /* valid, but not by this variant, build or device */
    PRIM_ERROR_VALUE = 90,       /* an argument passed by value is out of its range */
    PRIM_ERROR_NCCL = 95,        /* NCCL returned an error: see prim_last_error() */
    PRIM_ERROR_CUDA = 100        /* the CUDA runtime returned an error: see prim_last_error() */
} prim_status;

/* A binary operator that combines elements. Each pattern's header says which operators it has.
 * Integers wrap. MIN and MAX propagate NaN, and count -0 as less than +0. AND, OR and XOR work on
 * the bits of integers. The values never change. */
typedef enum prim_op {
    PRIM_OP_SUM = 0,
    PRIM_OP_MIN = 1,
    PRIM_OP_MAX = 2,
    PRIM_OP_PRODUCT = 3,
    PRIM_OP_AND = 4,
    PRIM_OP_OR = 5,
    PRIM_OP_XOR = 6
} prim_op;

/* What is applied to each element as it is loaded. It is computed in the type of the result, or in
 * f32 where that is f16 or bf16. */
typedef enum prim_transform {
    PRIM_TRANSFORM_NONE = 0,
    PRIM_TRANSFORM_SQUARE = 1, /* x * x, rounded before it is combined */
    PRIM_TRANSFORM_ABS = 2     /* |x|; the most negative integer stays as it is */
} prim_transform;

/* A variant of a pattern. */
typedef struct prim_variant {
    int value;        /* the enumerator */
    const char *name; /* "auto", "lookback", … */
    const char *idea; /* in one line */
} prim_variant;

/* What a call would do, where it is asked. All zero where it would fail. */
typedef struct prim_answer {
    const prim_variant *variant; /* what would run: the rung that AUTO takes, for example */
    const char *route;           /* how, of a rung that says so; otherwise NULL */
    size_t workspace_bytes;      /* what it needs on the current device */
    size_t output_bytes;         /* what d_memory or d_plan takes, of a call that has one */
} prim_answer;

/* How a call is made: all zero by default. Later versions add fields in place of the reserved ones;
 * programs are then compiled again, and the library's soname says so.
 *
 *     prim_reduce(…, &(prim_call){.stream = stream});                       in C
 *     prim_call call = {}; call.stream = stream; prim_reduce(…, &call);     in C++
 *
 * With `answer` the call is only asked what it would do: it checks everything, writes *answer, and
 * submits nothing. Its status and sentence are those of the call itself, with
 * PRIM_ERROR_UNSUPPORTED where the library has no code for the current device. A NULL operand then
 * stands for one that is well aligned and overlaps nothing, so that a workspace can be asked for
 * before there are operands:
 *
 *     prim_answer answer;
 *     prim_reduce(PRIM_REDUCE_AUTO, …, NULL, count, …, NULL, &(prim_call){.answer = &answer});
 *     cudaMalloc(&d_workspace, answer.workspace_bytes); */
typedef struct prim_call {
    cudaStream_t stream;    /* where the work is submitted */
    void *d_workspace;      /* device, aligned to 256 bytes; its content does not matter and is
                             * overwritten. Must overlap no operand. NULL with workspace_bytes 0:
                             * the call takes what it needs from the kit's pool, in stream order */
    size_t workspace_bytes; /* at least what the answer says */
    prim_answer *answer;    /* host; NULL: the work is submitted */
    size_t reserved[8];     /* zero */
} prim_call;

/* Marks a maker, which keeps a pointer and reads nothing, so that gcc does not warn of an output
 * without values. */
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__) && !defined(__CUDACC__)
#define PRIM_KEEPS(argument) __attribute__((access(none, argument)))
#else
#define PRIM_KEEPS(argument)
#endif

/* Whether a matrix is used as it is stored or transposed. */
typedef enum prim_transpose { PRIM_NOT_TRANSPOSED = 0, PRIM_TRANSPOSED = 1 } prim_transpose;

/* A row-major matrix, as it is stored, in device memory, or in host memory for a _host call. */
typedef struct prim_matrix {
    void *data; /* an input is only read; may be NULL if there are no elements */
    size_t rows, columns;
    size_t ld;           /* elements from the start of one row to the next; 0: columns */
    cudaDataType_t type; /* of an element */
    size_t stride;       /* of a batch: elements from one matrix to the next; otherwise not used */
} prim_matrix;

/* One whose data may be const; the stride is 0. */
PRIM_KEEPS(2)
static inline prim_matrix prim_matrix_of(cudaDataType_t type, const void *data, size_t rows,
                                         size_t columns, size_t ld)
{
    prim_matrix matrix = {(void *)(uintptr_t)data, rows, columns, ld, type, 0};
    return matrix;
}

/* A vector of a product, likewise. */
typedef struct prim_vector {
    void *data; /* an input is only read; may be NULL if count is 0 */
    size_t count;
    cudaDataType_t type; /* of an element */
    size_t stride;       /* of a batch: elements from one vector to the next; otherwise not used */
} prim_vector;

/* One whose data may be const; the stride is 0. */
PRIM_KEEPS(2)
static inline prim_vector prim_vector_of(cudaDataType_t type, const void *data, size_t count)
{
    prim_vector vector = {(void *)(uintptr_t)data, count, type, 0};
    return vector;
}

/* Rows of pixels of 1 to 4 interleaved channels. */
typedef struct prim_image {
    void *data; /* an input is only read */
    size_t width, height;
    size_t pitch; /* bytes from row to row, a multiple of the element's; 0: a row's, without gaps */
    int channels;
    cudaDataType_t type; /* of a channel's element */
} prim_image;

/* Gives the driver back what the kit's pool of the current device keeps for calls without a
 * workspace: at most 64 MB, or 1 % of the device's memory where that is less. */
PRIM_API prim_status prim_release_memory(void);

/* The version of the linked library, such as "0.1.0"; that of the headers may differ. */
PRIM_API const char *prim_version(void);

/* The name of a status, such as "PRIM_ERROR_NULL"; never NULL. */
PRIM_API const char *prim_status_string(prim_status status);

/* The error message of this host thread's last call that returned an error, such as "prim_reduce:
 * d_in is NULL"; "" if none has. cuda_error may be NULL; it receives the CUDA runtime's error where
 * a call of the runtime failed, whatever the status, and cudaSuccess otherwise. The text stays
 * valid until the thread's next call of the library. */
PRIM_API const char *prim_last_error(cudaError_t *cuda_error);

#if defined(__cplusplus)
}

#include <type_traits>

/* In C++, the type of an element: prim_type_of<float>() is CUDA_R_32F. Integers of 1 to 8 bytes,
 * float and double. */
template <typename T>
constexpr cudaDataType_t prim_type_of()
{
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "the kit has no such element");
    return std::is_floating_point<T>::value ? (sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F)
           : sizeof(T) == 1                 ? (std::is_signed<T>::value ? CUDA_R_8I : CUDA_R_8U)
           : sizeof(T) == 2                 ? (std::is_signed<T>::value ? CUDA_R_16I : CUDA_R_16U)
           : sizeof(T) == 4                 ? (std::is_signed<T>::value ? CUDA_R_32I : CUDA_R_32U)
                                            : (std::is_signed<T>::value ? CUDA_R_64I : CUDA_R_64U);
}
#endif

#endif
