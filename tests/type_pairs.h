/* The types of elements and results that reduce and scan take, on one GPU and on many. */
#ifndef TESTS_TYPE_PAIRS_H
#define TESTS_TYPE_PAIRS_H

#include <library_types.h>

typedef struct type_pair {
    cudaDataType_t in, out;
} type_pair;

enum { PAIRS = 18, SAME_TYPES = 12 };

/* The first ones are of the same type twice. */
static const type_pair type_pairs[PAIRS] = {
    {CUDA_R_8I, CUDA_R_8I},     {CUDA_R_8U, CUDA_R_8U},    {CUDA_R_16I, CUDA_R_16I},
    {CUDA_R_16U, CUDA_R_16U},   {CUDA_R_32I, CUDA_R_32I},  {CUDA_R_32U, CUDA_R_32U},
    {CUDA_R_64I, CUDA_R_64I},   {CUDA_R_64U, CUDA_R_64U},  {CUDA_R_16F, CUDA_R_16F},
    {CUDA_R_16BF, CUDA_R_16BF}, {CUDA_R_32F, CUDA_R_32F},  {CUDA_R_64F, CUDA_R_64F},
    {CUDA_R_8U, CUDA_R_32U},    {CUDA_R_8U, CUDA_R_64U},   {CUDA_R_32I, CUDA_R_64I},
    {CUDA_R_16F, CUDA_R_32F},   {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_64F},
};

#endif
