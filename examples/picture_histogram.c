/* Draws how often each value of each channel of a picture occurs.
 *
 *     picture_histogram IN.png OUT.svg
 *
 * All channels are counted in one pass, each in 256 bins of its own. The curves share a scale,
 * whose top is the most frequent value of all; they stand over the values from 0 to 255. */
#include <stdio.h>

#include <primitives/histogram.h>

#include "failure.h"
#include "new_file.h"
#include "output.h"
#include "picture.h"

static const char program[] = "picture_histogram";

enum { BINS = 256, MOST_CHANNELS = 4, WIDTH = 3 * BINS, HEIGHT = 300, MARGIN = 20 };

typedef struct curve {
    const char *name, *colour;
} curve;

static const curve *curves_of(int channels)
{
    static const curve grey[] = {{"brightness", "#444444"}, {"opacity", "#999999"}},
                       colours[] = {{"red", "#cc3333"},
                                    {"green", "#339944"},
                                    {"blue", "#3355cc"},
                                    {"opacity", "#999999"}};
    return channels <= 2 ? grey : colours;
}

/* ---- on the device ---- */

static void count_channels(const picture *p, unsigned counters[MOST_CHANNELS * BINS])
{
    prim_histogram_range ranges[MOST_CHANNELS];
    const size_t counter_bytes = (size_t)p->channels * BINS * sizeof *counters;
    void *d_pixels, *d_counters;
    for (int c = 0; c < MOST_CHANNELS; c++)
        ranges[c] = prim_integer_range(0, BINS);
    check_cuda(program, cudaMalloc(&d_pixels, picture_bytes(p)));
    check_cuda(program, cudaMalloc(&d_counters, counter_bytes));
    check_cuda(program,
               cudaMemcpy(d_pixels, p->h_pixels, picture_bytes(p), cudaMemcpyHostToDevice));
    const prim_image image = {.data = d_pixels,
                              .width = p->width,
                              .height = p->height,
                              .pitch = p->width * (size_t)p->channels,
                              .channels = p->channels,
                              .type = CUDA_R_8U};
    check_prim(program,
               prim_histogram_even_channels(
                   PRIM_HISTOGRAM_AUTO, ranges, image,
                   (prim_counters){.data = d_counters, .bins = BINS, .type = CUDA_R_32U}, NULL));
    check_cuda(program, cudaMemcpy(counters, d_counters, counter_bytes, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaFree(d_pixels));
    check_cuda(program, cudaFree(d_counters));
}

/* ---- the drawing ---- */

static unsigned most_of(const unsigned *counters, size_t count)
{
    unsigned most = 1;
    for (size_t i = 0; i < count; i++)
        most = counters[i] > most ? counters[i] : most;
    return most;
}

/* An area under steps, so that a single value shows. */
static void draw_curve(FILE *to, const curve *c, const unsigned *counters, unsigned most)
{
    fprintf(to, "<path fill=\"%s\" fill-opacity=\"0.35\" stroke=\"%s\" d=\"M%d,%d", c->colour,
            c->colour, MARGIN, MARGIN + HEIGHT);
    for (int b = 0; b < BINS; b++)
        fprintf(to, " V%.2f h%d", MARGIN + HEIGHT * (1 - (double)counters[b] / most), WIDTH / BINS);
    fprintf(to, " V%d Z\"><title>%s</title></path>\n", MARGIN + HEIGHT, c->name);
}

static void draw(FILE *to, const picture *p, const unsigned *counters)
{
    const unsigned most = most_of(counters, (size_t)p->channels * BINS);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN);
    for (int c = 0; c < p->channels; c++)
        draw_curve(to, &curves_of(p->channels)[c], counters + c * BINS, most);
    fprintf(to, "<path stroke=\"black\" d=\"M%d,%d h%d\"/>\n</svg>\n", MARGIN, MARGIN + HEIGHT,
            WIDTH);
}

static void write_drawing(const char *path, const picture *p, const unsigned *counters)
{
    FILE *const to = new_stream_begin(program, path);
    draw(to, p, counters);
    new_stream_finish(program, path, to);
}

/* A line a channel: its mean, and its most frequent value. */
static void print(const picture *p, const unsigned *counters)
{
    for (int c = 0; c < p->channels; c++) {
        const unsigned *const of = counters + c * BINS;
        unsigned long long sum = 0, pixels = 0;
        int frequent = 0;
        for (int b = 0; b < BINS; b++) {
            pixels += of[b];
            sum += (unsigned long long)b * of[b];
            frequent = of[b] > of[frequent] ? b : frequent;
        }
        printf("%-10s mean %7.3f, most frequent %3d: %u of %llu\n", curves_of(p->channels)[c].name,
               (double)sum / (double)pixels, frequent, of[frequent], pixels);
    }
}

int main(int argc, char **argv)
{
    static unsigned counters[MOST_CHANNELS * BINS];
    if (argc != 3) {
        fprintf(stderr, "usage: picture_histogram IN.png OUT.svg\n");
        return 2;
    }
    picture p = picture_read(program, argv[1], 0);
    count_channels(&p, counters);
    print(&p, counters);
    write_drawing(argv[2], &p, counters);
    picture_free(&p);
    finish_output(program);
    return 0;
}
