/* Google's Cloud Logging, as far as their command line needs it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_logs.h"

#include <assert.h>
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "google/google_body.h"
#include "google/google_filter.h"
#include "google/google_job.h"
#include "google/google_marks.h"
#include "google/google_task.h"
#include "google/google_time.h"
#include "store/store_google.h"

enum {
    PAGE = 50,
    PAGE_MOST = 1000,
    MOST_BYTES = 4 << 20, /* read for one answer; a token leads on */
    MOST_LINE = 1 << 16,  /* longer lines come in pieces */
    ID = 64,
    ID_OFFSET = 26, /* where the offset stands in an id */
    WORD = 200
};

static const char *const streams[] = {"stdout.log", "stderr.log"};
enum { STREAMS = 2 };

/* ---- ids: entries of one time are in the order of theirs ---- */

static void print_id(const struct google_log *log, int64_t offset, char out[ID])
{
    snprintf(out, ID, "%010" PRId64 "-%06d-%05d-%d-%016" PRIx64, log->trial,
             log->attempt, log->replica, log->stream, (uint64_t)offset);
}

static int64_t id_offset(const char *id)
{
    return strlen(id) > ID_OFFSET ? strtoll(id + ID_OFFSET, NULL, 16) : 0;
}

/* ---- what is asked ---- */

struct query {
    struct google_call *call;
    struct google_job job;
    const char *filter;
    bool platform;             /* a job of AI Platform */
    char job_id[WORD];         /* as the filter says it */
    int64_t first_ns, last_ns; /* nothing outside can match; 0 = no limit */
    int64_t after_ms;          /* entries up to after_id of that time were */
    char after_id[ID];         /* told of; 0 = none was */
    int size;
    struct google_part *parts;
    size_t n_parts;
    json_t *out;
    int64_t bytes; /* read so far */
    int64_t last_ms;
    char last_id[ID]; /* of the last entry looked at */
    bool full;
};

/* "resource.labels.job_id" is labels.job_id as well. */
static bool is_field(const char *field, const char *name)
{
    static const char resource[] = "resource.";
    size_t n = strlen(resource);

    return strcmp(field, name) == 0 ||
           (strncmp(field, resource, n) == 0 && strcmp(field + n, name) == 0);
}

static int read_time(const char *value, int64_t *ns, struct err *e)
{
    if (google_time_read(value, ns))
        return 0;
    return err_set(e, ERR_INVALID,
                   "filter: \"%.60s\" is no time, such as "
                   "2026-01-31T12:00:00Z",
                   value);
}

/* An alternative may ask for more than another: the widest span counts. */
static int note_time(struct query *q, enum google_filter_how how,
                     const char *value, struct err *e)
{
    int64_t ns = 0;

    if (read_time(value, &ns, e))
        return -1;
    if (how == GOOGLE_FILTER_EQUAL || how == GOOGLE_FILTER_MORE ||
        how == GOOGLE_FILTER_MORE_EQUAL) {
        if (!q->first_ns || ns < q->first_ns)
            q->first_ns = ns;
    } else if (how == GOOGLE_FILTER_LESS || how == GOOGLE_FILTER_LESS_EQUAL) {
        if (ns > q->last_ns)
            q->last_ns = ns;
    }
    return 0;
}

/* Looks at the comparisons before there is anything to compare. */
static int note_wish(void *ctx, const char *field, enum google_filter_how how,
                     const char *value, bool *match, struct err *e)
{
    static const char *const known[] = {"type", "labels.task_name",
                                        "labels.project_id", "insertId",
                                        "severity"};
    struct query *q = ctx;

    *match = true;
    if (strcmp(field, "timestamp") == 0)
        return note_time(q, how, value, e);
    if (is_field(field, "labels.job_id")) {
        snprintf(q->job_id, sizeof q->job_id, "%s", value);
        return 0;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_field(field, known[i]))
            return 0;
    return err_set(e, ERR_INVALID,
                   "filter: entries have no field \"%.60s\" here; there are "
                   "resource.type, resource.labels.job_id and task_name, "
                   "timestamp, insertId and severity",
                   field);
}

