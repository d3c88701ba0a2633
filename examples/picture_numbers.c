/* For check_image_filter.sh and check_box_filter.sh: PNG pictures from numbers, and back.
 *
 *     picture_numbers write FORMAT WIDTH HEIGHT OUT.png     the elements on the standard input
 *     picture_numbers read FORMAT IN.png                    a line for each row of pixels
 *
 * FORMAT is gray, ga, rgb or rgba; a is opacity. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "numbers.h"
#include "output.h"

static int fail(const png_image *image, const char *path)
{
    fprintf(stderr, "picture_numbers: %s: %s\n", path, image->message);
    return 1;
}

static int write_numbers(png_image *image, const char *path)
{
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(*image));
    for (size_t i = 0; i < PNG_IMAGE_SIZE(*image); i++) {
        unsigned value;
        if (scanf("%u", &value) != 1 || value > 255) {
            fprintf(stderr, "picture_numbers: element %zu is missing or not a byte\n", i);
            return 1;
        }
        pixels[i] = (unsigned char)value;
    }
    const int written = png_image_write_to_file(image, path, 0, pixels, 0, NULL);
    free(pixels);
    return written ? 0 : fail(image, path);
}

static int read_numbers(png_image *image, png_uint_32 format, const char *path)
{
    if (!png_image_begin_read_from_file(image, path))
        return fail(image, path);
    image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* as picture_read() has it */
    image->format = format;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(*image));
    if (!png_image_finish_read(image, NULL, pixels, 0, NULL))
        return fail(image, path);
    const size_t row = PNG_IMAGE_ROW_STRIDE(*image);
    for (size_t i = 0; i < row * image->height; i++)
        printf("%u%c", pixels[i], (i + 1) % row == 0 ? '\n' : ' ');
    free(pixels);
    finish_output("picture_numbers");
    return 0;
}

static png_uint_32 find_format(const char *name)
{
    static const struct {
        const char *name;
        png_uint_32 format;
    } formats[] = {{"gray", PNG_FORMAT_GRAY},
                   {"ga", PNG_FORMAT_GA},
                   {"rgb", PNG_FORMAT_RGB},
                   {"rgba", PNG_FORMAT_RGBA}};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        if (strcmp(formats[f].name, name) == 0)
            return formats[f].format;
    exit(2);
}

int main(int argc, char **argv)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    const png_uint_32 format = find_format(argc > 2 ? argv[2] : "");
    if (argc == 4 && strcmp(argv[1], "read") == 0)
        return read_numbers(&image, format, argv[3]);
    if (argc != 6 || strcmp(argv[1], "write") != 0)
        return 2;
    unsigned long long width, height;
    image.format = format;
    if (!read_count(argv[3], 1, UINT32_MAX, &width) || !read_count(argv[4], 1, UINT32_MAX, &height))
        return 2;
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    return write_numbers(&image, argv[5]);
}
