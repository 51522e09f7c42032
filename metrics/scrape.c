/* Patterns over printed lines. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/scrape.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "metrics/members.h"

enum word { WORD_METRIC, WORD_VALUE, WORD_STEP, WORDS };

/* What the words in braces stand for, each in a group of its own. */
static const struct {
    const char *name, *regex;
    size_t groups;
} words[WORDS] = {
    [WORD_METRIC] = {"{metric}", "([A-Za-z_][A-Za-z0-9_./-]*)", 1},
    [WORD_VALUE] = {"{value}",
                    "([-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"
                    "|[-+]?[nN][aA][nN]"
                    "|[-+]?[iI][nN][fF]([iI][nN][iI][tT][yY])?)",
                    4},
    [WORD_STEP] = {"{step}", "([0-9]+)", 1},
};

enum {
    MATCHES = 64,   /* of one line */
    GROUPS = 32,    /* of one pattern */
    REPEATS = 10000 /* the product of all {n,m}: what regcomp unrolls */
};

struct scrape {
    regex_t regex;
    size_t group[WORDS]; /* 0 = the pattern has none */
};

/* ---- reading the pattern ---- */

/* One item of a regular expression that is not a bracket expression may begin
 * at s; returns its length: 2 for an escape, else 1. */
static size_t item_length(const char *s)
{
    return s[0] == '\\' && s[1] ? 2 : 1;
}

/* The length of the bracket expression that begins at s, "[...]"; to the end
 * of the text if it is not closed. */
static size_t bracket_length(const char *s)
{
    size_t i = 1;

    i += s[i] == '^';
    i += s[i] == ']';
    while (s[i] && s[i] != ']') {
        if (s[i] == '[' && s[i + 1] && strchr(":.=", s[i + 1])) {
            const char end[] = {s[i + 1], ']', '\0'};
            const char *close = strstr(s + i + 2, end);

            i = close ? (size_t)(close - s) + 2 : i + 1;
        } else {
            i++;
        }
    }
    return i + (s[i] == ']');
}

static enum word word_at(const char *s)
{
    enum word w = 0;

    while (w < WORDS && strncmp(s, words[w].name, strlen(words[w].name)) != 0)
        w++;
    return w;
}

/* The most repeats that "{n,m}" at s asks for; 1 if it is no such thing. */
static long repeats_at(const char *s)
{
    char *end;
    long least, most;

    if (!isdigit((unsigned char)s[1]))
        return 1;
    least = most = strtol(s + 1, &end, 10);
    if (*end == ',' && isdigit((unsigned char)end[1]))
        most = strtol(end + 1, &end, 10);
    if (least > REPEATS || most > REPEATS)
        return REPEATS + 1;
    return most > 0 ? most : 1;
}

/* What a pattern turns into, piece by piece. */
struct expansion {
    struct text regex;
    size_t groups;
    long repeats;
    size_t group[WORDS];
};

/* Takes what stands at s; returns how long that is, 0 if it is a word that
 * stands there twice. */
static size_t expand_piece(const char *s, struct expansion *x)
{
    enum word w = word_at(s);
    size_t n = *s == '[' ? bracket_length(s) : item_length(s);

    if (w != WORDS) {
        if (x->group[w])
            return 0;
        x->group[w] = x->groups + 1;
        x->groups += words[w].groups;
        text_add(&x->regex, words[w].regex);
        return strlen(words[w].name);
    }
    x->groups += *s == '(';
    if (*s == '{' && x->repeats <= REPEATS)
        x->repeats *= repeats_at(s);
    text_add_bytes(&x->regex, s, n);
    return n;
}

static int expand(const char *pattern, struct expansion *x, struct err *e)
{
    text_init(&x->regex);
    x->repeats = 1;
    if (strlen(pattern) > SCRAPE_PATTERN)
        return err_set(e, ERR_INVALID,
                       "the pattern is longer than %d bytes; make it shorter",
                       SCRAPE_PATTERN);
    for (const char *s = pattern; *s;) {
        size_t n = expand_piece(s, x);

        if (n == 0)
            return err_set(e, ERR_INVALID,
                           "the pattern has %s twice; leave one of them out",
                           words[word_at(s)].name);
        s += n;
    }
    if (x->repeats > REPEATS)
        return err_set(e, ERR_INVALID,
                       "the pattern's repeats multiply to more than %d; use * "
                       "or + instead",
                       REPEATS);
    return 0;
}

