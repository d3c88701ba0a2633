/* The twenty most frequent words of one text, or of two together.
 *
 *     word_counts FILE [FILE2]      one of them may be - for standard input
 *
 * A word is as many of the letters A to Z and a to z as stand side by side, in lower case; all
 * other bytes only stand between words, also those of accented letters. Words that are equally
 * frequent stand in the order of the alphabet.
 *
 * Each word becomes a key of 64 bits. The device sorts the keys of a text, so that equal words are
 * neighbours, and the host counts them. Of two texts, the device merges the lists of keys with
 * their counts, and equal neighbours are added up.
 *
 * Keys are exact: a word of up to 13 letters is its own key, the letters being digits of base 27,
 * and can be read back from it. Longer words are few, and get the numbers above in the order in
 * which they first occur; a tree of these words, compared letter by letter, knows which have one
 * already. So no two words share a key. */
#define _GNU_SOURCE
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/merge.h>

#include "failure.h"
#include "output.h"
#include "whole_file.h"

static const char program[] = "word_counts";

enum { BASE = 27, KEY_LETTERS = 13, MOST = 20 };

#define FIRST_LONG_KEY UINT64_C(4052555153018976267) /* 27^13 */

typedef struct long_word {
    const char *letters; /* not ended by a zero while it is looked for */
    size_t length;
    uint64_t key;
} long_word;

/* All words of more than 13 letters that were seen. */
typedef struct dictionary {
    void *tree;
    long_word **words; /* the one of key FIRST_LONG_KEY + i at place i */
    size_t count, room;
} dictionary;

typedef struct keys {
    uint64_t *values;
    size_t count;
} keys;

/* Different keys, ascending, and how often each occurs. */
typedef struct counts {
    uint64_t *keys, *times;
    size_t count;
} counts;

/* ---- keys of words ---- */

static int compare_long_words(const void *a, const void *b)
{
    const long_word *const left = a, *const right = b;
    if (left->length != right->length)
        return left->length < right->length ? -1 : 1;
    return memcmp(left->letters, right->letters, left->length);
}

static uint64_t key_of_long_word(dictionary *d, const char *letters, size_t length)
{
    const long_word sought = {letters, length, 0};
    long_word **const found = tfind(&sought, &d->tree, compare_long_words);
    if (found != NULL)
        return (*found)->key;
    if (d->count == d->room)
        d->words = allocate(program, d->words, d->room = 2 * d->room + 64, sizeof *d->words);
    char *const copy = allocate(program, NULL, length, 1);
    long_word *const word = allocate(program, NULL, 1, sizeof *word);
    memcpy(copy, letters, length);
    copy[length] = '\0';
    *word = (long_word){copy, length, FIRST_LONG_KEY + d->count};
    d->words[d->count++] = word;
    if (tsearch(word, &d->tree, compare_long_words) == NULL) {
        fprintf(stderr, "%s: out of memory\n", program);
        exit(1);
    }
    return word->key;
}

/* a is 1 and z is 26; a shorter word ends in zeros, so that keys have the order of the alphabet. */
static uint64_t key_of(dictionary *d, const char *letters, size_t length)
{
    uint64_t key = 0;
    if (length > KEY_LETTERS)
        return key_of_long_word(d, letters, length);
    for (size_t i = 0; i < KEY_LETTERS; i++)
        key = key * BASE + (i < length ? (uint64_t)(letters[i] - 'a' + 1) : 0);
    return key;
}

/* The word of a key; a short one is written to `room`. */
static const char *word_of(const dictionary *d, uint64_t key, char room[KEY_LETTERS + 1])
{
    if (key >= FIRST_LONG_KEY)
        return d->words[key - FIRST_LONG_KEY]->letters;
    memset(room, '\0', KEY_LETTERS + 1);
    for (int i = KEY_LETTERS - 1; i >= 0; i--, key /= BASE)
        if (key % BASE > 0)
            room[i] = (char)('a' + key % BASE - 1);
    return room;
}

/* ---- the text ---- */

/* The letter in lower case; 0 for all other bytes. */
static char letter_of(char byte)
{
    if (byte >= 'A' && byte <= 'Z')
        return (char)(byte - 'A' + 'a');
    return (char)(byte >= 'a' && byte <= 'z' ? byte : 0);
}

/* The keys of the text's words, in its order. */
static keys read_keys(const char *path, dictionary *d)
{
    const text t = read_whole_file(program, path);
    keys k = {0};
    size_t room = 0;
    for (size_t i = 0; i < t.count; i++)
        t.bytes[i] = letter_of(t.bytes[i]);
    for (size_t begin = 0, end; begin < t.count; begin = end + 1) {
        for (end = begin; end < t.count && t.bytes[end] != 0;)
            end++;
        if (end == begin)
            continue;
        if (k.count == room)
            k.values = allocate(program, k.values, room = 2 * room + 1024, sizeof *k.values);
        k.values[k.count++] = key_of(d, t.bytes + begin, end - begin);
    }
    free(t.bytes);
    return k;
}

/* ---- counts ---- */

static counts allocate_counts(size_t most)
{
    return (counts){allocate(program, NULL, most, sizeof(uint64_t)),
                    allocate(program, NULL, most, sizeof(uint64_t)), 0};
}

