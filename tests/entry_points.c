/* The table of all patterns' entry points; each pattern's file holds its own. */
#include "entry_points.h"

extern const entry_point reduce_entry, reduce_short_entry, reduce_rows_entry, reduce_columns_entry,
    reduce_segments_entry, arg_reduce_entry, dot_entry;
extern const entry_point scan_entry, scan_rows_entry, scan_many_rows_entry, scan_2d_entry;
extern const entry_point histogram_even_entry, histogram_edges_entry, histogram_channels_entry,
    histogram_weighted_entry, histogram_weighted_told_entry;
extern const entry_point merge_entry, merge_sort_entry, merge_sort_few_entry, co_rank_entry,
    merge_pairs_entry, co_ranks_entry, merge_sort_pairs_entry, merge_sort_few_pairs_entry,
    merge_sort_permutation_entry, gather_entry, is_sorted_entry;
extern const entry_point convolve_1d_entry, convolve_2d_entry, convolve_separable_entry,
    convolve_integers_entry;
extern const entry_point spmv_csr_entry, spmv_tall_entry, spmv_coo_entry, spmv_ell_entry,
    spmv_hyb_entry, spmv_jds_entry, spmv_sell_entry, sparse_check_coo_entry, sparse_check_jds_entry,
    sparse_csr_to_coo_entry, sparse_csr_to_sell_entry, sparse_csr_to_hyb_entry,
    sparse_csr_to_jds_entry, sparse_ell_to_csr_entry, sparse_hyb_to_csr_entry,
    sparse_jds_to_csr_entry, sparse_convert_size_entry, sparse_from_dense_entry,
    sparse_from_dense_size_entry, sparse_to_dense_entry, sparse_transpose_entry, sparse_sort_entry,
    spmv_plan_entry, spmv_planned_entry;
extern const entry_point gemm_entry, gemm_transposed_entry, gemm_batched_entry, gemm_pointers_entry,
    gemv_entry, gemv_transposed_entry, gemv_batched_entry, binary_gemm_entry, binary_count_entry,
    binary_layer_entry, binary_pack_rows_entry, binary_pack_columns_entry,
    binary_pack_transposed_entry, binary_unpack_rows_entry, binary_unpack_columns_entry,
    binary_unpack_transposed_entry;

const entry_point *const entry_points[] = {
    /* reduce */
    &reduce_entry,
    &reduce_short_entry,
    &reduce_rows_entry,
    &reduce_columns_entry,
    &reduce_segments_entry,
    &arg_reduce_entry,
    &dot_entry,
    /* scan */
    &scan_entry,
    &scan_rows_entry,
    &scan_many_rows_entry,
    &scan_2d_entry,
    /* histogram */
    &histogram_even_entry,
    &histogram_edges_entry,
    &histogram_channels_entry,
    &histogram_weighted_entry,
    &histogram_weighted_told_entry,
    /* merge */
    &merge_entry,
    &merge_sort_entry,
    &merge_sort_few_entry,
    &merge_pairs_entry,
    &merge_sort_pairs_entry,
    &merge_sort_few_pairs_entry,
    &merge_sort_permutation_entry,
    &gather_entry,
    &is_sorted_entry,
    &co_rank_entry,
    &co_ranks_entry,
    /* convolution */
    &convolve_1d_entry,
    &convolve_2d_entry,
    &convolve_separable_entry,
    &convolve_integers_entry,
    /* sparse products */
    &spmv_csr_entry,
    &spmv_tall_entry,
    &spmv_coo_entry,
    &spmv_ell_entry,
    &spmv_hyb_entry,
    &spmv_jds_entry,
    &spmv_sell_entry,
    &sparse_check_coo_entry,
    &sparse_check_jds_entry,
    &sparse_csr_to_coo_entry,
    &sparse_csr_to_sell_entry,
    &sparse_csr_to_hyb_entry,
    &sparse_csr_to_jds_entry,
    &sparse_ell_to_csr_entry,
    &sparse_hyb_to_csr_entry,
    &sparse_jds_to_csr_entry,
    &sparse_convert_size_entry,
    &sparse_from_dense_entry,
    &sparse_from_dense_size_entry,
    &sparse_to_dense_entry,
    &sparse_transpose_entry,
    &sparse_sort_entry,
    &spmv_plan_entry,
    &spmv_planned_entry,
    /* dense products */
    &gemm_entry,
    &gemm_transposed_entry,
    &gemm_batched_entry,
    &gemm_pointers_entry,
    &gemv_entry,
    &gemv_transposed_entry,
    &gemv_batched_entry,
    &binary_gemm_entry,
    &binary_count_entry,
    &binary_layer_entry,
    &binary_pack_rows_entry,
    &binary_pack_columns_entry,
    &binary_pack_transposed_entry,
    &binary_unpack_rows_entry,
    &binary_unpack_columns_entry,
    &binary_unpack_transposed_entry,
};

