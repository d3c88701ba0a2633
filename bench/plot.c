/* Draws results with gnuplot. Each pattern, case and type gets up to three files: time against size
 * and share of the ceiling against size, where there are two sizes or more, and the ladder as bars
 * at the largest size. Of odd matrices there is one, a map of auto's shares. Cold times of one
 * input, the first that there is. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* ---- what one set of plots shows ---- */

typedef struct plot_set {
    const bench_result **rows;
    const bench_case **series; /* one for each variant and peer */
    const bench_case **sizes;  /* one for each shape, ascending */
    size_t row_count, series_count, size_count;
    bool are_products;  /* of square matrices: the size is their side, the speed in GFLOP/s */
    bool are_matrices;  /* some of the shapes */
    bool have_ceilings; /* some of the results */
} plot_set;

static bool is_product(const bench_case *c)
{
    return strchr(c->shape, '^') != NULL;
}

static bool same_plots(const bench_case *a, const bench_case *b)
{
    return strcmp(a->pattern, b->pattern) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->type, b->type) == 0;
}

static bool same_label(const bench_case *a, const bench_case *b)
{
    return strcmp(case_label(a), case_label(b)) == 0;
}

static bool same_shape(const bench_case *a, const bench_case *b)
{
    return strcmp(a->shape, b->shape) == 0;
}

/* Appends the case if none of the list is the same. */
static void collect(const bench_case **list, size_t *count, const bench_case *c,
                    bool (*same)(const bench_case *, const bench_case *))
{
    for (size_t i = 0; i < *count; i++)
        if (same(list[i], c))
            return;
    list[(*count)++] = c;
}

static int by_size(const void *a, const void *b)
{
    const double x = shape_size(*(const bench_case *const *)a),
                 y = shape_size(*(const bench_case *const *)b);
    return (x > y) - (x < y);
}

static void *list_of(size_t count)
{
    void *list = calloc(count, sizeof(void *));
    if (list == NULL)
        exit(1);
    return list;
}

static plot_set make_set(const bench_context *context, const bench_result *results, size_t count,
                         const bench_case *wanted)
{
    plot_set set = {.rows = list_of(count),
                    .series = list_of(count),
                    .sizes = list_of(count),
                    .are_products = is_product(wanted)};
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (!same_plots(r->c, wanted) || r->c->input != wanted->input || r->mode != MODE_COLD ||
            r->time.median_us <= 0)
            continue;
        set.rows[set.row_count++] = r;
        collect(set.series, &set.series_count, r->c, same_label);
        collect(set.sizes, &set.size_count, r->c, same_shape);
        set.are_matrices |= strchr(r->c->shape, 'x') != NULL;
        /* A product's share of a bandwidth, as older files have it, says nothing. */
        set.have_ceilings |=
            r->of_ceiling > 0 && (!set.are_products || context->ceilings.ffma_gflops > 0);
    }
    qsort(set.sizes, set.size_count, sizeof *set.sizes, by_size);
    return set;
}

static void free_set(plot_set *set)
{
    free(set->rows);
    free(set->series);
    free(set->sizes);
}

/* NULL: it was not measured there. */
static const bench_result *find(const plot_set *set, const bench_case *series,
                                const bench_case *size)
{
    for (size_t i = 0; i < set->row_count; i++)
        if (same_label(set->rows[i]->c, series) && same_shape(set->rows[i]->c, size))
            return set->rows[i];
    return NULL;
}

static double speed(const plot_set *set, const bench_result *r)
{
    return set->are_products ? gflops(r) : gbps(r);
}

static const char *speed_unit(const plot_set *set)
{
    return set->are_products ? "GFLOP/s" : "GB/s";
}

/* ---- gnuplot's language ---- */

/* auto comes first, in black; these suit the colour-blind. Peers are grey. */
static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9,
                                   0x882255, 0x999933, 0x332288, 0x44aa99, 0x661100},
                      greys[] = {0x666666, 0x999999};
