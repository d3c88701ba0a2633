/* What AddressSanitizer and ThreadSanitizer have to be told about fibers and memory. Everything
 * here is nothing in a build without them. SIMT_TSAN is set by the build: this library itself is
 * not instrumented there, so that its own bookkeeping orders nothing between CUDA threads. */
#ifndef SIMT_SANITIZERS_H
#define SIMT_SANITIZERS_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#endif

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { SIMT_REDZONE = 64 };
#define simt_asan_hide(address, bytes) __asan_poison_memory_region(address, bytes)
#define simt_asan_show(address, bytes) __asan_unpoison_memory_region(address, bytes)
#define simt_asan_start_switch(save, bottom, bytes) \
    __sanitizer_start_switch_fiber(save, bottom, bytes)
#define simt_asan_finish_switch(saved, bottom, bytes) \
    __sanitizer_finish_switch_fiber(saved, bottom, bytes)
#else
enum { SIMT_REDZONE = 0 };
#define simt_asan_hide(address, bytes) ((void)(address), (void)(bytes))
#define simt_asan_show(address, bytes) ((void)(address), (void)(bytes))
#define simt_asan_start_switch(save, bottom, bytes) ((void)(bottom), (void)(bytes))
#define simt_asan_finish_switch(saved, bottom, bytes) ((void)(saved))
#endif

#ifdef SIMT_TSAN
#include <sanitizer/tsan_interface.h>
/* Without an edge of happens-before: a switch is the backend's doing, not the program's. */
#define simt_tsan_switch(fiber) __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync)
#define simt_tsan_acquire(address) __tsan_acquire(address)
#define simt_tsan_release(address) __tsan_release(address)
/* ThreadSanitizer has room for the histories of 255 fibers at a time; one that goes on after a
 * while takes another one's. It says nothing of a race whose first access it cannot find in a
 * history, and there a fiber is found only from its next release on: so it has one at once, that
 * nobody acquires.
 */
static char simt_tsan_nobodys;
#define simt_tsan_resumed() __tsan_release(&simt_tsan_nobodys)
#else
#define simt_tsan_switch(fiber) ((void)(fiber))
#define simt_tsan_acquire(address) ((void)(address))
#define simt_tsan_release(address) ((void)(address))
#define simt_tsan_resumed() ((void)0)
#endif

#endif