/* ---- entries ---- */

struct entry {
    const struct query *query;
    const struct google_part *part;
    const char *severity, *line;
    size_t n;
    char id[ID], task[GOOGLE_TASK_NAME];
};

static int match_entry(void *ctx, const char *field, enum google_filter_how how,
                       const char *value, bool *match, struct err *e)
{
    const struct entry *entry = ctx;
    int64_t ns = 0;

    if (strcmp(field, "timestamp") == 0) {
        if (read_time(value, &ns, e))
            return -1;
        *match = google_filter_order(how, entry->part->ms * 1000000, ns);
        return 0;
    }
    if (strcmp(field, "insertId") == 0) {
        *match = google_filter_order(how, strcmp(entry->id, value), 0);
        return 0;
    }
    if (is_field(field, "labels.task_name"))
        return google_filter_text(how, value, entry->task, match, e);
    if (is_field(field, "labels.project_id"))
        return google_filter_text(how, value, entry->query->job.project, match,
                                  e);
    if (is_field(field, "labels.job_id"))
        return google_filter_text(how, value, entry->query->job_id, match, e);
    if (is_field(field, "type"))
        return google_filter_text(how, value, "ml_job", match, e);
    return google_filter_text(how, value, entry->severity, match, e);
}

static json_t *resource(const struct entry *entry)
{
    const struct query *q = entry->query;

    return json_pack("{s:s, s:{s:s, s:s, s:s}}", "type", "ml_job", "labels",
                     "job_id", q->job_id, "task_name", entry->task,
                     "project_id", q->job.project);
}

static json_t *show(const struct entry *entry, json_t *payload)
{
    const struct query *q = entry->query;
    json_t *out = json_object();
    struct text time;

    text_init(&time);
    google_time_write(entry->part->ms * 1000000, &time);
    json_object_set_new(
        out, "logName",
        json_sprintf("projects/%s/logs/%s", q->job.project, entry->task));
    json_object_set_new(out, "insertId", json_string(entry->id));
    json_object_set_new(out, "timestamp", json_string(text_str(&time)));
    json_object_set_new(out, "severity", json_string(entry->severity));
    json_object_set_new(out, "resource", resource(entry));
    if (!q->job.alone && entry->part->log.trial)
        json_object_set_new(
            out, "labels",
            json_pack("{s:o}", "ml.googleapis.com/trial_id",
                      json_sprintf("%" PRId64, entry->part->log.trial)));
    if (payload)
        json_object_set(out, "jsonPayload", payload);
    else
        json_object_set_new(out, "textPayload",
                            google_words(entry->line, entry->n));
    text_clear(&time);
    return out;
}

/* A line that is one JSON object may say its severity itself. */
static int add_entry(struct query *q, struct entry *entry, struct err *e)
{
    json_t *payload = entry->n && *entry->line == '{'
                          ? json_loadb(entry->line, entry->n, 0, NULL)
                          : NULL;
    const char *severity = google_text(payload, "severity");
    bool match = false;
    int rc;

    entry->severity = *severity                 ? severity
                      : entry->part->log.stream ? "ERROR"
                                                : "INFO";
    rc = google_filter_walk(q->filter, match_entry, entry, &match, e);
    if (!rc && match)
        json_array_append_new(q->out, show(entry, payload));
    json_decref(payload);
    q->last_ms = entry->part->ms;
    snprintf(q->last_id, sizeof q->last_id, "%s", entry->id);
    q->full = json_array_size(q->out) >= (size_t)q->size;
    return rc;
}

/* ---- files ---- */

/* The folder of an attempt; -1 if there is none. */
static int open_attempt(const struct query *q, int64_t number, int attempt)
{
    char *trial =
        engine_trial_folder(q->call->call->face->engine, q->job.study, number);
    char *folder = mem_format("%s/%d", trial, attempt);
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    free(folder);
    free(trial);
    return dir;
}

