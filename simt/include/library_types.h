/* The element types of CUDA's libraries, with CUDA's own values. */
#ifndef SIMT_LIBRARY_TYPES_H
#define SIMT_LIBRARY_TYPES_H

typedef enum cudaDataType_t {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_R_8U = 8,
    CUDA_R_32I = 10,
    CUDA_R_32U = 12,
    CUDA_R_16BF = 14,
    CUDA_R_16I = 20,
    CUDA_R_16U = 22,
    CUDA_R_64I = 24,
    CUDA_R_64U = 26
} cudaDataType_t;
typedef cudaDataType_t cudaDataType;

#endif
