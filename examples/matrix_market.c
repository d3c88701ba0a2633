#define _GNU_SOURCE
#include "matrix_market.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum field { REAL, INTEGER, PATTERN } field;
typedef enum symmetry { GENERAL, SYMMETRIC, SKEW_SYMMETRIC } symmetry;

typedef struct triple {
    int32_t row, column; /* from 0 */
    double value;
} triple;

typedef struct reader {
    const char *path;
    FILE *file;
    char *line;
    size_t line_bytes, number; /* of the line, from 1 */
    field field;
    symmetry symmetry;
    size_t rows, columns, lines; /* as the file says */
    triple *triples;             /* mirrored ones too */
    size_t count, capacity;
    char *sentence;
} reader;

/* Always false, for the caller to hand on. */
static bool wrong(reader *r, const char *format, ...)
{
    va_list arguments;
    const int begin =
        snprintf(r->sentence, MATRIX_MARKET_SENTENCE, "%.300s:%zu: ", r->path, r->number);
    va_start(arguments, format);
    vsnprintf(r->sentence + begin, MATRIX_MARKET_SENTENCE - (size_t)begin, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- lines and words ---- */

static const char separators[] = " \t\r\n";

typedef enum found { A_LINE, THE_END, NO_LINE } found;

static found next_line(reader *r)
{
    r->number++;
    errno = 0;
    const ssize_t length = getline(&r->line, &r->line_bytes, r->file);
    if (length < 0 && !feof(r->file))
        wrong(r, "%s", strerror(errno));
    else if (length >= 0 && strlen(r->line) != (size_t)length)
        wrong(r, "a byte 0 in the line");
    else
        return length < 0 ? THE_END : A_LINE;
    return NO_LINE;
}

/* The next line that says something. */
static found next_full_line(reader *r)
{
    found f;
    do
        f = next_line(r);
    while (f == A_LINE && (r->line[0] == '%' || r->line[strspn(r->line, separators)] == '\0'));
    return f;
}

/* That line must be there. */
static bool need_line(reader *r, const char *what)
{
    const found f = next_full_line(r);
    return f == A_LINE || (f == THE_END && wrong(r, "the file ends, and %s missing", what));
}

/* Cuts the line in place; returns how many words it has, `most` + 1 where it has more. */
static int cut(char *line, char *words[], int most)
{
    int count = 0;
    char *rest;
    for (char *word = strtok_r(line, separators, &rest); word != NULL;
         word = strtok_r(NULL, separators, &rest)) {
        if (count == most)
            return most + 1;
        words[count++] = word;
    }
    return count;
}

/* Digits and nothing else. */
static bool read_count(const char *word, size_t *count)
{
    if (strspn(word, "0123456789") != strlen(word))
        return false;
    errno = 0;
    *count = strtoull(word, NULL, 10);
    return errno == 0;
}

static bool read_value(const reader *r, const char *word, double *value)
{
    static const double largest_exact = 0x1p53;
    const char *allowed = r->field == INTEGER ? "+-0123456789" : "+-.0123456789eE";
    char *end;
    *value = strtod(word, &end);
    return strspn(word, allowed) == strlen(word) && end != word && *end == '\0' &&
           isfinite(*value) && (r->field != INTEGER || fabs(*value) <= largest_exact);
}

/* ---- the parts of a file ---- */

/* Which of the words it is, or -1. */
static int find(const char *word, const char *const words[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcasecmp(word, words[i]) == 0)
            return i;
    return -1;
}

static bool read_banner(reader *r)
{
    static const char *const fields[] = {"real", "integer", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    char *words[5];
    const found f = next_line(r);
    if (f == NO_LINE)
        return false;
    if (f == THE_END || cut(r->line, words, 5) != 5 || strcmp(words[0], "%%MatrixMarket") != 0)
        return wrong(r, "not the banner that a Matrix Market file begins with, such as "
                        "%%%%MatrixMarket matrix coordinate real general");
    if (strcasecmp(words[1], "matrix") != 0 || strcasecmp(words[2], "coordinate") != 0)
        return wrong(r, "%.40s %.40s is not matrix coordinate", words[1], words[2]);
    const int field = find(words[3], fields, 3), symmetry = find(words[4], symmetries, 3);
    if (field < 0)
        return wrong(r, "%.40s is none of real, integer, pattern", words[3]);
    if (symmetry < 0)
        return wrong(r, "%.40s is none of general, symmetric, skew-symmetric", words[4]);
    r->field = (enum field)field;
    r->symmetry = (enum symmetry)symmetry;
    if (r->field == PATTERN && r->symmetry == SKEW_SYMMETRIC)
        return wrong(r, "a pattern cannot be skew-symmetric");
    return true;
}

static bool read_sizes(reader *r)
{
    char *words[3];
    if (!need_line(r, "its sizes are"))
        return false;
    if (cut(r->line, words, 3) != 3 || !read_count(words[0], &r->rows) ||
        !read_count(words[1], &r->columns) || !read_count(words[2], &r->lines))
        return wrong(r, "not the numbers of rows, columns and entries");
    if (r->rows > INT32_MAX || r->columns > INT32_MAX)
        return wrong(r, "%zu × %zu is 2^31 or more a side", r->rows, r->columns);
    if (r->symmetry != GENERAL && r->rows != r->columns)
        return wrong(r, "%zu × %zu is not square, and cannot be symmetric", r->rows, r->columns);
    return true;
}

static bool append(reader *r, size_t row, size_t column, double value)
{
    if (r->count == r->capacity) {
        const size_t capacity = 2 * r->capacity + 1024;
        triple *triples = realloc(r->triples, capacity * sizeof *triples);
        if (triples == NULL)
            return wrong(r, "out of memory");
        r->triples = triples;
        r->capacity = capacity;
    }
    r->triples[r->count++] = (triple){(int32_t)row, (int32_t)column, value};
    return true;
}

/* The line's entry, and its mirror image where the file leaves that out. */
static bool read_entry(reader *r)
{
    char *words[3];
    const int expected = r->field == PATTERN ? 2 : 3;
    size_t row, column;
    double value = 1;
    if (cut(r->line, words, expected) != expected || !read_count(words[0], &row) ||
        !read_count(words[1], &column))
        return wrong(r, "not a row, a column%s", expected == 3 ? " and a value" : "");
    if (expected == 3 && !read_value(r, words[2], &value))
        return wrong(r, "%.40s is no %s number that fits", words[2],
                     r->field == INTEGER ? "whole" : "real");
    if (row < 1 || row > r->rows || column < 1 || column > r->columns)
        return wrong(r, "(%zu, %zu) lies outside of %zu × %zu", row, column, r->rows, r->columns);
    if (r->symmetry != GENERAL && row < column)
        return wrong(r, "(%zu, %zu) lies above the diagonal of a symmetric matrix", row, column);
    if (r->symmetry == SKEW_SYMMETRIC && row == column)
        return wrong(r, "(%zu, %zu) lies on the diagonal of a skew-symmetric matrix", row, column);
    if (!append(r, row - 1, column - 1, value))
        return false;
    return r->symmetry == GENERAL || row == column ||
           append(r, column - 1, row - 1, r->symmetry == SYMMETRIC ? value : -value);
}

static bool read_entries(reader *r)
{
    for (size_t read = 0; read < r->lines; read++)
        if (!need_line(r, "entries are") || !read_entry(r))
            return false;
    const found f = next_full_line(r);
    return f == THE_END || (f == A_LINE && wrong(r, "more than %zu entries", r->lines));
}

/* ---- the matrix ---- */

/* Stable: the triples of a row keep their order. */
static bool to_csr(reader *r, prim_sparse *csr)
{
    int64_t *offsets = calloc(r->rows + 1, sizeof *offsets);
    int32_t *columns = malloc((r->count + 1) * sizeof *columns);
    double *values = malloc((r->count + 1) * sizeof *values);
    *csr = (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = r->rows,
                         .columns = r->columns,
                         .entries = r->count,
                         .value_type = CUDA_R_64F,
                         .offset_type = CUDA_R_64I,
                         .row_offsets = offsets,
                         .column_indices = columns,
                         .values = values};
    if (offsets == NULL || columns == NULL || values == NULL) {
        matrix_market_free(csr);
        return wrong(r, "out of memory");
    }
    for (size_t i = 0; i < r->count; i++)
        offsets[r->triples[i].row + 1]++;
    for (size_t row = 0; row < r->rows; row++)
        offsets[row + 1] += offsets[row];
    for (size_t i = 0; i < r->count; i++) { /* offsets[row] moves on to the row's end */
        const int64_t place = offsets[r->triples[i].row]++;
        columns[place] = r->triples[i].column;
        values[place] = r->triples[i].value;
    }
    memmove(offsets + 1, offsets, r->rows * sizeof *offsets);
    offsets[0] = 0;
    return true;
}

bool matrix_market_read(const char *path, prim_sparse *csr, char sentence[MATRIX_MARKET_SENTENCE])
{
    reader r = {.path = path, .file = fopen(path, "r"), .sentence = sentence};
    if (r.file == NULL) {
        snprintf(sentence, MATRIX_MARKET_SENTENCE, "%.300s: %s", path, strerror(errno));
        return false;
    }
    const bool read = read_banner(&r) && read_sizes(&r) && read_entries(&r) && to_csr(&r, csr);
    free(r.triples);
    free(r.line);
    fclose(r.file);
    return read;
}

void matrix_market_free(prim_sparse *csr)
{
    free((void *)csr->row_offsets);
    free((void *)csr->column_indices);
    free((void *)csr->values);
    *csr = (prim_sparse){0};
}
