#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

#include <png.h>

#include "failure.h"
#include "new_file.h"

static _Noreturn void fail(const char *program, const char *path, const png_image *image)
{
    fprintf(stderr, "%s: %s: %s\n", program, path, image->message);
    exit(1);
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

picture picture_read(const char *program, const char *path, int colours)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        fail(program, path, &image);
    /* libpng would take 16 bits without a word on their gamma for linear ones. */
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    if (colours == 0)
        colours = image.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    const int channels = colours + (image.format & PNG_FORMAT_FLAG_ALPHA ? 1 : 0);
    image.format = format_of(channels);
    picture p = {image.width, image.height, channels, NULL};
    p.h_pixels = allocate(program, NULL, picture_bytes(&p), 1);
    if (!png_image_finish_read(&image, NULL, p.h_pixels, 0, NULL))
        fail(program, path, &image);
    return p;
}

void picture_write(const char *program, const char *path, const picture *p)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)p->width,
                       .height = (png_uint_32)p->height,
                       .format = format_of(p->channels)};
    FILE *const to = new_stream_begin(program, path);
    if (!png_image_write_to_stdio(&image, to, 0, p->h_pixels, 0, NULL))
        fail(program, path, &image);
    new_stream_finish(program, path, to);
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