enum { COLOURS = sizeof colours / sizeof *colours, GREYS = sizeof greys / sizeof *greys };

static bool is_auto(const bench_case *c)
{
    return c->peer == NULL && strcmp(c->variant, "auto") == 0;
}

/* How many of its kind, rungs or peers, come before it. */
static size_t number_of(const plot_set *set, size_t series)
{
    size_t number = 0;
    for (size_t i = 0; i < series; i++)
        number += !is_auto(set->series[i]) &&
                  (set->series[i]->peer == NULL) == (set->series[series]->peer == NULL);
    return number;
}

static unsigned colour_of(const plot_set *set, size_t series)
{
    const bench_case *c = set->series[series];
    if (is_auto(c))
        return 0x000000;
    return c->peer != NULL ? greys[number_of(set, series) % GREYS]
                           : colours[number_of(set, series) % COLOURS];
}

static void print_quoted(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text != '\0'; text++)
        fprintf(script, *text == '\'' ? "''" : "%c", *text);
    fputc('\'', script);
}

/* "reduce-sum-u8-to-u64-time.svg" for the type u8->u64; nothing that a folder's name would need. */
static void print_output(FILE *script, const char *folder, const bench_case *c, const char *kind)
{
    char name[512];
    snprintf(name, sizeof name, "%s-%s-%s-%s.svg", c->pattern, c->name, c->type, kind);
    fprintf(script, "set output ");
    print_quoted(script, folder);
    fprintf(script, ".'/");
    for (const char *at = name; *at != '\0'; at++)
        if (*at == '>')
            fprintf(script, "to-");
        else
            fputc(isalnum((unsigned char)*at) || strchr("._-", *at) != NULL ? *at : '-', script);
    fprintf(script, "'\n");
}

static void print_title(FILE *script, const bench_context *context, const bench_case *c,
                        const char *size)
{
    char title[512];
    snprintf(title, sizeof title, "%s %s, %s%s, %s input, cold cache, %s", c->pattern, c->name,
             c->type, size, input_name(c->input), context->device);
    fprintf(script, "set title ");
    print_quoted(script, title);
    fprintf(script, " noenhanced\n");
}

static void print_head(FILE *script, unsigned height)
{
    fprintf(script,
            "reset\n"
            "set terminal svg size 960,%u enhanced font 'sans-serif,14' background '#ffffff'\n"
            "set encoding utf8\n"
            "set border 3 lc rgb '#404040'\n"
            "set tics nomirror\n"
            "set grid lc rgb '#e0e0e0' lt 1\n",
            height);
}

/* ---- lines against size ---- */

static const char *size_label(const plot_set *set)
{
    if (set->are_products)
        return "side of the square matrices";
    if (set->are_matrices)
        return "rows x columns, by the number of elements";
    return strcmp(set->sizes[0]->pattern, "spmv") == 0 ? "rows" : "elements";
}

/* "64x1024", as a matrix's shape says more than its number of elements; "1000"; and what the format
 * makes of the exponent for a power of two. */
static const char *size_text(const bench_case *c, const char *power_format, char *text,
                             size_t bytes)
{
    const double size = shape_size(c), exponent = round(log2(size));
    if (strchr(c->shape, 'x') != NULL)
        return c->shape;
    if (exp2(exponent) == size)
        snprintf(text, bytes, power_format, (int)exponent);
    else
        snprintf(text, bytes, "%.0f", size);
    return text;
}

/* Of the horizontal axis: where a size lies, and how much a text takes, with some room. */
static double share_of_axis(const plot_set *set, size_t size)
{
    const double first = shape_size(set->sizes[0]),
                 last = shape_size(set->sizes[set->size_count - 1]);
    return log2(shape_size(set->sizes[size]) / first) / log2(2.25 * last / first);
}

