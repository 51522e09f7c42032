/* Routes about studies. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_studies.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "face/api_importance.h"
#include "face/api_page.h"
#include "face/body.h"
#include "face/show.h"

enum { LIST_DEFAULT = 100, LIST_MOST = 10000 };

static bool add_study(void *ctx, const struct study_row *row)
{
    struct call *c = ctx;

    show_study(&c->out, row, c->face->store, c->face->engine);
    return false;
}

/* The answer is the study as it is now. */
static int answer_study(struct call *c, struct err *e)
{
    return store_study_get(c->face->store, c->study, add_study, c, e);
}

/* ---- submit ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

struct submitted {
    struct call *call;
    bool resumed;
};

static bool add_submitted(void *ctx, const struct study_row *row)
{
    struct submitted *s = ctx;
    struct call *c = s->call;

    show_study_open(&c->out, row, c->face->store, c->face->engine);
    text_addf(&c->out, ", \"resumed\": %s}", s->resumed ? "true" : "false");
    return false;
}

static int submit(struct call *c, const char *dir, struct faults *f,
                  struct err *e)
{
    const char *file = request_query(c->request, "file");
    struct engine_submitted got;
    struct submitted s = {c, false};
    size_t n;
    const char *bytes = request_body(c->request, &n);

    if (engine_submit(c->face->engine, bytes, n,
                      base_name(file && *file ? file : "study"), dir, &got, f,
                      e))
        return -1;
    s.resumed = got.resumed;
    return store_study_get(c->face->store, got.id, add_submitted, &s, e);
}

int api_studies_submit(struct call *c, struct err *e)
{
    const char *dir = request_query(c->request, "dir");
    struct faults faults;

    if (!dir || *dir != '/')
        return err_set(e, ERR_INVALID,
                       "\"dir\" in the query must be the absolute folder that "
                       "relative paths of the study hang on");
    faults_init(&faults);
    if (submit(c, dir, &faults, e))
        call_fail(c, e, &faults);
    faults_clear(&faults);
    return 0;
}

/* ---- look ---- */

struct listing {
    struct call *call;
    int64_t n, limit, last;
    bool more, brief;
};

static bool add_listed(void *ctx, const struct study_row *row)
{
    struct listing *l = ctx;
    struct call *c = l->call;

    if (l->n == l->limit) {
        l->more = true;
        return false;
    }
    text_add(&c->out, l->n++ ? ", " : "");
    if (l->brief)
        show_study_brief(&c->out, row);
    else
        show_study(&c->out, row, c->face->store, c->face->engine);
    l->last = row->id;
    return true;
}

int api_studies_list(struct call *c, struct err *e)
{
    const struct api_page page = {API_PAGE_STUDIES, 0, 0};
    struct listing l = {.call = c, .limit = LIST_DEFAULT};
    int64_t before = 0, brief = 0;

    if (call_query(c, "before", 0, INT64_MAX, &before, e) ||
        call_query(c, "limit", 1, LIST_MOST, &l.limit, e) ||
        call_query(c, "brief", 0, 1, &brief, e) ||
        api_page_read(c, &page, "before", &before, e))
        return -1;
    l.brief = brief != 0;
    text_add(&c->out, "{\"studies\": [");
    if (store_study_list(c->face->store, before, (int)l.limit + 1, add_listed,
                         &l, e))
        return -1;
    text_addf(&c->out, "], \"next\": %lld", (long long)(l.more ? l.last : 0));
    api_page_write(&c->out, &page, l.more ? l.last : 0);
    text_add(&c->out, "}");
    return 0;
}

/* The sentences, one a line, without the last line's end. */
static void add_why(struct text *out, struct text *why)
{
    while (why->len && why->data[why->len - 1] == '\n')
        why->data[--why->len] = 0;
    quote_json(out, text_str(why));
}

static bool is_left(void *ctx, const struct study_row *row)
{
    *(bool *)ctx = !study_state_ended(row->state);
    return false;
}

/* The engine's words, and that nobody goes on with it if so it is. */
static int explain(struct call *c, int64_t study, int64_t trial,
                   struct text *why, struct err *e)
{
    bool left = false;

