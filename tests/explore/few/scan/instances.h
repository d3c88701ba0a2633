/* What the explorations of scan need, in place of src/scan/instances.h. */
#ifndef PRIM_SCAN_INSTANCES_H
#define PRIM_SCAN_INSTANCES_H

#define PRIM_SCAN_KINDS(X) X(PRIM_SCAN_VECTOR) X(PRIM_SCAN_ROWS) X(PRIM_SCAN_TABLE)
#define PRIM_SCAN_LEFT_OUT(X)
#define PRIM_SCAN_INTEGER_TYPES(X) X(CUDA_R_32I, int32_t, CUDA_R_32I, int32_t)
#define PRIM_SCAN_FLOAT_TYPES(X)            \
    X(CUDA_R_32F, float, CUDA_R_32F, float) \
    X(CUDA_R_64F, double, CUDA_R_64F, double)
#define PRIM_SCAN_OPERATORS(X) X(PRIM_OP_SUM, sum_operator)
#define PRIM_SCAN_TEXTBOOK_TYPES(X) X(CUDA_R_32I, int32_t, CUDA_R_32I, int32_t)
#define PRIM_SCAN_TEXTBOOK_OPERATORS(X) X(PRIM_OP_SUM, sum_operator)

#endif
