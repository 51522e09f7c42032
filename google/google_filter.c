/* The filters of Google's lists of jobs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/node.h"
#include "base/text.h"
#include "google/google_time.h"
#include "study/proto.h"

enum { MOST_DEPTH = 50, MOST_BYTES = 10000 };

/* A filter being read and answered in one go. */
struct reader {
    const char *at;
    google_filter_fn *fn;
    void *ctx;
    struct err *e;
    int depth;
};

/* ---- words ---- */

static void blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_word(const char *at, const char *word)
{
    size_t n = strlen(word);

    return strncmp(at, word, n) == 0 &&
           (!at[n] || isspace((unsigned char)at[n]) || at[n] == '(');
}

static bool skip_word(struct reader *r, const char *word)
{
    blanks(r);
    if (!is_word(r->at, word))
        return false;
    r->at += strlen(word);
    return true;
}

static int wrong(struct reader *r, const char *what)
{
    return err_set(r->e, ERR_INVALID, "filter: %s at \"%.40s\"", what, r->at);
}

static int take_quoted(struct reader *r, struct text *out)
{
    char quote = *r->at++;

    text_add(out, "");
    for (; *r->at && *r->at != quote; r->at++) {
        if (*r->at == '\\' && r->at[1])
            r->at++;
        text_add_bytes(out, r->at, 1);
    }
    if (*r->at != quote)
        return wrong(r, "a quote is not closed");
    r->at++;
    return 0;
}

static int take_value(struct reader *r, struct text *out)
{
    size_t n;

    blanks(r);
    if (*r->at == '"' || *r->at == '\'')
        return take_quoted(r, out);
    n = strcspn(r->at, " \t\r\n()");
    if (!n)
        return wrong(r, "a value is missing");
    text_add_bytes(out, r->at, n);
    r->at += n;
    return 0;
}

/* ---- comparing ---- */

static const struct {
    const char *text; /* longer ones first */
    enum google_filter_how how;
} comparators[] = {
    {"!=", GOOGLE_FILTER_UNEQUAL},    {"<=", GOOGLE_FILTER_LESS_EQUAL},
    {">=", GOOGLE_FILTER_MORE_EQUAL}, {"=", GOOGLE_FILTER_EQUAL},
    {":", GOOGLE_FILTER_HAS},         {"<", GOOGLE_FILTER_LESS},
    {">", GOOGLE_FILTER_MORE},
};
enum { COMPARATORS = sizeof comparators / sizeof comparators[0] };

/* `*` stands for anything; the time is at most the product of the lengths. */
static bool fits(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;

    while (*text)
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    return pattern[strspn(pattern, "*")] == '\0';
}

int google_filter_text(enum google_filter_how how, const char *value,
                       const char *text, bool *match, struct err *e)
{
    if (how > GOOGLE_FILTER_HAS)
        return err_set(e, ERR_INVALID,
                       "filter: only =, != and : compare texts");
    if (how == GOOGLE_FILTER_HAS && !strchr(value, '*'))
        *match = strstr(text, value) != NULL;
    else
        *match = fits(value, text) == (how != GOOGLE_FILTER_UNEQUAL);
    return 0;
}

bool google_filter_order(enum google_filter_how how, int64_t is, int64_t wanted)
{
    switch (how) {
    case GOOGLE_FILTER_UNEQUAL:
        return is != wanted;
    case GOOGLE_FILTER_LESS:
        return is < wanted;
    case GOOGLE_FILTER_LESS_EQUAL:
        return is <= wanted;
    case GOOGLE_FILTER_MORE:
        return is > wanted;
    case GOOGLE_FILTER_MORE_EQUAL:
        return is >= wanted;
    default:
        return is == wanted;
    }
}

static const char *bare_state(const char *state)
{
    static const char prefix[] = "JOB_STATE_";
    size_t n = strlen(prefix);

    return strncmp(state, prefix, n) == 0 ? state + n : state;
}

static int match_time(enum google_filter_how how, const char *value, int64_t is,
                      bool *match, struct err *e)
{
    int64_t wanted = 0;

    if (!google_time_read(value, &wanted))
        return err_set(e, ERR_INVALID,
                       "filter: \"%.60s\" is no time, such as "
                       "2026-01-31T12:00:00Z",
                       value);
    *match = google_filter_order(how, is, wanted);
    return 0;
}

/* A job without the label differs from every value. */
static int match_label(const char *labels, const char *name,
                       enum google_filter_how how, const char *value,
                       bool *match, struct err *e)
{
    const struct node *label;
    struct faults faults;
    struct node *doc;
    int rc = 0;

    labels = *labels ? labels : "{}";
    faults_init(&faults);
    if (node_parse(labels, strlen(labels), &doc, &faults))
        doc = NULL;
    faults_clear(&faults);
    label = doc ? node_get(doc, name) : NULL;
    *match = how == GOOGLE_FILTER_UNEQUAL;
    if (label && label->kind == NODE_SCALAR)
        rc = google_filter_text(how, value, label->text, match, e);
    else if (how > GOOGLE_FILTER_HAS)
        rc = google_filter_text(how, value, "", match, e);
    node_free(doc);
    return rc;
}

