/* Element types: their sizes and names. */
#ifndef PRIM_COMMON_ELEMENT_H
#define PRIM_COMMON_ELEMENT_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Bytes of one element, also its alignment; 0 for a type that the kit does not know. */
size_t prim_element_bytes(cudaDataType_t type);

/* "f32", "u8", …; "unknown type" for a type that the kit does not know. */
const char *prim_element_name(cudaDataType_t type);

#if defined(__cplusplus)
}
#endif

#endif
