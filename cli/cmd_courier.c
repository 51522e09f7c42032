/* `courier FOLDER`: carries a trial's reports from where it runs to the
 * service, however long that is away. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/courier.h"
#include "cli/interrupt.h"
#include "cli/place.h"
#include "io/fetch.h"

enum {
    EVERY_MS = 1000,
    SLICE_MS = 100,       /* the end of the trial is seen so soon */
    BEAT_MS = 10000,      /* without reports it is asked whether to stop */
    CALL_MS = 30000,      /* a request may take so long */
    FIRST_WAIT_MS = 1000, /* before another try; doubled each time */
    MOST_WAIT_MS = 30000,
    PATIENCE_MS = 600 * 1000 /* without an answer, after the trial's end */
};

enum outcome {
    IDLE,  /* all is sent */
    AGAIN, /* the service is away, or cannot take it now */
    OVER,  /* it takes nothing of this attempt any more */
    WRONG  /* it will never take it */
};

struct round {
    struct courier *courier;
    struct fetch *fetch;
    struct fetch_answer answer;
    struct text body;
    char *path;
    const char *folder;
    int64_t every_ms;
    int64_t asked;    /* steady; when the service last answered */
    int64_t ended;    /* steady; when the trial's end was seen; 0 */
    int64_t wait_ms;  /* of the next back-off */
    bool away;        /* and it was said */
    size_t n_outputs; /* that have been sent */
};

static int64_t now(void)
{
    return clock_steady_ms(&clock_real);
}

/* ---- the trial's folder ---- */

static bool has(const struct round *r, const char *file)
{
    char *path = mem_format("%s/%s", r->folder, file);
    bool is = access(path, F_OK) == 0;

    free(path);
    return is;
}

