/* The calls of the runtime are counted, so that one of them can be made to fail. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>

#include "internal.h"
#include "simt.h"

static _Atomic uint64_t made, to_fail;
static const char *_Atomic failed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_setting(void)
{
    atomic_store(&to_fail, simt_get_settings()->fail);
}

bool simt_is_to_fail(const char *name)
{
    pthread_once(&once, read_setting);
    if (atomic_fetch_add(&made, 1) + 1 != atomic_load(&to_fail))
        return false;
    atomic_store(&failed, name);
    return true;
}

void simt_fail_at(uint64_t n)
{
    pthread_once(&once, read_setting);
    atomic_store(&made, 0);
    atomic_store(&failed, NULL);
    atomic_store(&to_fail, n);
}

uint64_t simt_calls(void)
{
    return atomic_load(&made);
}

const char *simt_failed_call(void)
{
    return atomic_load(&failed);
}
