#include "peers/peers.h"

#include <stdio.h>
#include <string.h>

/* CMakeLists.txt says of each library that it did not build in why not. */
#ifndef PEER_CUB_MISSING
#define PEER_CUB_MISSING NULL
#define WITH_CUB
#endif
#ifndef PEER_CUBLAS_MISSING
#define PEER_CUBLAS_MISSING NULL
#define WITH_CUBLAS
#endif
#ifndef PEER_CUSPARSE_MISSING
#define PEER_CUSPARSE_MISSING NULL
#define WITH_CUSPARSE
#endif
#ifndef PEER_NPP_MISSING
#define PEER_NPP_MISSING NULL
#define WITH_NPP
#endif

static const struct {
    const char *name, *missing;
} libraries[] = {{"cub", PEER_CUB_MISSING},
                 {"cublas", PEER_CUBLAS_MISSING},
                 {"cusparse", PEER_CUSPARSE_MISSING},
                 {"npp", PEER_NPP_MISSING}};

static const bench_peer *const peers[] = {
#ifdef WITH_CUB
    &cub_reduce,
    &cub_reduce_rows,
    &cub_scan,
    &cub_histogram,
    &cub_merge,
    &cub_radix_sort,
#endif
#ifdef WITH_CUB_GIVEN
    &cub_reduce_given,
    &cub_reduce_rows_given,
    &cub_scan_given,
    &cub_histogram_given,
    &cub_merge_given,
    &cub_radix_sort_given,
#endif
#ifdef WITH_CUBLAS
    &cublas_dot,
    &cublas_gemm,
    &cublas_gemv,
    &cublaslt_gemm,
#endif
#ifdef WITH_CUSPARSE
    &cusparse_spmv,
    &cusparse_spmv_prepared,
#endif
#ifdef WITH_NPP
    &npp_convolution,
#endif
    NULL, /* the end */
};

void name_absent_peers(void)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (libraries[i].missing != NULL)
            fprintf(stderr, "peer %s: not built in: %s\n", libraries[i].name, libraries[i].missing);
}

void plan_peers(bench_plan *plan, const bench_case *c)
{
    for (size_t i = 0; peers[i] != NULL; i++) {
        if (strcmp(peers[i]->pattern, c->pattern) != 0 || !peers[i]->does(c))
            continue;
        bench_case theirs = *c;
        theirs.variant = NULL;
        theirs.peer = peers[i]->name;
        theirs.variant_value = 0; /* AUTO in every pattern: peers have what is set up for it */
        theirs.has_state = false;
        plan_add(plan, theirs);
    }
}

const bench_peer *find_peer(const bench_case *c)
{
    for (size_t i = 0; peers[i] != NULL; i++)
        if (strcmp(peers[i]->pattern, c->pattern) == 0 && strcmp(peers[i]->name, c->peer) == 0 &&
            peers[i]->does(c))
            return peers[i];
    return NULL;
}
