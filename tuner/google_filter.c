/* The filters of Google's lists of jobs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/google_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/node.h"
#include "base/text.h"
#include "study/proto.h"
#include "tuner/google_time.h"

enum { MOST_DEPTH = 50, MOST_BYTES = 10000 };

/* A filter being read and answered in one go. */
struct reader {
    const char *at;
    const struct google_filter_of *of;
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

enum how { EQUAL, UNEQUAL, HAS, LESS, LESS_EQUAL, MORE, MORE_EQUAL };

static const struct {
    const char *text; /* longer ones first */
    enum how how;
} comparators[] = {
    {"!=", UNEQUAL}, {"<=", LESS_EQUAL}, {">=", MORE_EQUAL}, {"=", EQUAL},
    {":", HAS},      {"<", LESS},        {">", MORE},
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

static int match_text(struct reader *r, enum how how, const char *value,
                      const char *text, bool *match)
{
    if (how > HAS)
        return err_set(r->e, ERR_INVALID,
                       "filter: only =, != and : compare texts");
    if (how == HAS && !strchr(value, '*'))
        *match = strstr(text, value) != NULL;
    else
        *match = fits(value, text) == (how != UNEQUAL);
    return 0;
}

static const char *bare_state(const char *state)
{
    static const char prefix[] = "JOB_STATE_";
    size_t n = strlen(prefix);

    return strncmp(state, prefix, n) == 0 ? state + n : state;
}

static int match_state(struct reader *r, enum how how, const char *value,
                       bool *match)
{
    return match_text(r, how, bare_state(value), bare_state(r->of->state),
                      match);
}

static int match_time(struct reader *r, enum how how, const char *value,
                      bool *match)
{
    int64_t wanted = 0, is = r->of->created_ms * 1000000;

    if (!google_time_read(value, &wanted))
        return err_set(r->e, ERR_INVALID,
                       "filter: \"%.60s\" is no time, such as "
                       "2026-01-31T12:00:00Z",
                       value);
    switch (how) {
    case EQUAL:
    case HAS:
        *match = is == wanted;
        break;
    case UNEQUAL:
        *match = is != wanted;
        break;
    case LESS:
        *match = is < wanted;
        break;
    case LESS_EQUAL:
        *match = is <= wanted;
        break;
    case MORE:
        *match = is > wanted;
        break;
    case MORE_EQUAL:
        *match = is >= wanted;
        break;
    }
    return 0;
}

/* `labels.NAME`; a job without the label differs from every value. */
static int match_label(struct reader *r, const char *name, enum how how,
                       const char *value, bool *match)
{
    const char *labels = *r->of->labels ? r->of->labels : "{}";
    const struct node *label;
    struct faults faults;
    struct node *doc;
    int rc = 0;

    faults_init(&faults);
    if (node_parse(labels, strlen(labels), &doc, &faults))
        doc = NULL;
    faults_clear(&faults);
    label = doc ? node_get(doc, name) : NULL;
    *match = how == UNEQUAL;
    if (label && label->kind == NODE_SCALAR)
        rc = match_text(r, how, value, label->text, match);
    else if (how > HAS)
        rc = match_text(r, how, value, "", match);
    node_free(doc);
    return rc;
}

static int compare(struct reader *r, const char *field, enum how how,
                   const char *value, bool *match)
{
    static const char labels[] = "labels.";
    char *name;
    int rc;

    if (strncmp(field, labels, strlen(labels)) == 0)
        return match_label(r, field + strlen(labels), how, value, match);
    name = proto_camel(field);
    if (strcmp(name, "labels") == 0 && how == HAS)
        rc = match_label(r, value, HAS, "*", match);
    else if (strcmp(name, "displayName") == 0)
        rc = match_text(r, how, value, r->of->display_name, match);
    else if (strcmp(name, "jobId") == 0)
        rc = match_text(r, how, value, r->of->job_id, match);
    else if (strcmp(name, "state") == 0)
        rc = match_state(r, how, value, match);
    else if (strcmp(name, "createTime") == 0)
        rc = match_time(r, how, value, match);
    else
        rc = err_set(r->e, ERR_INVALID,
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
        rc = compare(r, field, comparators[i].how, text_str(&value), match);
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

int google_filter_match(const char *filter, const struct google_filter_of *of,
                        bool *match, struct err *e)
{
    struct reader r = {.at = filter ? filter : "", .of = of, .e = e};

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
