/* Sweeping a front into boxes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/volume.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/slab.h"
#include "base/mem.h"

/* Whether a is at least as good as b everywhere. */
static bool covers(const double *a, const double *b, size_t m)
{
    for (size_t j = 0; j < m; j++)
        if (!(a[j] >= b[j]))
            return false;
    return true;
}

size_t volume_front(double *rows, size_t n, size_t m, size_t *places)
{
    bool *beaten = mem_new(n, sizeof *beaten);
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n && !beaten[i]; k++)
            beaten[i] = k != i && !beaten[k] &&
                        covers(rows + k * m, rows + i * m, m) &&
                        (k < i || !covers(rows + i * m, rows + k * m, m));
    for (size_t i = 0; i < n; i++) {
        if (beaten[i])
            continue;
        memmove(rows + count * m, rows + i * m, m * sizeof *rows);
        if (places)
            places[count] = places[i];
        count++;
    }
    free(beaten);
    return count;
}

/* What is free above a piece of the first objective: the second from edge
 * `floor` on, the third up to edge `top`. */
struct strip {
    size_t left, right, floor, top;
};

/* Strips from left to right; their floors fall. */
struct sweep {
    struct volume *v;
    struct strip *strips;
    size_t n, cap;
};

static void emit(struct sweep *s, const struct strip *from, size_t right,
                 size_t bottom)
{
    struct volume *v = s->v;

    mem_grow((void **)&v->boxes, &v->cap, v->n + 1, sizeof *v->boxes);
    v->boxes[v->n++] = (struct volume_box){{from->left, from->floor, bottom},
                                           {right, v->n_edges - 1, from->top}};
}

/* Lets the row of edge `e` take its part: where strips lie left of it and
 * below it, they end at its third value, and one strip goes on above it. */
static void pass(struct sweep *s, size_t e)
{
    const struct volume *v = s->v;
    const double *x = v->edges[0], *y = v->edges[1];
    size_t first = 0, last = 0;
    struct strip raised;
    bool rest = false;

    while (first < s->n && y[s->strips[first].floor] >= y[e])
        first++;
    last = first;
    while (last < s->n && x[s->strips[last].left] < x[e])
        last++;
    if (first == last)
        return; /* dominated by those before */
    raised = (struct strip){s->strips[first].left, e, e, e};
    for (size_t i = first; i < last; i++) {
        bool through = x[s->strips[i].right] > x[e];

        if (v->m == 3)
            emit(s, &s->strips[i], through ? e : s->strips[i].right, e);
        rest = rest || through;
    }
    if (v->m == 2)
        raised.top = s->strips[first].top;
    /* the affected ones become the raised one, and what is right of it */
    mem_grow((void **)&s->strips, &s->cap, s->n + 1, sizeof *s->strips);
    if (rest)
        s->strips[last - 1].left = e;
    last -= rest;
    memmove(s->strips + first + 1, s->strips + last,
            (s->n - last) * sizeof *s->strips);
    s->strips[first] = raised;
    s->n = s->n - (last - first) + 1;
}

/* A row, to be put in order by its third value, the best first. */
struct seat {
    double value;
    size_t edge;
};

static int by_value(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;

    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

static void set_edges(struct volume *v, const double *front, size_t n,
                      const double *reference)
{
    v->n_edges = n + 2;
    for (size_t j = 0; j < v->m; j++) {
        v->edges[j] = slab_new(n + 2);
        v->edges[j][0] = reference[j];
        for (size_t i = 0; i < n; i++)
            v->edges[j][i + 1] = front[i * v->m + j];
        v->edges[j][n + 1] = INFINITY;
    }
}

void volume_init(struct volume *v, const double *front, size_t n, size_t m,
                 const double *reference)
{
    struct sweep s = {.v = v};
    struct seat *seats = mem_new(n + 1, sizeof *seats);
    size_t count = 0;

    *v = (struct volume){.m = m};
    set_edges(v, front, n, reference);
    for (size_t i = 0; i < n; i++) {
        bool above = true;

        for (size_t j = 0; j < m; j++)
            above = above && front[i * m + j] > reference[j];
        if (above)
            seats[count++] =
                (struct seat){m == 3 ? front[i * 3 + 2] : 0, i + 1};
    }
    qsort(seats, count, sizeof *seats, by_value);
    mem_grow((void **)&s.strips, &s.cap, 1, sizeof *s.strips);
    s.strips[s.n++] = (struct strip){0, n + 1, 0, n + 1};
    for (size_t i = 0; i < count; i++)
        pass(&s, seats[i].edge);
    for (size_t i = 0; i < s.n; i++)
        emit(&s, &s.strips[i], s.strips[i].right, 0);
    free(s.strips);
    free(seats);
}

void volume_clear(struct volume *v)
{
    for (size_t j = 0; j < VOLUME_MOST; j++)
        free(v->edges[j]);
    free(v->boxes);
    *v = (struct volume){0};
}

double volume_below(const double *front, size_t n, size_t m,
                    const double *reference)
{
    double all = 1, room = 0, ceiling[VOLUME_MOST];
    struct volume v;

    volume_init(&v, front, n, m, reference);
    for (size_t j = 0; j < m; j++) {
        ceiling[j] = reference[j];
        for (size_t i = 0; i < n; i++)
            ceiling[j] = fmax(ceiling[j], front[i * m + j]);
        all *= ceiling[j] - reference[j];
    }
    for (size_t b = 0; b < v.n; b++) {
        double part = 1;

        for (size_t j = 0; j < m; j++) {
            double low = fmin(v.edges[j][v.boxes[b].low[j]], ceiling[j]);
            double high = fmin(v.edges[j][v.boxes[b].high[j]], ceiling[j]);

            part *= high - low;
        }
        room += part;
    }
    volume_clear(&v);
    return all - room;
}
