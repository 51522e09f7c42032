/* The short way to write a parameter. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/range.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Where we are in one scalar. */
struct cursor {
    struct reading *r;
    const struct node *v;
    struct draft *d;
    const char *s; /* what is not read yet */
};

static int column_at(const struct cursor *c, const char *s)
{
    return c->v->column + (int)(s - c->v->text) + (c->v->quoted ? 1 : 0);
}

static void fail(struct cursor *c, const char *fmt, const char *what)
    __attribute__((format(printf, 2, 0)));
static void fail(struct cursor *c, const char *fmt, const char *what)
{
    char sentence[400];
    struct node place = {.line = c->v->line, .column = column_at(c, c->s)};

    if (c->d->broken)
        return;
    snprintf(sentence, sizeof sentence, fmt, what);
    reading_fault(c->r, &place, "%.100s: %s", c->d->name.text, sentence);
    c->d->broken = true;
}

static void skip_blanks(struct cursor *c)
{
    while (isspace((unsigned char)*c->s))
        c->s++;
}

/* Takes the word if it stands here by itself. */
static bool take(struct cursor *c, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(c);
    if (strncmp(c->s, word, n) != 0 ||
        (c->s[n] && !isspace((unsigned char)c->s[n])))
        return false;
    c->s += n;
    return true;
}

/* The length of the number at s: up to a blank or "..". */
static size_t number_length(const char *s)
{
    size_t n = 0;

    while (s[n] && !isspace((unsigned char)s[n]) &&
           !(s[n] == '.' && s[n + 1] == '.'))
        n++;
    return n;
}

static void take_number(struct cursor *c, const char *what, struct word *out)
{
    size_t n;

    skip_blanks(c);
    n = number_length(c->s);
    if (n == 0) {
        fail(c, "a number is missing here (%s)", what);
        return;
    }
    word_set(out, c->s, n, c->v->line, column_at(c, c->s), false);
    c->s += n;
}

static void set_scale(struct draft *d, enum param_scale scale)
{
    d->scale = scale;
    d->has_scale = true;
}

static void take_scale(struct cursor *c)
{
    struct draft *d = c->d;

    for (;;) {
        if (take(c, "int") || take(c, "integer"))
            d->kind = PARAM_INTEGER;
        else if (take(c, "log"))
            set_scale(d, SCALE_LOG);
        else if (take(c, "revlog"))
            set_scale(d, SCALE_REVLOG);
        else if (take(c, "linear"))
            set_scale(d, SCALE_LINEAR);
        else
            return;
    }
}

/* One value of a condition: a quoted text, or what stands before the next
 * comma, bracket or the end, without the blanks around it. */
static void take_value(struct cursor *c, bool bracketed)
{
    const char *begin, *end;
    bool quoted = false;

    skip_blanks(c);
    begin = c->s;
    if (*begin == '"' || *begin == '\'') {
        end = strchr(begin + 1, *begin);
        if (!end) {
            fail(c, "the quote %s is not closed", *begin == '"' ? "\"" : "'");
            return;
        }
        quoted = true;
        c->s = end + 1;
        begin++;
    } else {
        end = begin + strcspn(begin, bracketed ? ",]" : ",");
        c->s = end;
        while (end > begin && isspace((unsigned char)end[-1]))
            end--;
    }
    if (end == begin && !quoted)
        fail(c, "a value is missing in the condition on %s", c->d->parent.text);
    else
        word_list_add(&c->d->when, begin, (size_t)(end - begin), c->v->line,
                      column_at(c, begin), quoted);
    skip_blanks(c);
}

static void take_values(struct cursor *c)
{
    bool bracketed;

    skip_blanks(c);
    bracketed = *c->s == '[';
    if (bracketed)
        c->s++;
    for (;;) {
        take_value(c, bracketed);
        if (c->d->broken || *c->s != ',')
            break;
        c->s++;
    }
    if (!bracketed || c->d->broken)
        return;
    if (*c->s != ']')
        fail(c, "the %s of the condition is not closed", "[");
    else
        c->s++;
}

static void take_condition(struct cursor *c)
{
    size_t n;

    skip_blanks(c);
    n = strcspn(c->s, " \t\r\n=");
    if (n == 0) {
        fail(c, "a parameter's name is missing after %s", "if");
        return;
    }
    word_set(&c->d->parent, c->s, n, c->v->line, column_at(c, c->s), false);
    c->s += n;
    skip_blanks(c);
    if (*c->s == '=') {
        c->s += c->s[1] == '=' ? 2 : 1;
    } else if (strncmp(c->s, "in", 2) == 0 &&
               (isspace((unsigned char)c->s[2]) || c->s[2] == '[')) {
        c->s += 2;
    } else {
        fail(c,
             "write a condition as \"if %s = VALUE\" or \"in VALUE, "
             "VALUE\"",
             c->d->parent.text);
        return;
    }
    take_values(c);
}

static void refuse_rest(struct cursor *c)
{
    skip_blanks(c);
    if (*c->s)
        fail(c,
             "\"%.60s\" is not understood; a range is [log] [int] MIN .. MAX "
             "[step N] [default N] [if NAME = VALUE]",
             c->s);
}

void range_read(struct reading *r, const struct node *v, struct draft *d)
{
    struct cursor c = {r, v, d, v->text};

    d->kind = PARAM_DOUBLE;
    if (!strstr(v->text, "..")) {
        fail(&c,
             "\"%.60s\" is no range; write MIN .. MAX, or a list in "
             "brackets; a value that does not change belongs into run",
             v->text);
        return;
    }
    take_scale(&c);
    take_number(&c, "a range is MIN .. MAX", &d->min);
    skip_blanks(&c);
    if (strncmp(c.s, "..", 2) != 0)
        fail(&c, "%s is missing between the two ends of the range", "..");
    else
        c.s += 2;
    take_number(&c, "the upper end of the range", &d->max);
    for (;;) {
        if (take(&c, "step"))
            take_number(&c, "after step", &d->step);
        else if (take(&c, "default"))
            take_number(&c, "after default", &d->fallback);
        else
            break;
    }
    if (take(&c, "if"))
        take_condition(&c);
    refuse_rest(&c);
}

void range_read_when(struct reading *r, const struct node *v, struct draft *d)
{
    struct cursor c = {r, v, d, v->text};

    take(&c, "if");
    take_condition(&c);
    refuse_rest(&c);
}