    if (engine_why(c->face->engine, study, trial, why, e))
        return -1;
    if (c->face->look_only &&
        store_study_get(c->face->store, study, is_left, &left, e))
        return -1;
    if (left)
        text_add(why, "no service is running it: `hypertune run FILE` or "
                      "`hypertune serve` goes on with it\n");
    return 0;
}

/* Without its closing brace. */
static bool add_shown(void *ctx, const struct study_row *row)
{
    struct call *c = ctx;
    struct text why;

    text_init(&why);
    show_study_open(&c->out, row, c->face->store, c->face->engine);
    text_addf(&c->out, ", \"spec\": %s", row->spec);
    show_text(&c->out, "source", row->source);
    show_text(&c->out, "base_dir", row->base_dir);
    if (explain(c, row->id, 0, &why, NULL))
        text_reset(&why);
    text_add(&c->out, ", \"why\": ");
    add_why(&c->out, &why);
    text_clear(&why);
    return false;
}

int api_studies_show(struct call *c, struct err *e)
{
    int64_t importance = 0;

    if (call_query(c, "importance", 0, 1, &importance, e) ||
        store_study_get(c->face->store, c->study, add_shown, c, e))
        return -1;
    if (importance) {
        text_add(&c->out, ", \"importance\": ");
        return api_importance_add(c, "}", e);
    }
    text_add(&c->out, "}");
    return 0;
}

int api_studies_why(struct call *c, struct err *e)
{
    struct text why;
    int64_t trial = 0;
    int rc;

    if (call_query(c, "trial", 1, INT64_MAX, &trial, e))
        return -1;
    text_init(&why);
    rc = explain(c, c->study, trial, &why, e);
    text_add(&c->out, "{\"why\": ");
    add_why(&c->out, &why);
    text_add(&c->out, "}");
    text_clear(&why);
    return rc;
}

/* ---- act ---- */

int api_studies_delete(struct call *c, struct err *e)
{
    text_add(&c->out, "{}");
    return engine_delete(c->face->engine, c->study, e);
}

struct pausing {
    struct body_bool interrupt;
};

int api_studies_pause(struct call *c, struct err *e)
{
    static const struct body_field fields[] = {
        {"interrupt", BODY_BOOL, false, offsetof(struct pausing, interrupt)},
    };
    struct pausing in = {0};
    size_t n;
    const char *bytes = request_body(c->request, &n);

    if (body_read(bytes, n, fields, 1, &in, e) ||
        engine_pause(c->face->engine, c->study, in.interrupt.value,
                     in.interrupt.value ? "interrupted by a person"
                                        : "paused by a person",
                     e))
        return -1;
    return answer_study(c, e);
}

/* Those that ask for nothing more take no body, or an empty object. */
static int no_fields(const struct call *c, struct err *e)
{
    size_t n;
    const char *bytes = request_body(c->request, &n);

    return body_read(bytes, n, NULL, 0, NULL, e);
}

int api_studies_resume(struct call *c, struct err *e)
{
    if (no_fields(c, e) || engine_resume(c->face->engine, c->study, e))
        return -1;
    return answer_study(c, e);
}

int api_studies_cancel(struct call *c, struct err *e)
{
    if (no_fields(c, e) || engine_cancel(c->face->engine, c->study, e))
        return -1;
    return answer_study(c, e);
}

struct retrying {
    struct body_whole number;
};

int api_studies_retry(struct call *c, struct err *e)
{
    static const struct body_field fields[] = {
        {"number", BODY_WHOLE, false, offsetof(struct retrying, number)},
    };
    struct retrying in = {0};
    size_t n;
    const char *bytes = request_body(c->request, &n);
    int64_t retried = 0;

    if (body_read(bytes, n, fields, 1, &in, e))
        return -1;
    if (in.number.value < 0)
        return err_set(e, ERR_INVALID,
                       "\"number\" must be a trial's, or 0 for every FAILED "
                       "one");
    if (engine_retry(c->face->engine, c->study, in.number.value, &retried, e))
        return -1;
    text_addf(&c->out, "{\"retried\": %lld}", (long long)retried);
    return 0;
}