const size_t entry_point_count = sizeof entry_points / sizeof *entry_points;

/* ---- faults ---- */

bool is_planted(const operands *o, const char *what, prim_status status, const char *word)
{
    fault *f = o->fault;
    if (f == NULL || f->seen++ != f->wanted)
        return false;
    f->what = what;
    f->status = status;
    f->word = word;
    return true;
}

void spoil_workspace(const operands *o, call_head *c)
{
    const size_t enough = c->bytes > 256 ? c->bytes : 256;
    FAULT("NULL with bytes", PRIM_ERROR_NULL, "d_workspace",
          (c->workspace = NULL, c->bytes = enough));
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_workspace",
          (c->workspace = (char *)o->d_in + 128, c->bytes = enough));
    FAULT("in the input", PRIM_ERROR_OVERLAP, "d_workspace",
          (c->workspace = o->d_in, c->bytes = enough));
    FAULT("in the output", PRIM_ERROR_OVERLAP, "d_workspace",
          (c->workspace = o->d_out, c->bytes = enough));
    if (c->bytes > 0)
        FAULT("one byte short", PRIM_ERROR_WORKSPACE, "workspace_bytes", c->bytes--);
}

call_head spoilt_options(const operands *o)
{
    call_head c = {o->variant, o->d_workspace, o->workspace_bytes};
    spoil_workspace(o, &c);
    return c;
}

call_head spoilt_head(const operands *o)
{
    call_head c = spoilt_options(o);
    FAULT("unknown", PRIM_ERROR_ENUM, "variant", c.variant = 9999);
    FAULT("negative", PRIM_ERROR_ENUM, "variant", c.variant = -1);
    return c;
}

const prim_call *call_of(const operands *o, const call_head *c)
{
    static _Thread_local prim_call call;
    call = (prim_call){.stream = o->stream,
                       .d_workspace = c->workspace,
                       .workspace_bytes = c->bytes,
                       .answer = o->answer};
    FAULT("not 0", PRIM_ERROR_VALUE, "reserved", call.reserved[0] = 1);
    FAULT("not 0 in the end", PRIM_ERROR_VALUE, "reserved",
          call.reserved[sizeof call.reserved / sizeof *call.reserved - 1] = 1);
    return &call;
}

void spoil(const operands *o, const char *name, char **d_pointer)
{
    FAULT("NULL", PRIM_ERROR_NULL, name, *d_pointer = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, name, ++*d_pointer);
}

/* ---- asking ---- */

prim_status ask_entry(const entry_point *entry, int variant, size_t count, prim_answer *answer)
{
    return entry->call(&(operands){.count = count, .variant = variant, .answer = answer});
}

const prim_variant *entry_variant_at(const entry_point *entry, size_t index)
{
    const prim_variant *variant;
    prim_answer answer;
    for (size_t v = 0; (variant = entry->variant_at(v)) != NULL; v++)
        if (ask_entry(entry, variant->value, entry->count, &answer) == PRIM_OK && index-- == 0)
            return variant;
    return NULL;
}

/* ---- no variants, no workspace ---- */

const prim_variant *only_variant_at(size_t index)
{
    static const prim_variant only = {0, "only", ""};
    return index == 0 ? &only : NULL;
}

const char *variant_name(const entry_point *entry, int variant)
{
    size_t v = 0;
    while (entry->variant_at(v)->value != variant)
        v++;
    return entry->variant_at(v)->name;
}
