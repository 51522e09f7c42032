/* Listening: followers, curves and marks of running trials. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/listen.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "study/places.h"
#include "tuner/early.h"
#include "tuner/senders.h"

static struct live_curve *find(const struct live_trial *t, const char *metric)
{
    for (size_t i = 0; i < t->n_curves; i++)
        if (strcmp(t->curves[i].metric, metric) == 0)
            return &t->curves[i];
    return NULL;
}

static struct live_curve *curve_of(struct live_trial *t, const char *metric)
{
    struct live_curve *found = find(t, metric);
    void *curves = t->curves;

    if (found)
        return found;
    /* objectives always have a place */
    if (t->n_curves >= LISTEN_METRICS && !study_wants(&t->study->study, metric))
        return NULL;
    mem_grow(&curves, &t->curves_cap, t->n_curves + 1, sizeof *t->curves);
    t->curves = curves;
    found = &t->curves[t->n_curves++];
    found->metric = mem_copy_text(metric);
    curve_init(&found->curve);
    return found;
}

/* ---- marks: the follower's place and the curves' sums, as JSON ---- */

static json_t *point_json(const struct curve_point *p)
{
    return json_pack("[I, I, f]", (json_int_t)p->index, (json_int_t)p->step,
                     p->value);
}

/* The name of the trial's replica of that rank: "worker-0". Yours. */
static char *replica_name(const struct live_trial *t, size_t rank)
{
    enum study_role role;
    int index;

    study_replica(&t->study->study, (int)rank, &role, &index);
    return mem_format("%s-%d", study_role_name(role), index);
}

/* Of the replicas beside the master, by name. */
static void add_other_marks(const struct live_trial *t, json_t *all)
{
    json_t *others = t->n_follows > 1 ? json_object() : NULL;

    for (size_t i = 1; i < t->n_follows; i++) {
        char *name = t->follows[i] ? replica_name(t, i) : NULL;

        if (name)
            json_object_set_new(others, name,
                                json_string(follow_marks(t->follows[i])));
        free(name);
    }
    if (others)
        json_object_set_new(all, "others", others);
}

static char *marks_write(const struct live_trial *t)
{
    json_t *curves = json_array();
    json_t *all;
    char *out;

    for (size_t i = 0; i < t->n_curves; i++) {
        const struct curve *c = &t->curves[i].curve;

        json_array_append_new(
            curves,
            json_pack("{s:s, s:I, s:I, s:b, s:b, s:o, s:o, s:o}", "metric",
                      t->curves[i].metric, "n", (json_int_t)c->n, "stride",
                      (json_int_t)c->stride, "finite", c->has_finite,
                      "last_finite", c->last_is_finite, "first",
                      point_json(&c->first), "last", point_json(&c->last),
                      "best", point_json(&c->best)));
    }
    all = json_pack("{s:s, s:o}", "follow",
                    t->n_follows ? follow_marks(t->follows[0]) : "", "curves",
                    curves);
    add_other_marks(t, all);
    senders_write(t, all);
    out = json_dumps(all, JSON_REAL_PRECISION(17) | JSON_COMPACT);
    json_decref(all);
    return out ? out : mem_copy_text("{}");
}

static void point_read(const json_t *j, struct curve_point *p)
{
    p->index = json_integer_value(json_array_get(j, 0));
    p->step = json_integer_value(json_array_get(j, 1));
    p->value = json_number_value(json_array_get(j, 2));
}

static void curve_read(struct live_trial *t, const json_t *j)
{
    const char *metric = json_string_value(json_object_get(j, "metric"));
    struct live_curve *lc = metric ? curve_of(t, metric) : NULL;
    struct curve *c;

    if (!lc)
        return;
    c = &lc->curve;
    c->n = json_integer_value(json_object_get(j, "n"));
    c->stride = json_integer_value(json_object_get(j, "stride"));
    c->has_finite = json_is_true(json_object_get(j, "finite"));
    c->last_is_finite = json_is_true(json_object_get(j, "last_finite"));
    point_read(json_object_get(j, "first"), &c->first);
    point_read(json_object_get(j, "last"), &c->last);
    point_read(json_object_get(j, "best"), &c->best);
}

