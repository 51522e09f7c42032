/* Bayesian optimisation, the default: a few even points, then wherever a
 * Gaussian process expects the largest improvement. docs/algorithms/bayesian.md
 * tells it as a whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/cells.h"
#include "algorithms/draw.h"
#include "algorithms/encode.h"
#include "algorithms/forecast.h"
#include "algorithms/history.h"
#include "algorithms/kinds.h"
#include "algorithms/model.h"
#include "algorithms/seek.h"
#include "algorithms/sight.h"
#include "algorithms/slab.h"
#include "base/mem.h"
#include "study/front.h"

enum {
    MOST_LISTED = 20000, /* points of a space that is looked at as a list */
    GLOBAL_EVERY = 8,    /* suggestions that leave the trust box; */
    FRONT_GLOBAL = 3,    /* with several objectives */
    ELSEWHERE = 64,      /* draws for a point that is not taken */
    NEIGHBOURS = 256     /* draws for one near what was found */
};

static const double too_near = 1e-3 * 1e-3; /* squared scaled distance */
static const double least_side = 0.2;       /* of the box, with noise */
static const double front_side = 0.3;       /* around a trial of the front */
static const double most_listing = 2e9;     /* points times rows squared */

struct bayes {
    const struct study *study;
    struct encode *encode;
    size_t n_objectives;
    struct history *history;     /* one for each objective. The goal's holds
                                    all trials, the others those with values */
    struct model_memory *memory; /* likewise; changes in ask: a cache, see
                                    model.h */
    struct cells cells;
    size_t n_design;
};

/* One ask, and what it works with. */
struct query {
    const struct bayes *b;
    int64_t number;
    const struct trial *const *running;
    size_t n_running;
    bool *free_cells; /* of a listed space: which are not taken */
    uint64_t n_free;
};

/* How many points come before the model: about one for each parameter that
 * exists, within a fifth of what the study will try. */
static size_t design_size(const struct study *s, const struct encode *e)
{
    struct point middle;
    double n = 0;

    point_init(&middle, &s->space);
    encode_middle(e, &middle);
    n = round(0.8 * (double)history_axes(e, &middle));
    point_clear(&middle);
    n = fmin(fmax(n, 4), 10);
    return (size_t)fmin(n, fmax(3, floor((double)s->trials / 5)));
}

static int open_bayes(void *state, const struct study *study, struct err *e)
{
    struct bayes *b = state;

    (void)e;
    b->study = study;
    b->encode = mem_new(1, sizeof *b->encode);
    b->n_objectives = front_objectives(study);
    b->history = mem_new(b->n_objectives, sizeof *b->history);
    b->memory = mem_new(b->n_objectives, sizeof *b->memory);
    encode_init(b->encode, &study->space);
    for (size_t k = 0; k < b->n_objectives; k++) {
        history_init(&b->history[k], study, b->encode);
        b->history[k].objective = k;
    }
    cells_init(&b->cells, &study->space);
    b->n_design = design_size(study, b->encode);
    return 0;
}

static void close_bayes(void *state)
{
    struct bayes *b = state;

    for (size_t k = 0; k < b->n_objectives; k++) {
        model_forget(&b->memory[k]);
        history_clear(&b->history[k]);
    }
    encode_clear(b->encode);
    cells_clear(&b->cells);
    free(b->memory);
    free(b->history);
    free(b->encode);
}

static void tell_bayes(void *state, const struct trial *ended)
{
    struct bayes *b = state;

    history_add(b->history, ended);
    for (size_t k = 1; k < b->n_objectives; k++)
        if (ended->has_value)
            history_add(&b->history[k], ended);
}

static void cross_out(struct query *q, const struct point *p)
{
    uint64_t cell = cells_index(&q->b->cells, p);

    if (q->free_cells[cell])
        q->n_free--;
    q->free_cells[cell] = false;
}

/* Of a space that can be listed: which points nobody has tried or is
 * trying. */
static void list_free(struct query *q)
{
    const struct bayes *b = q->b;

    q->n_free = UINT64_MAX;
    if (b->cells.total > MOST_LISTED)
        return;
    q->n_free = b->cells.total;
    q->free_cells = mem_new(q->n_free, sizeof *q->free_cells);
    memset(q->free_cells, true, q->n_free);
    for (size_t i = 0; i < b->history->n; i++)
        cross_out(q, &b->history->items[i].point);
    for (size_t i = 0; i < q->n_running; i++)
        cross_out(q, &q->running[i]->point);
}

/* Whether another trial has or had that point. Where results are noisy, only
 * what is running counts. */
