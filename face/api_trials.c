/* Routes about trials. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_trials.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "face/api_page.h"
#include "face/batch.h"
#include "face/best.h"
#include "face/body.h"
#include "face/show.h"
#include "metrics/report.h"

enum { LIST_DEFAULT = 100, LIST_MOST = 1000000, WORD = 16, SENTENCE = 400 };

static bool add_trial(void *ctx, const struct trial_row *row)
{
    struct call *c = ctx;

    show_trial(&c->out, row);
    return false;
}

static int answer_trial(struct call *c, struct err *e)
{
    return store_trial_get(c->face->store, c->study, c->number, add_trial, c,
                           e);
}

/* ---- lists ---- */

struct listing {
    struct text *out;
    int64_t n, limit;        /* 0 = all */
    int64_t number, changed; /* of the last one listed */
    bool more;
};

static bool add_listed(void *ctx, const struct trial_row *row)
{
    struct listing *l = ctx;

    if (l->limit && l->n == l->limit) {
        l->more = true;
        return false;
    }
    text_add(l->out, l->n++ ? ", " : "");
    show_trial(l->out, row);
    l->number = row->number;
    l->changed = row->changed;
    return true;
}

int api_trials_best(struct call *c, struct err *e)
{
    const struct api_page page = {API_PAGE_BEST, c->study, 0};
    struct listing l = {.out = &c->out, .limit = 1};
    int64_t after = 0;
    bool several;

    if (call_query(c, "count", 1, LIST_MOST, &l.limit, e) ||
        api_page_read(c, &page, NULL, &after, e))
        return -1;
    text_add(&c->out, "{\"trials\": [");
    if (best_front(&c->out, c->face->store, c->study,
                   request_query(c->request, "count") ? l.limit : 0, &several,
                   e))
        return -1;
    if (!several && store_trial_best_after(c->face->store, c->study, after,
                                           (int)l.limit + 1, add_listed, &l, e))
        return -1;
    text_add(&c->out, "]");
    api_page_write(&c->out, &page, l.more ? l.number : 0);
    text_add(&c->out, "}");
    return 0;
}

/* "RUNNING,PENDING" as a set. */
static int read_states(const char *names, unsigned *set, struct err *e)
{
    while (names && *names) {
        size_t n = strcspn(names, ",");
        enum trial_state state;
        char word[WORD];

        if (n < sizeof word) {
            memcpy(word, names, n);
            word[n] = 0;
        }
        if (n >= sizeof word || !trial_state_read(word, &state))
            return err_set(e, ERR_INVALID,
                           "\"state\" names no state of a trial: \"%.*s\"",
                           (int)(n < SENTENCE ? n : SENTENCE), names);
        *set |= 1U << state;
        names += n + (names[n] == ',');
    }
    return 0;
}

/* The list that is asked for, and where to begin in it. */
static int read_list(struct call *c, struct trial_filter *f,
                     struct api_page *page, struct err *e)
{
    bool changes = request_query(c->request, "changed_after") != NULL;

    f->by_change = changes;
    if (read_states(request_query(c->request, "state"), &f->states, e) ||
        call_query(c, "after", 0, INT64_MAX, &f->after, e) ||
        call_query(c, "changed_after", 0, INT64_MAX, &f->changed_after, e))
        return -1;
    *page = (struct api_page){changes ? API_PAGE_CHANGES : API_PAGE_TRIALS,
                              c->study, f->states};
    return api_page_read(c, page, changes ? NULL : "after",
                         changes ? &f->changed_after : &f->after, e);
}

int api_trials_list(struct call *c, struct err *e)
{
    struct listing l = {.out = &c->out, .limit = LIST_DEFAULT};
    struct trial_filter f = {0};
    struct api_page page;
    int64_t next;

    if (read_list(c, &f, &page, e) ||
        call_query(c, "limit", 0, LIST_MOST, &l.limit, e))
        return -1;
    f.limit = l.limit ? (int)l.limit + 1 : 0;
    text_add(&c->out, "{\"trials\": [");
    if (store_trial_list(c->face->store, c->study, &f, add_listed, &l, e))
        return -1;
    next = f.by_change ? l.changed : l.number;
    text_addf(&c->out, "], \"next\": %lld", l.more ? (long long)next : 0LL);
    api_page_write(&c->out, &page, l.more ? next : 0);
    text_add(&c->out, "}");
    return 0;
}

/* ---- put in ---- */

static int give(struct call *c, const char *source, struct faults *f,
                struct err *e)
{
    struct engine_given given;
    size_t n;
    const char *bytes = request_body(c->request, &n);

    if (engine_give(c->face->engine, c->study, bytes, n, source, &given, f, e))
        return -1;
    text_addf(&c->out,
              "{\"given\": %lld, \"first\": %lld, \"unfinished\": %lld}",
              (long long)given.n, given.n ? (long long)given.first : 0LL,
              (long long)given.unfinished);
    return 0;
}

int api_trials_give(struct call *c, struct err *e)
{
    const char *source = request_query(c->request, "source");
    struct faults faults;

    if (!source || !*source)
        source = "imported";
    if (strcmp(source, "imported") != 0 && strcmp(source, "told") != 0)
        return err_set(e, ERR_INVALID,
                       "\"source\" must be imported or told, not \"%.40s\"",
                       source);
    faults_init(&faults);
    if (give(c, source, &faults, e))
        call_fail(c, e, &faults);
    faults_clear(&faults);
    return 0;
}

