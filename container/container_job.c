/* The phases of a job of containers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_job.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "container/container_end.h"

enum {
    AGAIN_MS = 1000,   /* after something that the engine would not do */
    LINGER_MS = 1000,  /* a replica broke: for the master's own end */
    GRACE_MS = 10000,  /* for the others, once the master has ended */
    MOST_FAILURES = 30 /* of removing one that has ended */
};

/* "3-1" of "study/3/1" */
static char *trial_and_attempt(const char *job_name)
{
    const char *at = job_name + strlen(job_name);
    int slashes = 0;
    char *out;

    while (at > job_name && (at[-1] != '/' || ++slashes < 2))
        at--;
    out = mem_copy_text(at);
    for (char *slash = out; (slash = strchr(slash, '/'));)
        *slash = '-';
    return out;
}

static void on_box(void *ctx, struct container_box *b);

static void make_boxes(struct container_job *j)
{
    char *tail = trial_and_attempt(j->name);

    j->n = j->mark.n;
    j->boxes = mem_new(j->n, sizeof *j->boxes);
    for (size_t i = 0; i < j->n; i++) {
        const struct container_part *part = &j->mark.parts[i];

        j->boxes[i] = (struct container_box){
            .host = j->crew->host,
            .loop = j->crew->loop,
            .name =
                mem_format("hypertune-%s-%s-%s", j->mark.id, tail, part->name),
            .replica = mem_copy_text(part->name),
            .folder = mem_copy_text(part->folder),
            .job_folder = mem_copy_text(j->folder),
            .fn = on_box,
            .ctx = j,
            .state = j->fresh ? BOX_ABSENT : BOX_UNKNOWN};
    }
    free(tail);
}

/* Of a mark, which is taken. */
struct container_job *container_job_new(struct container_crew *crew,
                                        const char *name, const char *folder,
                                        struct container_mark *mark, bool fresh)
{
    struct container_job *j = mem_new(1, sizeof *j);

    j->crew = crew;
    j->name = mem_copy_text(name);
    j->folder = mem_copy_text(folder);
    j->mark = *mark;
    j->fresh = fresh;
    j->phase = mark->ended ? PHASE_CLEAR : PHASE_BEGIN;
    make_boxes(j);
    j->next = crew->jobs;
    if (j->next)
        j->next->prev = j;
    crew->jobs = j;
    return j;
}

void container_job_free(struct container_job *j)
{
    if (j->prev)
        j->prev->next = j->next;
    else
        j->crew->jobs = j->next;
    if (j->next)
        j->next->prev = j->prev;
    for (size_t i = 0; i < j->n; i++)
        container_box_clear(&j->boxes[i]);
    loop_forget(j->soon);
    loop_forget(j->linger);
    loop_forget(j->grace);
    container_mark_clear(&j->mark);
    free(j->boxes);
    free(j->waits);
    free(j->name);
    free(j->folder);
    free(j);
}

/* ---- news ---- */

static void tell_waiting(struct container_job *j, const char *text)
{
    struct launcher_news news = {
        .job_name = j->name, .word = LAUNCHER_WAITING, .text = text};

    if (j->phase != PHASE_BEGIN || (j->waits && strcmp(j->waits, text) == 0))
        return;
    free(j->waits);
    j->waits = mem_copy_text(text);
    j->crew->news(j->crew->news_ctx, &news);
}

static void tell_alive(struct container_job *j)
{
    struct launcher_news news = {.job_name = j->name, .word = LAUNCHER_ALIVE};

    j->begun = true;
    container_host_hasten(j->crew->host);
    j->crew->news(j->crew->news_ctx, &news);
}

/* The job is forgotten before its last news. */
static void tell_end(struct container_job *j)
{
    struct container_crew *crew = j->crew;
    char *name = mem_copy_text(j->name);
    struct container_mark mark = j->mark;

    j->mark = (struct container_mark){0};
    container_job_free(j);
    crew->over(crew->ctx, name, &mark.end);
    container_mark_clear(&mark);
    free(name);
}

/* ---- how it ends ---- */

