/* Settings from the environment, and the visiting orders that they choose. */
#define _GNU_SOURCE
#include "internal.h"
#include "simt.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool simt_copies_are_late;

static simt_settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned read_number(const char *name, unsigned least, unsigned most, unsigned otherwise)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0')
        return otherwise;
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value < least || value > most) {
        fprintf(stderr, "simt: %s=%s is not a number from %u to %u\n", name, text, least, most);
        exit(2);
    }
    return (unsigned)value;
}

static void read_order(void)
{
    const char *text = getenv("SIMT_ORDER");
    if (text == NULL || *text == '\0' || strcmp(text, "forward") == 0) {
        settings.order = SIMT_FORWARD;
    } else if (strcmp(text, "reverse") == 0) {
        settings.order = SIMT_REVERSE;
    } else if (strncmp(text, "shuffle:", 8) == 0) {
        settings.order = SIMT_SHUFFLE;
        settings.seed = strtoull(text + 8, NULL, 10);
    } else {
        fprintf(stderr, "simt: SIMT_ORDER=%s is none of forward, reverse, shuffle:SEED\n", text);
        exit(2);
    }
}

static void read_streams(void)
{
    const char *text = getenv("SIMT_STREAMS");
    if (text == NULL || *text == '\0' || strcmp(text, "immediate") == 0)
        return;
    settings.streams_deferred = true;
    if (strncmp(text, "deferred:", 9) == 0) {
        settings.streams_seed = strtoull(text + 9, NULL, 10);
    } else if (strcmp(text, "deferred") != 0) {
        fprintf(stderr, "simt: SIMT_STREAMS=%s is none of immediate, deferred, deferred:SEED\n",
                text);
        exit(2);
    }
}

static void read_async(void)
{
    const char *text = getenv("SIMT_ASYNC");
    if (text == NULL || *text == '\0' || strcmp(text, "issue") == 0) {
        settings.async = SIMT_AT_ISSUE;
    } else if (strcmp(text, "late") == 0) {
        settings.async = SIMT_LATE;
    } else if (strncmp(text, "drawn:", 6) == 0) {
        settings.async = SIMT_DRAWN;
        settings.async_seed = strtoull(text + 6, NULL, 10);
    } else {
        fprintf(stderr, "simt: SIMT_ASYNC=%s is none of issue, late, drawn:SEED\n", text);
        exit(2);
    }
}

static void read_barriers(void)
{
    const char *text = getenv("SIMT_BARRIERS");
    settings.strict_barriers = text != NULL && strcmp(text, "strict") == 0;
    if (text == NULL || *text == '\0' || strcmp(text, "counted") == 0 || settings.strict_barriers)
        return;
    fprintf(stderr, "simt: SIMT_BARRIERS=%s is neither counted nor strict\n", text);
    exit(2);
}

/* Both have few multiprocessors, so that grids made to fill the device are small, and small inputs
 * give each block several turns. */
static const simt_device devices[] = {
    {7, 5, 4, 1 << 20, SIMT_MAX_SHARED_BYTES, false},
    {9, 0, 8, 50 << 20, 227 * 1024, true},
};

static void read_device(void)
{
    const char *text = getenv("SIMT_DEVICE");
    settings.device = &devices[0];
    if (text == NULL || *text == '\0' || strcmp(text, "7.5") == 0)
        return;
    settings.device = &devices[1];
    if (strcmp(text, "9.0") == 0)
        return;
    fprintf(stderr, "simt: SIMT_DEVICE=%s is neither 7.5 nor 9.0\n", text);
    exit(2);
}

static void read_settings(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned otherwise = cores < 1 ? 1 : cores > 64 ? 64 : (unsigned)cores;
    read_order();
    read_streams();
    read_async();
    read_barriers();
    read_device();
    simt_read_sites();
    simt_copies_are_late = settings.async != SIMT_AT_ISSUE && settings.device->major >= 8;
    settings.devices = (int)read_number("SIMT_DEVICES", 1, SIMT_MAX_DEVICES, 1);
    settings.multiprocessors = read_number("SIMT_MULTIPROCESSORS", 1, 1000, 0);
    settings.workers = read_number("SIMT_WORKERS", 1, 64, otherwise);
    settings.resident = read_number("SIMT_RESIDENT", 1, 64, 0);
    settings.patience = read_number("SIMT_PATIENCE", 1, 86400, 120);
    settings.has_pools = read_number("SIMT_POOLS", 0, 1, 1) == 1;
    settings.fail = read_number("SIMT_FAIL", 1, UINT_MAX, 0);
}

const simt_settings *simt_get_settings(void)
{
    pthread_once(&once, read_settings);
    return &settings;
}

static uint64_t mix(uint64_t x) /* splitmix64 */
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

simt_sequence simt_make_sequence(uint64_t count, uint64_t round)
{
    simt_sequence s = {0, 1, count};
    if (count < 2)
        return s;
    if (settings.order == SIMT_REVERSE) {
        s.start = count - 1;
        s.step = count - 1; /* -1 mod count */
    } else if (settings.order == SIMT_SHUFFLE) {
        const uint64_t draw = mix(settings.seed ^ mix(round));
        s.start = draw % count;
        s.step = mix(draw) % count;
        while (s.step == 0 || greatest_common_divisor(s.step, count) != 1)
            s.step = s.step + 1 < count ? s.step + 1 : 1;
    }
    return s;
}

uint64_t simt_first_toss(uint64_t launch, uint64_t block, uint64_t thread)
{
    if (settings.order != SIMT_SHUFFLE)
        return 0;
    return mix(settings.seed ^ mix(launch ^ mix(block << 10 | thread))) | 1;
}

uint64_t simt_draw(uint64_t *state)
{
    return mix((*state)++);
}

bool simt_toss(uint64_t *coin)
{
    *coin = *coin * 0xd1342543de82ef95u + 2; /* stays odd, so never becomes 0 */
    return *coin >> 61 == 0;
}
