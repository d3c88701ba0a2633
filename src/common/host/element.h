/* Element types: their sizes and names; and the names of operators. */
#ifndef PRIM_COMMON_ELEMENT_H
#define PRIM_COMMON_ELEMENT_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Bytes of one element, also its alignment; 0 for a type that the kit does not know. */
size_t prim_element_bytes(cudaDataType_t type);

/* f16, bf16, f32 or f64? */
bool prim_element_is_float(cudaDataType_t type);

/* The type that values of a result type are combined in: i32, u32 or f32 for what is narrower. */
cudaDataType_t prim_accumulator_type(cudaDataType_t out_type);

/* "f32", "u8", …; "an unknown type" for a type that the kit does not know. */
const char *prim_element_name(cudaDataType_t type);

/* "sum", "min", …; "an unknown op" for one that does not exist. */
const char *prim_op_name(prim_op op);

#if defined(__cplusplus)
}
#endif

#endif