/* From here on it only ends; the others get that signal. */
static void end_as(struct container_job *j, const struct launcher_news *end,
                   int signal_number)
{
    container_mark_end(&j->mark, end);
    j->phase = PHASE_END;
    j->rest = signal_number;
}

static void end_with_text(struct container_job *j, enum launcher_word word,
                          const char *text)
{
    struct launcher_news end = {.word = word, .text = text};

    end_as(j, &end, SIGKILL);
}

static void grace_over(void *ctx);

static void end_by_box(struct container_job *j, const struct container_box *b)
{
    struct launcher_news end;
    char text[CONTAINER_END_TEXT];

    container_end_of(b, &end, text);
    if (b != &j->boxes[0])
        end.replica = b->replica;
    j->last = b;
    end_as(j, &end, j->stop == SIGKILL ? SIGKILL : SIGTERM);
    j->grace = loop_after(j->crew->loop, GRACE_MS, grace_over, j);
}

/* ---- beginning ---- */

static bool all_in(const struct container_job *j, unsigned states)
{
    for (size_t i = 0; i < j->n; i++)
        if (!(states & 1U << j->boxes[i].state) || j->boxes[i].call)
            return false;
    return true;
}

static const struct container_box *first_in(const struct container_job *j,
                                            enum box_state state)
{
    for (size_t i = 0; i < j->n; i++)
        if (j->boxes[i].state == state && !j->boxes[i].call)
            return &j->boxes[i];
    return NULL;
}

#define MADE (1U << BOX_CREATED | 1U << BOX_RUNNING | 1U << BOX_EXITED)
#define UP (1U << BOX_RUNNING | 1U << BOX_EXITED)
#define KNOWN (~(1U << BOX_UNKNOWN))

static void no_image(struct container_job *j, const char *image)
{
    const struct container_host *h = j->crew->host;
    char *text;

    if (j->pull && !j->pulled) {
        text = mem_format("pulling the image %s", image);
        container_pulls_want(j->crew->pulls, image);
        tell_waiting(j, text);
        free(text);
        return;
    }
    if (j->pull)
        text = mem_format("the image %s cannot be pulled: %s", image,
                          *j->pull_said ? j->pull_said : "it is still missing");
    else
        text = mem_format(
            "the image %s is not here: get it by `%s pull %s`, "
            "or build it; or write pull: missing under container",
            image, container_host_is_podman(h) ? "podman" : "docker", image);
    end_with_text(j, LAUNCHER_HOPELESS, text);
    free(text);
}

static void refuse(struct container_job *j, const struct container_box *b)
{
    char *text = j->n > 1 ? mem_format("%s: %s", b->replica, b->said)
                          : mem_copy_text(b->said);

    end_with_text(j, b->hopeless ? LAUNCHER_HOPELESS : LAUNCHER_REFUSED, text);
    free(text);
}

static bool is_watched(const struct container_job *j)
{
    return !j->boxes[0].spec;
}

static void end_vanished(struct container_job *j, const struct container_box *b)
{
    struct launcher_news end = {.word = LAUNCHER_LOST, .blame = BLAME_PERSON};
    char *text = mem_format("the container %s of %s was removed, and not by us",
                            b->name, b->replica);

    end.text = text;
    end_as(j, &end, SIGKILL);
    free(text);
}

/* One that was told of is watched: its containers were made by then. */
static void judge_found(struct container_job *j)
{
    const struct container_box *master = &j->boxes[0];

    if (!all_in(j, KNOWN))
        return;
    if (master->state == BOX_ABSENT)
        end_vanished(j, master);
    else if (master->state == BOX_CREATED)
        end_with_text(j, LAUNCHER_LOST,
                      "its container is there, but does not run and never "
                      "ended: the machine was started anew, or it never began");
    else
        j->phase = PHASE_RUN;
}

/* Whether it still begins. */
static void judge_begin(struct container_job *j)
{
    const struct container_box *b;

    if (all_in(j, UP)) {
        j->phase = PHASE_RUN;
        if (!j->begun || j->again_alive)
            tell_alive(j);
        j->again_alive = false;
    } else if ((b = first_in(j, BOX_REFUSED))) {
        refuse(j, b);
    } else if (is_watched(j)) {
        judge_found(j);
    } else if (j->stop) {
        if (all_in(j, KNOWN))
            end_with_text(j, LAUNCHER_LOST, "it was stopped before it began");
    } else if ((b = first_in(j, BOX_NO_IMAGE))) {
        no_image(j, b->image);
    }
}

