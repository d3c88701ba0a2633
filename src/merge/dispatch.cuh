/* Turns the key type from an enum into a template argument. */
#ifndef PRIM_MERGE_DISPATCH_CUH
#define PRIM_MERGE_DISPATCH_CUH

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "merge/instances.h"
#include "merge/merge_args.h"
#include "merge/tile/keys.cuh"

namespace
{

/* Run::run<Key>(args, more…) for the key type that the arguments name. */
template <class Run, typename Args, typename... More>
auto dispatch(const Args *args, More... more)
{
    const size_t bytes = prim_element_bytes(args->key_type);
    const bool is_float = is_float_type(args->key_type);
#define PRIM_MERGE_KEY_ROW(key_bytes, key_is_float, Bits) \
    if (bytes == key_bytes && is_float == key_is_float)   \
        return Run::template run<key<Bits, key_is_float>>(args, more...);
    PRIM_MERGE_KEY_TYPES(PRIM_MERGE_KEY_ROW)
#undef PRIM_MERGE_KEY_ROW
    return Run::not_built(args, more...);
}

/* Whether the grid has a block for every keys_of_block keys. */
template <typename Args>
const char *keys_why_not(const Args *args, size_t keys, size_t keys_of_block)
{
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(1, prim_divide_up(keys, keys_of_block)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

} // namespace

#endif
