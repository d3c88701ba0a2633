/* Every call that has variants, to be asked, as rows of one table: what promises.c walks besides
 * the calls. */
#ifndef TESTS_QUERIES_H
#define TESTS_QUERIES_H

#include <primitives/types.h>

/* One call with valid arguments, at sizes for which AUTO takes unlike rungs. */
typedef struct query {
    const char *call;
    const prim_variant *(*variant_at)(size_t index); /* NULL after the last */
    prim_status (*ask)(int variant, size_t size, prim_answer *answer);
} query;

extern const query queries[];
extern const size_t query_count;
extern const size_t query_sizes[];
extern const size_t query_size_count;

#endif
