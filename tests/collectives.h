/* What primitives/device/ gives, beside loops on the host. Each function returns NULL, or says in a
 * sentence what is wrong. */
#ifndef TESTS_COLLECTIVES_H
#define TESTS_COLLECTIVES_H

#if defined(__cplusplus)
extern "C" {
#endif

/* Groups of 2, 4, 8, 16 and 32 lanes, of every type. */
const char *check_warps(void);

/* Blocks of `threads`, of every type: 32, 64, 96, 128, 256, 480 or 1024. */
const char *check_blocks(unsigned threads);

/* Sums, minima and maxima by their names, NaN and zeros among them. */
const char *check_named_operators(void);

/* Ranges of every alignment and of 0 to 200 elements, between guards, to shared memory and back. */
const char *check_ranges(void);

/* Warps with a room each, and two ranges in flight. */
const char *check_ranges_of_warps(void);

#if defined(__cplusplus)
}
#endif

#endif
