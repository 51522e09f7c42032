/* One objective, two or three, or more. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/draw.h"
#include "algorithms/slab.h"
#include "algorithms/sobol.h"
#include "algorithms/warp.h"
#include "base/mem.h"
#include "study/front.h"

enum { MOST_FRONT = 200 }; /* rows of the front that boxes are made of */

static const double augment = 0.05; /* of the sum, beside the worst */
static const double beyond = 0.2;   /* of the front's extent: its reference */
static const double least_beyond = 0.1;

/* Where a single model says to look: its incumbent, and the best beside it. */
static void look_near_best(struct sight *s, const struct history *h)
{
    const struct model *m = &s->models[0];

    s->good[s->n_good++] = m->best;
    for (size_t k = 0; k < h->n_valued && s->n_good < SIGHT_GOOD; k++)
        if (m->ranked[k] != m->best)
            s->good[s->n_good++] = m->ranked[k];
}

static int see_one(struct sight *s, struct model_memory *memory,
                   const struct history *h, int64_t number,
                   const struct trial *const *running, size_t n_running)
{
    if (model_build(&s->models[s->n_models], memory, h, number, running,
                    n_running) != 0)
        return -1;
    s->n_models++;
    return 0;
}

/* The results of objective j, as its model sees them: warped, or, where it
 * takes some for noise, what it expects. One in every m numbers of `out`. */
static void see_results(const struct model *model, const struct history *h,
                        size_t j, size_t m, double *out)
{
    size_t n = h->n_valued, d = h->encode->n;
    double *raw = slab_new(n), *y = slab_new(n);
    double *rows = slab_grid(n, d);

    for (size_t k = 0; k < n; k++) {
        raw[k] = history_valued(h, k)->value;
        if (d)
            memcpy(rows + k * d, history_valued(h, k)->row, d * sizeof *rows);
    }
    if (gp_noisy(&model->truth))
        gp_expect(&model->truth, rows, n, y);
    else
        warp_results(raw, n, model->least, y);
    for (size_t k = 0; k < n; k++)
        out[k * m + j] = y[k];
    free(raw);
    free(y);
    free(rows);
}

/* A front, and where its rows come from. */
struct front {
    double *rows;
    size_t *places; /* of history_valued; n_valued for a running trial */
    size_t n;
    double worst[VOLUME_MOST]; /* of all that was told */
};

/* What was told, and what is believed of running trials. Stopped ones only if
 * there are no others. */
static void find_front(const struct sight *s, const struct history *histories,
                       struct front *f)
{
    size_t m = s->n_models, n = histories[0].n_valued;
    size_t extra = s->gp->n - s->models[0].truth.n, full = 0;
    double *all = slab_grid(n, m);

    f->rows = slab_grid(n + extra, m);
    f->places = mem_new(n + extra, sizeof *f->places);
    f->n = 0;
    for (size_t j = 0; j < m; j++) {
        see_results(&s->models[j], &histories[j], j, m, all);
        f->worst[j] = all[j];
        for (size_t k = 1; k < n; k++)
            f->worst[j] = fmin(f->worst[j], all[k * m + j]);
    }
    for (size_t k = 0; k < n; k++)
        full += history_valued(histories, k)->kind == TOLD_VALUE;
    for (size_t k = 0; k < n; k++) {
        if (full && history_valued(histories, k)->kind == TOLD_CUT)
            continue;
        memcpy(f->rows + f->n * m, all + k * m, m * sizeof *all);
        f->places[f->n++] = k;
    }
    for (size_t i = 0; i < extra; i++) {
        for (size_t j = 0; j < m; j++) {
            const struct model *model = &s->models[j];

            f->rows[f->n * m + j] = model->believed.y[model->truth.n + i];
        }
        f->places[f->n++] = n;
    }
    f->n = volume_front(f->rows, f->n, m, f->places);
    free(all);
}

/* Leaves an even share of a front of too many rows. */
static void thin(struct front *f, size_t m)
{
    if (f->n <= MOST_FRONT)
        return;
    for (size_t k = 0; k < MOST_FRONT; k++) {
        size_t from = k * f->n / MOST_FRONT;

        memmove(f->rows + k * m, f->rows + from * m, m * sizeof *f->rows);
        f->places[k] = f->places[from];
    }
    f->n = MOST_FRONT;
}

/* From where growth counts in each objective: a little below the worst of the
 * front, or, seen from afar, no better than all results. The former finds what
 * fills gaps, the latter what lies beyond the ends, which a short front hides.
 */
static void refer(const struct front *f, size_t m, bool far, double *reference)
{
    for (size_t j = 0; j < m; j++) {
        double least = f->rows[j], most = f->rows[j];

        for (size_t i = 1; i < f->n; i++) {
            least = fmin(least, f->rows[i * m + j]);
            most = fmax(most, f->rows[i * m + j]);
        }
        reference[j] = least - fmax(beyond * (most - least), least_beyond);
        if (far)
            reference[j] = fmin(reference[j], f->worst[j]);
    }
}

/* Any of the front's told trials, others for each suggestion. */
static void look_near_front(struct sight *s, const struct history *h,
                            const struct front *f, int64_t number)
{
    size_t *told = mem_new(f->n, sizeof *told), n = 0;
    struct draw chance;

    draw_init(&chance, h->study->seed, DRAW_FRONT, (uint64_t)number);
    for (size_t i = 0; i < f->n; i++)
        if (f->places[i] < h->n_valued)
            told[n++] = f->places[i];
    while (n && s->n_good < SIGHT_GOOD) {
        size_t k = draw_below(&chance, n);

        s->good[s->n_good++] = told[k];
        told[k] = told[--n];
    }
    if (!s->n_good) /* running ones are believed to beat them all */
        s->good[s->n_good++] = s->models[0].best;
    free(told);
}