static int match_job(void *ctx, const char *field, enum google_filter_how how,
                     const char *value, bool *match, struct err *e)
{
    static const char labels[] = "labels.";
    const struct google_filter_of *of = ctx;
    char *name;
    int rc;

    if (strncmp(field, labels, strlen(labels)) == 0)
        return match_label(of->labels, field + strlen(labels), how, value,
                           match, e);
    name = proto_camel(field);
    if (strcmp(name, "labels") == 0 && how == GOOGLE_FILTER_HAS)
        rc = match_label(of->labels, value, how, "*", match, e);
    else if (strcmp(name, "displayName") == 0)
        rc = google_filter_text(how, value, of->display_name, match, e);
    else if (strcmp(name, "jobId") == 0)
        rc = google_filter_text(how, value, of->job_id, match, e);
    else if (strcmp(name, "state") == 0)
        rc = google_filter_text(how, bare_state(value), bare_state(of->state),
                                match, e);
    else if (strcmp(name, "createTime") == 0)
        rc = match_time(how, value, of->created_ms * 1000000, match, e);
    else
        rc = err_set(e, ERR_INVALID,
                     "filter: jobs have no field \"%.60s\"; there are "
                     "display_name, job_id, state, create_time and "
                     "labels.NAME",
                     field);
    free(name);
    return rc;
}

/* ---- the grammar ---- */

static int match_all(struct reader *r, bool *match);

static int restriction(struct reader *r, bool *match)
{
    size_t n = strcspn(r->at, " \t\r\n()=!<>:\"'");
    char *field = mem_copy_bytes(r->at, n);
    struct text value;
    int i = 0, rc;

    if (!n) {
        free(field);
        return wrong(r, "a field's name is missing");
    }
    r->at += n;
    blanks(r);
    while (i < COMPARATORS && strncmp(r->at, comparators[i].text,
                                      strlen(comparators[i].text)) != 0)
        i++;
    text_init(&value);
    if (i == COMPARATORS) {
        rc = wrong(r, "one of = != : < <= > >= is missing");
    } else {
        r->at += strlen(comparators[i].text);
        rc = take_value(r, &value);
    }
    if (!rc)
        rc = r->fn(r->ctx, field, comparators[i].how, text_str(&value), match,
                   r->e);
    text_clear(&value);
    free(field);
    return rc;
}

static int simple(struct reader *r, bool *match)
{
    blanks(r);
    if (*r->at != '(')
        return restriction(r, match);
    if (++r->depth > MOST_DEPTH)
        return wrong(r, "too many brackets");
    r->at++;
    if (match_all(r, match))
        return -1;
    blanks(r);
    if (*r->at != ')')
        return wrong(r, "a bracket is not closed");
    r->at++;
    r->depth--;
    return 0;
}

static int term(struct reader *r, bool *match)
{
    bool negated = false;

    *match = true;
    blanks(r);
    while (skip_word(r, "NOT") || *r->at == '-') {
        r->at += *r->at == '-';
        negated = !negated;
        blanks(r);
    }
    if (simple(r, match))
        return -1;
    *match = *match != negated;
    return 0;
}

static int factor(struct reader *r, bool *match)
{
    bool one;

    if (term(r, match))
        return -1;
    while (skip_word(r, "OR")) {
        if (term(r, &one))
            return -1;
        *match = *match || one;
    }
    return 0;
}

static int match_all(struct reader *r, bool *match)
{
    bool one;

    if (factor(r, match))
        return -1;
    for (;;) {
        bool and = skip_word(r, "AND");

        blanks(r);
        if (!and&&(!*r->at || *r->at == ')'))
            return 0;
        if (factor(r, &one))
            return -1;
        *match = *match && one;
    }
}

int google_filter_walk(const char *filter, google_filter_fn *fn, void *ctx,
                       bool *match, struct err *e)
{
    struct reader r = {
        .at = filter ? filter : "", .fn = fn, .ctx = ctx, .e = e};

    *match = true;
    if (strlen(r.at) > MOST_BYTES)
        return err_set(e, ERR_INVALID, "filter: more than %d bytes",
                       MOST_BYTES);
    blanks(&r);
    if (!*r.at)
        return 0;
    if (match_all(&r, match))
        return -1;
    return *r.at ? wrong(&r, "too much") : 0;
}

int google_filter_match(const char *filter, const struct google_filter_of *of,
                        bool *match, struct err *e)
{
    return google_filter_walk(filter, match_job, (void *)of, match, e);
}
