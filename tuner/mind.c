/* A study's algorithm, opened, with the trials it has still to be told of. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/mind.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "base/mem.h"
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