static int see_few(struct sight *s, struct model_memory *memories,
                   const struct history *histories, int64_t number, bool far,
                   const struct trial *const *running, size_t n_running)
{
    size_t m = front_objectives(histories->study), d = histories->encode->n;
    double reference[VOLUME_MOST];
    struct front f;

    for (size_t j = 0; j < m; j++)
        if (see_one(s, &memories[j], &histories[j], number, running,
                    n_running) != 0)
            return -1;
    s->gp = s->models[0].acquire.gp;
    for (size_t j = 0; j < m; j++) {
        const struct gp *g = s->models[j].acquire.gp;

        s->expand.gps[j] = g;
        s->noisy = s->noisy || gp_noisy(&s->models[j].truth);
        for (size_t k = 0; k < d; k++)
            s->theta[k] += g->theta[k] / (double)m;
    }
    find_front(s, histories, &f);
    look_near_front(s, histories, &f, number);
    thin(&f, m);
    refer(&f, m, far, reference);
    volume_init(&s->expand.volume, f.rows, f.n, m, reference);
    free(f.rows);
    free(f.places);
    return 0;
}

static int see_single(struct sight *s, struct model_memory *memory,
                      const struct history *h, int64_t number,
                      const struct trial *const *running, size_t n_running)
{
    if (see_one(s, memory, h, number, running, n_running) != 0)
        return -1;
    s->gp = s->models[0].acquire.gp;
    s->noisy = gp_noisy(&s->models[0].truth);
    memcpy(s->theta, s->gp->theta, h->encode->n * sizeof *s->theta);
    look_near_best(s, h);
    return 0;
}

/* Weights of sum 1, evenly spread over all such as the number counts up. */
static void draw_weights(uint64_t seed, int64_t number, size_t m, double *w)
{
    double sum = 0;

    sobol_point(seed, (uint64_t)number, m, w);
    for (size_t j = 0; j < m; j++) {
        w[j] = -log(w[j]);
        sum += w[j];
    }
    for (size_t j = 0; j < m; j++)
        w[j] /= sum;
}

/* Sets scalars[k] to one number for all results of trial k, larger better: by
 * how much the worst objective, weighted, falls short of the best result, and a
 * little of the sum. */
static void scalarise(const struct history *histories, int64_t number,
                      double *scalars)
{
    const struct history *h = histories;
    size_t m = front_objectives(h->study), n = h->n_valued;
    double weights[1 + TRIAL_OTHERS], *raw = slab_new(n), *y = slab_new(n);
    double *worst = slab_new(n), *sum = slab_new(n);

    draw_weights(h->study->seed, number, m, weights);
    for (size_t j = 0; j < m; j++) {
        double least = INFINITY, most = -INFINITY;

        for (size_t k = 0; k < n; k++)
            raw[k] = history_valued(&histories[j], k)->value;
        warp_results(raw, n, 0, y);
        for (size_t k = 0; k < n; k++) {
            least = fmin(least, y[k]);
            most = fmax(most, y[k]);
        }
        for (size_t k = 0; k < n && most > least; k++) {
            double lack = weights[j] * (most - y[k]) / (most - least);

            worst[k] = fmax(worst[k], lack);
            sum[k] += lack;
        }
    }
    for (size_t k = 0; k < n; k++)
        scalars[k] = -(worst[k] + augment * sum[k]);
    free(raw);
    free(y);
    free(worst);
    free(sum);
}

static int see_many(struct sight *s, const struct history *histories,
                    int64_t number, const struct trial *const *running,
                    size_t n_running)
{
    struct history h = histories[0]; /* with other values */
    struct model_memory memory = {0};
    double *scalars = slab_new(h.n_valued);
    int rc = 0;

    scalarise(histories, number, scalars);
    h.items = mem_new(h.n, sizeof *h.items);
    memcpy(h.items, histories[0].items, h.n * sizeof *h.items);
    for (size_t k = 0; k < h.n_valued; k++)
        h.items[h.valued[k]].value = scalars[k];
    rc = see_single(s, &memory, &h, number, running, n_running);
    model_forget(&memory);
    free(h.items);
    free(scalars);
    return rc;
}

int sight_build(struct sight *s, struct model_memory *memories,
                const struct history *histories, int64_t number, bool far,
                const struct trial *const *running, size_t n_running)
{
    size_t m = front_objectives(histories->study);
    int rc = 0;

    *s = (struct sight){.theta = slab_new(histories->encode->n)};
    if (m == 1)
        rc = see_single(s, memories, histories, number, running, n_running);
    else if (m <= VOLUME_MOST)
        rc = see_few(s, memories, histories, number, far, running, n_running);
    else
        rc = see_many(s, histories, number, running, n_running);
    if (rc != 0)
        sight_clear(s);
    return rc;
}

void sight_clear(struct sight *s)
{
    for (size_t j = 0; j < s->n_models; j++)
        model_clear(&s->models[j]);
    volume_clear(&s->expand.volume);
    free(s->theta);
    *s = (struct sight){0};
}

void sight_look(const struct sight *s, const double *rows, size_t n,
                double *values, double *slopes)
{
    const struct acquire *a = &s->models[0].acquire;

    if (s->n_models == 1) {
        acquire_many(a, rows, n, values, slopes);
        return;
    }
    expand_many(&s->expand, rows, n, values, slopes);
    if (a->feasible)
        acquire_chance(a, rows, n, values, slopes);
}
