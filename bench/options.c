#define _GNU_SOURCE
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/element.h"

const char *argp_program_version = "primbench 0.1.0";

static const char documentation[] =
    "Compares the variants of the patterns, on the GPU if one answers, otherwise on the CPU "
    "backend.\n\n"
    "Without arguments every variant of every pattern runs at sizes that show its course. All "
    "lists are separated by commas. Times are medians of at least 20 repetitions; cold: the L2 "
    "cache was flushed before each, hot: one of 32 calls in a CUDA graph (calls under 2 ms). GB/s "
    "counts inputs once and outputs once; the ceiling is what a plain kernel reached in the same "
    "run, the floor the time at that ceiling and an empty launch. bench/README.md says more.\v"
    "Examples:\n"
    "  primbench reduce                              all variants and default sizes\n"
    "  primbench reduce --type f32 --size 2^20,1000  two sizes of one type\n"
    "  primbench --variant auto --json auto.json     keeps the results\n"
    "  primbench reduce --peers                      beside the vendor's libraries\n"
    "  primbench --from auto.json --plot plots       draws what was kept\n"
    "  primbench articles                            the tables of the articles that the kit grew "
    "from\n";

enum { KEY_INPUT = 256, KEY_JSON, KEY_CSV, KEY_COMMIT, KEY_FROM, KEY_PLOT, KEY_PEERS, KEY_LIST };

static const struct argp_option option_table[] = {
    {"variant", 'v', "NAMES", 0, "Variants to run, such as auto,sequential", 0},
    {"type", 't', "TYPES", 0, "Element types, such as f32 or u8", 0},
    {"size", 's', "SIZES", 0, "Numbers of elements, of products the side: 1000, 2^20, …", 0},
    {"input", KEY_INPUT, "INPUTS", 0, "uniform (random, the default) or equal (all ones)", 0},
    {"json", KEY_JSON, "FILE", 0, "Writes the results and what they were measured on", 0},
    {"csv", KEY_CSV, "FILE", 0, "Writes the results as a table", 0},
    {"peers", KEY_PEERS, NULL, 0, "Measures vendor libraries too, in turn with auto", 0},
    {"from", KEY_FROM, "FILE", 0, "Takes results that --json wrote instead of measuring", 0},
    {"plot", KEY_PLOT, "DIR", 0, "Draws the results as SVG files (needs gnuplot)", 0},
    {"commit", KEY_COMMIT, "ID", 0, "The version measured, for the files", 0},
    {"list", KEY_LIST, NULL, 0, "Lists what would run, and runs nothing", 0},
    {0}};

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
    argp_error(state,
               "--type: %s is none of i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, "
               "f64",
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

static void add_variant(bench_options *o, const char *word, struct argp_state *state)
{
    (void)state;
    o->variants[o->variant_count++] = word;
}

static void for_each_word(bench_options *o, char *list, struct argp_state *state,
                          void (*add)(bench_options *, const char *, struct argp_state *))
{
    int count = 0;
    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ","))
        if (++count > MAX_LIST)
            argp_error(state, "more than %d entries in a list", MAX_LIST);
        else
            add(o, word, state);
    if (count == 0)
        argp_error(state, "an empty list");
}

static bool chooses_what_to_measure(const bench_options *o)
{
    return o->pattern_count + o->variant_count + o->type_count + o->size_count + o->input_count >
               0 ||
           o->peers || o->list;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    bench_options *o = state->input;
    switch (key) {
    case 'v':
        o->variant_count = 0;
        for_each_word(o, argument, state, add_variant);
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
        o->from = argument;
        return 0;
    case KEY_PLOT:
        o->plot = argument;
        return 0;
    case KEY_PEERS:
        o->peers = true;
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->pattern_count == MAX_LIST)
            argp_error(state, "more than %d patterns", MAX_LIST);
        o->patterns[o->pattern_count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (o->from != NULL && chooses_what_to_measure(o))
            argp_error(state, "--from takes all results of its file: nothing else can be chosen");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void read_options(int argc, char **argv, bench_options *options)
{
    static const struct argp parser = {
        .options = option_table, .parser = parse, .args_doc = "[PATTERN…]", .doc = documentation};
    argp_parse(&parser, argc, argv, 0, NULL, options);
}

bool wants_variant(const bench_options *options, const char *variant)
{
    for (size_t i = 0; i < options->variant_count; i++)
        if (strcmp(options->variants[i], variant) == 0)
            return true;
    return options->variant_count == 0;
}

bool wants_type(const bench_options *options, cudaDataType_t type)
{
    for (size_t i = 0; i < options->type_count; i++)
        if (options->types[i] == type)
            return true;
    return options->type_count == 0;
}

const char *input_name(bench_input input)
{
    return input == INPUT_EQUAL ? "equal" : "uniform";
}

bool find_input(const char *name, bench_input *input)
{
    *input = INPUT_UNIFORM;
    while (*input <= INPUT_EQUAL && strcmp(name, input_name(*input)) != 0)
        *input = (bench_input)(*input + 1);
    return *input <= INPUT_EQUAL;
}