/* -1 if there is no such file. */
static int open_log(const struct query *q, const struct google_log *log)
{
    int dir = open_attempt(q, log->trial, log->attempt), fd;

    if (dir < 0)
        return -1;
    fd = google_task_open(dir, log->replica, streams[log->stream]);
    close(dir);
    return fd;
}

/* The lines of n bytes that lie at `from` in the part's file. What they do not
 * end is left for the next answer. */
static int add_lines(struct query *q, const struct google_part *part,
                     const char *bytes, size_t n, int64_t from, struct err *e)
{
    struct entry entry = {.query = q, .part = part};

    google_task_name(q->platform, part->log.replica, entry.task);
    for (size_t at = 0; at < n && !q->full;) {
        const char *end = memchr(bytes + at, '\n', n - at);
        size_t len = end ? (size_t)(end - bytes) - at : n - at;
        bool cut = len > MOST_LINE;

        q->full = !end && !cut && at > 0 && from + (int64_t)n < part->to;
        if (q->full)
            return 0;
        if (cut)
            len = MOST_LINE;
        print_id(&part->log, from + (int64_t)at, entry.id);
        entry.line = bytes + at;
        entry.n = len && entry.line[len - 1] == '\r' ? len - 1 : len;
        at += len + (end && !cut);
        if (add_entry(q, &entry, e))
            return -1;
    }
    return 0;
}

/* Where in the part those entries begin that were not told of; its end if
 * there is none. */
static int64_t begin_of(const struct query *q, const struct google_part *part)
{
    char first[ID];

    if (part->ms != q->after_ms)
        return part->ms < q->after_ms ? part->to : part->from;
    print_id(&part->log, part->from, first);
    if (strncmp(first, q->after_id, ID_OFFSET) != 0)
        return strcmp(first, q->after_id) < 0 ? part->to : part->from;
    if (id_offset(q->after_id) < part->from)
        return part->from;
    return id_offset(q->after_id); /* that entry again: see add_part */
}

static bool told(const struct query *q, const struct google_part *part,
                 int64_t from)
{
    char id[ID];

    print_id(&part->log, from, id);
    return part->ms == q->after_ms && strcmp(id, q->after_id) == 0;
}

/* Without the line that was told of last. */
static size_t skip_line(const char *bytes, size_t n)
{
    const char *end = memchr(bytes, '\n', n);
    size_t len = end ? (size_t)(end - bytes) + 1 : n;

    return len > MOST_LINE + 1 ? MOST_LINE : len;
}

static int add_part(struct query *q, const struct google_part *part,
                    struct err *e)
{
    int64_t from = begin_of(q, part);
    int64_t left = MOST_BYTES - q->bytes;
    size_t n = (size_t)(part->to - from < left ? part->to - from : left);
    char *bytes;
    ssize_t got;
    size_t skip;
    int fd, rc = 0;

    if (from >= part->to)
        return 0;
    fd = open_log(q, &part->log);
    if (fd < 0)
        return 0;
    bytes = mem_new(n + 1, 1);
    got = pread(fd, bytes, n, from);
    close(fd);
    if (got > 0) {
        skip = told(q, part, from) ? skip_line(bytes, (size_t)got) : 0;
        q->bytes += got;
        rc = add_lines(q, part, bytes + skip, (size_t)got - skip,
                       from + (int64_t)skip, e);
        q->full = q->full || q->bytes >= MOST_BYTES;
    }
    free(bytes);
    return rc;
}

/* ---- parts ---- */

static bool may_match(const struct query *q, const struct google_part *part)
{
    int64_t ns = part->ms * 1000000;

    return (!q->first_ns || ns >= q->first_ns) &&
           (!q->last_ns || ns <= q->last_ns);
}

static void take_part(void *ctx, const struct google_part *part)
{
    struct query *q = ctx;

    if (!may_match(q, part))
        return;
    if ((q->n_parts & (q->n_parts - 1)) == 0) /* room for twice as many */
        q->parts = mem_resize(q->parts, q->n_parts ? 2 * q->n_parts : 1,
                              sizeof *q->parts);
    q->parts[q->n_parts++] = *part;
}

