/* Random elements of all types. */
#ifndef TESTS_STRESS_VALUES_H
#define TESTS_STRESS_VALUES_H

#include <primitives/types.h>

uint64_t random_bits(uint64_t i);

/* What inputs hold. Whole numbers lie from -8 to 8, or from 0 to 16 where there is no sign, so that
 * sums are exact; fractions fill their type's bits, so that sums show the order that they were made
 * in; and some of anything are NaN, infinite, the largest or nearly 0. Integers are any bits in the
 * last two. */
typedef enum values { WHOLE_NUMBERS = 0, FRACTIONS = 1, ANYTHING = 2 } values;

extern const cudaDataType_t all_types[12];
/* Sixteen bytes that nobody computes with. */
#define SIXTEEN_BYTES ((cudaDataType_t)1000)
size_t bytes_of(cudaDataType_t type);
/* A type of so many bytes, at most 16. */
cudaDataType_t type_of_bytes(size_t bytes);
bool is_float(cudaDataType_t type);
bool is_half(cudaDataType_t type);
bool is_unsigned(cudaDataType_t type);

/* An element as a number; not of halves. */
double number_at(cudaDataType_t type, const char *h, size_t i);
void write_number(char *to, cudaDataType_t type, int number);
/* An element of FRACTIONS or ANYTHING. */
void write_bits(char *to, cudaDataType_t type, values kind, uint64_t bits);
/* Of so many bytes. Has it but a sign? */
bool is_zero(const char *element, size_t bytes);
bool is_nan(cudaDataType_t type, const char *element);

#endif
