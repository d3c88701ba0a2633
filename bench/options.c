#define _GNU_SOURCE
#include <argp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/host/element.h"

const char *argp_program_version = "primbench 0.1.0";

static const char documentation[] =
    "Compares the variants of the patterns, on the GPU if one answers, otherwise on the CPU "
    "backend.\n\n"
    "Without arguments, on a GPU, every variant of every pattern runs at one size, and --full at "
    "sizes that show its course; on the CPU backend each runs once, to see that all agree. All "
    "lists are separated by commas. Times are medians of at least 20 repetitions; cold: the L2 "
    "cache was flushed before each, hot: one of 32 calls in a CUDA graph (calls under 2 ms); host "
    "us: what the host spends in a "
    "call, the median of up to 10^4 queued ones. GB/s "
    "counts inputs once and outputs once; the ceiling is what a plain kernel reached in the same "
    "run, the floor the time at that ceiling and an empty launch. bench/README.md says more.\v"
    "Examples:\n"
    "  primbench reduce                              all variants and default sizes\n"
    "  primbench reduce --type f32 --size 2^20,1000  two sizes of one type\n"
    "  primbench --variant auto --json auto.json     keeps the results\n"
    "  primbench reduce --peers                      beside the vendor's libraries\n"
    "  primbench reduce --family shapes              odd and misaligned operands, worst last\n"
    "  primbench scan --draw 100 --seed 7 --peers    cases that nobody chose\n"
    "  primbench --from auto.json --plot plots       draws what was kept\n"
    "  primbench --compare old.json new.json scan    what became slower or faster\n"
    "  primbench articles                            the tables of the articles that the kit grew "
    "from\n";

enum {
    KEY_INPUT = 256,
    KEY_JSON,
    KEY_CSV,
    KEY_COMMIT,
    KEY_FROM,
    KEY_COMPARE,
    KEY_PLOT,
    KEY_PEERS,
    KEY_FAMILY,
    KEY_LIST,
    KEY_LADDERS,
    KEY_FULL,
    KEY_TIMES,
    KEY_HOT,
    KEY_ALONE,
    KEY_DRAW,
    KEY_SEED,
    KEY_ONLY
};

static const struct argp_option option_table[] = {
    {"case", 'c', "NAMES", 0, "What a pattern is measured on, such as sum,rows: --list names it",
     0},
    {"variant", 'v', "NAMES", 0, "Variants to run, such as auto,sequential", 0},
    {"type", 't', "TYPES", 0, "Element types, such as f32 or u8", 0},
    {"size", 's', "SIZES", 0, "Numbers of elements, of products the side: 1000, 2^20, …", 0},
    {"input", KEY_INPUT, "INPUTS", 0, "uniform (random, the default) or equal (all ones)", 0},
    {"json", KEY_JSON, "FILE", 0, "Writes the results and what they were measured on", 0},
    {"csv", KEY_CSV, "FILE", 0, "Writes the results as a table", 0},
    {"peers", KEY_PEERS, NULL, 0, "Measures vendor libraries too, in turn with auto", 0},
    {"family", KEY_FAMILY, "NAME", 0,
     "sizes (the default), or shapes: odd, short, long and misaligned operands, as shares of the "
     "ceiling",
     0},
    {"draw", KEY_DRAW, "N", 0,
     "N drawn cases of each call in place of the listed ones, and what AUTO reaches of them", 0},
    {"seed", KEY_SEED, "S", 0, "Which cases are drawn: the same ones for the same N and S", 0},
    {"only", KEY_ONLY, "I", 0, "Of drawn cases those of number I", 0},
    {"from", KEY_FROM, "FILES", 0,
     "Takes results that --json wrote instead of measuring; of several files with a pattern, the "
     "newest",
     0},
    {"compare", KEY_COMPARE, "FILES FILES", 0,
     "Compares runs that --json wrote with later ones; of several on a side, their medians. Exit "
     "status 1: something is slower beyond noise",
     0},
    {"plot", KEY_PLOT, "DIR", 0, "Draws the results as SVG files (needs gnuplot)", 0},
    {"commit", KEY_COMMIT, "ID", 0, "The version measured, for the files", 0},
    {"ladders", KEY_LADDERS, NULL, 0, "One case a pattern, in short tables: the default on a GPU",
     0},
    {"full", KEY_FULL, NULL, 0, "All cases of all patterns", 0},
    {"hot", KEY_HOT, NULL, 0, "Measures drawn cases hot too; listed ones always are", 0},
    {"alone", KEY_ALONE, NULL, 0,
     "Measures also calls that meet an idle device and are waited for, by the host's clock", 0},
    {"times", KEY_TIMES, NULL, 0,
     "Measures also on the CPU backend, whose times say nothing about a GPU; --json and --csv do "
     "too",
     0},
    {"list", KEY_LIST, NULL, 0, "Lists what would run, and runs nothing", 0},
    {0}};