static int by_place(const void *a, const void *b)
{
    const struct google_part *x = a, *y = b;
    char x_id[ID], y_id[ID];

    if (x->ms != y->ms)
        return x->ms < y->ms ? -1 : 1;
    print_id(&x->log, x->from, x_id);
    print_id(&y->log, y->from, y_id);
    return strcmp(x_id, y_id);
}

/* Looks at what the replicas of that attempt wrote. */
static void look_at(struct query *q, const struct google_job_trial *t,
                    int attempt)
{
    bool ended = attempt < t->attempt || trial_state_ended(t->state);
    int dir = open_attempt(q, t->number, attempt), replicas[GOOGLE_TASKS];
    size_t n = dir < 0 ? 0 : google_task_list(dir, replicas);

    for (size_t k = 0; k < n * STREAMS; k++) {
        struct google_log log = {q->job.id, t->number, attempt,
                                 replicas[k / STREAMS], (int)(k % STREAMS)};
        int fd = google_task_open(dir, log.replica, streams[log.stream]);

        if (fd < 0)
            continue;
        google_marks_look(q->call->call->face->guest_keeps, &log, fd, ended,
                          take_part, q);
        close(fd);
    }
    if (dir >= 0)
        close(dir);
}

static void look(struct query *q)
{
    struct face *face = q->call->call->face;

    if (!face->guest_keeps)
        face->guest_keeps = google_marks_new();
    for (size_t i = 0; i < q->job.n; i++)
        for (int k = 1; k <= q->job.trials[i].attempt; k++)
            look_at(q, &q->job.trials[i], k);
    if (q->n_parts)
        qsort(q->parts, q->n_parts, sizeof *q->parts, by_place);
}

/* What became of a job that broke or waits for a person, behind all that it
 * wrote: nobody reads it in a log else, least of all if no trial began. */
static int add_verdict(struct query *q, struct err *e)
{
    struct google_part part = {.log.stream = 1,
                               .ms = google_job_stuck_ms(&q->job)};
    struct entry entry = {
        .query = q, .part = &part, .id = "service", .task = "service"};
    char *why;
    int rc;

    if (!part.ms)
        return 0;
    if (q->n_parts && part.ms < q->parts[q->n_parts - 1].ms)
        part.ms = q->parts[q->n_parts - 1].ms;
    if (part.ms < q->after_ms ||
        (part.ms == q->after_ms && strcmp(entry.id, q->after_id) <= 0))
        return 0;
    entry.line = why = google_job_complaint(&q->job);
    entry.n = strlen(why);
    rc = add_entry(q, &entry, e);
    free(why);
    return rc;
}

/* ---- the route ---- */

static const struct google_message fields[] = {
    {.name = "resourceNames", .kind = GOOGLE_TEXT, .many = true},
    {.name = "projectIds", .kind = GOOGLE_TEXT, .many = true},
    {.name = "filter", .kind = GOOGLE_TEXT},
    {.name = "orderBy", .kind = GOOGLE_TEXT},
    {.name = "pageSize", .kind = GOOGLE_INT32},
    {.name = "pageToken", .kind = GOOGLE_TEXT},
    {0},
};

/* The project that the request names. */
static int read_project(struct google_call *g, const json_t *body,
                        struct err *e)
{
    static const char prefix[] = "projects/";
    const char *name = json_string_value(
        json_array_get(json_object_get(body, "resourceNames"), 0));
    const char *bare = json_string_value(
        json_array_get(json_object_get(body, "projectIds"), 0));

    if (name && strncmp(name, prefix, strlen(prefix)) == 0)
        bare = name + strlen(prefix);
    if (!bare || !*bare || strlen(bare) >= sizeof g->project)
        return google_field(g, "resourceNames", e,
                            "one project is wanted, such as "
                            "[\"projects/mine\"]");
    snprintf(g->project, sizeof g->project, "%s", bare);
    return 0;
}

