/* What of merge is built. Remove lines to build less: a call that needs a removed line returns
 * PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with the number of lines. */
#ifndef PRIM_MERGE_INSTANCES_H
#define PRIM_MERGE_INSTANCES_H

/* Bytes of a key, is it a float?, an unsigned integer of its size: i8 and u8; i16 and u16; f16 and
 * bf16; and so on. */
#define PRIM_MERGE_KEY_TYPES(X) \
    X(1, false, uint8_t)        \
    X(2, false, uint16_t)       \
    X(2, true, uint16_t)        \
    X(4, false, uint32_t)       \
    X(4, true, uint32_t)        \
    X(8, false, uint64_t)       \
    X(8, true, uint64_t)

#endif