/* Those that the marks do not know yet are added as they were at first. */
static bool kept_point(void *ctx, const struct report_row *row)
{
    struct live_trial *t = ctx;
    struct live_curve *lc = find(t, row->metric);
    void *points;

    if (!lc)
        return true;
    if (row->ordinal >= lc->curve.n) {
        curve_add(&lc->curve, t->study->study.maximize, row->step, row->value);
        return true;
    }
    points = lc->curve.points;
    mem_grow(&points, &lc->curve.cap, lc->curve.n_points + 1,
             sizeof *lc->curve.points);
    lc->curve.points = points;
    lc->curve.points[lc->curve.n_points++] =
        (struct curve_point){row->ordinal, row->step, row->value};
    return true;
}

/* What is stored of the current attempt. */
struct stored {
    int attempt;
    char *marks;
    int64_t reports;
};

static bool stored_attempt(void *ctx, const struct attempt_row *row)
{
    struct stored *stored = ctx;

    if (row->attempt != stored->attempt)
        return true;
    stored->marks = mem_copy_text(row->marks);
    stored->reports = row->reports;
    return false;
}

/* Brings the curves back; gives the marks, in which the followers' own are, or
 * NULL. To be released. */
static int restore(struct board *b, struct live_trial *t, json_t **out,
                   struct err *e)
{
    struct stored stored = {.attempt = t->attempt};
    json_t *marks, *curve;
    size_t i;
    int rc;

    *out = NULL;
    if (store_attempt_list(b->parts.store, t->study->id, t->trial.number,
                           stored_attempt, &stored, e))
        return -1;
    t->reports = stored.reports;
    marks = stored.marks ? json_loads(stored.marks, 0, NULL) : NULL;
    free(stored.marks);
    json_array_foreach(json_object_get(marks, "curves"), i, curve)
        curve_read(t, curve);
    senders_read(t, marks);
    rc = store_report_list(b->parts.store, t->study->id, t->trial.number,
                           t->attempt, kept_point, t, e);
    if (rc)
        json_decref(marks);
    else
        *out = marks;
    return rc;
}

static char *lines_path(const struct live_trial *t)
{
    const struct live_study *s = t->study;
    struct places at = {.trial = t->trial.number,
                        .attempt = t->attempt,
                        .folder = t->folder,
                        .base_dir = s->base_dir};
    char *lines = places_lines(&s->study, &at), *workdir, *path;

    if (!lines || lines[0] == '/')
        return lines;
    workdir = places_workdir(&s->study, &at);
    path = mem_format("%s/%s", workdir, lines);
    free(workdir);
    free(lines);
    return path;
}

/* What the replica's own folder holds is followed; of the master also what the
 * study's `metrics` names. Parameter servers have nothing to report. */
static int follow_one(struct live_trial *t, size_t rank, const json_t *marks,
                      struct err *e)
{
    struct study *s = &t->study->study;
    struct follow_spec spec = {.folder = t->folder, .metric = s->metric};
    char *name = replica_name(t, rank), *folder = NULL, *lines = NULL;
    const char *from;
    enum study_role role;
    int index, rc = 0;

    study_replica(s, (int)rank, &role, &index);
    if (rank == 0) {
        spec.pattern = s->job.pattern;
        spec.lines_file = lines = lines_path(t);
        from = json_string_value(json_object_get(marks, "follow"));
    } else {
        spec.folder = folder = mem_format("%s/%s", t->folder, name);
        from = json_string_value(
            json_object_get(json_object_get(marks, "others"), name));
    }
    if (role != ROLE_PS)
        rc = follow_open(&t->follows[rank], &spec, from, e);
    free(lines);
    free(folder);
    free(name);
    return rc;
}