/* What is measured as a pattern is, but is none: the tables of the articles. */
static const char articles[] = "articles";

static const cudaDataType_t types[] = {CUDA_R_8I,  CUDA_R_8U,   CUDA_R_16I, CUDA_R_16U,
                                       CUDA_R_32I, CUDA_R_32U,  CUDA_R_64I, CUDA_R_64U,
                                       CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};

static void add_type(bench_options *o, const char *word, struct argp_state *state)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(word, prim_element_name(types[i])) == 0) {
            o->types[o->type_count++] = types[i];
            return;
        }
    argp_error(
        state,
        "--type: %s is not a type; there are: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64",
        word);
}

static void add_size(bench_options *o, const char *word, struct argp_state *state)
{
    char *end;
    unsigned long long value = strtoull(word, &end, 10);
    if (end != word && *end == '^') {
        char *power_end;
        const unsigned long power = strtoul(end + 1, &power_end, 10);
        const bool fits = value == 2 && power_end != end + 1 && power < 48;
        value = fits ? 1ull << power : 0;
        end = fits ? power_end : end;
    }
    if (end == word || *end != '\0' || *word == '-')
        argp_error(state, "--size: %s is neither a number nor 2^n", word);
    o->sizes[o->size_count++] = value;
}

static void add_input(bench_options *o, const char *word, struct argp_state *state)
{
    bench_input input;
    if (find_input(word, &input)) {
        o->inputs[o->input_count++] = input;
        return;
    }
    argp_error(state, "--input: %s is neither uniform nor equal", word);
}

/* ---- lists ---- */

static void add_name(bench_names *list, const char *word, struct argp_state *state)
{
    if (list->count == MAX_LIST)
        argp_error(state, "more than %d entries in a list", MAX_LIST);
    list->names[list->count++] = word;
}

static void read_names(bench_names *list, char *words, struct argp_state *state)
{
    list->count = 0;
    for (char *word = strtok(words, ","); word != NULL; word = strtok(NULL, ","))
        add_name(list, word, state);
    if (list->count == 0)
        argp_error(state, "an empty list");
}

static void for_each_word(bench_options *o, char *words, struct argp_state *state,
                          void (*add)(bench_options *, const char *, struct argp_state *))
{
    bench_names list;
    read_names(&list, words, state);
    for (size_t i = 0; i < list.count; i++)
        add(o, list.names[i], state);
}

/* The option's argument and the word after it. */
static void read_compared(bench_options *o, char *argument, struct argp_state *state)
{
    read_names(&o->compared[0], argument, state);
    if (state->next == state->argc)
        argp_error(state, "--compare takes two files, or two lists of files");
    read_names(&o->compared[1], state->argv[state->next++], state);
}

/* ---- patterns ---- */

static char *pattern_list(void)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (stream == NULL)
        exit(1);
    for (size_t i = 0; pattern_at(i) != NULL; i++) {
        const bench_pattern *p = pattern_at(i);
        fprintf(stream, "%s%s", i > 0 ? " " : "", p->name);
        if (strcmp(p->name, p->header) != 0)
            fprintf(stream, " (or %s)", p->header);
    }
    fclose(stream);
    return text;
}

/* By the name that results have. */
static void add_pattern(bench_options *o, const char *word, struct argp_state *state)
{
    const bench_pattern *pattern = find_pattern(word);
    if (pattern == NULL && strcmp(word, articles) != 0)
        argp_failure(state, 2, 0, "there is no pattern %s; there are: %s %s", word, pattern_list(),
                     articles);
    add_name(&o->patterns, pattern != NULL ? pattern->name : articles, state);
}

/* After the text that stands before the options. */
static char *add_patterns_to_help(int key, const char *text, void *input)
{
    char *whole;
    (void)input;
    if (key != ARGP_KEY_HELP_PRE_DOC)
        return (char *)text;
    char *list = pattern_list();
    if (asprintf(&whole, "%s\n\nPatterns: %s", text, list) < 0)
        exit(1);
    free(list);
    return whole;
}

static bool measures_nothing(const bench_options *o)
{
    return o->from.count + o->compared[0].count > 0;
}

static bool names_articles(const bench_options *o)
{
    for (size_t i = 0; i < o->patterns.count; i++)
        if (strcmp(o->patterns.names[i], articles) == 0)
            return true;
    return false;
}

