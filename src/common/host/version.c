#include <primitives/types.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *prim_version(void)
{
    return TEXT(PRIM_VERSION_MAJOR) "." TEXT(PRIM_VERSION_MINOR) "." TEXT(PRIM_VERSION_PATCH);
}
