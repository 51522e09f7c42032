/* Batches out of followed folders. A batch is fixed, and on disk, before it is
 * first sent: what is read again later might come in another order. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/courier.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "metrics/follow.h"
#include "study/study.h"

#define SPOOL "courier"

enum { FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(17) };

/* One replica. */
struct sender {
    char *name, *folder;
    struct follow *follow;
    int64_t from;    /* how many were acknowledged */
    json_t *reports; /* those that wait for it; an array */
    char *marks;     /* the follower's, behind them */
};

struct courier {
    char *folder, *metric, *pattern, *lines_file;
    struct sender *senders;
    size_t n, at; /* at: whose body was made last */
    json_t *old;  /* the spool as it was found, by name; NULL = none */
    bool unkept;  /* a batch is not in the spool yet */
};

/* ---- the spool ---- */

static char *spool_path(const struct courier *c, const char *end)
{
    return mem_format("%s/" SPOOL "%s", c->folder, end);
}

static int put_file(const char *path, const char *bytes)
{
    FILE *f = fopen(path, "we");
    bool bad;

    if (!f)
        return -1;
    bad = fputs(bytes, f) < 0;
    bad = fclose(f) != 0 || bad;
    return bad ? -1 : 0;
}

/* Senders that have not been seen again keep what was found of them. */
static int write_spool(const struct courier *c, struct err *e)
{
    json_t *all = c->old ? json_copy(c->old) : json_object();
    char *path = spool_path(c, ""), *draft = spool_path(c, ".new"), *bytes;
    int rc = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct sender *s = &c->senders[i];

        json_object_set_new(all, s->name,
                            json_pack("{s:I, s:s, s:O}", "from",
                                      (json_int_t)s->from, "marks", s->marks,
                                      "reports", s->reports));
    }
    bytes = json_dumps(all, FLAGS);
    if (!bytes || put_file(draft, bytes) || rename(draft, path))
        rc = err_errno(e, errno, "cannot write %s", path);
    free(bytes);
    json_decref(all);
    free(draft);
    free(path);
    return rc;
}

static json_t *read_spool(const struct courier *c)
{
    char *path = spool_path(c, "");
    json_t *all = json_load_file(path, 0, NULL);

    free(path);
    if (json_is_object(all))
        return all;
    json_decref(all);
    return NULL;
}

/* ---- senders ---- */

static struct follow_spec spec_of(const struct courier *c, size_t i)
{
    return (struct follow_spec){.folder = c->senders[i].folder,
                                .metric = c->metric,
                                .pattern = i ? NULL : c->pattern,
                                .lines_file = i ? NULL : c->lines_file};
}

/* From the beginning, or where the spool says. */
static int begin(struct courier *c, size_t i, const json_t *old, struct err *e)
{
    struct sender *s = &c->senders[i];
    struct follow_spec spec = spec_of(c, i);
    const char *marks = json_string_value(json_object_get(old, "marks"));
    json_t *reports = json_object_get(old, "reports");

    json_decref(s->reports);
    s->reports = NULL;
    follow_close(s->follow);
    s->from = 0;
    if (marks && json_is_array(reports) &&
        follow_open(&s->follow, &spec, marks, NULL) == 0) {
        s->from = json_integer_value(json_object_get(old, "from"));
        s->reports = json_incref(reports);
    } else if (follow_open(&s->follow, &spec, NULL, e)) {
        return -1;
    }
    if (!s->reports)
        s->reports = json_array();
    free(s->marks);
    s->marks = mem_copy_text(follow_marks(s->follow));
    return 0;
}

static int add_sender(struct courier *c, const char *name, const char *folder,
                      struct err *e)
{
    c->senders = mem_resize(c->senders, c->n + 1, sizeof *c->senders);
    c->senders[c->n] = (struct sender){.name = mem_copy_text(name),
                                       .folder = mem_copy_text(folder)};
    c->n++;
    return begin(c, c->n - 1, json_object_get(c->old, name), e);
}

/* "worker-3"; of parameter servers nothing is heard. */
static bool is_replica(const char *name)
{
    int64_t index;

    for (int r = 0; r < STUDY_ROLES; r++) {
        const char *role = study_role_name((enum study_role)r);
        size_t n = strlen(role);

        if (r != ROLE_PS && strncmp(name, role, n) == 0 && name[n] == '-')
            return number_read_int(name + n + 1, &index) && index >= 0 &&
                   index < STUDY_MOST_REPLICAS;
    }
    return false;
}

static bool is_known(const struct courier *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->senders[i].name, name) == 0)
            return true;
    return false;
}

/* The folders of replicas that have come. */
static int find_senders(struct courier *c, struct err *e)
{
    DIR *dir = opendir(c->folder);
    int rc = 0;

    for (const struct dirent *d; dir && !rc && (d = readdir(dir));) {
        char *folder = NULL;
        struct stat st;

        if (!is_replica(d->d_name) || is_known(c, d->d_name))
            continue;
        folder = mem_format("%s/%s", c->folder, d->d_name);
        if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode))
            rc = add_sender(c, d->d_name, folder, e);
        free(folder);
    }
    if (dir)
        closedir(dir);
    return rc;
}

int courier_open(struct courier **out, const struct courier_spec *spec,
                 struct err *e)
{
    struct courier *c;
    struct stat st;

