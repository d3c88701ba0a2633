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
    int channels;      /* 3: red, green, blue; 1: brightness; 4 and 2: and opacity behind it */
    uint8_t *h_pixels; /* row by row, a pixel's channels side by side */
} picture;

/* *p = any PNG in 3 or 1 colours, or with 0 in as many as the file has; with opacity if the file
 * has it. false: the sentence says what is wrong, "FILE: …". */
bool picture_read(const char *path, int colours, picture *p, char sentence[PICTURE_SENTENCE]);
bool picture_write(const char *path, const picture *p, char sentence[PICTURE_SENTENCE]);

/* Of all pixels. */
size_t picture_bytes(const picture *p);

/* Colours times opacity, so that a mean of pixels is one of what is seen of them; and back. */
void picture_weigh(picture *p);
void picture_unweigh(picture *p);

void picture_free(picture *p);

#if defined(__cplusplus)
}
#endif

#endif