static double text_share(const char *text)
{
    const double character = 9.0 / 660; /* in pixels; the axis has some 660 */
    const bool is_power = strncmp(text, "2^{", 3) == 0;
    return character * (is_power ? 3 : (double)strlen(text) + 1);
}

/* A tic at each size, unless there are too many to read; without text where it would lie over the
 * one before. */
static void print_size_tics(FILE *script, const plot_set *set)
{
    enum { MOST_TICS = 14 };
    if (set->size_count > MOST_TICS) {
        fprintf(script, "set format x '2^{%%L}'\n");
        return;
    }
    double end = -1e9; /* of the text before */
    for (size_t i = 0; i < set->size_count; i++) {
        char text[64];
        const char *const shown = size_text(set->sizes[i], "2^{%d}", text, sizeof text);
        const double half = 0.5 * text_share(shown), at = share_of_axis(set, i);
        const bool fits = at - half > end;
        end = fits ? at + half : end;
        fprintf(script, i > 0 ? ", " : "set xtics (");
        print_quoted(script, fits ? shown : "");
        fprintf(script, " %.17g", shape_size(set->sizes[i]));
    }
    fprintf(script, ")\n");
}

static void print_size_axis(FILE *script, const plot_set *set)
{
    const double first = shape_size(set->sizes[0]),
                 last = shape_size(set->sizes[set->size_count - 1]);
    fprintf(script, "set logscale x 2\nset xrange [%.17g:%.17g]\nset xlabel '%s'\n", first / 1.5,
            last * 1.5, size_label(set));
    print_size_tics(script, set);
}

static double microseconds(const bench_result *r)
{
    return r->time.median_us;
}

static double percent(const bench_result *r)
{
    return 100 * r->of_ceiling;
}

static void print_points(FILE *script, const plot_set *set, double (*y)(const bench_result *))
{
    for (size_t s = 0; s < set->series_count; s++) {
        fprintf(script, "$series%zu << end\n", s);
        for (size_t i = 0; i < set->size_count; i++) {
            const bench_result *r = find(set, set->series[s], set->sizes[i]);
            if (r != NULL)
                fprintf(script, "%.17g %.9g\n", shape_size(r->c), y(r));
        }
        fprintf(script, "end\n");
    }
}

/* Points alone for matrices: what lies between two shapes is no size. Around them auto is a ring.
 */
static void print_lines(FILE *script, const plot_set *set, double (*y)(const bench_result *))
{
    const char *style = set->are_matrices ? "points" : "linespoints";
    fprintf(script, "set key outside right top Left reverse noenhanced samplen 3\n");
    print_points(script, set, y);
    for (size_t s = 0; s < set->series_count; s++) {
        const bench_case *c = set->series[s];
        const bool is_peer = c->peer != NULL, is_ring = is_auto(c) && set->are_matrices;
        fprintf(script, "%s$series%zu with %s lw %d dt %d pt %d ps %s lc rgb '#%06x' title ",
                s > 0 ? ", " : "plot ", s, style, is_auto(c) && !is_ring ? 4 : 2, is_peer ? 2 : 1,
                is_ring   ? 6
                : is_peer ? 4
                          : 7,
                is_ring ? "1.8" : "0.7", colour_of(set, s));
        print_quoted(script, case_label(c));
    }
    fprintf(script, "\n");
}

/* Whole decades, so that there are always two numbers to read. */
static void print_time_axis(FILE *script, const plot_set *set)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < set->row_count; i++) {
        least = fmin(least, microseconds(set->rows[i]));
        most = fmax(most, microseconds(set->rows[i]));
    }
    const double low = floor(log10(least)), high = fmax(ceil(log10(most)), low + 1);
    fprintf(script, "set logscale y 10\nset yrange [1e%.0f:1e%.0f]\nset format y '%%g'\n", low,
            high);
    fprintf(script, "set ylabel 'time in µs'\n");
}

