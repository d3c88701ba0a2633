#include "common/host/element.h"

typedef struct element {
    cudaDataType_t type;
    size_t bytes;
    const char *name;
} element;

static const element elements[] = {
    {CUDA_R_8I, 1, "i8"},     {CUDA_R_8U, 1, "u8"},   {CUDA_R_16I, 2, "i16"},
    {CUDA_R_16U, 2, "u16"},   {CUDA_R_32I, 4, "i32"}, {CUDA_R_32U, 4, "u32"},
    {CUDA_R_64I, 8, "i64"},   {CUDA_R_64U, 8, "u64"}, {CUDA_R_16F, 2, "f16"},
    {CUDA_R_16BF, 2, "bf16"}, {CUDA_R_32F, 4, "f32"}, {CUDA_R_64F, 8, "f64"},
};

static const element *find(cudaDataType_t type)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].type == type)
            return &elements[i];
    return NULL;
}

size_t prim_element_bytes(cudaDataType_t type)
{
    const element *e = find(type);
    return e != NULL ? e->bytes : 0;
}

bool prim_element_is_float(cudaDataType_t type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
}

cudaDataType_t prim_accumulator_type(cudaDataType_t out_type)
{
    switch (out_type) {
    case CUDA_R_8I:
    case CUDA_R_16I:
        return CUDA_R_32I;
    case CUDA_R_8U:
    case CUDA_R_16U:
        return CUDA_R_32U;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return CUDA_R_32F;
    default:
        return out_type;
    }
}

const char *prim_element_name(cudaDataType_t type)
{
    const element *e = find(type);
    return e != NULL ? e->name : "an unknown type";
}

const char *prim_op_name(prim_op op)
{
    static const char *const names[] = {"sum", "min", "max", "product", "and", "or", "xor"};
    return (unsigned)op < sizeof names / sizeof *names ? names[op] : "an unknown op";
}