static bool taken(const struct query *q, const struct point *p)
{
    const struct history *h = q->b->history;
    const struct space *s = &q->b->study->space;

    for (size_t i = 0; i < q->n_running; i++)
        if (point_same(p, &q->running[i]->point, s))
            return true;
    for (size_t i = 0; i < h->n && !q->b->study->noisy; i++)
        if (point_same(p, &h->items[i].point, s))
            return true;
    return false;
}

/* Leaves p if it is not taken; else puts another point there: any free one of
 * a listed space, or the first free one of a few draws. Says whether it found
 * one. */
static bool elsewhere(const struct query *q, struct point *p)
{
    const struct bayes *b = q->b;
    struct draw chance;

    if (!taken(q, p))
        return true;
    draw_init(&chance, b->study->seed, DRAW_ELSEWHERE, (uint64_t)q->number);
    if (q->free_cells && q->n_free) {
        uint64_t skip = draw_below(&chance, q->n_free), cell = 0;

        while (!q->free_cells[cell] || skip--)
            cell++;
        cells_point(&b->cells, cell, p);
        return true;
    }
    for (int i = 0; i < ELSEWHERE; i++) {
        for (size_t k = 0; k < p->n; k++)
            p->values[k] = encode_share(b->encode, k, draw_unit(&chance));
        point_settle(p, &b->study->space);
        if (!taken(q, p))
            return true;
    }
    return false;
}

static uint64_t place(const struct query *q)
{
    return (uint64_t)q->number - 1 - q->b->study->n_start;
}

/* The point of the design for this number. */
static void design(const struct query *q, struct suggestion *out)
{
    const struct bayes *b = q->b;

    encode_middle(b->encode, &out->point);
    kinds_source(out, "centre");
    if (place(q) == 0 && !taken(q, &out->point))
        return;
    kinds_sobol(b->encode, b->study->seed, place(q), &out->point);
    kinds_source(out, "sobol");
    elsewhere(q, &out->point);
}

/* Half the side of the box along each numeric axis, from lengths whose mean
 * is taken out: long where the objective is slow. */
static void box(const struct sight *s, const double *centre, double side,
                double *low, double *high)
{
    size_t n = s->gp->n_numeric;
    double mean = 0;

    for (size_t j = 0; j < n; j++)
        mean += s->theta[j] / (double)n;
    for (size_t j = 0; j < n; j++) {
        double half = fmin(1, side / 2 * exp(s->theta[j] - mean));

        low[j] = fmax(0, centre[j] - half);
        high[j] = fmin(1, centre[j] + half);
    }
}

/* The side of the trust box. Where results are noisy, a failure to improve says
 * little, and the box stays wide enough to tell one side from the other. */
static double side_of(const struct query *q, const struct sight *s)
{
    double side = q->b->n_objectives > 1
                      ? front_side
                      : history_box(q->b->history, q->b->n_design);

    return s->noisy ? fmax(side, least_side) : side;
}

/* The best free point of a listed space, by looking at all of them. */
static void pick_listed(const struct query *q, const struct sight *s,
                        struct point *out)
{
    const struct bayes *b = q->b;
    size_t d = b->encode->n, n = 0, best = 0;
    bool repeat = b->study->noisy || !q->n_free;
    uint64_t most = repeat ? b->cells.total : q->n_free;
    double *rows = slab_grid(most, d), *values = slab_new(most);
    uint64_t *cells = mem_new(most, sizeof *cells);

    for (uint64_t cell = 0; cell < b->cells.total; cell++) {
        if (!repeat && !q->free_cells[cell])
            continue;
        cells_point(&b->cells, cell, out);
        encode_row(b->encode, out, rows + n * d);
        cells[n++] = cell;
    }
    sight_look(s, rows, n, values, NULL);
    for (size_t i = 1; i < n; i++)
        if (values[i] > values[best])
            best = i;
    cells_point(&b->cells, cells[best], out);
    free(rows);
    free(values);
    free(cells);
}

/* Whether the row says nothing new: results are exact, and one is known next
 * to it. */
static bool stale(const struct query *q, const struct sight *s,
                  const double *row)
{
    const struct gp *g = s->gp;

    if (q->b->study->noisy || s->noisy)
        return false;
    for (size_t i = 0; i < g->n; i++)
        if (gp_distance(s->theta, g->d, g->n_numeric, row, g->x + i * g->d) <
            too_near)
            return true;
    return false;
}

/* The best of what was found that is new. */
static bool pick_found(const struct query *q, const struct sight *s,
                       const struct seek_found *f, struct point *out)
{
    const struct encode *e = q->b->encode;
    double *row = slab_new(e->n);
    bool found = false;

    for (int strict = 1; strict >= 0 && !found; strict--)
        for (size_t i = 0; i < f->n && !found; i++) {
            encode_point(e, f->rows + i * e->n, out);
            encode_row(e, out, row);
            found = !taken(q, out) && !(strict && stale(q, s, row));
        }
    free(row);
    return found;
}

