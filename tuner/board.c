/* The board: live studies and trials in memory, and the deeds that wait for
 * the commit. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/board.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/stop.h"
#include "base/mem.h"
#include "study/codec.h"
#include "tuner/mind.h"

struct live_study *board_study(const struct board *b, int64_t id)
{
    struct live_study *s = b->studies;

    while (s && s->id != id)
        s = s->next;
    return s;
}

struct live_trial *board_trial(const struct live_study *s, int64_t number)
{
    struct live_trial *t = s->trials;

    while (t && t->trial.number != number)
        t = t->next;
    return t;
}

struct live_trial *board_job(const struct board *b, const char *job_name)
{
    for (struct live_study *s = b->studies; s; s = s->next)
        for (struct live_trial *t = s->trials; t; t = t->next)
            if (t->job_name && strcmp(t->job_name, job_name) == 0)
                return t;
    return NULL;
}

static void copy_text(char **to, const char *from)
{
    free(*to);
    *to = mem_copy_text(from ? from : "");
}

static void recount(struct live_study *s, const struct study_row *row)
{
    s->next_number = row->next_number;
    memcpy(s->counts, row->counts, sizeof s->counts);
    s->given = row->given;
    s->best_number = row->best_number;
    s->best_value = row->best_value;
    s->since_best = row->since_best;
}

/* What of a row may change while the study is on the board. */
static void refresh(struct live_study *s, const struct study_row *row)
{
    s->state = row->state;
    copy_text(&s->reason, row->reason);
    s->cancelled = row->stopping != 0;
    recount(s, row);
}

static bool refresh_row(void *ctx, const struct study_row *row)
{
    refresh(ctx, row);
    return false;
}

int board_refresh(struct board *b, struct live_study *s, struct err *e)
{
    return store_study_get(b->parts.store, s->id, refresh_row, s, e);
}

int board_recount(struct board *b, struct live_study *s, struct err *e)
{
    struct study_row row;

    if (store_study_tally(b->parts.store, s->id, &row, e))
        return -1;
    recount(s, &row);
    return 0;
}

static void free_study(struct live_study *s)
{
    assert(!s->asks); /* each of them is owed an answer */
    board_forget_book(s);
    mind_close(s->mind);
    for (size_t i = 0; i < s->n_missed; i++)
        trial_clear(&s->missed[i]);
    free(s->missed);
    free(s->breaker.look);
    free(s->breaker.node);
    free(s->breaker.why);
    free(s->told_wait);
    study_clear(&s->study);
    free(s->name);
    free(s->base_dir);
    free(s->spec);
    free(s->reason);
    free(s);
}

int board_take(struct board *b, const struct study_row *row,
               struct live_study **out, struct err *e)
{
    struct live_study *s = mem_new(1, sizeof *s);
    struct live_study **tail = &b->studies;
    struct faults faults;

    faults_init(&faults);
    if (codec_decode(row->spec, strlen(row->spec), row->name, &s->study,
                     &faults)) {
        err_set(e, ERR_IO, "stored study %s does not decode: %s", row->name,
                faults.n ? faults.items[0].text : "unknown fault");
        faults_clear(&faults);
        free(s);
        return -1;
    }
    faults_clear(&faults);
    s->id = row->id;
    s->name = mem_copy_text(row->name);
    s->base_dir = mem_copy_text(row->base_dir);
    s->spec = mem_copy_text(row->spec);
    s->created_ms = row->created_ms;
    refresh(s, row);
    s->dirty = true;
    while (*tail && (*tail)->id < s->id)
        tail = &(*tail)->next;
    s->next = *tail;
    *tail = s;
    *out = s;
    return 0;
}

int board_take_trial(struct live_study *s, const struct trial_row *row,
                     struct live_trial **out, struct err *e)
{
    struct live_trial *t = mem_new(1, sizeof *t);
    struct live_trial **at = &s->trials;

    if (point_read_json(&t->trial.point, &s->study.space, row->point, e)) {
        free(t);
        return err_wrap(e, "trial %lld of %s", (long long)row->number, s->name);
    }
    t->study = s;
    t->trial.number = row->number;
    t->trial.state = row->state;
    t->reason = row->reason;
    t->detail = mem_copy_text(row->detail ? row->detail : "");
    t->attempt = row->attempt;
    t->broken = row->broken;
    t->given = row->given;
    t->started_ms = row->started_ms;
    t->client = mem_copy_text(row->client ? row->client : "");
    while (*at && (*at)->trial.number < row->number)
        at = &(*at)->next;
    t->next = *at;
    *at = t;
    s->n_trials++;
    *out = t;
    return 0;
}

void board_unfollow(struct live_trial *t)
{
    for (size_t i = 0; i < t->n_follows; i++)
        follow_close(t->follows[i]);
    free(t->follows);
    t->follows = NULL;
    t->n_follows = 0;
}