static void free_counts(counts *c)
{
    free(c->keys);
    free(c->times);
}

/* Equal keys come one after the other. */
static void add_times(counts *c, uint64_t key, uint64_t times)
{
    if (c->count > 0 && c->keys[c->count - 1] == key) {
        c->times[c->count - 1] += times;
        return;
    }
    c->keys[c->count] = key;
    c->times[c->count++] = times;
}

static void sort_keys(keys *k)
{
    const size_t bytes = k->count * sizeof *k->values;
    void *d_keys;
    check_cuda(program, cudaMalloc(&d_keys, bytes));
    check_cuda(program, cudaMemcpy(d_keys, k->values, bytes, cudaMemcpyHostToDevice));
    check_prim(program, prim_merge_sort(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_64U, d_keys,
                                        k->count, d_keys, NULL));
    check_cuda(program, cudaMemcpy(k->values, d_keys, bytes, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaFree(d_keys));
}

static counts count_words(const char *path, dictionary *d)
{
    keys k = read_keys(path, d);
    sort_keys(&k);
    counts c = allocate_counts(k.count);
    for (size_t i = 0; i < k.count; i++)
        add_times(&c, k.values[i], 1);
    free(k.values);
    return c;
}

/* *d_keys and *d_times = room for `room` keys and their counts, and those of c in front. */
static void to_device(const counts *c, size_t room, void **d_keys, void **d_times)
{
    const size_t bytes = c->count * sizeof(uint64_t);
    check_cuda(program, cudaMalloc(d_keys, room * sizeof(uint64_t)));
    check_cuda(program, cudaMalloc(d_times, room * sizeof(uint64_t)));
    check_cuda(program, cudaMemcpy(*d_keys, c->keys, bytes, cudaMemcpyHostToDevice));
    check_cuda(program, cudaMemcpy(*d_times, c->times, bytes, cudaMemcpyHostToDevice));
}

/* A key that both have comes twice in what is merged. */
static counts add_counts(const counts *a, const counts *b)
{
    const counts none = {0};
    const size_t count = a->count + b->count, bytes = count * sizeof(uint64_t);
    void *d_a, *d_a_times, *d_b, *d_b_times, *d_out, *d_out_times;
    to_device(a, a->count, &d_a, &d_a_times);
    to_device(b, b->count, &d_b, &d_b_times);
    to_device(&none, count, &d_out, &d_out_times);
    check_prim(program,
               prim_merge_pairs(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_64U, sizeof(uint64_t),
                                (prim_keys){d_a, d_a_times, a->count},
                                (prim_keys){d_b, d_b_times, b->count}, d_out, d_out_times, NULL));
    counts c = allocate_counts(count);
    check_cuda(program, cudaMemcpy(c.keys, d_out, bytes, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaMemcpy(c.times, d_out_times, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        add_times(&c, c.keys[i], c.times[i]);
    void *const all[] = {d_a, d_a_times, d_b, d_b_times, d_out, d_out_times};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_cuda(program, cudaFree(all[i]));
    return c;
}

/* ---- the most frequent ---- */

static bool stands_before(const counts *c, const dictionary *d, size_t i, size_t j)
{
    char left[KEY_LETTERS + 1], right[KEY_LETTERS + 1];
    if (c->times[i] != c->times[j])
        return c->times[i] > c->times[j];
    return strcmp(word_of(d, c->keys[i], left), word_of(d, c->keys[j], right)) < 0;
}

/* places = where the most frequent words stand in c, the first one first. Returns how many. */
static size_t find_most(const counts *c, const dictionary *d, size_t places[MOST + 1])
{
    size_t found = 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t p = found;
        for (; p > 0 && stands_before(c, d, i, places[p - 1]); p--)
            places[p] = places[p - 1];
        places[p] = i;
        found += found < MOST;
    }
    return found;
}

static void print(const counts *c, const dictionary *d)
{
    size_t places[MOST + 1]; /* the last one is what has just fallen out */
    const size_t found = find_most(c, d, places);
    unsigned long long words = 0;
    for (size_t i = 0; i < c->count; i++)
        words += c->times[i];
    printf("%llu words, %zu different ones\n", words, c->count);
    for (size_t p = 0; p < found; p++) {
        char room[KEY_LETTERS + 1];
        printf("%7llu %s\n", (unsigned long long)c->times[places[p]],
               word_of(d, c->keys[places[p]], room));
    }
    finish_output(program);
}

static void free_long_word(void *node)
{
    long_word *const word = node;
    free((char *)word->letters);
    free(word);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: word_counts FILE [FILE2]\n");
        return 2;
    }
    if (argc == 3 && strcmp(argv[1], "-") == 0 && strcmp(argv[2], "-") == 0) {
        fprintf(stderr, "%s: only one FILE can be -\n", program);
        return 2;
    }
    dictionary d = {0};
    counts c = count_words(argv[1], &d);
    if (argc == 3) {
        counts second = count_words(argv[2], &d), sum = add_counts(&c, &second);
        free_counts(&c);
        free_counts(&second);
        c = sum;
    }
    print(&c, &d);
    free_counts(&c);
    tdestroy(d.tree, free_long_word);
    free(d.words);
    return 0;
}
