/* How lines of elements are cut into blocks, and what that asks of a grid and a workspace. */
#ifndef PRIM_COMMON_SIZES_H
#define PRIM_COMMON_SIZES_H

#include <stdbool.h>
#include <stddef.h>

static inline size_t prim_divide_up(size_t count, size_t by)
{
    return count / by + (count % by != 0);
}

/* All blocks lie along the grid's x: do those of so many lines? */
static inline bool prim_fits_a_grid(size_t lines, size_t blocks)
{
    return lines == 0 || blocks == 0 || (blocks <= 0x7fffffff && lines <= 0x7fffffff / blocks);
}

/* Each level leaves one value for each of its blocks, and the next level takes those in, until one
 * block is left: the values of all levels of one line. */
static inline size_t prim_values_between_levels(size_t count, size_t block_elements)
{
    size_t values = 0;
    for (size_t left = prim_divide_up(count, block_elements); left > 1;
         left = prim_divide_up(left, block_elements))
        values += left;
    return values;
}

#endif
