/* Checks of arguments that every pattern makes, and their error messages. `name` is an argument's
 * name without d_ or h_. */
#ifndef PRIM_COMMON_CHECK_H
#define PRIM_COMMON_CHECK_H

#include "common/host/request.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A named range of memory. */
typedef struct prim_span {
    const char *name;
    const void *data;
    size_t bytes;
} prim_span;

/* The operands of a call, for comparing the workspace with them. */
enum { PRIM_MOST_OPERANDS = 12 };
typedef struct prim_operands {
    prim_span spans[PRIM_MOST_OPERANDS];
    int count;
} prim_operands;

/* The operator and the transform exist. */
prim_status prim_check_operator(const prim_request *call, prim_op op, prim_transform transform);

/* The types of elements and of what reduce and scan make of them: the same, or a wider one. */
prim_status prim_check_types(const prim_request *call, cudaDataType_t in_type,
                             cudaDataType_t out_type);

/* A vector of count elements: not NULL unless empty, aligned to its element, its bytes fit size_t.
 * If so, *span becomes the vector's range. */
prim_status prim_check_vector(const prim_request *call, const char *name, const void *data,
                              size_t count, size_t element_bytes, prim_span *span);

/* A matrix whose ld, if it is 0, is that of the columns. */
prim_matrix prim_with_ld(prim_matrix matrix);

/* An image whose pitch, if it is 0, is that of a row. What does not fit size_t is refused later. */
prim_image prim_with_pitch(prim_image image);

/* The shape of a row-major matrix: ld at least columns, and the bytes from its first to its last
 * element in size_t. Where it holds, *count is the number of elements between these two. */
prim_status prim_check_rows(const prim_request *call, const char *name, size_t rows, size_t columns,
                            size_t ld, size_t element_bytes, size_t *count);

/* A row-major matrix: its shape, and its address as a vector's. */
prim_status prim_check_matrix(const prim_request *call, const char *name, const void *data,
                              size_t rows, size_t columns, size_t ld, size_t element_bytes,
                              prim_span *span);

/* A host scalar: NULL, or aligned to its element. */
prim_status prim_check_scalar(const prim_request *call, const char *name, const void *h_data,
                              size_t element_bytes);

/* A scalar by value for a result of this type: for i32 it must be a whole number below 2^63. */
prim_status prim_check_whole(const prim_request *call, const char *name, double value,
                             cudaDataType_t type);

/* PRIM_ERROR_SIZE where rows × columns elements need more bytes than size_t holds. */
prim_status prim_check_bytes(const prim_request *call, const char *name, size_t rows,
                             size_t columns, size_t element_bytes);

/* An image of one of the twelve types: 1 to PRIM_MOST_CHANNELS channels, a pitch of at least a row
 * and a multiple of the element, and bytes that fit size_t. */
enum { PRIM_MOST_CHANNELS = 4 };
prim_status prim_check_image(const prim_request *call, const char *name, const prim_image *image);

/* An image's data, from its first element to its last. */
prim_status prim_check_pixels(const prim_request *call, const char *name, const prim_image *image,
                              prim_span *span);

/* The two ranges share no byte. Empty ranges overlap nothing. */
prim_status prim_check_disjoint(const prim_request *call, prim_span a, prim_span b);

/* The same for each pair. */
prim_status prim_check_all_disjoint(const prim_request *call, const prim_span *spans, int count);

/* A matrix as bytes in memory. */
typedef struct prim_rectangle {
    prim_span span;
    size_t rows, row_bytes, ld_bytes;
} prim_rectangle;

/* prim_check_matrix(), and the matrix as a rectangle. */
prim_status prim_check_rectangle(const prim_request *call, const char *name, const void *data,
                                 size_t rows, size_t columns, size_t ld, size_t element_bytes,
                                 prim_rectangle *rectangle);

/* `batches` such matrices, `stride` elements apart, as one rectangle: side by side within rows,
 * below each other by whole rows, or otherwise the range from the first to the last byte. */
prim_status prim_check_batch(const prim_request *call, const char *name, const void *data,
                             size_t rows, size_t columns, size_t ld, size_t stride, size_t batches,
                             size_t element_bytes, prim_rectangle *rectangle);

/* A vector as a matrix. */
prim_rectangle prim_one_row(prim_span vector);

/* The two share no element. Where their rows are equally far apart, they are compared as
 * rectangles, so that blocks of one matrix pass; otherwise as ranges, gaps between rows
 * included. */
prim_status prim_check_rectangles(const prim_request *call, prim_rectangle a, prim_rectangle b);

/* For a product: C shares no element with A or B. *operands become the three. */
prim_status prim_check_product(const prim_request *call, prim_rectangle a, prim_rectangle b,
                               prim_rectangle c, prim_operands *operands);

/* The two share no element, or are the same matrix. */
prim_status prim_check_in_place(const prim_request *call, prim_rectangle a, prim_rectangle b);

#if defined(__cplusplus)
}
#endif

#endif
