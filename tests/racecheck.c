/* Runs every entry point and variant once and compares the answers: a plain program, for
 * ThreadSanitizer, under which Criterion cannot start. Arguments are what the lines of those begin
 * with that are to run: prim_scan, or "prim_scan chained". Ends with a line of counts. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entry_points.h"

static int check(const entry_point *e, int variant)
{
    operands o = {.in_bytes = e->in_bytes, .out_bytes = e->out_bytes, .count = e->count};
    o.variant = variant;
    void *h_in = malloc(e->in_bytes), *h_out = malloc(e->out_bytes),
         *h_right = malloc(e->out_bytes);
    e->make_input(h_in, 3);
    e->right_answer(h_in, e->count, h_right);
    prim_answer answer;
    int failed = ask_entry(e, variant, e->count, &answer) != PRIM_OK;
    o.workspace_bytes = answer.workspace_bytes;
    failed += cudaMalloc(&o.d_in, e->in_bytes) != cudaSuccess;
    failed += cudaMalloc(&o.d_out, e->out_bytes) != cudaSuccess;
    failed += cudaMalloc(&o.d_workspace, o.workspace_bytes) != cudaSuccess;
    if (e->set_addresses != NULL)
        e->set_addresses(h_in, o.d_in, o.d_out);
    failed += cudaMemcpy(o.d_in, h_in, e->in_bytes, cudaMemcpyHostToDevice) != cudaSuccess;
    failed += cudaMemset(o.d_out, 0xA5, e->out_bytes) != cudaSuccess; /* as promises.c does */
    failed += e->call(&o) != PRIM_OK;
    failed += cudaMemcpy(h_out, o.d_out, e->out_bytes, cudaMemcpyDeviceToHost) != cudaSuccess;
    failed += memcmp(h_out, h_right, e->out_bytes) != 0;
    cudaFree(o.d_in);
    cudaFree(o.d_out);
    cudaFree(o.d_workspace);
    free(h_in);
    free(h_out);
    free(h_right);
    printf("%s %s: %s\n", e->name, variant_name(e, variant), failed ? "FAILED" : "ok");
    return failed != 0;
}

static bool is_asked_for(const entry_point *e, int variant, int count, char **beginnings)
{
    char line[128];
    snprintf(line, sizeof line, "%s %s:", e->name, variant_name(e, variant));
    for (int i = 0; i < count; i++)
        if (strncmp(line, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    for (size_t e = 0; e < entry_point_count; e++)
        for (size_t v = 0; entry_variant_at(entry_points[e], v) != NULL; v++) {
            const int variant = entry_variant_at(entry_points[e], v)->value;
            if (!is_asked_for(entry_points[e], variant, argc - 1, argv + 1))
                continue;
            if (check(entry_points[e], variant))
                failed++;
            else
                passed++;
        }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
