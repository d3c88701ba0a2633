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

/* One that no newline follows, if only after blanks. */
static bool has_lone_return(const char *line)
{
    const char *const first = strchr(line, '\r');
    return first != NULL && first[strspn(first, separators)] != '\0';
}

static found next_line(reader *r)
{
    r->number++;
    errno = 0;
    const ssize_t length = getline(&r->line, &r->line_bytes, r->file);
    if (ferror(r->file) || (length < 0 && !feof(r->file)))
        wrong(r, "%s", strerror(errno));
    else if (length >= 0 && strlen(r->line) != (size_t)length)
        wrong(r, "there is a zero byte in the line");
    else if (length >= 0 && has_lone_return(r->line))
        wrong(r, "there is a return without a newline, but each line must end with a newline");
    else
        return length < 0 ? THE_END : A_LINE;
    return NO_LINE;
}

/* Of a comment, or of a line of blanks. */
static bool says_nothing(const char *line)
{
    const char first = line[strspn(line, separators)];
    return first == '%' || first == '\0';
}

static found next_full_line(reader *r)
{
    found f;
    do
        f = next_line(r);
    while (f == A_LINE && says_nothing(r->line));
    return f;
}

/* That line must be there. */
static bool need_line(reader *r, const char *what)
{
    const found f = next_full_line(r);
    return f == A_LINE || (f == THE_END && wrong(r, "the file ends, but %s missing", what));
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

/* ---- numbers ---- */

/* A word of a line, between `begin` and `end`. */
typedef struct word {
    char *begin, *end;
} word;

/* The next one after p; empty at the line's end. */
static word next_word(char *p)
{
    p += strspn(p, separators);
    return (word){p, p + strcspn(p, separators)};
}

static bool is_last(word w)
{
    return w.end[strspn(w.end, separators)] == '\0';
}

/* How much of it fits a sentence. */
static int shown(word w)
{
    return w.end - w.begin < 40 ? (int)(w.end - w.begin) : 40;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits and nothing else. */
static bool read_count(word w, size_t *count)
{
    size_t n = 0;
    for (const char *p = w.begin; p < w.end; p++) {
        if (!is_digit(*p) || n > (SIZE_MAX - 9) / 10)
            return false;
        n = 10 * n + (size_t)(*p - '0');
    }
    *count = n;
    return w.begin < w.end;
}

/* A number's sign and digits, and the power of ten that they are multiplied with. */
typedef struct decimal {
    bool negative, is_whole; /* neither a point nor an exponent */
    bool has_all_digits;     /* of which 19 fit `digits` */
    uint64_t digits;
    int exponent;
} decimal;

/* Digits from *p on; returns how many, and leaves *p after them. */
static size_t take_digits(word w, const char **p, decimal *d)
{
    static const uint64_t most = 999999999999999999; /* 18 nines */
    const char *begin = *p;
    for (; *p < w.end && is_digit(**p); (*p)++) {
        d->has_all_digits = d->has_all_digits && d->digits <= most;
        if (d->has_all_digits)
            d->digits = 10 * d->digits + (uint64_t)(**p - '0');
    }
    return (size_t)(*p - begin);
}

static bool take_sign(word w, const char **p)
{
    const bool negative = *p < w.end && **p == '-';
    if (*p < w.end && (**p == '-' || **p == '+'))
        (*p)++;
    return negative;
}

/* e+12; as Fortran writes it also D+12, which the collection has. */
static bool take_exponent(word w, const char **p, decimal *d)
{
    enum { FAR = 100000 }; /* whatever the digits, that is beyond every double */
    (*p)++;
    const bool negative = take_sign(w, p);
    const char *begin = *p;
    int exponent = 0;
    for (; *p < w.end && is_digit(**p); (*p)++)
        exponent = exponent < FAR ? 10 * exponent + (**p - '0') : FAR;
    d->exponent += negative ? -exponent : exponent;
    return *p > begin;
}

static bool read_decimal(word w, decimal *d)
{
    const char *p = w.begin;
    *d = (decimal){.is_whole = true, .has_all_digits = true};
    d->negative = take_sign(w, &p);
    size_t digits = take_digits(w, &p, d), behind_point = 0;
    if (p < w.end && *p == '.') {
        p++;
        d->is_whole = false;
        behind_point = take_digits(w, &p, d);
    }
    if (digits + behind_point == 0 || behind_point > INT32_MAX / 2)
        return false;
    d->exponent = -(int)behind_point;
    if (p < w.end && strchr("eEdD", *p) != NULL) {
        d->is_whole = false;
        if (!take_exponent(w, &p, d))
            return false;
    }
    return p == w.end;
}

/* What does not go exactly goes through strtod(), which knows no D. Too small for every double
 * counts as too large does: 0 would be another matrix. */
static bool convert(word w, double *value)
{
    char *end, behind = *w.end;
    *w.end = '\0';
    for (char *p = w.begin; p < w.end; p++)
        *p = *p == 'd' || *p == 'D' ? 'e' : *p;
    errno = 0;
    *value = strtod(w.begin, &end);
    *w.end = behind;
    return end == w.end && isfinite(*value) && !(errno == ERANGE && *value == 0);
}

static bool read_real(word w, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    static const int most = sizeof powers / sizeof *powers - 1;
    static const uint64_t largest_exact = (uint64_t)1 << 53;
    decimal d;
    if (!read_decimal(w, &d))
        return false;
    /* Both factors are exact, so that one rounding is all there is. */
    if (!d.has_all_digits || d.digits > largest_exact || d.exponent > most || d.exponent < -most)
        return convert(w, value);
    const double digits = (double)d.digits;
    const double size = d.exponent < 0 ? digits / powers[-d.exponent] : digits * powers[d.exponent];
    *value = d.negative ? -size : size;
    return true;
}

/* Whole numbers that a double has; their neighbours would be rounded to them. */
static bool read_whole(word w, double *value)
{
    static const uint64_t largest = (uint64_t)1 << 53;
    decimal d;
    if (!read_decimal(w, &d) || !d.is_whole || !d.has_all_digits || d.digits > largest)
        return false;
    *value = d.negative ? -(double)d.digits : (double)d.digits;
    return true;
}

static bool read_value(const reader *r, word w, double *value)
{
    return r->field == INTEGER ? read_whole(w, value) : read_real(w, value);
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

/* Some programs begin UTF-8 with it. */
static char *behind_mark(char *line)
{
    static const char mark[] = "\xef\xbb\xbf";
    return line + (strncmp(line, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
}

static bool read_banner(reader *r)
{
    static const char *const fields[] = {"real", "integer", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    char *words[5];
    const found f = next_line(r);
    if (f == NO_LINE)
        return false;
    if (f == THE_END || cut(behind_mark(r->line), words, 5) != 5 ||
        strcmp(words[0], "%%MatrixMarket") != 0)
        return wrong(r, "this is not the banner with which a Matrix Market file begins, such as "
                        "%%%%MatrixMarket matrix coordinate real general");
    if (strcasecmp(words[1], "matrix") != 0 || strcasecmp(words[2], "coordinate") != 0)
        return wrong(r, "%.40s %.40s is not matrix coordinate", words[1], words[2]);
    const int field = find(words[3], fields, 3), symmetry = find(words[4], symmetries, 3);
    if (field < 0)
        return wrong(r, "%.40s is not real, integer or pattern", words[3]);
    if (symmetry < 0)
        return wrong(r, "%.40s is not general, symmetric or skew-symmetric", words[4]);
    r->field = (enum field)field;
    r->symmetry = (enum symmetry)symmetry;
    if (r->field == PATTERN && r->symmetry == SKEW_SYMMETRIC)
        return wrong(r, "a pattern cannot be skew-symmetric");
    return true;
}

static bool read_sizes(reader *r)
{
    if (!need_line(r, "its sizes are"))
        return false;
    const word rows = next_word(r->line), columns = next_word(rows.end);
    const word lines = next_word(columns.end);
    if (!read_count(rows, &r->rows) || !read_count(columns, &r->columns) ||
        !read_count(lines, &r->lines) || !is_last(lines))
        return wrong(r, "these are not the numbers of rows, columns and entries");
    if (r->rows > INT32_MAX || r->columns > INT32_MAX)
        return wrong(r, "%zu × %zu has a side of 2^31 or more", r->rows, r->columns);
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
    const bool has_value = r->field != PATTERN;
    const word of_row = next_word(r->line), of_column = next_word(of_row.end);
    const word of_value = has_value ? next_word(of_column.end) : of_column;
    size_t row, column;
    double value = 1;
    if (!read_count(of_row, &row) || !read_count(of_column, &column) ||
        of_value.begin == of_value.end || !is_last(of_value))
        return wrong(r, "this is not a row and a column%s", has_value ? " and a value" : "");
    if (has_value && !read_value(r, of_value, &value))
        return wrong(r, "%.*s is not a %s number that fits", shown(of_value), of_value.begin,
                     r->field == INTEGER ? "whole" : "real");
    if (row < 1 || row > r->rows || column < 1 || column > r->columns)
        return wrong(r, "(%zu, %zu) lies outside the matrix of %zu × %zu", row, column, r->rows,
                     r->columns);
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
    return f == THE_END || (f == A_LINE && wrong(r, "there are more than %zu entries", r->lines));
}

/* ---- the matrix ---- */

/* A few bytes can name 2^31 rows or columns, and the matrix and its vectors would be as long. */
static bool check_sides(reader *r)
{
    enum { ALWAYS = 1 << 24, AN_ENTRY = 64 };
    const size_t longer = r->rows > r->columns ? r->rows : r->columns;
    return longer <= ALWAYS || longer / AN_ENTRY <= r->count ||
           wrong(r, "%zu × %zu with %zu entries: sides of more than %d may have %d for each entry",
                 r->rows, r->columns, r->count, ALWAYS, AN_ENTRY);
}

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

bool matrix_market_read_stream(FILE *file, const char *name, prim_sparse *csr,
                               char sentence[MATRIX_MARKET_SENTENCE])
{
    reader r = {.path = name, .file = file, .sentence = sentence};
    const bool read =
        read_banner(&r) && read_sizes(&r) && read_entries(&r) && check_sides(&r) && to_csr(&r, csr);
    free(r.triples);
    free(r.line);
    return read;
}

bool matrix_market_read(const char *path, prim_sparse *csr, char sentence[MATRIX_MARKET_SENTENCE])
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(sentence, MATRIX_MARKET_SENTENCE, "%.300s: %s", path, strerror(errno));
        return false;
    }
    const bool read = matrix_market_read_stream(file, path, csr, sentence);
    fclose(file);
    return read;
}

void matrix_market_free(prim_sparse *csr)
{
    free((void *)csr->row_offsets);
    free((void *)csr->column_indices);
    free((void *)csr->values);
    *csr = (prim_sparse){0};
}
