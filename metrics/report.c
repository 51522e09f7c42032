/* One line of a report file, and one line of a trainer's own JSON lines. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/report.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "metrics/members.h"

/* The keys of a report that are no metric. "sequence" is one only with a
 * number in it, which libhypertune never writes there. */
enum key { KEY_TIME, KEY_STEP, KEY_TRIAL, KEY_CHECKPOINT, KEY_SEQUENCE, KEYS };

static const char *const keys[KEYS] = {
    [KEY_TIME] = "timestamp",    [KEY_STEP] = "global_step",
    [KEY_TRIAL] = "trial",       [KEY_CHECKPOINT] = "checkpoint_path",
    [KEY_SEQUENCE] = "sequence",
};

static enum key key_of(const char *name)
{
    enum key k = 0;

    while (k < KEYS && strcmp(keys[k], name) != 0)
        k++;
    return k;
}

/* Steps may come as 3, "3", 3.0 or 3e2; what is no number is 0. */
static int64_t read_step(const char *text)
{
    int64_t step;
    double x;

    if (number_read_int(text, &step))
        return step;
    if (number_read(text, &x) && fabs(x) < 9e15)
        return (int64_t)x;
    return 0;
}

static double read_time(const char *text)
{
    double t;

    return number_read(text, &t) && t > 0 && t < 1e11 ? t : 0;
}

/* What a line holds so far. */
struct found {
    bool goal;    /* report has it */
    int others;   /* metrics that are not the goal */
    bool fixed;   /* a fixed key that the goal is named like, */
    double value; /* and its number */
    char name[REPORT_METRIC];
};

static void name_it(struct report *r, const char *name, double value)
{
    memcpy(r->metric, name, strlen(name) + 1);
    r->value = value;
}

static void note_fixed(const struct member *m, enum key k, const char *goal,
                       struct found *f, struct report *r)
{
    double value;

    if (k == KEY_TIME)
        r->time_s = read_time(m->value);
    if (k == KEY_STEP)
        r->step = read_step(m->value);
    if (((goal && strcmp(goal, m->key) == 0) || k == KEY_SEQUENCE) &&
        number_read(m->value, &value)) {
        f->fixed = true;
        f->value = value;
        memcpy(f->name, m->key, sizeof f->name);
    }
}

static void note(const struct member *m, const char *goal, struct found *f,
                 struct report *r)
{
    enum key k = key_of(m->key);
    bool is_goal = goal && strcmp(goal, m->key) == 0;
    double value;

    if (k != KEYS) {
        note_fixed(m, k, goal, f, r);
        return;
    }
    if (f->goal || !number_read(m->value, &value))
        return;
    f->goal = is_goal;
    f->others += !is_goal;
    name_it(r, m->key, value);
}

int report_read_line(const char *line, size_t n, const char *metric,
                     struct report *out, struct err *e)
{
    struct members members;
    struct member m;
    struct report r = {0};
    struct found f = {0};
    int more;

    members_init(&members, line, n);
    while ((more = members_next(&members, &m)) > 0)
        note(&m, metric, &f, &r);
    if (more < 0)
        return err_set(e, ERR_INVALID, "the line is not one whole JSON object");
    if (!f.goal && f.others == 0 && f.fixed) {
        name_it(&r, f.name, f.value);
        f.goal = true;
    }
    if (!f.goal && f.others == 0)
        return err_set(e, ERR_INVALID, "the line names no metric");
    if (!f.goal && f.others > 1)
        return err_set(e, ERR_INVALID,
                       "the line names several metrics, and none is the goal");
    *out = r;
    return 0;
}

/* ---- a trainer's own lines ---- */

/* Keys that say where a line of metrics stands, best first. */
static const char *const step_keys[] = {"step", "global_step", "epoch"};
enum { STEP_KEYS = sizeof step_keys / sizeof step_keys[0] };

static size_t step_rank(const char *key)
{
    size_t i = 0;

    while (i < STEP_KEYS && strcmp(step_keys[i], key) != 0)
        i++;
    return i;
}

/* Numbers, and the names of those that JSON cannot write. */
static bool read_metric(const struct member *m, double *value)
{
    return number_read(m->value, value) && (!m->quoted || !isfinite(*value));
}

int report_read_all(const char *line, size_t n, report_fn *fn, void *ctx)
{
    struct members members;
    struct member m;
    struct report r = {0};
    size_t rank = STEP_KEYS;
    int more, given = 0;

    members_init(&members, line, n);
    while ((more = members_next(&members, &m)) > 0) {
        if (strcmp(m.key, keys[KEY_TIME]) == 0)
            r.time_s = read_time(m.value);
        if (step_rank(m.key) < rank) {
            rank = step_rank(m.key);
            r.step = read_step(m.value);
        }
    }
    if (more < 0)
        return 0;
    members_init(&members, line, n);
    while (members_next(&members, &m) > 0) {
        if (step_rank(m.key) < STEP_KEYS || key_of(m.key) == KEY_TIME ||
            !read_metric(&m, &r.value))
            continue;
        name_it(&r, m.key, r.value);
        fn(ctx, &r);
        given++;
    }
    return given;
}