    *out = NULL;
    if (stat(spec->folder, &st))
        return err_set(e, ERR_ABSENT, "there is no folder %s", spec->folder);
    if (!S_ISDIR(st.st_mode))
        return err_set(e, ERR_INVALID, "%s is no folder", spec->folder);
    c = mem_new(1, sizeof *c);
    c->folder = mem_copy_text(spec->folder);
    c->metric = mem_copy_text(spec->metric ? spec->metric : "");
    c->pattern = mem_copy_text(spec->pattern);
    c->lines_file = mem_copy_text(spec->lines_file);
    c->old = read_spool(c);
    if (add_sender(c, spec->replica ? spec->replica : "master-0", c->folder,
                   e)) {
        courier_close(c);
        return -1;
    }
    *out = c;
    return 0;
}

void courier_close(struct courier *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++) {
        free(c->senders[i].name);
        free(c->senders[i].folder);
        free(c->senders[i].marks);
        follow_close(c->senders[i].follow);
        json_decref(c->senders[i].reports);
    }
    free(c->senders);
    json_decref(c->old);
    free(c->folder);
    free(c->metric);
    free(c->pattern);
    free(c->lines_file);
    free(c);
}

/* ---- batches ---- */

static json_t *value_json(double x)
{
    if (isnan(x))
        return json_string("nan");
    if (isinf(x))
        return json_string(x > 0 ? "inf" : "-inf");
    return json_real(x);
}

static void hear(void *ctx, const struct report *r)
{
    json_t *one = json_object();

    json_object_set_new(one, "value", value_json(r->value));
    json_object_set_new(one, "step", json_integer(r->step));
    if (r->time_s > 0)
        json_object_set_new(one, "time",
                            json_integer((int64_t)(r->time_s * 1000)));
    /* a name that is no UTF-8 is no metric */
    if (*r->metric &&
        !json_object_set_new(one, "metric", json_string(r->metric)))
        json_array_append(ctx, one);
    json_decref(one);
}

/* What is new becomes the sender's batch. */
static void collect(struct courier *c, struct sender *s, bool last)
{
    bool more = true;

    while (more && !json_array_size(s->reports))
        more = follow_poll(s->follow, last, hear, s->reports);
    if (!json_array_size(s->reports))
        return;
    free(s->marks);
    s->marks = mem_copy_text(follow_marks(s->follow));
    c->unkept = true;
}

static void print_body(const struct sender *s, json_t *extra, struct text *body)
{
    json_t *all = json_pack("{s:s, s:I, s:O}", "replica", s->name, "from",
                            (json_int_t)s->from, "reports", s->reports);
    char *bytes;

    if (extra)
        json_object_update(all, extra);
    bytes = json_dumps(all, FLAGS);
    text_reset(body);
    text_add(body, bytes ? bytes : "{}");
    free(bytes);
    json_decref(all);
}

int courier_next(struct courier *c, bool last, struct text *body, bool *more,
                 struct err *e)
{
    *more = false;
    if (find_senders(c, e))
        return -1;
    c->at = 0;
    for (size_t i = 0; i < c->n && !*more; i++) {
        struct sender *s = &c->senders[i];

        if (!json_array_size(s->reports))
            collect(c, s, last);
        *more = json_array_size(s->reports) > 0;
        if (*more)
            c->at = i;
    }
    if (c->unkept && write_spool(c, e))
        return -1;
    c->unkept = false;
    print_body(&c->senders[c->at], NULL, body);
    return 0;
}

bool courier_known(struct courier *c, int64_t next)
{
    struct sender *s = &c->senders[c->at];
    int64_t n = (int64_t)json_array_size(s->reports);

    if (next < s->from) {
        (void)begin(c, c->at, NULL, NULL); /* its pattern is good */
        return false;
    }
    if (next < s->from + n)
        return false;
    s->from += n;
    json_array_clear(s->reports);
    return true;
}

/* ---- outputs ---- */

/* The end of the file as UTF-8 without NUL. */
static json_t *tail_json(const char *folder, const char *file)
{
    char *path = mem_format("%s/%s", folder, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *bytes = mem_new(COURIER_OUTPUT + 1, 1);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    off_t at = size > COURIER_OUTPUT ? size - COURIER_OUTPUT : 0;
    ssize_t n = fd < 0 ? 0 : pread(fd, bytes, COURIER_OUTPUT, at);
    size_t from = 0, len = n > 0 ? (size_t)n : 0;
    json_t *out;

    while (at && from < len && ((unsigned char)bytes[from] & 0xC0) == 0x80)
        from++;
    for (size_t i = from; i < len; i++)
        if (!bytes[i])
            bytes[i] = '?';
    out = json_stringn(bytes + from, len - from);
    for (size_t i = from; !out && i < len; i++)
        if ((unsigned char)bytes[i] >= 0x80)
            bytes[i] = '?';
    if (!out)
        out = json_stringn(bytes + from, len - from);
    if (fd >= 0)
        close(fd);
    free(bytes);
    free(path);
    return out;
}

bool courier_output(struct courier *c, size_t nth, struct text *body)
{
    json_t *extra;

    if (nth >= c->n)
        return false;
    c->at = nth;
    extra = json_object();
    json_object_set_new(extra, "stdout",
                        tail_json(c->senders[nth].folder, "stdout.log"));
    json_object_set_new(extra, "stderr",
                        tail_json(c->senders[nth].folder, "stderr.log"));
    print_body(&c->senders[nth], extra, body);
    json_decref(extra);
    return true;
}