static void print_percent_axis(FILE *script, const plot_set *set)
{
    double most = 100;
    for (size_t i = 0; i < set->row_count; i++)
        most = fmax(most, 1.05 * percent(set->rows[i]));
    fprintf(script, "set yrange [0:%.3g]\nset format y '%%g %%%%'\n", most);
    fprintf(script, "set ylabel 'share of the %s'\n",
            set->are_products ? "multiply-adds measured" : "bandwidth measured");
}

static void draw_lines(FILE *script, const char *folder, const bench_context *context,
                       const plot_set *set)
{
    const bench_case *c = set->sizes[0];
    print_head(script, 540);
    print_output(script, folder, c, "time");
    print_title(script, context, c, "");
    print_size_axis(script, set);
    print_time_axis(script, set);
    print_lines(script, set, microseconds);
    if (!set->have_ceilings)
        return;
    print_head(script, 540);
    print_output(script, folder, c, "ceiling");
    print_title(script, context, c, "");
    print_size_axis(script, set);
    print_percent_axis(script, set);
    print_lines(script, set, percent);
}

/* ---- the ladder ---- */

/* The speed at the ceiling of what was measured at this size; 0 where there is none. */
static double ceiling_speed(const plot_set *set, const bench_case *size)
{
    for (size_t i = 0; set->have_ceilings && i < set->row_count; i++)
        if (same_shape(set->rows[i]->c, size) && set->rows[i]->of_ceiling > 0)
            return speed(set, set->rows[i]) / set->rows[i]->of_ceiling;
    return 0;
}

/* What was measured at this size, from top to bottom. */
typedef struct bars {
    size_t *series; /* numbers in the set */
    size_t count;
    double fastest;
} bars;

static bars find_bars(const plot_set *set, const bench_case *size)
{
    bars b = {.series = list_of(set->series_count)};
    for (size_t s = 0; s < set->series_count; s++) {
        const bench_result *r = find(set, set->series[s], size);
        if (r == NULL)
            continue;
        b.series[b.count++] = s;
        b.fastest = fmax(b.fastest, speed(set, r));
    }
    return b;
}

static void print_bars(FILE *script, const plot_set *set, const bench_case *size, const bars *b)
{
    fprintf(script, "$bars << end\n");
    for (size_t i = 0; i < b->count; i++) {
        const bench_result *r = find(set, set->series[b->series[i]], size);
        fprintf(script, "%.9g %zu %u \"%.1f µs\"\n", speed(set, r), i, colour_of(set, b->series[i]),
                microseconds(r));
    }
    fprintf(script, "end\nset yrange [%zu.5:-0.5]\nset ytics scale 0 noenhanced (", b->count - 1);
    for (size_t i = 0; i < b->count; i++) {
        fprintf(script, i > 0 ? ", " : "");
        print_quoted(script, case_label(set->series[b->series[i]]));
        fprintf(script, " %zu", i);
    }
    fprintf(script, ")\n");
}

static void print_ceiling(FILE *script, double ceiling)
{
    fprintf(script,
            "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dt 3 lw 2 lc rgb '#404040'\n"
            "set label 'ceiling' at %.9g, graph 1 offset 0, 0.6 center tc rgb '#404040'\n",
            ceiling, ceiling, ceiling);
}

static void draw_ladder(FILE *script, const char *folder, const bench_context *context,
                        const plot_set *set)
{
    const bench_case *size = set->sizes[set->size_count - 1];
    const double ceiling = ceiling_speed(set, size);
    char text[64], of_size[128];
    snprintf(of_size, sizeof of_size, ", %s%s%s", set->are_products ? "side " : "",
             size_text(size, "2^%d", text, sizeof text),
             set->are_products || set->are_matrices ? ""
             : strcmp(size->pattern, "spmv") == 0   ? " rows"
                                                    : " elements");
    bars b = find_bars(set, size);
    print_head(script, 150 + 36 * (unsigned)b.count);
    print_output(script, folder, size, "ladder");
    print_title(script, context, size, of_size);
    fprintf(script, "set title offset 0, 0.8\nset xlabel '%s'\nunset key\nset grid noytics\n",
            speed_unit(set));
    fprintf(script, "set style fill solid border\nset lmargin 24\n");
    print_bars(script, set, size, &b);
    const double right = 1.18 * fmax(b.fastest, ceiling); /* times stand beyond all bars */
    fprintf(script, "set xrange [0:%.9g]\n", right);
    if (ceiling > 0)
        print_ceiling(script, ceiling);
    fprintf(script,
            "plot $bars using ($1/2):2:($1/2):(0.36):3 with boxxyerror lc rgb variable, "
            "$bars using (%.9g):2:4 with labels right\n",
            right);
    free(b.series);
}