static int read_page(struct query *q, const json_t *body, struct err *e)
{
    int64_t size = google_int(body, "pageSize");
    const char *token = google_text(body, "pageToken");
    const char *colon = strchr(token, ':');
    char digits[24];

    if (size < 0)
        return google_field(q->call, "pageSize", e, "at least 0 is wanted");
    q->size = size == 0 ? PAGE : size > PAGE_MOST ? PAGE_MOST : (int)size;
    if (!*token)
        return 0;
    snprintf(digits, sizeof digits, "%.*s", colon ? (int)(colon - token) : 0,
             token);
    if (!colon || strlen(colon + 1) >= sizeof q->after_id ||
        !number_read_int(digits, &q->after_ms))
        return google_field(q->call, "pageToken", e,
                            "\"%.80s\" is no token that this list gave; begin "
                            "without one",
                            token);
    snprintf(q->after_id, sizeof q->after_id, "%s", colon + 1);
    return 0;
}

static int read_query(struct query *q, const json_t *body, struct err *e)
{
    const char *order = google_text(body, "orderBy");
    bool match;

    q->filter = google_text(body, "filter");
    if (*order && strcmp(order, "timestamp asc") != 0 &&
        strcmp(order, "timestamp") != 0)
        return google_field(q->call, "orderBy", e,
                            "\"timestamp asc\" is the only order here");
    if (read_project(q->call, body, e) || read_page(q, body, e) ||
        google_filter_walk(q->filter, note_wish, q, &match, e))
        return -1;
    if (!*q->job_id)
        return google_field(q->call, "filter", e,
                            "it must name a job: "
                            "resource.labels.job_id=\"ID\"");
    return 0;
}

/* ERR_ABSENT if the project has no such job. */
static int find_job(struct query *q, struct err *e)
{
    struct store *store = q->call->call->face->store;
    struct google_row of = {.kind = GOOGLE_JOB_PLATFORM,
                            .project = q->call->project,
                            .location = "",
                            .display_name = q->job_id};
    int64_t id = 0;

    if (!isdigit((unsigned char)*q->job_id)) {
        if (store_google_find(store, &of, &id, e))
            return -1;
    } else if (!number_read_int(q->job_id, &id)) {
        return err_set(e, ERR_ABSENT, "no such job");
    }
    if (google_job_load(store, id, &q->job, e))
        return -1;
    if (strcmp(q->job.project, q->call->project) == 0)
        return 0;
    return err_set(e, ERR_ABSENT, "no such job");
}

static int collect(struct query *q, struct err *e)
{
    assert(q->job.kind);
    q->platform = strcmp(q->job.kind, GOOGLE_JOB_PLATFORM) == 0;
    look(q);
    for (size_t i = 0; i < q->n_parts && !q->full; i++)
        if (add_part(q, &q->parts[i], e))
            return -1;
    return q->full ? 0 : add_verdict(q, e);
}

static void answer(struct query *q)
{
    json_t *out = json_object();

    if (json_array_size(q->out))
        json_object_set(out, "entries", q->out);
    if (q->full && *q->last_id)
        json_object_set_new(
            out, "nextPageToken",
            json_sprintf("%" PRId64 ":%s", q->last_ms, q->last_id));
    google_answer(q->call, out);
}

static int list(struct google_call *g, struct err *e)
{
    struct query q = {.call = g, .out = json_array()};
    json_t *body = google_body(g, fields, e);
    int rc = body ? read_query(&q, body, e) : -1;

    if (!rc) {
        rc = find_job(&q, e);
        if (!rc)
            rc = collect(&q, e);
        else if (e->code == ERR_ABSENT)
            rc = 0; /* nobody wrote anything */
    }
    if (!rc)
        answer(&q);
    google_job_clear(&q.job);
    free(q.parts);
    json_decref(q.out);
    json_decref(body);
    return rc;
}

const struct google_route google_logs_routes[] = {
    {"POST", "/v2/entries:list", "lists what a job wrote", list, ROLE_READER},
    {0},
};