/* Which group is what, once it is known how many there are. */
static int assign_groups(struct expansion *x, size_t n, struct err *e)
{
    bool named = x->group[WORD_METRIC] || x->group[WORD_STEP];

    if (n >= GROUPS)
        return err_set(e, ERR_INVALID, "the pattern has more than %d groups",
                       GROUPS - 1);
    if (x->group[WORD_VALUE])
        return 0;
    if (named)
        return err_set(e, ERR_INVALID,
                       "the pattern has {metric} or {step} but no {value}; "
                       "write {value} where the number stands");
    if (n != 1 && n != 2)
        return err_set(e, ERR_INVALID,
                       "the pattern has %zu groups; it needs {value}, or one "
                       "group (the value), or two (name and value)",
                       n);
    x->group[WORD_METRIC] = n == 2;
    x->group[WORD_VALUE] = n;
    return 0;
}

static int compile(struct scrape *s, struct expansion *x, const char *pattern,
                   struct err *e)
{
    int code;

    if (expand(pattern, x, e) < 0)
        return -1;
    code = regcomp(&s->regex, text_str(&x->regex), REG_EXTENDED);
    if (code != 0) {
        char why[128];

        regerror(code, &s->regex, why, sizeof why);
        return err_set(e, ERR_INVALID,
                       "the pattern is no extended regular expression: %s",
                       why);
    }
    if (assign_groups(x, s->regex.re_nsub, e) < 0) {
        regfree(&s->regex);
        return -1;
    }
    memcpy(s->group, x->group, sizeof s->group);
    return 0;
}

int scrape_open(struct scrape **out, const char *pattern, struct err *e)
{
    struct scrape *s = mem_new(1, sizeof *s);
    struct expansion x = {0};
    int result = compile(s, &x, pattern, e);

    text_clear(&x.regex);
    if (result < 0) {
        free(s);
        s = NULL;
    }
    *out = s;
    return result;
}

void scrape_close(struct scrape *s)
{
    if (!s)
        return;
    regfree(&s->regex);
    free(s);
}

/* ---- reading a line ---- */

/* Copies what a group matched, without blanks around it; false if it matched
 * nothing or more than fits. */
static bool group_text(const char *line, const regmatch_t *group, char *out,
                       size_t size)
{
    const char *at = line + group->rm_so, *end = line + group->rm_eo;

    if (group->rm_so < 0)
        return false;
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (at < end && isspace((unsigned char)end[-1]))
        end--;
    if (at == end || (size_t)(end - at) >= size)
        return false;
    memcpy(out, at, (size_t)(end - at));
    out[end - at] = '\0';
    return true;
}

static bool read_match(const struct scrape *s, const char *line,
                       const regmatch_t *m, const char *goal, struct report *r)
{
    char text[REPORT_METRIC];

    *r = (struct report){0};
    if (!group_text(line, &m[s->group[WORD_VALUE]], text, sizeof text) ||
        !number_read(text, &r->value))
        return false;
    if (s->group[WORD_STEP] &&
        group_text(line, &m[s->group[WORD_STEP]], text, sizeof text) &&
        !number_read_int(text, &r->step))
        r->step = 0;
    if (s->group[WORD_METRIC]) {
        if (!group_text(line, &m[s->group[WORD_METRIC]], text, sizeof text))
            return false;
        goal = text;
    }
    members_copy_name(goal, strlen(goal), r->metric);
    return true;
}

int scrape_line(const struct scrape *s, const char *line, const char *goal,
                report_fn *fn, void *ctx)
{
    char cut[SCRAPE_LINE + 1];
    regmatch_t m[GROUPS];
    const char *at = cut;
    int given = 0;

    memcpy(cut, line, strnlen(line, SCRAPE_LINE));
    cut[strnlen(line, SCRAPE_LINE)] = '\0';
    for (int i = 0; i < MATCHES; i++) {
        struct report r;

        if (regexec(&s->regex, at, GROUPS, m, i ? REG_NOTBOL : 0) != 0)
            break;
        if (read_match(s, at, m, goal, &r)) {
            fn(ctx, &r);
            given++;
        }
        if (m[0].rm_eo == 0 || !at[m[0].rm_eo])
            break;
        at += m[0].rm_eo;
    }
    return given;
}