static bool takes_more_than_patterns(const bench_options *o)
{
    return o->cases.count + o->variants.count + o->type_count + o->size_count + o->input_count >
               0 ||
           o->peers || o->list || o->shapes || o->draw > 0 || o->alone || o->plot != NULL;
}

static void set_family(bench_options *o, const char *name, struct argp_state *state)
{
    o->shapes = strcmp(name, "shapes") == 0;
    if (!o->shapes && strcmp(name, "sizes") != 0)
        argp_error(state, "--family: %s is neither sizes nor shapes", name);
}

static size_t number_from(const char *option, const char *word, size_t least,
                          struct argp_state *state)
{
    char *end;
    const unsigned long value = strtoul(word, &end, 10);
    if (end == word || *end != '\0' || *word == '-' || value < least || value > 1000000)
        argp_error(state, "%s: %s is not a number from %zu to 1000000", option, word, least);
    return value;
}

/* Options that would do nothing, or each something else. */
static void check_together(const bench_options *o, struct argp_state *state)
{
    if (o->from.count > 0 && o->compared[0].count > 0)
        argp_error(state, "--from and --compare cannot be used together");
    if (o->shapes && (measures_nothing(o) || o->size_count > 0))
        argp_error(state, "--family shapes has its own sizes and is always measured: not with "
                          "--size, --from or --compare");
    if (o->draw > 0 && (measures_nothing(o) || o->shapes || o->full || o->size_count > 0 ||
                        o->input_count > 0 || o->variants.count > 0))
        argp_error(state, "--draw chooses the sizes and inputs itself and measures AUTO: not with "
                          "options that choose them");
    if (o->draw == 0 && (o->seed != 0 || o->only != SIZE_MAX || o->hot))
        argp_error(state, "--seed, --only and --hot need --draw");
    if (o->ladders && (o->shapes || o->full || o->draw > 0))
        argp_error(state, "--ladders chooses one case of each pattern itself");
    if (measures_nothing(o) && o->list)
        argp_error(state, "--list shows what would be measured: not with results that are read");
    if (o->compared[0].count > 0 && (o->json != NULL || o->csv != NULL || o->plot != NULL))
        argp_error(state, "--compare only prints: not with --json, --csv or --plot");
    if (!measures_nothing(o) && names_articles(o) &&
        (o->patterns.count > 1 || takes_more_than_patterns(o)))
        argp_error(state, "articles are measured alone and take no other options");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    bench_options *o = state->input;
    switch (key) {
    case 'v':
        read_names(&o->variants, argument, state);
        return 0;
    case 'c':
        read_names(&o->cases, argument, state);
        return 0;
    case 't':
        o->type_count = 0;
        for_each_word(o, argument, state, add_type);
        return 0;
    case 's':
        o->size_count = 0;
        for_each_word(o, argument, state, add_size);
        return 0;
    case KEY_INPUT:
        o->input_count = 0;
        for_each_word(o, argument, state, add_input);
        return 0;
    case KEY_JSON:
        o->json = argument;
        return 0;
    case KEY_CSV:
        o->csv = argument;
        return 0;
    case KEY_COMMIT:
        o->commit = argument;
        return 0;
    case KEY_FROM:
        read_names(&o->from, argument, state);
        return 0;
    case KEY_COMPARE:
        read_compared(o, argument, state);
        return 0;
    case KEY_PLOT:
        o->plot = argument;
        return 0;
    case KEY_PEERS:
        o->peers = true;
        return 0;
    case KEY_FAMILY:
        set_family(o, argument, state);
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case KEY_LADDERS:
        o->ladders = true;
        return 0;
    case KEY_FULL:
        o->full = true;
        return 0;
    case KEY_HOT:
        o->hot = true;
        return 0;
    case KEY_ALONE:
        o->alone = true;
        return 0;
    case KEY_TIMES:
        o->times = true;
        return 0;
    case KEY_DRAW:
        o->draw = number_from("--draw", argument, 1, state);
        return 0;
    case KEY_SEED:
        o->seed = (unsigned)number_from("--seed", argument, 0, state);
        return 0;
    case KEY_ONLY:
        o->only = number_from("--only", argument, 0, state);
        return 0;
    case ARGP_KEY_ARG:
        add_pattern(o, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_together(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void read_options(int argc, char **argv, bench_options *options)
{
    static const struct argp parser = {.options = option_table,
                                       .parser = parse,
                                       .args_doc = "[PATTERN…]",
                                       .doc = documentation,
                                       .help_filter = add_patterns_to_help};
    options->only = SIZE_MAX;
    argp_parse(&parser, argc, argv, 0, NULL, options);
}
