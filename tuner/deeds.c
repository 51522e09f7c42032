/* Deeds: launches, stops and answers, after the commit. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/deeds.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quote.h"
#include "study/command.h"
#include "tuner/judge.h"

static struct live_trial *trial_of(const struct board *b, const struct deed *d)
{
    struct live_study *s = board_study(b, d->study);

    return s ? board_trial(s, d->number) : NULL;
}

/* ---- launching ---- */

/* Makes the folder and those above it. */
static int make_folders(char *path, struct err *e)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return err_errno(e, errno, "cannot make the folder %s", path);
        if (!slash)
            return 0;
        *slash = '/';
    }
}

/* The attempt's folder; most often only the last two of its path are missing.
 */
static int make_folder(const struct board *b, const struct live_trial *t,
                       struct err *e)
{
    char *trial = board_folder(b, t->study->name, t->trial.number);
    char *folder = mem_copy_text(t->folder);
    int rc = 0;

    mkdir(trial, 0700);
    if (mkdir(folder, 0700) && errno != EEXIST)
        rc = make_folders(folder, e);
    free(trial);
    free(folder);
    return rc;
}

/* The folders that the AIP_… variables name, where there is an output folder:
 * programs written for them expect to write there at once. */
static int make_outputs(const struct words *environ_, struct err *e)
{
    static const char *const names[] = {
        "AIP_MODEL_DIR=", "AIP_CHECKPOINT_DIR=", "AIP_TENSORBOARD_LOG_DIR="};

    for (size_t i = 0; i < environ_->n; i++)
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            size_t len = strlen(names[k]);

            if (strncmp(environ_->items[i], names[k], len) == 0 &&
                make_folders(environ_->items[i] + len, e))
                return -1;
        }
    return 0;
}

static void add_words(struct text *out, const struct words *w, size_t from)
{
    for (size_t i = from; i < w->n; i++) {
        text_add(out, i > from ? ", " : "");
        quote_json(out, w->items[i]);
    }
}

/* job.json: what was run, for a person who wants to run it again. */
static void write_job(const struct live_trial *t, const struct words *argv,
                      const struct words *environ_, const char *workdir)
{
    char *path = mem_format("%s/job.json", t->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct text json;

    free(path);
    if (fd < 0)
        return; /* the job matters more than its description */
    text_init(&json);
    text_addf(&json, "{\"study\": \"%s\", \"trial\": %lld, \"attempt\": %d,\n",
              t->study->name, (long long)t->trial.number, t->attempt);
    text_add(&json, " \"workdir\": ");
    quote_json(&json, workdir);
    text_add(&json, ",\n \"argv\": [");
    add_words(&json, argv, 0);
    text_add(&json, "],\n \"environment\": [");
    add_words(&json, environ_, 0);
    text_add(&json, "]}\n");
    if (write(fd, json.data, json.len) < 0)
        log_write(LOG_LEVEL_WARN, "job_json", "folder=%s text=\"%s\"",
                  t->folder, strerror(errno));
    close(fd);
    text_clear(&json);
}

/* A port that nobody uses now. */
static int free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int port = 2222;

    if (fd < 0)
        return port;
    if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        getsockname(fd, (struct sockaddr *)&at, &size) == 0)
        port = ntohs(at.sin_port);
    close(fd);
    return port;
}

static void inherit(const struct board *b, struct words *out)
{
    for (char *const *v = b->parts.environ_; v && *v; v++)
        words_add_take(out, mem_copy_text(*v));
}

static int start(struct board *b, const struct live_trial *t, struct err *e)
{
    const struct live_study *s = t->study;
    struct command_place at = {.trial = t->trial.number,
                               .attempt = t->attempt,
                               .folder = t->folder,
                               .base_dir = s->base_dir,
                               .port = free_port()};
    struct job job = {.name = t->job_name,
                      .folder = t->folder,
                      .cpus = s->study.job.cpus,
                      .memory = s->study.job.memory};
    struct words argv, ours, all;
    char *workdir = command_workdir(&s->study, &at);
    int rc;

    words_init(&argv);
    words_init(&ours);
    words_init(&all);
    command_argv(&s->study, &t->trial.point, &at, &argv);
    command_environ(&s->study, &t->trial.point, &at, &ours);
    inherit(b, &all);
    command_environ(&s->study, &t->trial.point, &at, &all);
    rc = make_folder(b, t, e);
    if (rc == 0 && s->study.job.output_dir)
        rc = make_outputs(&ours, e);
    if (rc == 0) {
        write_job(t, &argv, &ours, workdir);
        job.argv = argv.items;
        job.environ_ = all.items;
        job.workdir = workdir;
        rc = b->parts.local->type->start(b->parts.local, &job, e);
    }
    words_clear(&argv);
    words_clear(&ours);
    words_clear(&all);
    free(workdir);
    return rc;
}

static void launch(struct board *b, const struct deed *d)
{
    struct live_trial *t = trial_of(b, d);
    struct launcher_news refused = {.word = LAUNCHER_REFUSED};
    struct err e;

    if (!t || !t->job_name || t->trial.state == TRIAL_PENDING)
        return;
    if (start(b, t, &e) == 0)
        return;
    refused.job_name = t->job_name;
    refused.text = e.text;
    judge_news(b, t, &refused);
}

/* ---- stopping ---- */

static void stop(struct board *b, const struct deed *d)
{
    struct live_trial *t = trial_of(b, d);
    char *path;
    int fd;

    if (!t || !t->job_name)
        return;
    path = mem_format("%s/stop", t->folder);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    free(path);
    b->parts.local->type->stop(b->parts.local, t->job_name, false);
}

/* A job that cannot even be watched. */
static void lose(struct board *b, const struct deed *d)
{
    struct live_trial *t = trial_of(b, d);
    struct launcher_news news = {.word = LAUNCHER_LOST};

    if (!t || !t->job_name)
        return;
    news.job_name = t->job_name;
    judge_news(b, t, &news);
}

static void do_one(struct board *b, const struct deed *d, bool ok)
{
    switch (d->kind) {
    case DEED_LAUNCH:
        if (ok)
            launch(b, d);
        return;
    case DEED_STOP:
        if (ok)
            stop(b, d);
        return;
    case DEED_LOST:
        if (ok)
            lose(b, d);
        return;
    case DEED_KEPT:
        d->kept(d->ctx, ok);
        return;
    case DEED_ASKED:
        d->asked(d->ctx, ok ? d->number : 0, ok ? &d->err : &b->trouble);
        return;
    }
}

void deeds_do(struct board *b, bool ok)
{
    struct deed *deeds = b->deeds;
    size_t n = b->n_deeds;

    b->deeds = NULL; /* doing one may add others */
    b->n_deeds = b->deeds_cap = 0;
    for (size_t i = 0; i < n; i++)
        do_one(b, &deeds[i], ok);
    free(deeds);
}