static int follow_all(struct live_trial *t, const json_t *marks, struct err *e)
{
    t->n_follows = (size_t)study_replicas(&t->study->study);
    t->follows = mem_new(t->n_follows, sizeof *t->follows);
    for (size_t i = 0; i < t->n_follows; i++)
        if (follow_one(t, i, marks, e)) {
            board_unfollow(t);
            return -1;
        }
    return 0;
}

int listen_open(struct board *b, struct live_trial *t, bool stored,
                struct err *e)
{
    json_t *marks = NULL;
    int rc = 0;

    for (size_t i = 0; i < t->n_curves; i++) {
        free(t->curves[i].metric);
        curve_clear(&t->curves[i].curve);
    }
    t->n_curves = t->n_senders = 0;
    free(t->hopeless);
    t->hopeless = NULL;
    t->reports = 0;
    if (stored && restore(b, t, &marks, e))
        return -1;
    board_unfollow(t);
    if (t->folder && study_shares(&t->study->study)) /* else over HTTP only */
        rc = follow_all(t, marks, e);
    json_decref(marks);
    return rc;
}

/* ---- reports ---- */

static int keep(struct board *b, struct live_trial *t, const struct report *r)
{
    struct live_curve *lc = curve_of(t, r->metric);
    struct report_row row = {
        .study_id = t->study->id,
        .number = t->trial.number,
        .attempt = t->attempt,
        .metric = r->metric,
        .step = r->step,
        .value = r->value,
        .time_ms = r->time_s > 0 ? (int64_t)(r->time_s * 1000) : board_now(b)};
    enum curve_kept kept;
    struct err e;

    t->reports++;
    if (!lc)
        return 0;
    row.ordinal = lc->curve.n;
    kept = curve_add(&lc->curve, t->study->study.maximize, r->step, r->value);
    if (kept == CURVE_SKIPPED)
        return 0;
    if (store_begin(b->parts.store, &e) ||
        store_report_add(b->parts.store, &row, &e) ||
        (kept == CURVE_HALVED &&
         store_report_thin(b->parts.store, row.study_id, row.number,
                           row.attempt, row.metric, lc->curve.stride, &e)))
        return board_fail(b, &e);
    return early_hear(b, t, &row);
}

static int keep_marks(struct board *b, struct live_trial *t)
{
    char *marks = marks_write(t);
    struct err e;
    int rc = 0;

    if (store_begin(b->parts.store, &e) ||
        store_attempt_marks(b->parts.store, t->study->id, t->trial.number,
                            t->attempt, marks, t->reports, &e))
        rc = board_fail(b, &e);
    free(marks);
    return rc;
}

struct heard {
    struct board *board;
    struct live_trial *trial;
    size_t n;
};

static void hear(void *ctx, const struct report *r)
{
    struct heard *heard = ctx;

    heard->n++;
    if (!heard->board->broken)
        keep(heard->board, heard->trial, r);
}

bool listen_poll(struct board *b, struct live_trial *t, bool last)
{
    struct heard heard = {b, t, 0};
    bool more = false;

    if (b->broken)
        return false;
    for (size_t i = 0; i < t->n_follows; i++)
        if (t->follows[i] && follow_poll(t->follows[i], last, hear, &heard))
            more = true;
    if (heard.n && !b->broken)
        keep_marks(b, t);
    return more && !b->broken;
}

/* Whether the stored points say all that marks would, after one of that metric
 * was added: nothing is followed, and every point of every curve is kept. */
static bool is_whole(const struct live_trial *t, const char *metric)
{
    const struct live_curve *lc = find(t, metric);

    if (t->n_follows || t->n_curves >= LISTEN_METRICS || !lc ||
        lc->curve.n == 1)
        return false;
    for (size_t i = 0; i < t->n_curves; i++)
        if (t->curves[i].curve.stride > 1)
            return false;
    return true;
}

int listen_report(struct board *b, struct live_trial *t, const struct report *r)
{
    if (keep(b, t, r))
        return -1;
    return is_whole(t, r->metric) ? 0 : keep_marks(b, t);
}

