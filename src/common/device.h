/* What the current device can run. */
#ifndef PRIM_COMMON_DEVICE_H
#define PRIM_COMMON_DEVICE_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Was this library compiled for the current device? All kernels are built for the same
 * architectures, so one answers for all. For queries, not for the path of a call. */
bool prim_device_has_code(void);

#if defined(__cplusplus)
}
#endif

#endif
