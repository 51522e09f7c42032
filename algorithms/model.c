/* Choosing the data, fitting, and believing in running trials. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/model.h"

#include <cblas.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/draw.h"
#include "algorithms/slab.h"
#include "algorithms/sobol.h"
#include "algorithms/warp.h"
#include "base/mem.h"

enum {
    MOST_ROWS = 1000,    /* more results than this: */
    KEPT_ROWS = 800,     /* so many are kept */
    FIT_ROWS = 240,      /* and so many are fitted on, at most */
    FIT_ROWS_WIDE = 120, /* with more axes than WIDE */
    WIDE = 100,
    WARM_BELOW = 200, /* results up to which there are fits between anchors */
    N_STARTS = 3,
    N_FANTASIES = 32,
    MOST_RUNNING = 256 /* running trials that are believed in */
};

static const double cut_noise = 4;   /* a stopped trial's, in noises */
static const double most_unsure = 2; /* deviations of all results */
static const double clear = 0.01; /* a share of noise that a fit is sure of */
static const double smooth_length = 0.3; /* ln length and ln noise where a */
static const double much_noise = -2;     /* fit looks for noise, which must */
static const double clearly = 3;         /* explain so many nats more */
static const double even_noises = 20;    /* distances that count evenly then */
static const double label_noise = 0.005; /* see acquire.c */
static const double label_length = 0.4;  /* for one axis, at most */

void model_forget(struct model_memory *m)
{
    free(m->at_anchor);
    free(m->at_now);
    *m = (struct model_memory){0};
}

static struct gp_prior prior_of(const struct history *h)
{
    double d = fmax(1, (double)h->encode->n);

    return (struct gp_prior){
        .length_mean = -2 + 0.5 * log(d),
        .word_mean = -0.7 + 0.25 * log(d),
        .noise_mean = h->study->noisy ? -3 : -9,
        .noise_sd = h->study->noisy ? 2 : 3,
        .noise_floor = h->study->noisy ? 1e-4 : 1e-8,
    };
}

/* The results that a model of the first n valued trials is made of: their
 * places, and how many. */
struct choice {
    size_t *places;
    size_t n;
};

static void take(struct choice *c, bool *taken, size_t place)
{
    if (taken[place])
        return;
    taken[place] = true;
    c->places[c->n++] = place;
}

