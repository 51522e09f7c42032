/* A study's algorithm, opened, with the trials it has still to be told of; and
 * what is made of all its results. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/mind.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "base/mem.h"
#include "base/quote.h"
#include "study/codec.h"

struct mind {
    struct study study;
    const struct algorithm_type *type;
    void *state;
    struct trial *heard;
    size_t n_heard, cap;
};

static int decode(const char *spec, struct study *out, struct err *e)
{
    struct faults faults;
    int rc;

    faults_init(&faults);
    rc = codec_decode(spec, strlen(spec), "study", out, &faults);
    if (rc)
        err_set(e, ERR_INVALID, "stored study does not decode: %s",
                faults.n ? faults.items[0].text : "unknown fault");
    faults_clear(&faults);
    return rc;
}

int mind_open(struct mind **out, const char *spec, struct err *e)
{
    struct mind *m = mem_new(1, sizeof *m);

    if (decode(spec, &m->study, e)) {
        free(m);
        return -1;
    }
    m->type = algorithms_find(m->study.algorithm);
    if (!m->type) {
        err_set(e, ERR_INVALID, "algorithm %s is not supported by this version",
                m->study.algorithm);
        goto fail;
    }
    m->state = mem_new(1, m->type->state_size);
    if (m->type->open(m->state, &m->study, e))
        goto fail;
    *out = m;
    return 0;
fail:
    free(m->state);
    study_clear(&m->study);
    free(m);
    return -1;
}

static void forget_heard(struct mind *m)
{
    for (size_t i = 0; i < m->n_heard; i++)
        trial_clear(&m->heard[i]);
    m->n_heard = 0;
}

void mind_close(struct mind *m)
{
    if (!m)
        return;
    m->type->close(m->state);
    forget_heard(m);
    free(m->heard);
    free(m->state);
    study_clear(&m->study);
    free(m);
}

bool mind_learns(const struct mind *m)
{
    return m->type->learns;
}

void mind_hear(struct mind *m, const struct trial *ended)
{
    void *heard = m->heard;

    if (!m->type->learns)
        return;
    mem_grow(&heard, &m->cap, m->n_heard + 1, sizeof *m->heard);
    m->heard = heard;
    trial_copy(&m->heard[m->n_heard++], ended);
}

void mind_answer(struct question *q)
{
    struct mind *m = q->mind;
    const struct trial **running = mem_new(q->n_running, sizeof *running);

    for (size_t i = 0; i < m->n_heard; i++)
        m->type->tell(m->state, &m->heard[i]);
    forget_heard(m);
    for (size_t i = 0; i < q->n_running; i++)
        running[i] = &q->running[i];
    point_init(&q->out.point, &m->study.space);
    q->failed = m->type->ask(m->state, q->turn, running, q->n_running, &q->out,
                             &q->answer, &q->err);
    free(running);
}

void question_clear(struct question *q)
{
    for (size_t i = 0; i < q->n_running; i++)
        trial_clear(&q->running[i]);
    free(q->running);
    q->running = NULL;
    q->n_running = 0;
    point_clear(&q->out.point);
}

/* ---- what matters ---- */

void weighing_init(struct weighing *w, const char *spec)
{
    *w = (struct weighing){.spec = mem_copy_text(spec)};
    study_init(&w->study);
}

void weighing_clear(struct weighing *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->results[i].point);
    free(w->results);
    free(w->shares);
    free(w->spec);
    study_clear(&w->study);
    *w = (struct weighing){0};
}

void weighing_add(struct weighing *w, enum trial_state state, double value,
                  const char *point)
{
    void *results = w->results;

    mem_grow(&results, &w->cap, w->n + 1, sizeof *w->results);
    w->results = results;
    w->results[w->n++] = (struct weighing_result){
        .state = state, .value = value, .point = mem_copy_text(point)};
}

/* Those whose points the space holds; yours to clear and free. */
static struct trial *read_results(const struct weighing *w, size_t *n)
{
    struct trial *trials = mem_new(w->n, sizeof *trials);
    struct err e;

    *n = 0;
    for (size_t i = 0; i < w->n; i++) {
        struct trial *t = &trials[*n];

        t->state = w->results[i].state;
        t->value = w->results[i].value;
        t->has_value = true;
        if (point_read_json(&t->point, &w->study.space, w->results[i].point,
                            &e) == 0)
            ++*n;
    }
    return trials;
}

void weighing_think(struct weighing *w)
{
    struct trial *trials;
    struct study study;
    size_t n;

    w->failed = decode(w->spec, &study, &w->err);
    if (w->failed)
        return;
    study_clear(&w->study);
    w->study = study;
    w->shares = mem_new(study.space.n, sizeof *w->shares);
    trials = read_results(w, &n);
    w->n_weighed = importance_results(trials, n);
    w->failed = importance_of(&w->study, trials, n, w->shares, &w->err);
    for (size_t i = 0; i < n; i++)
        trial_clear(&trials[i]);
    free(trials);
}

/* A parameter's place in the space, and its share. */
struct weight {
    size_t param;
    double share;
};

static int by_share(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;

    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return (x->param > y->param) - (x->param < y->param);
}

static void write_weight(const struct weighing *w, size_t param,
                         struct text *out)
{
    const struct importance *i = &w->shares[param];

    text_add(out, "{\"name\": ");
    quote_json(out, w->study.space.params[param].name);
    text_addf(out,
              ", \"share\": %.4f, \"low\": %.4f, \"high\": %.4f, "
              "\"first\": %.4f, \"total\": %.4f}",
              i->share, i->low, i->high, i->first, i->total);
}

void weighing_write(const struct weighing *w, struct text *out)
{
    size_t n = w->failed ? 0 : w->study.space.n;
    struct weight *order = mem_new(n, sizeof *order);

    for (size_t i = 0; i < n; i++)
        order[i] = (struct weight){i, w->shares[i].share};
    qsort(order, n, sizeof *order, by_share);
    text_addf(out, "{\"results\": %zu, \"needs\": %d, \"why\": ", w->n_weighed,
              IMPORTANCE_LEAST);
    quote_json(out, w->failed ? w->err.text : "");
    text_add(out, ", \"params\": [");
    for (size_t i = 0; i < n; i++) {
        text_add(out, i ? ", " : "");
        write_weight(w, order[i].param, out);
    }
    text_add(out, "]}");
    free(order);
}
