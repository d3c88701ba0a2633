/* What the peers from cuBLAS have in common. */
#ifndef BENCH_PEERS_CUBLAS_H
#define BENCH_PEERS_CUBLAS_H

#include <cublas_v2.h>

#include "peers/peers.h"

/* Ends the program with a sentence where cuBLAS failed. */
void must_cublas(cublasStatus_t status, const char *what);

/* The one handle of the run, working on this stream in the operands' workspace. */
cublasHandle_t cublas_handle_on(cudaStream_t stream, const bench_operands *o);

/* As bench_peer has it: what cuBLAS advises for its largest devices. */
size_t cublas_workspace_bytes(const bench_case *c, const bench_operands *o);

#endif
