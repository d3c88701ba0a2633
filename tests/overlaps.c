/* Operands that overlap. */
#include "overlaps.h"

/* Between two operands there is room for any of them. */
typedef struct stand {
    const overlap_case *c;
    guarded memory;
    char *at[MOST_OPERANDS];
} stand;

enum { LARGEST_UNIT = 256 };

static size_t rounded_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static stand new_stand(const overlap_case *c)
{
    stand s = {.c = c};
    size_t most = 0;
    for (size_t i = 0; i < c->count; i++)
        most = c->operands[i].bytes > most ? c->operands[i].bytes : most;
    const size_t room = rounded_up(most, LARGEST_UNIT);
    s.memory = guarded_new((2 * c->count + 1) * room, 0);
    for (size_t i = 0; i < c->count; i++)
        s.at[i] = (char *)s.memory.data + (2 * i + 1) * room;
    return s;
}

static prim_status call_at(const stand *s, size_t moved, char *to)
{
    char *at[MOST_OPERANDS];
    for (size_t i = 0; i < s->c->count; i++) {
        at[i] = i == moved ? to : s->at[i];
        if (s->c->operands[i].bytes == 0)
            at[i] = NULL;
    }
    return s->c->make(s->c->args, at);
}

static void fill_operand(const operand *o, char *d_to)
{
    if (o->h_content != NULL)
        cr_cuda(cudaMemcpy(d_to, o->h_content, o->bytes, cudaMemcpyHostToDevice));
    else
        cr_cuda(cudaMemset(d_to, 0, o->bytes));
    cr_cuda(cudaStreamSynchronize(0));
}

static void expect_valid(const stand *s, size_t moved, char *to, const char *where)
{
    const operand *const o = s->c->operands;
    for (size_t i = 0; i < s->c->count; i++)
        if (o[i].bytes > 0)
            fill_operand(&o[i], i == moved ? to : s->at[i]);
    const prim_status status = call_at(s, moved, to);
    cr_assert_eq(status, PRIM_OK, "%s: %s %s: %s", s->c->call, o[moved].name, where,
                 prim_last_error(NULL));
    cr_cuda(cudaDeviceSynchronize());
}

static void expect_refused(const stand *s, size_t moved, char *to, size_t still)
{
    const operand *const o = s->c->operands;
    const prim_status status = call_at(s, moved, to);
    cr_assert_eq(status, PRIM_ERROR_OVERLAP, "%s: %s %td bytes behind %s, of %zu and %zu bytes: %s",
                 s->c->call, o[moved].name, to - s->at[still], o[still].name, o[moved].bytes,
                 o[still].bytes, prim_status_string(status));
    cr_assert(is_sentence_of(s->c->call, prim_last_error(NULL)), "%s", prim_last_error(NULL));
}

/* By one unit of its own at the other one's begin and end, from the same address on, and beside it.
 */
static void check_pair(const stand *s, size_t moved, size_t still)
{
    const operand *const o = s->c->operands;
    const size_t unit = o[moved].unit, before = rounded_up(o[moved].bytes, unit);
    char *const begin = s->at[still];
    const bool may_be_one = o[moved].may_be == (int)still + 1 || o[still].may_be == (int)moved + 1;
    if (before > unit)
        expect_refused(s, moved, begin - before + unit, still);
    expect_refused(s, moved, begin + (o[still].bytes - 1) / unit * unit, still);
    if (!may_be_one)
        expect_refused(s, moved, begin, still);
    expect_valid(s, moved, begin - before, o[still].name);
    expect_valid(s, moved, begin + rounded_up(o[still].bytes, unit), o[still].name);
}

void check_overlaps(const overlap_case *c)
{
    const operand *const o = c->operands;
    stand s = new_stand(c);
    expect_valid(&s, 0, s.at[0], "in its place");
    for (size_t moved = 0; moved < c->count; moved++)
        for (size_t still = 0; still < c->count; still++)
            if (moved != still && o[moved].bytes > 0 && o[still].bytes > 0 &&
                (o[moved].is_written || o[still].is_written))
                check_pair(&s, moved, still);
    guarded_free(&s.memory);
}
