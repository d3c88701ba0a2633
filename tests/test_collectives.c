/* The collectives that users take along, primitives/device/. */
#include <criterion/criterion.h>

#include "collectives.h"

static void is_right(const char *wrong)
{
    cr_assert(wrong == NULL, "%s", wrong);
}

Test(collectives, warps)
{
    is_right(check_warps());
}

Test(collectives, small_blocks)
{
    is_right(check_blocks(32));
    is_right(check_blocks(64));
    is_right(check_blocks(96));
    is_right(check_blocks(128));
}

Test(collectives, large_blocks)
{
    is_right(check_blocks(256));
    is_right(check_blocks(480));
    is_right(check_blocks(1024));
}

Test(collectives, named_operators)
{
    is_right(check_named_operators());
}

Test(collectives, ranges)
{
    is_right(check_ranges());
}

Test(collectives, ranges_of_warps)
{
    is_right(check_ranges_of_warps());
}