static void ask_to_stop(const struct round *r)
{
    char *path = mem_format("%s/stop", r->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
    free(path);
}

static bool is_last(struct round *r)
{
    if (!r->ended && (has(r, "courier.end") || interrupt_count()))
        r->ended = now();
    return r->ended != 0;
}

/* Ends early when the trial does, or when we are interrupted. */
static void rest(struct round *r, int64_t ms)
{
    int64_t until = now() + ms;
    bool was_last = is_last(r);
    int interrupts = interrupt_count();

    while (now() < until && is_last(r) == was_last &&
           interrupt_count() == interrupts)
        interrupt_sleep(until - now() < SLICE_MS ? (int)(until - now())
                                                 : SLICE_MS);
}

/* ---- one request ---- */

static enum outcome refused(const struct round *r, struct err *e)
{
    json_t *answer = json_loads(text_str(&r->answer.body), 0, NULL);
    const char *says = json_string_value(
        json_object_get(json_object_get(answer, "error"), "message"));
    int status = r->answer.status;
    enum outcome is =
        status == 400 || status == 413 ? WRONG
        : status == 401 || status == 403 || status == 404 || status == 409
            ? OVER
            : AGAIN;

    err_set(e, ERR_OUTSIDE, "the service answered %d: %s", status,
            says ? says : "nothing that is understood");
    json_decref(answer);
    return is;
}

/* Posts the body. IDLE: it was taken. */
static enum outcome post(struct round *r, struct err *e)
{
    json_t *answer, *next;
    enum outcome is = IDLE;

    if (fetch_do(r->fetch, "POST", r->path, r->body.data, r->body.len,
                 "application/json", &r->answer, e))
        return AGAIN;
    if (r->answer.status / 100 != 2)
        return refused(r, e);
    answer = json_loads(text_str(&r->answer.body), 0, NULL);
    next = json_object_get(answer, "next");
    if (!json_is_integer(next) ||
        !courier_known(r->courier, json_integer_value(next))) {
        err_set(e, ERR_OUTSIDE, "the service did not take all");
        is = AGAIN;
    } else if (json_is_true(json_object_get(answer, "stop"))) {
        ask_to_stop(r);
    }
    json_decref(answer);
    r->asked = now();
    return is;
}

/* ---- all that there is ---- */

static enum outcome send_outputs(struct round *r, struct err *e)
{
    while (courier_output(r->courier, r->n_outputs, &r->body)) {
        enum outcome is = post(r, e);

        if (is != IDLE)
            return is;
        r->n_outputs++;
    }
    return IDLE;
}

/* A batch after the other, until nothing is left. */
static enum outcome send_all(struct round *r, bool last, struct err *e)
{
    for (;;) {
        bool more;
        enum outcome is;

        if (courier_next(r->courier, last, &r->body, &more, e))
            return AGAIN;
        if (!more && now() - r->asked < BEAT_MS)
            break;
        is = post(r, e);
        if (is != IDLE)
            return is;
    }
    return last ? send_outputs(r, e) : IDLE;
}

static void say(struct round *r, bool away, const struct err *e)
{
    if (away && !r->away)
        (void)fprintf(stderr,
                      "hypertune: nothing can be sent, it is kept and sent "
                      "later: %s\n",
                      e->text);
    else if (!away && r->away)
        (void)fprintf(stderr, "hypertune: it is sent again\n");
    r->away = away;
}

static void back_off(struct round *r)
{
    rest(r, r->wait_ms);
    r->wait_ms = r->wait_ms * 2 < MOST_WAIT_MS ? r->wait_ms * 2 : MOST_WAIT_MS;
}

/* The program, if it still runs, runs for nobody. */
static int over(const struct round *r, const struct err *e)
{
    ask_to_stop(r);
    (void)fprintf(stderr, "hypertune: nothing more is taken: %s\n", e->text);
    return CMD_DONE;
}

static bool gives_up(const struct round *r)
{
    int64_t since = r->ended > r->asked ? r->ended : r->asked;

    return interrupt_count() || (r->ended && now() - since > PATIENCE_MS);
}

static int carry(struct round *r, struct err *e)
{
    for (;;) {
        bool last = is_last(r);
        enum outcome is = send_all(r, last, e);

        if (is == WRONG)
            return -1;
        if (is == OVER)
            return over(r, e);
        say(r, is == AGAIN, e);
        if (is == IDLE && last)
            return CMD_DONE;
        if (is == AGAIN && gives_up(r))
            return err_wrap(e,
                            "not all of %s could be sent, run it again to "
                            "go on",
                            r->folder);
        if (is == AGAIN) {
            back_off(r);
        } else {
            r->wait_ms = FIRST_WAIT_MS;
            rest(r, r->every_ms);
        }
    }
}

/* ---- beginning ---- */

static const char *must(const char *name, struct err *e)
{
    const char *value = getenv(name);

    if (value && *value)
        return value;
    err_set(e, ERR_ABSENT,
            "%s is not set: this is for trials of a service that listens on "
            "TCP (hypertuned --listen)",
            name);
    return NULL;
}

static int reach(struct round *r, const struct options *o, struct err *e)
{
    const char *server = must("HYPERTUNE_SERVER", e);
    const char *token = server ? must("HYPERTUNE_REPORT_TOKEN", e) : NULL;
    const char *study = token ? must("HYPERTUNE_STUDY", e) : NULL;
    const char *trial = study ? must("HYPERTUNE_TRIAL", e) : NULL;
    char *name, *number;

    if (!trial)
        return -1;
    if (fetch_open(&r->fetch, server, token, e))
        return -1;
    fetch_limit(r->fetch, CALL_MS);
    fetch_trust(r->fetch, place_ca(o));
    name = fetch_escape(study);
    number = fetch_escape(trial);
    r->path = mem_format("/api/studies/%s/trials/%s:report", name, number);
    free(name);
    free(number);
    return 0;
}

static int follow(struct round *r, const struct options *o, struct err *e)
{
    struct courier_spec spec = {.folder = r->folder,
                                .replica = getenv("HYPERTUNE_REPLICA"),
                                .metric = getenv("HYPERTUNE_METRIC"),
                                .pattern = o->text[OPTION_PATTERN]};
    const char *lines = o->text[OPTION_LINES];
    char *here = lines && *lines != '/' ? getcwd(NULL, 0) : NULL;
    char *path = here ? mem_format("%s/%s", here, lines) : mem_copy_text(lines);
    int rc;

    spec.lines_file = path;
    rc = courier_open(&r->courier, &spec, e);
    free(path);
    free(here);
    return rc;
}

/* A SIGTERM that we were told to ignore is for the trial: the courier goes on
 * to its end. */
static void catch_signals(void)
{
    struct sigaction before;
    bool ignored =
        sigaction(SIGTERM, NULL, &before) == 0 && before.sa_handler == SIG_IGN;

    interrupt_catch();
    if (ignored)
        (void)sigaction(SIGTERM, &before, NULL);
}

int cmd_courier(const struct options *o, struct err *e)
{
    struct round r = {
        .folder = o->words[0], .every_ms = EVERY_MS, .wait_ms = FIRST_WAIT_MS};
    int rc = -1;

    if (o->text[OPTION_EVERY] && options_ms(o, OPTION_EVERY, &r.every_ms, e))
        return -1;
    fetch_answer_init(&r.answer);
    text_init(&r.body);
    catch_signals();
    r.asked = now();
    if (reach(&r, o, e) == 0 && follow(&r, o, e) == 0)
        rc = carry(&r, e);
    courier_close(r.courier);
    fetch_close(r.fetch);
    fetch_answer_clear(&r.answer);
    text_clear(&r.body);
    free(r.path);
    return rc;
}