/* ---- running ---- */

static void linger_over(void *ctx);

/* One that ended before its time, the first; NULL if none did. */
static const struct container_box *broken(const struct container_job *j)
{
    const struct container_box *out = NULL;

    for (size_t i = 1; i < j->n; i++) {
        const struct container_box *b = &j->boxes[i];

        if (b->state != BOX_EXITED || b->end.exit_code == 0)
            continue;
        if (!out || b->end.finished_ms < out->end.finished_ms)
            out = b;
    }
    return out;
}

static const struct container_box *vanished(const struct container_job *j)
{
    for (size_t i = 0; i < j->n; i++)
        if (!(UP & 1U << j->boxes[i].state) && j->boxes[i].state != BOX_UNKNOWN)
            return &j->boxes[i];
    return NULL;
}

/* The master's end is the job's; but where another broke before it, that one
 * is what broke the job. */
static void judge_run(struct container_job *j)
{
    const struct container_box *master = &j->boxes[0];
    const struct container_box *other = j->stop ? NULL : broken(j);
    const struct container_box *gone = vanished(j);

    if (master->state == BOX_EXITED) {
        if (master->end.exit_code == 0 || j->n == 1)
            end_by_box(j, master);
        else if (all_in(j, KNOWN))
            end_by_box(j,
                       other && other->end.finished_ms < master->end.finished_ms
                           ? other
                           : master);
    } else if (gone == master) {
        end_vanished(j, gone);
    } else if (other || (gone && !j->stop)) {
        if (j->lingered && other)
            end_by_box(j, other);
        else if (j->lingered)
            end_vanished(j, gone);
        else if (!j->linger)
            j->linger = loop_after(j->crew->loop, LINGER_MS, linger_over, j);
    }
}

/* ---- ending ---- */

static bool is_down(const struct container_box *b)
{
    if (b->call || b->state == BOX_UNKNOWN || b->state == BOX_RUNNING)
        return false;
    return b->state != BOX_EXITED || b->logged;
}

static void judge_end(struct container_job *j)
{
    char text[CONTAINER_END_TEXT];
    struct err e;

    for (size_t i = 0; i < j->n; i++)
        if (!is_down(&j->boxes[i]))
            return;
    if (j->last && container_end_unstarted(j->last, text))
        end_with_text(j, LAUNCHER_HOPELESS, text);
    if (container_mark_write(&j->mark, j->folder, &e))
        log_write(LOG_LEVEL_WARN, "container_mark", "job=%s text=\"%s\"",
                  j->name, e.text);
    j->phase = PHASE_CLEAR;
}

static bool is_clear(const struct container_box *b)
{
    if (b->call)
        return false;
    return b->state == BOX_ABSENT || b->foreign ||
           (b->state == BOX_EXITED && b->failures >= MOST_FAILURES);
}

static bool all_clear(const struct container_job *j)
{
    for (size_t i = 0; i < j->n; i++)
        if (!is_clear(&j->boxes[i]))
            return false;
    return true;
}

/* ---- steps ---- */

static void step_begin(struct container_job *j, struct container_box *b)
{
    if (j->stop && b->state != BOX_UNKNOWN)
        return;
    switch (b->state) {
    case BOX_UNKNOWN:
        container_box_look(b);
        break;
    case BOX_NO_IMAGE:
        if (j->pulled && !*j->pull_said) {
            b->state = BOX_ABSENT;
            container_box_create(b);
        }
        break;
    case BOX_ABSENT:
        if (b->spec)
            container_box_create(b);
        break;
    case BOX_CREATED:
        if (b->spec && all_in(j, MADE))
            container_box_start(b);
        break;
    default:
        break;
    }
}

static void signal_to(struct container_box *b, int signal_number)
{
    if (signal_number && b->signalled != signal_number &&
        b->signalled != SIGKILL)
        container_box_kill(b, signal_number);
}

