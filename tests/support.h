/* What the tests of all patterns share: test levels, guarded device memory, inputs of every type,
 * and the tables of types and operators. Nothing here uses the code under test. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <primitives/types.h>

#define cr_cuda(call)                                             \
    do {                                                          \
        const cudaError_t cr_cuda_error = (call);                 \
        cr_assert_eq(cr_cuda_error, cudaSuccess, "%s: %s", #call, \
                     cudaGetErrorString(cr_cuda_error));          \
    } while (0)

#define cr_prim(call)                                                            \
    do {                                                                         \
        const prim_status cr_prim_status = (call);                               \
        cr_assert_eq(cr_prim_status, PRIM_OK, "%s: %s: %s", #call,               \
                     prim_status_string(cr_prim_status), prim_last_error(NULL)); \
    } while (0)

/* The call fails with this status, and with a sentence that begins with its own name and has `word`
 * in it. */
#define cr_refused(call, expected_status, word) CR_REFUSED(call, expected_status, word)
#define CR_REFUSED(call, expected_status, word) /* a macro that stands for the call is expanded */ \
    do {                                                                                           \
        const prim_status cr_status = (call);                                                      \
        const char *cr_sentence = prim_last_error(NULL);                                           \
        cr_assert_eq(cr_status, expected_status, "%s: %s", #call, cr_sentence);                    \
        cr_assert(is_sentence_of(#call, cr_sentence), "%s: \"%s\"", #call, cr_sentence);           \
        cr_assert(strstr(cr_sentence, word) != NULL, "\"%s\" without \"%s\"", cr_sentence, word);  \
    } while (0)

/* Whether the sentence begins with the name of the call, written as in a program, and a colon. Any
 * one does of what is no call of the kit's. */
bool is_sentence_of(const char *call, const char *sentence);

/* A call in own_stream(): it uses no other one, whatever it does in place of kernels, and is done
 * when that stream is. */
#define cr_own(call)                                                                        \
    do {                                                                                    \
        const uint64_t cr_others = submissions_to_others();                                 \
        cr_prim(call);                                                                      \
        cr_assert_eq(submissions_to_others(), cr_others, "%s: used another stream", #call); \
        cr_cuda(cudaStreamSynchronize(own_stream()));                                       \
    } while (0)

/* This process's, of the device that was current at the first call; waits for no other stream. */
cudaStream_t own_stream(void);
/* Work that was submitted to all streams but that one; on a GPU nobody counts it. */
uint64_t submissions_to_others(void);

/* How much to test: the environment's PRIM_TEST_LEVEL, normal if unset; normal is quick in forward
   and reverse order. */
typedef enum test_level { LEVEL_QUICK, LEVEL_NORMAL, LEVEL_FULL } test_level;
test_level get_test_level(void);
bool on_cpu_backend(void);

/* Of a test's cases, those that are run: all, or with PRIM_TEST_SHARE=K/N every Nth one from number
 * K on. Under the sanitizers, where a case takes three times as long, half of them. */
bool is_of_share(void);

enum { GUARD_PATTERN = 0xA5 };

/* Device memory between guard zones, filled with a pattern. Under AddressSanitizer it is exactly as
 * long as asked for instead: that sees more. */
typedef struct guarded {
    char *base;
    void *data;
    size_t bytes, lead, tail;
} guarded;

/* data is `offset` bytes after a 256-byte boundary. */
guarded guarded_new(size_t bytes, size_t offset);
guarded guarded_copy(const void *h_from, size_t bytes, size_t offset);
void guarded_read(const guarded *g, void *h_to);
/* Fills it with the pattern again. */
void guarded_poison(const guarded *g);
/* true: every byte of data still holds the pattern. */
bool guarded_untouched(const guarded *g);
/* Fails the test if a guard zone was written to; then frees. */
void guarded_free(guarded *g);

/* Pseudo-random bits for index i (splitmix64). */
uint64_t random_bits(uint64_t i);

typedef enum distribution {
    INTEGERS, /* small whole numbers, distinct up to 4096 of them: float sums are exact */
    UNIFORM,  /* integers over their whole range; floats in [-1, 1) */
    EXTREMES, /* the ends of the type, -1, 0, 1; floats over many magnitudes, and both zeros */
    DISTRIBUTION_COUNT
} distribution;

void fill(cudaDataType_t type, void *h_data, size_t count, distribution d, uint64_t seed);

size_t type_bytes(cudaDataType_t type);
const char *type_name(cudaDataType_t type);
bool type_is_float(cudaDataType_t type);
bool type_is_signed(cudaDataType_t type);

/* An element as a number: integers sign- or zero-extended to 64 bits, floats as they are. */
uint64_t read_integer(cudaDataType_t type, const void *h_data, size_t i);
double read_float(cudaDataType_t type, const void *h_data, size_t i);
void write_integer(cudaDataType_t type, void *h_data, size_t i, uint64_t value);
void write_float(cudaDataType_t type, void *h_data, size_t i, double value);
/* The low bits of value, sign- or zero-extended as the type has it. */
uint64_t wrap_integer(cudaDataType_t type, uint64_t value);
/* Half the distance from 1 to the next larger number. */
double unit_roundoff(cudaDataType_t type);
/* The nearest number of a float type, ties to even; infinity beyond its range. */
double round_to_type(cudaDataType_t type, long double value);

#endif
