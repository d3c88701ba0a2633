/* From the key type as an enum to a template argument. */
#ifndef PRIM_MERGE_DISPATCH_CUH
#define PRIM_MERGE_DISPATCH_CUH

#include "common/dispatch.cuh"
#include "common/launch.cuh"
#include "common/sizes.h"
#include "merge/instances.h"
#include "merge/merge_args.h"

namespace
{

/* Run::run<Key>(args, more…) for the key type that the arguments name. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_MERGE_TYPES, key_type)

/* A block for so many keys. */
template <typename Args>
const char *keys_why_not(const Args *args, size_t keys, size_t keys_of_block)
{
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(1, prim_divide_up(keys, keys_of_block)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

} // namespace

#endif
