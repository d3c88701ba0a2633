/* libFuzzer's target for the reader of Matrix Market files: what it takes is a matrix, and is the
 * same when it is written and read again; what it does not take it says a sentence of. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../examples/matrix_market.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

static void check_matrix(const prim_sparse *a)
{
    const int64_t *offsets = a->row_offsets;
    const double *values = a->values;
    CHECK(a->rows <= INT32_MAX && a->columns <= INT32_MAX);
    CHECK(offsets[0] == 0 && (size_t)offsets[a->rows] == a->entries);
    for (size_t row = 0; row < a->rows; row++)
        CHECK(offsets[row] <= offsets[row + 1]);
    for (size_t i = 0; i < a->entries; i++) {
        CHECK(a->column_indices[i] >= 0 && (size_t)a->column_indices[i] < a->columns);
        CHECK(isfinite(values[i]));
    }
}

static void write_matrix(const prim_sparse *a, FILE *to)
{
    const int64_t *offsets = a->row_offsets;
    const double *values = a->values;
    fprintf(to, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", a->rows,
            a->columns, a->entries);
    for (size_t row = 0; row < a->rows; row++)
        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++)
            fprintf(to, "%zu %d %.17g\n", row + 1, a->column_indices[i] + 1, values[i]);
}

static void check_again(const prim_sparse *a)
{
    char *text = NULL, sentence[MATRIX_MARKET_SENTENCE];
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    CHECK(file != NULL);
    write_matrix(a, file);
    CHECK(fclose(file) == 0);
    file = fmemopen(text, bytes, "r");
    prim_sparse b;
    CHECK(file != NULL && matrix_market_read_stream(file, "again", &b, sentence));
    CHECK(a->rows == b.rows && a->columns == b.columns && a->entries == b.entries);
    CHECK(memcmp(a->row_offsets, b.row_offsets, (a->rows + 1) * sizeof(int64_t)) == 0);
    CHECK(memcmp(a->column_indices, b.column_indices, a->entries * sizeof(int32_t)) == 0);
    CHECK(memcmp(a->values, b.values, a->entries * sizeof(double)) == 0);
    matrix_market_free(&b);
    fclose(file);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char sentence[MATRIX_MARKET_SENTENCE] = "";
    prim_sparse a;
    if (bytes == 0)
        return 0;
    FILE *file = fmemopen((void *)(uintptr_t)data, bytes, "r");
    CHECK(file != NULL);
    if (matrix_market_read_stream(file, "fuzz", &a, sentence)) {
        check_matrix(&a);
        check_again(&a);
        matrix_market_free(&a);
    } else {
        CHECK(strncmp(sentence, "fuzz:", 5) == 0);
    }
    fclose(file);
    return 0;
}