static void step(struct container_job *j, struct container_box *b)
{
    if (b->call || b->rests)
        return;
    if (b->state == BOX_RUNNING)
        container_box_listen(b);
    if (j->phase == PHASE_BEGIN) {
        step_begin(j, b);
    } else if (b->state == BOX_UNKNOWN) {
        container_box_look(b);
    } else if (j->phase == PHASE_CLEAR) {
        if (!is_clear(b))
            container_box_remove(b);
    } else if (b->state == BOX_RUNNING) {
        signal_to(b, j->phase == PHASE_END && j->stop != SIGKILL ? j->rest
                                                                 : j->stop);
    } else if (b->state == BOX_EXITED && j->phase == PHASE_END && !b->logged) {
        container_box_finish(b);
    }
}

static void rest_over(void *ctx);

/* Nothing is asked of it now, and it must not be forgotten. */
static void rest_if_need_be(struct container_job *j)
{
    for (size_t i = 0; i < j->n; i++)
        if (j->boxes[i].rests && !j->soon)
            j->soon = loop_after(j->crew->loop, AGAIN_MS, rest_over, j);
}

static void wait_for_engine(struct container_job *j)
{
    const struct container_host *h = j->crew->host;
    const struct err *why = container_host_trouble(h);
    char *text;

    if (j->phase == PHASE_BEGIN && j->fresh &&
        (j->stop || container_host_hopeless(h))) {
        struct launcher_news end = {
            .word = j->stop ? LAUNCHER_LOST : LAUNCHER_HOPELESS,
            .text = j->stop ? "it was stopped before it began" : why->text};

        container_mark_end(&j->mark, &end);
        tell_end(j);
        return;
    }
    if (why->code == ERR_NONE || is_watched(j))
        return;
    text = mem_format("the container engine is away: %s", why->text);
    tell_waiting(j, text);
    free(text);
}

void container_job_advance(struct container_job *j)
{
    enum container_phase before;

    if (j->never) {
        tell_end(j);
        return;
    }
    container_host_want(j->crew->host, true);
    if (!container_host_there(j->crew->host)) {
        wait_for_engine(j);
        return;
    }
    do {
        before = j->phase;
        for (size_t i = 0; i < j->n; i++)
            step(j, &j->boxes[i]);
        if (j->phase == PHASE_BEGIN)
            judge_begin(j);
        if (j->phase == PHASE_RUN)
            judge_run(j);
        if (j->phase == PHASE_END)
            judge_end(j);
    } while (j->phase != before);
    if (j->phase == PHASE_CLEAR && all_clear(j))
        tell_end(j);
    else
        rest_if_need_be(j);
}

static void on_box(void *ctx, struct container_box *b)
{
    struct container_job *j = ctx;

    j->fresh = false;
    (void)b;
    container_job_advance(j);
}

static void advance_soon(void *ctx)
{
    struct container_job *j = ctx;

    j->soon = NULL;
    if (j->again_alive && j->phase == PHASE_RUN) {
        j->again_alive = false;
        tell_alive(j);
    }
    container_job_advance(j);
}

void container_job_soon(struct container_job *j)
{
    loop_forget(j->soon);
    j->soon = loop_after(j->crew->loop, 0, advance_soon, j);
}

static void rest_over(void *ctx)
{
    struct container_job *j = ctx;

    for (size_t i = 0; i < j->n; i++)
        j->boxes[i].rests = false;
    advance_soon(j);
}

static void linger_over(void *ctx)
{
    struct container_job *j = ctx;

    j->linger = NULL;
    j->lingered = true;
    container_job_advance(j);
}

static void grace_over(void *ctx)
{
    struct container_job *j = ctx;

    j->grace = NULL;
    j->rest = SIGKILL;
    container_job_advance(j);
}

/* ---- outside ---- */

void container_job_away(struct container_job *j)
{
    for (size_t i = 0; i < j->n; i++)
        container_box_away(&j->boxes[i]);
}

struct container_job *container_job_find(const struct container_crew *crew,
                                         const char *name)
{
    struct container_job *j = crew->jobs;

    while (j && strcmp(j->name, name) != 0)
        j = j->next;
    return j;
}