/* Where all that was found is taken, as happens in a space of few points: the
 * best of those that differ from it in one to four axes. */
static bool pick_near(const struct query *q, const struct sight *s,
                      const struct seek_found *f, struct point *out)
{
    const struct encode *e = q->b->encode;
    double *rows = slab_grid(ELSEWHERE, e->n), *row = slab_new(e->n);
    double values[ELSEWHERE];
    size_t n = 0, best = 0;
    struct draw chance;

    draw_init(&chance, q->b->study->seed, DRAW_ELSEWHERE, ~(uint64_t)q->number);
    for (size_t i = 0; i < NEIGHBOURS && n < ELSEWHERE; i++) {
        uint64_t moves = 1 + i / ELSEWHERE;

        memcpy(row, f->rows + i % f->n * e->n, e->n * sizeof *row);
        while (moves--) {
            size_t j = draw_below(&chance, e->n);
            double u = draw_unit(&chance);

            row[j] = e->axes[j].categorical
                         ? floor(u * (double)e->axes[j].count)
                         : u;
        }
        encode_point(e, row, out);
        if (!taken(q, out))
            encode_row(e, out, rows + n++ * e->n);
    }
    if (n)
        sight_look(s, rows, n, values, NULL);
    for (size_t i = 1; i < n; i++)
        if (values[i] > values[best])
            best = i;
    if (n)
        encode_point(e, rows + best * e->n, out);
    free(rows);
    free(row);
    return n > 0;
}

static void pick_sought(const struct query *q, const struct sight *s,
                        bool global, struct suggestion *out)
{
    const struct bayes *b = q->b;
    size_t d = b->encode->n;
    double *best = slab_grid(s->n_good, d), *low = slab_new(d);
    double *high = slab_new(d);
    struct seek_found found;
    struct seek seek = {.encode = b->encode,
                        .sight = s,
                        .low = low,
                        .high = high,
                        .best = best,
                        .n_best = s->n_good,
                        .n_candidates = s->gp->n <= 300 ? 1024 : 512,
                        .seed = b->study->seed,
                        .number = (uint64_t)q->number};

    for (size_t k = 0; k < s->n_good; k++)
        history_latent(b->history, s->models[0].ranked, s->good[k],
                       best + k * d);
    box(s, best, global ? INFINITY : side_of(q, s), low, high);
    seek_run(&seek, &found);
    if (!pick_found(q, s, &found, &out->point) &&
        !pick_near(q, s, &found, &out->point)) {
        elsewhere(q, &out->point);
        kinds_source(out, "fallback");
    }
    seek_clear(&found);
    free(best);
    free(low);
    free(high);
}

static void suggest(const struct query *q, struct suggestion *out)
{
    const struct bayes *b = q->b;
    uint64_t every = b->n_objectives > 1 ? FRONT_GLOBAL : GLOBAL_EVERY;
    bool global = place(q) % every == 0;
    struct sight s;
    double rows = 0;

    if (sight_build(&s, b->memory, b->history, q->number, global, q->running,
                    q->n_running) != 0) {
        kinds_sobol(b->encode, b->study->seed, place(q), &out->point);
        elsewhere(q, &out->point);
        kinds_source(out, "fallback");
        return;
    }
    kinds_source(out, global ? "global" : "gp");
    rows = (double)s.gp->n;
    if (q->free_cells && (double)b->cells.total * rows * rows < most_listing)
        pick_listed(q, &s, &out->point);
    else
        pick_sought(q, &s, global, out);
    if (b->n_objectives == 1)
        forecast_point(&s.models[0].truth, b->history, s.models[0].least, out);
    sight_clear(&s);
}

static int ask_bayes(const void *state, int64_t number,
                     const struct trial *const *running, size_t n_running,
                     struct suggestion *out, enum algorithm_answer *answer,
                     struct err *e)
{
    const struct bayes *b = state;
    struct query q = {b, number, running, n_running, NULL, 0};
    size_t n = b->history->n_valued;

    (void)e;
    list_free(&q);
    *answer = ALGORITHM_POINT;
    if (q.n_free == 0 && !b->study->noisy)
        *answer = ALGORITHM_DONE;
    else if (kinds_default(b->study, number, out) && !taken(&q, &out->point))
        ; /* whatever start points and trials from outside have told */
    else if (n + n_running < b->n_design || 2 * n < b->n_design)
        design(&q, out);
    else
        suggest(&q, out);
    free(q.free_cells);
    return 0;
}

const struct algorithm_type algorithm_bayes = {
    .name = "bayesian",
    .state_size = sizeof(struct bayes),
    .learns = true,
    .open = open_bayes,
    .tell = tell_bayes,
    .ask = ask_bayes,
    .close = close_bayes,
};