int listen_keep(struct board *b, struct live_trial *t, const struct report *r,
                size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (keep(b, t, &r[i]))
            return -1;
    return keep_marks(b, t);
}

int listen_name(struct report *r, const char *metric, struct err *e)
{
    if (!*metric || strlen(metric) >= sizeof r->metric)
        return err_set(e, ERR_INVALID,
                       "metric: a name of 1 to %zu bytes is wanted",
                       sizeof r->metric - 1);
    snprintf(r->metric, sizeof r->metric, "%s", metric);
    return 0;
}

/* ---- what it amounts to ---- */

static enum listen_value value_of(const struct live_trial *t,
                                  const char *metric, double *value,
                                  int64_t *step)
{
    const struct study *s = &t->study->study;
    const struct live_curve *lc = find(t, metric);
    const struct curve_point *p;

    if (!lc || lc->curve.n == 0)
        return LISTEN_NO_METRIC;
    if (!lc->curve.has_finite ||
        (s->selection == SELECT_LAST && !lc->curve.last_is_finite))
        return LISTEN_NOT_FINITE;
    p = s->selection == SELECT_BEST ? &lc->curve.best : &lc->curve.last;
    *value = p->value;
    *step = p->step;
    return LISTEN_VALUE;
}

enum listen_value listen_value(const struct live_trial *t, double *value,
                               int64_t *step)
{
    return value_of(t, t->study->study.metric, value, step);
}

enum listen_value listen_others(const struct live_trial *t, double *others,
                                const char **which)
{
    const struct study *s = &t->study->study;
    enum listen_value found = LISTEN_VALUE;

    for (size_t i = 0; found == LISTEN_VALUE && i < s->n_others; i++) {
        int64_t step;

        *which = s->others[i].name;
        found = value_of(t, *which, &others[i], &step);
    }
    return found;
}

enum listen_value listen_values(const struct live_trial *t, double *value,
                                double *others, int64_t *step,
                                const char **which)
{
    enum listen_value found = listen_value(t, value, step);

    *which = t->study->study.metric;
    return found == LISTEN_VALUE ? listen_others(t, others, which) : found;
}

void listen_names(const struct live_trial *t, struct text *out)
{
    for (size_t i = 0; i < t->n_curves; i++) {
        if (i == 8) {
            text_addf(out, " and %zu more", t->n_curves - i);
            return;
        }
        text_addf(out, "%s%s", i ? ", " : "", t->curves[i].metric);
    }
}

static void add_tail(const char *bytes, size_t n, struct text *out)
{
    size_t from = n, lines = 0;

    while (n && (bytes[n - 1] == '\n' || bytes[n - 1] == ' '))
        n--;
    for (from = n; from > 0; from--)
        if (bytes[from - 1] == '\n' && ++lines == 3)
            break;
    if (n - from > 300)
        from = n - 300;
    while (from < n && bytes[from] == ' ')
        from++;
    for (; from < n; from++) {
        bool more_blanks =
            from + 1 < n && (bytes[from + 1] == ' ' || bytes[from + 1] == '\n');

        if (bytes[from] == '\n')
            text_add(out, more_blanks ? " |" : " | ");
        else if ((unsigned char)bytes[from] >= ' ' &&
                 (bytes[from] != ' ' || !more_blanks))
            text_add_bytes(out, &bytes[from], 1);
    }
}

void listen_tail(const char *folder, const char *file, struct text *out)
{
    char *path = mem_format("%s/%s", folder, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char bytes[1024];
    off_t size;
    ssize_t n;

    free(path);
    if (fd < 0)
        return;
    size = lseek(fd, 0, SEEK_END);
    n = pread(fd, bytes, sizeof bytes,
              size > (off_t)sizeof bytes ? size - (off_t)sizeof bytes : 0);
    close(fd);
    if (n > 0)
        add_tail(bytes, (size_t)n, out);
}