static int by_place(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* All of the first n if they are at most `most`; else a third the best, a
 * third the latest, and the rest evenly from the whole story. */
static struct choice choose(const struct history *h, size_t n, size_t most)
{
    struct choice c = {mem_new(n, sizeof *c.places), 0};
    bool *taken = mem_new(n, sizeof *taken);
    size_t *ranked = NULL;

    if (n <= most) {
        for (size_t k = 0; k < n; k++)
            take(&c, taken, k);
        free(taken);
        return c;
    }
    ranked = history_ranked(h, n);
    for (size_t k = 0; k < most / 3; k++)
        take(&c, taken, ranked[k]);
    for (size_t k = n; c.n < most - most / 3; k--)
        take(&c, taken, k - 1);
    for (size_t k = 0; k < n && c.n < most; k++)
        take(&c, taken, k * (n / most) % n);
    for (size_t k = 0; c.n < most; k++)
        take(&c, taken, k);
    qsort(c.places, c.n, sizeof *c.places, by_place);
    free(ranked);
    free(taken);
    return c;
}

/* The process over those results. `y` holds the warped results of all; `unit`
 * is what warp_results returned of them. */
static void gather(struct gp *g, const struct history *h,
                   const struct choice *c, const double *y, double unit)
{
    size_t d = h->encode->n;
    double *x = slab_grid(c->n, d), *z = slab_new(c->n);
    double *noisier = slab_new(c->n), *unsure = slab_new(c->n);
    struct gp_prior prior = prior_of(h);
    bool doubt = false;

    for (size_t i = 0; i < c->n; i++) {
        const struct told *t = history_valued(h, c->places[i]);

        if (d)
            memcpy(x + i * d, t->row, d * sizeof *x);
        z[i] = y[c->places[i]];
        noisier[i] = t->kind == TOLD_CUT ? cut_noise : 1;
        if (t->unsure > 0 && unit > 0) {
            unsure[i] = pow(fmin(t->unsure / 2 / unit, most_unsure), 2);
            doubt = true;
        }
    }
    gp_init(g, c->n, d, h->encode->n_numeric, x, z, noisier, &prior);
    if (doubt)
        gp_doubt(g, unsure, c->n);
    free(unsure);
    free(x);
    free(z);
    free(noisier);
}

/* The warped results of the first n valued trials, yours to free, and what
 * warp_results returns, unless NULL. */
static double *warped(const struct history *h, size_t n, double least,
                      double *unit)
{
    double *raw = slab_new(n), *y = slab_new(n), returned = 0;

    for (size_t k = 0; k < n; k++)
        raw[k] = history_valued(h, k)->value;
    returned = warp_results(raw, n, least, y);
    if (unit)
        *unit = returned;
    free(raw);
    return y;
}

/* The number of results, at most n, that the last cold fit saw. */
static size_t anchor_of(size_t n)
{
    size_t at = WARM_BELOW;

    if (n < 10)
        return n;
    if (n < 60)
        return n - n % 10;
    if (n < WARM_BELOW)
        return n - n % 20;
    while (at + at / 10 <= n)
        at += at / 10;
    return at;
}

static double fit(const struct history *h, size_t n, double least,
                  const double *starts, size_t n_starts, int most,
                  double *theta)
{
    size_t rows = h->encode->n > WIDE ? FIT_ROWS_WIDE : FIT_ROWS;
    struct choice c = choose(h, n, rows);
    double unit = 0, *y = warped(h, n, least, &unit);
    double objective = 0;
    struct gp g;

    gather(&g, h, &c, y, unit);
    objective = gp_fit(&g, starts, n_starts, most);
    memcpy(theta, g.theta, (g.d + 2) * sizeof *theta);
    gp_clear(&g);
    free(c.places);
    free(y);
    return objective;
}

/* A fit that knows nothing but the results: from the prior's middle and from
 * random lengths around it. Short lengths explain noise as well as noise does,
 * and a climb that began without noise stays there: so another begins with
 * much, and is believed if it explains the results clearly better. */
static void fit_cold(const struct history *h, size_t n, double least,
                     double *theta)
{
    size_t m = h->encode->n + 2, n_starts = n < WARM_BELOW ? N_STARTS : 1;
    int most = n < 60 ? 60 : n < WARM_BELOW ? 40 : 25;
    double *starts = slab_grid(N_STARTS, m), *noisy = slab_new(m);
    struct gp_prior prior = prior_of(h);
    struct draw chance;
    double objective = 0;

    draw_init(&chance, h->study->seed, DRAW_FIT, n);
    for (size_t i = 0; i < n_starts; i++) {
        gp_middle(&prior, m - 2, h->encode->n_numeric, starts + i * m);
        for (size_t j = 0; i && j + 2 < m; j++)
            starts[i * m + j] += 3 * draw_unit(&chance) - 1.5;
    }
    objective = fit(h, n, least, starts, n_starts, most, theta);
    for (size_t j = 0; j + 2 < m; j++)
        noisy[j] = smooth_length;
    noisy[m - 1] = much_noise;
    if (fit(h, n, least, noisy, 1, most, noisy) + clearly < objective)
        memcpy(theta, noisy, m * sizeof *theta);
    free(starts);
    free(noisy);
}

/* The distance of results that is many times the noise which that fit of the
 * first n sees; 0 if it sees little, or if so much counts evenly already. */
static double many_noises(const struct history *h, size_t n,
                          const double *theta)
{
    size_t d = h->encode->n;
    double unit = 0, other = 0, least = 0;

    if (theta[d + 1] - theta[d] < log(clear))
        return 0;
    free(warped(h, n, 0, &unit));
    least = fmin(2 * even_noises * exp(theta[d + 1] / 2) * unit, 1e300);
    free(warped(h, n, least, &other));
    return other == unit ? 0 : least;
}

/* The cold fit. Once most trials lie around one optimum, the median's distance
 * from the best is little more than noise; where the first fit sees noise, the
 * second sees results warped less. */
static void fit_anchor(struct model_memory *memory, const struct history *h,
                       size_t n)
{
    fit_cold(h, n, 0, memory->at_anchor);
    memory->least = many_noises(h, n, memory->at_anchor);
    if (memory->least > 0)
        fit_cold(h, n, memory->least, memory->at_anchor);
    memory->anchor = n;
    memory->now = 0;
}

/* The hyper-parameters for all that was told; borrowed from the memory. */
static const double *hyper(struct model_memory *memory, const struct history *h)
{
    size_t n = h->n_valued, anchor = anchor_of(n), m = h->encode->n + 2;

    if (!memory->at_anchor) {
        memory->at_anchor = slab_new(m);
        memory->at_now = slab_new(m);
    }
    if (memory->anchor != anchor)
        fit_anchor(memory, h, anchor);
    if (n == anchor || n >= WARM_BELOW)
        return memory->at_anchor;
    if (memory->now != n) {
        fit(h, n, memory->least, memory->at_anchor, 1, n < 60 ? 30 : 15,
            memory->at_now);
        memory->now = n;
    }
    return memory->at_now;
}

static int factor_at(struct gp *g, const double *theta)
{
    memcpy(g->theta, theta, (g->d + 2) * sizeof *theta);
    if (gp_factor(g) == 0)
        return 0;
    gp_middle(&g->prior, g->d, g->n_numeric, g->theta);
    return gp_factor(g);
}

/* truth, with the n running rows and what it expects of them. */
static int believe(struct model *m, const double *rows, size_t n)
{
    const struct gp *g = &m->truth;
    size_t all = g->n + n;
    double *x = slab_grid(all, g->d), *y = slab_new(all);
    double *noisier = slab_new(all);

    if (g->d) {
        memcpy(x, g->x, g->n * g->d * sizeof *x);
        memcpy(x + g->n * g->d, rows, n * g->d * sizeof *x);
    }
    memcpy(y, g->y, g->n * sizeof *y);
    gp_expect(g, rows, n, y + g->n);
    for (size_t i = 0; i < all; i++)
        noisier[i] = i < g->n ? g->noisier[i] : 1;
    gp_init(&m->believed, all, g->d, g->n_numeric, x, y, noisier, &g->prior);
    if (g->unsure)
        gp_doubt(&m->believed, g->unsure, g->n);
    free(x);
    free(y);
    free(noisier);
    return factor_at(&m->believed, g->theta);
}

/* Sets of results for the running trials, spread evenly over what may come. */
static void fantasise(struct model *m, const struct history *h, size_t n,
                      int64_t number)
{
    double *normals = slab_grid(N_FANTASIES, n);
    struct draw chance;
    uint64_t seed = 0;

    draw_init(&chance, h->study->seed, DRAW_FANTASY, (uint64_t)number);
    seed = draw_bits(&chance);
    for (size_t s = 0; s < N_FANTASIES; s++) {
        sobol_point(seed, s, n, normals + s * n);
        for (size_t i = 0; i < n; i++)
            normals[s * n + i] = gsl_cdf_ugaussian_Pinv(normals[s * n + i]);
    }
    acquire_fantasise(&m->acquire, &m->truth, m->truth.n, N_FANTASIES, normals);
    free(normals);
}

/* The process of labels: 1 where a trial gave a value, 0 where none is. Its
 * lengths are those of the objective, doubled, but short enough to see an
 * edge. */
static int judge(struct model *m, const struct history *h)
{
    size_t d = h->encode->n, most = h->n_valued + h->n_infeasible, n = 0;
    double *x = slab_grid(most, d), *y = slab_new(most);
    double *ones = slab_new(most), *theta = slab_new(d + 2);
    double share = (0.5 + (double)h->n_valued) / (1 + (double)most);
    struct gp_prior prior = prior_of(h);
    int rc = 0;

    for (size_t i = h->n; i-- > 0 && n < MOST_ROWS;) {
        const struct told *t = &h->items[i];

        if (t->kind == TOLD_NOTHING)
            continue;
        if (d)
            memcpy(x + n * d, t->row, d * sizeof *x);
        ones[n] = 1;
        y[n++] = (t->kind == TOLD_INFEASIBLE ? 0 : 1) - share;
    }
    gp_init(&m->feasible, n, d, h->encode->n_numeric, x, y, ones, &prior);
    for (size_t j = 0; j < d; j++)
        theta[j] = fmin(m->truth.theta[j] + M_LN2,
                        log(label_length) + 0.5 * log((double)d));
    theta[d] = log(share * (1 - share));
    theta[d + 1] = log(label_noise);
    rc = factor_at(&m->feasible, theta);
    m->acquire.feasible = &m->feasible;
    m->acquire.share = share;
    free(x);
    free(y);
    free(ones);
    free(theta);
    return rc;
}

/* The best of the told trials: by its result, or, where results look noisy, by
 * what is expected of it. *level is what there is to be improved on. */
static void crown(struct model *m, const struct history *h,
                  const struct choice *c, const double *y, double *level)
{
    const struct gp *g = &m->truth;
    bool noisy = gp_noisy(g);
    double *means = slab_new(g->n), most = -INFINITY;

    m->best = m->ranked[0];
    *level = y[m->best];
    if (noisy) {
        gp_known(g, means);
        for (size_t i = 0; i < g->n; i++) {
            bool cut = history_valued(h, c->places[i])->kind == TOLD_CUT;

            if (cut || means[i] <= most)
                continue;
            most = *level = means[i];
            m->best = c->places[i];
        }
    }
    free(means);
}

/* Adds what is running to the picture. */
static int look_ahead(struct model *m, const struct history *h, int64_t number,
                      const struct trial *const *running, size_t n)
{
    size_t d = h->encode->n;
    double *rows = slab_grid(n, d), level = m->acquire.best[0];
    int rc = 0;

    for (size_t i = 0; i < n; i++)
        encode_row(h->encode, &running[i]->point, rows + i * d);
    rc = believe(m, rows, n);
    free(rows);
    if (rc)
        return rc;
    acquire_clear(&m->acquire);
    acquire_init(&m->acquire, &m->believed, level);
    fantasise(m, h, n, number);
    return 0;
}

int model_build(struct model *m, struct model_memory *memory,
                const struct history *h, int64_t number,
                const struct trial *const *running, size_t n_running)
{
    size_t n = n_running < MOST_RUNNING ? n_running : MOST_RUNNING;
    struct choice c =
        choose(h, h->n_valued, h->n_valued > MOST_ROWS ? KEPT_ROWS : MOST_ROWS);
    const double *theta = hyper(memory, h);
    double level = 0, unit = 0;
    double *y = warped(h, h->n_valued, memory->least, &unit);
    int rc = 0;

    *m = (struct model){.ranked = history_ranked(h, h->n_valued),
                        .least = memory->least};
    gather(&m->truth, h, &c, y, unit);
    rc = factor_at(&m->truth, theta);
    if (rc == 0) {
        crown(m, h, &c, y, &level);
        acquire_init(&m->acquire, &m->truth, level);
    }
    if (rc == 0 && n)
        rc = look_ahead(m, h, number, running + (n_running - n), n);
    if (rc == 0 && h->n_infeasible)
        rc = judge(m, h);
    free(c.places);
    free(y);
    if (rc)
        model_clear(m);
    return rc;
}

void model_clear(struct model *m)
{
    acquire_clear(&m->acquire);
    gp_clear(&m->truth);
    gp_clear(&m->believed);
    gp_clear(&m->feasible);
    free(m->ranked);
    *m = (struct model){0};
}
