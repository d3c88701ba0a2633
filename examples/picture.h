/* Pictures with a byte for each channel of a pixel, from PNG files and back. */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct picture {
    size_t width, height;
    int channels;      /* 3: red, green, blue; 1: brightness; 4 and 2: and opacity after it */
    uint8_t *h_pixels; /* row by row, a pixel's channels side by side */
} picture;

/* Any PNG in 3 or 1 colours, or with 0 in as many as the file has; with opacity if the file has it.
 * Channels of 16 bits are those of 8 bits more exactly, unless the file says that they are linear.
 * Both calls end the program with a sentence that begins with `program` where anything fails. */
picture picture_read(const char *program, const char *path, int colours);

/* As new_file.h has it: `path` stays what it was until the picture is complete. */
void picture_write(const char *program, const char *path, const picture *p);

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
