/* Who beats whom. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/front.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/node.h"
#include "base/number.h"
#include "base/quote.h"

size_t front_objectives(const struct study *s)
{
    return 1 + s->n_others;
}

const char *front_name(const struct study *s, size_t k)
{
    return k ? s->others[k - 1].name : s->metric;
}

bool front_maximizes(const struct study *s, size_t k)
{
    return k ? s->others[k - 1].maximize : s->maximize;
}

double front_value(const struct study *s, const struct trial *t, size_t k)
{
    double value = k ? t->others[k - 1] : t->value;

    return front_maximizes(s, k) ? value : -value;
}

bool front_beats(const struct study *s, const struct trial *a,
                 const struct trial *b)
{
    bool better = false;

    for (size_t k = 0; k < front_objectives(s); k++) {
        double x = front_value(s, a, k), y = front_value(s, b, k);

        if (x < y)
            return false;
        better = better || x > y;
    }
    return better;
}

void front_write_values(const struct study *s, double goal,
                        const double *others, struct text *out)
{
    if (!s->n_others)
        return;
    for (size_t k = 0; k < front_objectives(s); k++) {
        text_add(out, k ? ", " : "{");
        quote_json(out, front_name(s, k));
        text_add(out, ": ");
        quote_number(out, k ? others[k - 1] : goal);
    }
    text_add(out, "}");
}

static bool read_others(const struct study *s, const struct node *map,
                        struct trial *t)
{
    if (map->kind != NODE_MAP)
        return false;
    for (size_t i = 0; i < s->n_others; i++) {
        const struct node *v = node_get(map, s->others[i].name);

        if (!v || v->kind != NODE_SCALAR ||
            !number_read(v->text, &t->others[i]))
            return false;
    }
    return true;
}

bool front_read_values(const struct study *s, const char *json, struct trial *t)
{
    struct node *map = NULL;
    struct faults faults;
    bool all = false;

    if (!s->n_others)
        return true;
    faults_init(&faults);
    if (*json && node_parse(json, strlen(json), &map, &faults) == 0) {
        all = read_others(s, map, t);
        node_free(map);
    }
    faults_clear(&faults);
    return all;
}

static bool counts(const struct trial *t)
{
    return t->state == TRIAL_SUCCEEDED && t->has_value;
}

/* Compares with the front so far alone: what that one beats, it beats too. */
size_t front_of(const struct study *s, const struct trial *trials, size_t n,
                bool *on)
{
    size_t *front = mem_new(n, sizeof *front), count = 0;

    for (size_t i = 0; i < n; i++) {
        size_t kept = 0;

        on[i] = counts(&trials[i]);
        for (size_t k = 0; on[i] && k < count; k++)
            on[i] = !front_beats(s, &trials[front[k]], &trials[i]);
        if (!on[i])
            continue;
        for (size_t k = 0; k < count; k++) {
            on[front[k]] = !front_beats(s, &trials[i], &trials[front[k]]);
            if (on[front[k]])
                front[kept++] = front[k];
        }
        front[kept++] = i;
        count = kept;
    }
    free(front);
    return count;
}
