#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

#include <png.h>

/* Always false, for the caller to hand on. */
static bool wrong(const char *path, const char *what, char *sentence)
{
    snprintf(sentence, PICTURE_SENTENCE, "%.300s: %s", path, what);
    return false;
}

static png_uint_32 format_of(int channels)
{
    static const png_uint_32 formats[] = {0, PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                          PNG_FORMAT_RGBA};
    return formats[channels];
}

size_t picture_bytes(const picture *p)
{
    return p->width * p->height * (size_t)p->channels;
}

bool picture_read(const char *path, int colours, picture *p, char sentence[PICTURE_SENTENCE])
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        return wrong(path, image.message, sentence);
    if (colours == 0)
        colours = image.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    const int channels = colours + (image.format & PNG_FORMAT_FLAG_ALPHA ? 1 : 0);
    image.format = format_of(channels);
    *p = (picture){image.width, image.height, channels, NULL};
    p->h_pixels = malloc(picture_bytes(p));
    if (p->h_pixels == NULL) {
        png_image_free(&image);
        return wrong(path, "out of memory", sentence);
    }
    if (!png_image_finish_read(&image, NULL, p->h_pixels, 0, NULL)) {
        picture_free(p);
        return wrong(path, image.message, sentence);
    }
    return true;
}

bool picture_write(const char *path, const picture *p, char sentence[PICTURE_SENTENCE])
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)p->width,
                       .height = (png_uint_32)p->height,
                       .format = format_of(p->channels)};
    return png_image_write_to_file(&image, path, 0, p->h_pixels, 0, NULL) ||
           wrong(path, image.message, sentence);
}

static uint8_t weighed(unsigned colour, unsigned opacity)
{
    return (uint8_t)((colour * opacity + 127) / 255);
}

/* Nothing is seen of an opacity of 0: any colour does. Rounding may have left more colour than
 * opacity. */
static uint8_t unweighed(unsigned colour, unsigned opacity)
{
    const unsigned whole = opacity == 0 ? 0 : (colour * 255 + opacity / 2) / opacity;
    return (uint8_t)(whole < 255 ? whole : 255);
}

static void change_colours(picture *p, uint8_t (*change)(unsigned colour, unsigned opacity))
{
    const size_t channels = (size_t)p->channels, bytes = picture_bytes(p);
    if (channels % 2 != 0)
        return;
    for (size_t pixel = 0; pixel < bytes; pixel += channels)
        for (size_t c = pixel; c < pixel + channels - 1; c++)
            p->h_pixels[c] = change(p->h_pixels[c], p->h_pixels[pixel + channels - 1]);
}

void picture_weigh(picture *p)
{
    change_colours(p, weighed);
}

void picture_unweigh(picture *p)
{
    change_colours(p, unweighed);
}

void picture_free(picture *p)
{
    free(p->h_pixels);
    *p = (picture){0};
}
