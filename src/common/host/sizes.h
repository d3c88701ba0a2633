/* How lines of elements (rows or columns) are divided into blocks; sizes of grid and workspace. */
#ifndef PRIM_COMMON_SIZES_H
#define PRIM_COMMON_SIZES_H

#include <stdbool.h>
#include <stddef.h>

static inline size_t prim_divide_up(size_t count, size_t by)
{
    return count / by + (count % by != 0);
}

/* Whether the blocks of that many lines fit the grid's x. */
static inline bool prim_fits_a_grid(size_t lines, size_t blocks)
{
    return lines == 0 || blocks == 0 || (blocks <= 0x7fffffff && lines <= 0x7fffffff / blocks);
}

/* The number of values that all levels of one line leave: each level leaves one value for each of
 * its blocks, which the next level takes as its elements, until one block is left. */
static inline size_t prim_values_between_levels(size_t count, size_t block_elements)
{
    size_t values = 0;
    for (size_t left = prim_divide_up(count, block_elements); left > 1;
         left = prim_divide_up(left, block_elements))
        values += left;
    return values;
}

#endif
