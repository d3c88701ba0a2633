/* Pictures with a byte for each channel of a pixel, from PNG files and back. */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum { PICTURE_SENTENCE = 512 };

typedef struct picture {
    size_t width, height;
    int channels;      /* 3: red, green, blue; 1: brightness */
    uint8_t *h_pixels; /* row by row, a pixel's channels side by side */
} picture;

/* *p = any PNG, converted to the channels asked for; 0: to as many as the file has. What is
 * transparent lies on white. false: the sentence says what is wrong, "FILE: …". */
bool picture_read(const char *path, int channels, picture *p, char sentence[PICTURE_SENTENCE]);
bool picture_write(const char *path, const picture *p, char sentence[PICTURE_SENTENCE]);

/* Of all pixels. */
size_t picture_bytes(const picture *p);

void picture_free(picture *p);

#if defined(__cplusplus)
}
#endif

#endif
