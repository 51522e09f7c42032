/* Figures for Prometheus, in its text format 0.0.4, and the two questions of
 * those who start services. Reading them touches the tallies, never the
 * trials. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_metrics.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tuner/timed.h"

/* ---- the format ---- */

static void head(struct text *out, const char *name, const char *type,
                 const char *help)
{
    text_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void whole(struct text *out, const char *name, const char *type,
                  const char *help, int64_t value)
{
    head(out, name, type, help);
    text_addf(out, "%s %" PRId64 "\n", name, value);
}

static void seconds(struct text *out, const char *name, const char *type,
                    const char *help, double value)
{
    head(out, name, type, help);
    text_addf(out, "%s %.6f\n", name, value);
}

/* How often, and how long in all. */
static void summary(struct text *out, const char *name, const char *help,
                    int64_t n, double sum)
{
    head(out, name, "summary", help);
    text_addf(out, "%s_sum %.6f\n%s_count %" PRId64 "\n", name, sum, name, n);
}

/* ---- what is stored ---- */

static void add_store(struct text *out, const struct store_totals *t,
                      const struct store_counts *written)
{
    head(out, "hypertune_studies", "gauge", "Studies, by state.");
    for (int s = 0; s < STUDY_STATES; s++)
        text_addf(out, "hypertune_studies{state=\"%s\"} %" PRId64 "\n",
                  study_state_name((enum study_state)s), t->studies[s]);
    head(out, "hypertune_trials", "gauge",
         "Trials that studies chose themselves, by state.");
    for (int s = 0; s < TRIAL_STATES; s++)
        text_addf(out, "hypertune_trials{state=\"%s\"} %" PRId64 "\n",
                  trial_state_name((enum trial_state)s), t->trials[s]);
    whole(out, "hypertune_trials_given", "gauge",
          "Trials that were put in from outside, ended.", t->given);
    whole(out, "hypertune_reports_total", "counter",
          "Measurements written since the service began.", written->reports);
    whole(out, "hypertune_commits_total", "counter",
          "Transactions that reached the disk since the service began.",
          written->commits);
    whole(out, "hypertune_commit_failures_total", "counter",
          "Transactions that did not reach the disk.", written->failed);
}

/* ---- what is asked ---- */

static void add_connections(struct text *out, const struct request *r)
{
    struct request_crowd n = request_crowd(r);

    head(out, "hypertune_http_connections", "gauge",
         "Open connections, by where they came in.");
    text_addf(out,
              "hypertune_http_connections{door=\"unix\"} %zu\n"
              "hypertune_http_connections{door=\"tcp\"} %zu\n",
              n.local, n.tcp);
}

static void add_asked(struct text *out, const struct face *face)
{
    const struct call_counts *n = &face->counts;
    struct timed_counts t;

    head(out, "hypertune_http_answers_total", "counter",
         "Answers, by the class of their status.");
    for (int i = 2; i < CALL_CLASSES; i++)
        text_addf(out,
                  "hypertune_http_answers_total{class=\"%dxx\"} %" PRId64 "\n",
                  i, n->answers[i]);
    whole(out, "hypertune_http_calls", "gauge",
          "Requests that are not answered to their end yet, this one too.",
          n->open);
    whole(out, "hypertune_http_streams", "gauge",
          "Those of them whose answers go out in pieces.", n->streams);
    whole(out, "hypertune_asks_waiting", "gauge",
          "Requests for trials that wait for one.", n->asking);
    summary(out, "hypertune_ask_seconds",
            "Requests for trials, from the request to its answer.", n->asks,
            (double)n->asked_ms / 1000);
    if (!face->timed)
        return;
    t = timed_counts(face->timed);
    summary(out, "hypertune_suggestion_seconds",
            "Suggestions of the algorithms, on the background thread.", t.done,
            t.seconds);
    whole(out, "hypertune_suggestions_waiting", "gauge",
          "Suggestions that are being worked out.", t.waiting);
}

/* ---- the process ---- */

/* The second number of the file is the resident pages. */
static int64_t resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    char line[200] = "", *second = line;
    int64_t pages = 0;

    if (f && fgets(line, sizeof line, f))
        second += strcspn(line, " ");
    pages = strtoll(second, NULL, 10);
    if (f)
        fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int64_t n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n > 3 ? n - 3 : 0; /* ".", ".." and the folder's own */
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static void add_process(struct text *out)
{
    struct rusage used = {0};
    struct rlimit files = {0};

    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_NOFILE, &files);
    seconds(out, "process_cpu_seconds_total", "counter",
            "Processor time, of the user and the system.",
            seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime));
    whole(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
          resident_bytes());
    whole(out, "process_open_fds", "gauge",
          "Open descriptors, connections among them.", open_files());
    whole(out, "process_max_fds", "gauge", "The most that there may be.",
          (int64_t)files.rlim_cur);
}

int api_metrics(struct call *c, struct err *e)
{
    struct store_totals totals;

    if (store_study_totals(c->face->store, &totals, e))
        return -1;
    c->type = "text/plain; version=0.0.4; charset=utf-8";
    head(&c->out, "hypertune_build_info", "gauge", "Which version this is.");
    text_addf(&c->out, "hypertune_build_info{version=\"%s\"} 1\n",
              HYPERTUNE_VERSION);
    add_store(&c->out, &totals, store_counts(c->face->store));
    add_connections(&c->out, c->request);
    add_asked(&c->out, c->face);
    add_process(&c->out);
    return 0;
}

/* ---- there, and ready ---- */

int api_metrics_healthz(struct call *c, struct err *e)
{
    (void)e;
    text_add(&c->out, "{\"ok\": true}");
    return 0;
}

static bool disk_is_full(const struct face *face)
{
    struct statvfs fs;

    return !statvfs(face->state_dir, &fs) &&
           (int64_t)(fs.f_bavail * fs.f_frsize) <= face->least_free_bytes;
}

/* A service answers nothing before it has recovered, and refuses all when it
 * ends: both look to those who ask as if it were not ready. */
int api_metrics_readyz(struct call *c, struct err *e)
{
    if (c->face->look_only)
        return err_set(e, ERR_BUSY, "no service runs the studies");
    if (disk_is_full(c->face))
        return err_set(e, ERR_BUSY,
                       "the disk of %s is full: make room, or nothing is "
                       "launched",
                       c->face->state_dir);
    if (c->face->counts.failed)
        return err_set(e, ERR_BUSY,
                       "the service could not write to its disk: see that %s "
                       "can be written",
                       c->face->state_dir);
    text_add(&c->out, "{\"ready\": true}");
    return 0;
}