/* ---- one ---- */

struct part {
    struct text *out;
    size_t n;
};

static bool add_attempt(void *ctx, const struct attempt_row *row)
{
    struct part *p = ctx;

    text_add(p->out, p->n++ ? ", " : "");
    show_attempt(p->out, row);
    return true;
}

static bool add_report(void *ctx, const struct report_row *row)
{
    struct part *p = ctx;

    text_add(p->out, p->n++ ? ", " : "");
    show_report(p->out, row);
    return true;
}

static bool add_open(void *ctx, const struct trial_row *row)
{
    struct call *c = ctx;

    show_trial_open(&c->out, row);
    return false;
}

static bool add_folder(void *ctx, const struct study_row *row)
{
    struct call *c = ctx;
    char *folder = engine_trial_folder(c->face->engine, row->name, c->number);

    show_text(&c->out, "folder", folder);
    free(folder);
    return false;
}

int api_trials_show(struct call *c, struct err *e)
{
    struct store *s = c->face->store;
    struct part attempts = {&c->out, 0};
    struct part reports = {&c->out, 0};

    if (store_trial_get(s, c->study, c->number, add_open, c, e))
        return -1;
    text_add(&c->out, ", \"attempts\": [");
    if (store_attempt_list(s, c->study, c->number, add_attempt, &attempts, e))
        return -1;
    text_add(&c->out, "], \"measurements\": [");
    if (store_report_list(s, c->study, c->number, 0, add_report, &reports, e))
        return -1;
    text_add(&c->out, "]");
    if (store_study_get(s, c->study, add_folder, c, e))
        return -1;
    text_add(&c->out, "}");
    return 0;
}

/* ---- act ---- */

int api_trials_stop(struct call *c, struct err *e)
{
    size_t n;
    const char *bytes = request_body(c->request, &n);

    if (body_read(bytes, n, NULL, 0, NULL, e) ||
        engine_stop_trial(c->face->engine, c->study, c->number, e))
        return -1;
    return answer_trial(c, e);
}

struct reporting {
    struct body_text metric;
    struct body_number value;
    struct body_whole step;
};

static const struct body_field report_fields[] = {
    {"metric", BODY_TEXT, true, offsetof(struct reporting, metric)},
    {"value", BODY_NUMBER, true, offsetof(struct reporting, value)},
    {"step", BODY_WHOLE, false, offsetof(struct reporting, step)},
};
enum { REPORT_FIELDS = sizeof report_fields / sizeof report_fields[0] };

static int report(struct call *c, struct reporting *in, struct err *e)
{
    size_t n;
    const char *bytes = request_body(c->request, &n);

    if (body_read(bytes, n, report_fields, REPORT_FIELDS, in, e))
        return -1;
    n = strlen(in->metric.value);
    if (n == 0 || n >= REPORT_METRIC)
        return err_set(e, ERR_INVALID, "\"metric\" must have 1 to %d bytes",
                       REPORT_METRIC - 1);
    return engine_report(c->face->engine, c->study, c->number, in->metric.value,
                         in->value.value, in->step.value, e);
}

static int report_batch(struct call *c, const struct engine_batch *batch,
                        struct err *e)
{
    struct engine_heard heard;

    if (engine_hear(c->face->engine, c->study, c->number, batch, &heard, e))
        return -1;
    text_addf(&c->out, "{\"next\": %lld, \"stop\": %s}", (long long)heard.next,
              heard.stop ? "true" : "false");
    return 0;
}

int api_trials_report(struct call *c, struct err *e)
{
    struct reporting in = {0};
    struct batch batch;
    size_t n;
    const char *bytes = request_body(c->request, &n);
    int rc;

    if (batch_is(bytes, n)) {
        rc = batch_read(&batch, bytes, n, e);
        if (!rc)
            rc = report_batch(c, &batch.engine, e);
        batch_clear(&batch);
        return rc;
    }
    rc = report(c, &in, e);

    body_clear(report_fields, REPORT_FIELDS, &in);
    text_add(&c->out, "{}");
    return rc;
}

struct telling {
    struct body_number value;
    struct body_text infeasible;
};

static const struct body_field tell_fields[] = {
    {"value", BODY_NUMBER, false, offsetof(struct telling, value)},
    {"infeasible", BODY_TEXT, false, offsetof(struct telling, infeasible)},
};
enum { TELL_FIELDS = sizeof tell_fields / sizeof tell_fields[0] };

static int tell(struct call *c, struct telling *in, struct err *e)
{
    size_t n;
    const char *bytes = request_body(c->request, &n);

    if (body_read(bytes, n, tell_fields, TELL_FIELDS, in, e))
        return -1;
    if (in->value.given && in->infeasible.given)
        return err_set(
            e, ERR_INVALID,
            "a trial has a \"value\" or is \"infeasible\", not both");
    if (in->infeasible.given && !*in->infeasible.value)
        return err_set(e, ERR_INVALID,
                       "\"infeasible\" must say why, in one sentence");
    return engine_tell(c->face->engine, c->study, c->number,
                       in->value.given ? &in->value.value : NULL,
                       in->infeasible.value, e);
}

int api_trials_tell(struct call *c, struct err *e)
{
    struct telling in = {0};
    int rc = tell(c, &in, e);

    body_clear(tell_fields, TELL_FIELDS, &in);
    return rc ? -1 : answer_trial(c, e);
}
