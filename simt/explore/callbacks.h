/* The functions that instrumented code calls, and what they hand on. */
#ifndef SIMT_EXPLORE_CALLBACKS_H
#define SIMT_EXPLORE_CALLBACKS_H
#include "internal.h"
/* The running thread's next event; the operation's result, once it is performed. */
uint64_t simt_explore_operation(operation op);
#endif
