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
    return channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
}

size_t picture_bytes(const picture *p)
{
    return p->width * p->height * (size_t)p->channels;
}

bool picture_read(const char *path, int channels, picture *p, char sentence[PICTURE_SENTENCE])
{
    const png_color white = {255, 255, 255};
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        return wrong(path, image.message, sentence);
    if (channels == 0)
        channels = image.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    image.format = format_of(channels);
    *p = (picture){image.width, image.height, channels, NULL};
    p->h_pixels = malloc(picture_bytes(p));
    if (p->h_pixels == NULL) {
        png_image_free(&image);
        return wrong(path, "out of memory", sentence);
    }
    if (!png_image_finish_read(&image, &white, p->h_pixels, 0, NULL)) {
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

void picture_free(picture *p)
{
    free(p->h_pixels);
    *p = (picture){0};
}
