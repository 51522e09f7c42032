/* Deeds: launches, stops and answers, after the commit. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/deeds.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "tuner/judge.h"
#include "tuner/launch.h"

static struct live_trial *trial_of(const struct board *b, const struct deed *d)
{
    struct live_study *s = board_study(b, d->study);

    return s ? board_trial(s, d->number) : NULL;
}

/* ---- launching ---- */

static void launch(struct board *b, const struct deed *d)
{
    struct live_trial *t = trial_of(b, d);
    struct launcher_news refused = {.word = LAUNCHER_REFUSED};
    struct err e;

    if (!t || !t->job_name || t->trial.state == TRIAL_PENDING)
        return;
    if (launch_start(b, t, &e) == 0)
        return;
    refused.job_name = t->job_name;
    refused.text = e.text;
    judge_news(b, t, &refused);
}

/* ---- stopping ---- */

static void stop(struct board *b, const struct deed *d)
{
    struct live_trial *t = trial_of(b, d);
    struct launcher *launcher;
    char *path;
    int fd;

    if (!t || !t->job_name)
        return;
    path = mem_format("%s/stop", t->folder);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    free(path);
    launcher = board_launcher(b, t->study);
    if (launcher)
        launcher->type->stop(launcher, t->job_name, false);
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