static void free_trial(struct live_trial *t)
{
    for (size_t i = 0; i < t->n_curves; i++) {
        free(t->curves[i].metric);
        curve_clear(&t->curves[i].curve);
    }
    free(t->curves);
    free(t->senders);
    board_unfollow(t);
    free(t->replica);
    free(t->said);
    free(t->node);
    free(t->waits);
    free(t->gpus);
    trial_clear(&t->trial);
    free(t->detail);
    free(t->hopeless);
    free(t->client);
    free(t->job_name);
    free(t->folder);
    free(t);
}

void board_drop_trial(struct live_trial *t)
{
    struct live_trial **at = &t->study->trials;

    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    t->study->n_trials--;
    free_trial(t);
}

void board_drop_study(struct board *b, struct live_study *s)
{
    struct live_study **at = &b->studies;

    while (s->trials) {
        struct live_trial *t = s->trials;

        s->trials = t->next;
        free_trial(t);
    }
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free_study(s);
}

void board_drop_all(struct board *b)
{
    while (b->studies)
        board_drop_study(b, b->studies);
}

char *board_folder(const struct board *b, const char *name, int64_t number)
{
    if (number == 0)
        return mem_format("%s/trials/%s", b->parts.state_dir, name);
    return mem_format("%s/trials/%s/%lld", b->parts.state_dir, name,
                      (long long)number);
}

void board_name_job(const struct board *b, struct live_trial *t)
{
    free(t->job_name);
    free(t->folder);
    t->job_name = mem_format("%s/%lld/%d", t->study->name,
                             (long long)t->trial.number, t->attempt);
    t->folder = mem_format("%s/trials/%s", b->parts.state_dir, t->job_name);
}

void board_deed(struct board *b, const struct deed *d)
{
    void *deeds = b->deeds;

    mem_grow(&deeds, &b->deeds_cap, b->n_deeds + 1, sizeof *b->deeds);
    b->deeds = deeds;
    b->deeds[b->n_deeds++] = *d;
}

void board_answer(struct board *b, struct live_study *s, int64_t number,
                  const struct err *e)
{
    struct live_ask *ask = s->asks;
    struct deed deed = {.kind = DEED_ASKED,
                        .study = s->id,
                        .number = number,
                        .asked = ask->fn,
                        .ctx = ask->ctx};

    if (e)
        deed.err = *e;
    board_deed(b, &deed);
    s->asks = ask->next;
    free(ask->client);
    free(ask);
}

void board_refuse(struct board *b, struct live_study *s, const struct err *e)
{
    while (s->asks)
        board_answer(b, s, 0, e);
}

void board_touch(struct board *b, int64_t study)
{
    void *touched = b->touched;

    for (size_t i = 0; i < b->n_touched; i++)
        if (b->touched[i] == study)
            return;
    mem_grow(&touched, &b->touched_cap, b->n_touched + 1, sizeof *b->touched);
    b->touched = touched;
    b->touched[b->n_touched++] = study;
}

int board_fail(struct board *b, const struct err *e)
{
    if (!b->broken)
        b->trouble = *e;
    b->broken = true;
    return -1;
}

void board_drop_ended(struct board *b, struct live_study *s)
{
    if (study_state_ended(s->state))
        board_drop_study(b, s);
}

int board_outcome(const struct board *b, int rc, struct err *e)
{
    return rc ? err_set(e, b->trouble.code, "%s", b->trouble.text) : 0;
}

int64_t board_now(const struct board *b)
{
    return clock_wall_ms(b->parts.clock);
}

int64_t board_steady(const struct board *b)
{
    return clock_steady_ms(b->parts.clock);
}

void board_forget_book(struct live_study *s)
{
    if (s->book)
        stop_clear(s->book);
    free(s->book);
    s->book = NULL;
}

void board_forget_mind(struct live_study *s)
{
    s->exhausted = false;
    s->waits = false;
    s->forget = s->thinking;
    board_forget_book(s);
    mind_close(s->mind);
    s->mind = NULL;
}

void board_freed(struct board *b)
{
    for (struct live_study *s = b->studies; s; s = s->next)
        if (s->is_short)
            s->dirty = true;
}

bool board_launches(const struct live_study *s)
{
    return study_launches(&s->study);
}

struct launcher *board_launcher(const struct board *b,
                                const struct live_study *s)
{
    struct launcher *const *l = b->parts.launchers;

    while (*l && strcmp((*l)->type->name, s->study.job.launcher) != 0)
        l++;
    return *l;
}

int board_parallel(const struct board *b, const struct live_study *s)
{
    int gpus = 0, by_gpu;

    if (s->study.parallel > 0)
        return s->study.parallel;
    if (!board_launches(s))
        return INT32_MAX;
    for (int r = 0; r < STUDY_ROLES; r++)
        gpus += s->study.job.tasks[r].replicas * s->study.job.tasks[r].gpus;
    if (gpus <= 0 || !b->parts.gpus)
        return b->parts.processors > 0 ? b->parts.processors : 1;
    by_gpu = (int)b->parts.gpus->n / gpus;
    return by_gpu > 0 ? by_gpu : 1;
}
