/* A whole study's trials as a file, piece after piece: no answer holds the loop
 * or the memory of 100,000 trials. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_export.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/mem.h"
#include "base/node.h"
#include "base/quote.h"
#include "face/show.h"
#include "study/codec.h"
#include "study/front.h"

enum { PIECE = 250 }; /* trials of one piece */

struct exported;

/* How a format writes its beginning, a trial, and its end. */
struct format {
    const char *name, *type;
    void (*begin)(struct text *out, const struct exported *x);
    void (*row)(struct text *out, const struct exported *x,
                const struct trial_row *row);
    const char *close;
};

struct exported {
    const struct format *format;
    struct trial_filter filter;
    struct study study; /* its parameters are columns */
    char *name;
    int64_t n;
    bool slow;
};

/* ---- CSV ---- */

static void add_cell(struct text *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        text_add(out, text);
        return;
    }
    text_add(out, "\"");
    for (; *text; text++) {
        text_add_bytes(out, text, 1);
        if (*text == '"')
            text_add(out, "\"");
    }
    text_add(out, "\"");
}

static void add_whole(struct text *out, int64_t value)
{
    text_addf(out, ",%lld", (long long)value);
}

static void add_time(struct text *out, int64_t ms)
{
    char text[CLOCK_TEXT];

    text_add(out, ",");
    if (ms)
        text_add(out, clock_print(ms, text));
}

static const char *const columns[] = {"number",  "state",   "reason",
                                      "value",   "step",    "attempt",
                                      "created", "started", "ended"};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static bool is_column(const char *name)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i], name) == 0)
            return true;
    return false;
}

/* A column for each objective where there are several. */
static void csv_objectives(struct text *out, const struct exported *x)
{
    for (size_t k = 0; x->study.n_others && k <= x->study.n_others; k++) {
        char *title = mem_format("values.%s", front_name(&x->study, k));

        text_add(out, ",");
        add_cell(out, title);
        free(title);
    }
}

static void csv_begin(struct text *out, const struct exported *x)
{
    for (size_t i = 0; i < COLUMNS; i++)
        text_addf(out, "%s%s", i ? "," : "", columns[i]);
    csv_objectives(out, x);
    for (size_t i = 0; i < x->study.space.n; i++) {
        const char *name = x->study.space.params[i].name;
        char *title = is_column(name) ? mem_format("params.%s", name)
                                      : mem_copy_text(name);

        text_add(out, ",");
        add_cell(out, title);
        free(title);
    }
    text_add(out, "\n");
}

/* A cell for each parameter; empty where it does not exist. */
static void csv_params(struct text *out, const struct exported *x,
                       const char *point)
{
    struct node *node = NULL;
    struct faults faults;

    faults_init(&faults);
    if (node_parse(point, strlen(point), &node, &faults))
        node = NULL;
    for (size_t i = 0; i < x->study.space.n; i++) {
        const struct node *value =
            node && node->kind == NODE_MAP
                ? node_get(node, x->study.space.params[i].name)
                : NULL;

        text_add(out, ",");
        if (value && value->kind == NODE_SCALAR)
            add_cell(out, value->text);
    }
    node_free(node);
    faults_clear(&faults);
}

static void csv_values(struct text *out, const struct exported *x,
                       const struct trial_row *row)
{
    struct trial t = {.value = row->value};
    bool all =
        row->has_value && front_read_values(&x->study, row->objectives, &t);

    for (size_t k = 0; x->study.n_others && k <= x->study.n_others; k++) {
        text_add(out, ",");
        if (all)
            quote_number(out, k ? t.others[k - 1] : t.value);
    }
}

static void csv_row(struct text *out, const struct exported *x,
                    const struct trial_row *row)
{
    text_addf(out, "%lld,%s,%s,", (long long)row->number,
              trial_state_name(row->state), trial_reason_name(row->reason));
    if (row->has_value)
        quote_number(out, row->value);
    add_whole(out, row->step);
    add_whole(out, row->attempt);
    add_time(out, row->created_ms);
    add_time(out, row->started_ms);
    add_time(out, row->ended_ms);
    csv_values(out, x, row);
    csv_params(out, x, row->point);
    text_add(out, "\n");
}

/* ---- JSON ---- */

static void json_begin(struct text *out, const struct exported *x)
{
    (void)x;
    text_add(out, "[");
}

static void json_row(struct text *out, const struct exported *x,
                     const struct trial_row *row)
{
    text_add(out, x->n ? ",\n" : "\n");
    show_trial(out, row);
}

static void lines_begin(struct text *out, const struct exported *x)
{
    (void)out;
    (void)x;
}

static void lines_row(struct text *out, const struct exported *x,
                      const struct trial_row *row)
{
    (void)x;
    show_trial(out, row);
    text_add(out, "\n");
}

static const struct format formats[] = {
    {"csv", "text/csv; charset=utf-8", csv_begin, csv_row, ""},
    {"json", "application/json", json_begin, json_row, "\n]\n"},
    {"jsonl", "application/x-ndjson", lines_begin, lines_row, ""},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* ---- piece after piece ---- */

struct piece {
    struct exported *exported;
    struct text *out;
    int n;
};

static bool add_row(void *ctx, const struct trial_row *row)
{
    struct piece *p = ctx;
    struct exported *x = p->exported;

    x->format->row(p->out, x, row);
    x->n++;
    x->filter.after = row->number;
    p->n++;
    return true;
}

/* One piece; the next one when this one has left. */
static void go_on(void *call)
{
    struct call *c = call;
    struct exported *x = c->kept;
    struct piece p = {x, &c->out, 0};
    struct err e;

    if (store_trial_list(c->face->store, c->study, &x->filter, add_row, &p,
                         &e)) {
        call_finish(c);
        return;
    }
    if (p.n < PIECE)
        text_add(&c->out, x->format->close);
    call_push(c);
    if (p.n < PIECE)
        call_finish(c);
}

static void exported_free(void *kept)
{
    struct exported *x = kept;

    study_clear(&x->study);
    free(x->name);
    free(x);
}

static void gone(struct call *c)
{
    call_finish(c);
}

static bool note_study(void *ctx, const struct study_row *row)
{
    struct exported *x = ctx;
    struct faults faults;

    faults_init(&faults);
    if (codec_decode(row->spec, strlen(row->spec), row->name, &x->study,
                     &faults))
        study_init(&x->study); /* of another version: no columns for them */
    faults_clear(&faults);
    x->name = mem_copy_text(row->name);
    return false;
}

static const struct format *read_format(const struct call *c, struct err *e)
{
    const char *name = request_query(c->request, "format");

    if (!name || !*name)
        return &formats[0];
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    err_set(e, ERR_INVALID,
            "\"format\" must be csv, json or jsonl, not \"%.40s\"", name);
    return NULL;
}

static void name_file(struct call *c, const struct exported *x)
{
    char *text =
        mem_format("attachment; filename=\"%s.%s\"", x->name, x->format->name);

    request_header_add(c->request, "Content-Disposition", text);
    free(text);
}

int api_export(struct call *c, struct err *e)
{
    const struct format *format = read_format(c, e);
    struct exported *x;

    if (!format)
        return -1;
    x = mem_new(1, sizeof *x);
    x->format = format;
    x->filter.limit = PIECE;
    if (store_study_get(c->face->store, c->study, note_study, x, e)) {
        free(x);
        return -1;
    }
    c->type = format->type;
    name_file(c, x);
    format->begin(&c->out, x);
    call_keep(c, x, exported_free, gone);
    call_stream(c, go_on);
    go_on(c);
    return 0;
}