/* ---- a map of shapes ---- */

/* Columns to the right, rows upwards. Of shapes that fall together the worst lies on top. */
static void draw_map(FILE *script, const char *folder, const bench_context *context,
                     const plot_set *set)
{
    print_head(script, 540);
    print_output(script, folder, set->sizes[0], "map");
    print_title(script, context, set->sizes[0], ", share of the ceiling");
    fprintf(script, "$points << end\n");
    for (int worst = 100; worst >= 0; worst--)
        for (size_t i = 0; i < set->row_count; i++) {
            const bench_case *c = set->rows[i]->c;
            if (is_auto(c) && (int)fmin(100, percent(set->rows[i])) == worst)
                fprintf(script, "%.17g %.17g %d\n", shape_columns(c), shape_rows(c), worst);
        }
    fprintf(script, "end\n"
                    "set logscale xy 2\nset format xy '2^{%%L}'\nunset key\n"
                    "set xlabel 'columns'\nset ylabel 'rows'\nset offsets graph 0.08, graph 0.08, "
                    "graph 0.08, graph 0.08\n"
                    "set cbrange [0:100]\nset format cb '%%g %%%%'\n"
                    "set palette defined (0 '#882255', 50 '#e69f00', 75 '#56b4e9', 100 '#004477')\n"
                    "plot $points using 1:2:3 with points pt 7 ps 2.4 palette, "
                    "$points using 1:2:3 with labels offset 0, 1 font ',9'\n");
}

/* ---- all ---- */

static bool is_first_of_its_plots(const bench_result *results, size_t i)
{
    for (size_t earlier = 0; earlier < i; earlier++)
        if (same_plots(results[earlier].c, results[i].c))
            return false;
    return true;
}

static void draw_all(FILE *script, const char *folder, const bench_context *context,
                     const bench_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_first_of_its_plots(results, i))
            continue;
        plot_set set = make_set(context, results, count, results[i].c);
        const bool is_map = is_of_shapes(results[i].c) && set.are_matrices;
        if (is_map)
            draw_map(script, folder, context, &set);
        if (set.size_count > 1 && !is_of_shapes(results[i].c))
            draw_lines(script, folder, context, &set);
        if (set.size_count > 0 && !is_of_shapes(results[i].c))
            draw_ladder(script, folder, context, &set);
        free_set(&set);
    }
}

static void make_folder(const char *folder)
{
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && access(folder, W_OK | X_OK) == 0))
        return;
    perror(folder);
    exit(1);
}

static void check_gnuplot(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "primbench: %s\n",
            WIFEXITED(status) && WEXITSTATUS(status) == 127
                ? "there is no gnuplot; Debian's package is gnuplot-nox"
                : "gnuplot could not draw the plots");
    exit(1);
}

void check_plots(const char *folder)
{
    make_folder(folder);
    check_gnuplot(system("gnuplot --version >/dev/null 2>&1"));
}

void plot_all(const char *folder, const bench_context *context, const bench_result *results,
              size_t count)
{
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that died reads nothing */
    FILE *script = popen("gnuplot", "w");
    if (script == NULL) {
        perror("gnuplot");
        exit(1);
    }
    draw_all(script, folder, context, results, count);
    check_gnuplot(pclose(script));
}
