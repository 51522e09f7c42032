/* What run and watch show. The words are made by functions without a screen;
 * the few that draw stand at the end. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/view.h"

#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/print.h"
#include "cli/values.h"
#include "study/study.h"
#include "study/trial.h"

enum { REDRAW_MS = 100, BAR = 30, LEAST_BAR = 6 };

static const char *string_of(const json_t *map, const char *key)
{
    const char *s = json_string_value(json_object_get(map, key));

    return s ? s : "";
}

static int64_t integer_of(const json_t *map, const char *key)
{
    return json_integer_value(json_object_get(map, key));
}

static bool has_value(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);

    return value && !json_is_null(value);
}

int64_t view_count(const struct json_t *study, const char *state)
{
    return integer_of(json_object_get(study, "counts"), state);
}

int64_t view_running(const struct json_t *study)
{
    return view_count(study, "LAUNCHING") + view_count(study, "RUNNING") +
           view_count(study, "STOPPING");
}

/* What counts towards the wanted number of trials. */
static int64_t done_of(const json_t *study)
{
    return view_count(study, "SUCCEEDED") + view_count(study, "STOPPED") +
           view_count(study, "INFEASIBLE");
}

static bool has_limit(const json_t *study)
{
    return integer_of(study, "trials") < STUDY_MOST_TRIALS;
}

void view_done(const struct json_t *study, struct text *out)
{
    long long done = (long long)done_of(study);

    if (has_limit(study))
        text_addf(out, "%lld/%lld", done,
                  (long long)integer_of(study, "trials"));
    else
        text_addf(out, "%lld, no limit", done);
}

void view_wanted(const struct json_t *study, struct text *out)
{
    if (has_limit(study))
        text_addf(out, "%lld wanted", (long long)integer_of(study, "trials"));
    else
        text_add(out, "no limit");
}

void view_counts(const struct json_t *study, struct text *out)
{
    bool some = false;

    for (int s = 0; s < TRIAL_STATES; s++) {
        const char *name = trial_state_name((enum trial_state)s);
        int64_t n = view_count(study, name);

        if (!n)
            continue;
        text_addf(out, "%s%lld ", some ? ", " : "", (long long)n);
        for (; *name; name++)
            text_addf(out, "%c", tolower((unsigned char)*name));
        some = true;
    }
    if (!some)
        text_add(out, "no trials yet");
}

/* The reason, and what it says more: "exit: status 1". */
static void add_reason(const json_t *body, struct text *out)
{
    const char *reason = string_of(body, "reason");
    const char *detail = string_of(body, "detail");

    if (*detail)
        text_addf(out, " %s", detail);
    else if (*reason)
        text_addf(out, " %s", reason);
}

static void trial_line(const json_t *body, const json_t *study,
                       struct text *out)
{
    const char *to = string_of(body, "to"), *from = string_of(body, "from");
    enum trial_state state;
    struct text params;

    if (!trial_state_read(to, &state))
        return;
    if (state == TRIAL_PENDING && *from) {
        text_addf(out, "Trial %lld PENDING again",
                  (long long)integer_of(body, "number"));
        add_reason(body, out);
        return;
    }
    if (!trial_state_ended(state))
        return;
    text_addf(out, "Trial %lld %s", (long long)integer_of(body, "number"), to);
    if (state != TRIAL_SUCCEEDED)
        add_reason(body, out);
    /* Two blanks end a sentence that may be a trial's own. */
    if (has_value(body, "value")) {
        text_add(out, state == TRIAL_SUCCEEDED ? " " : "  ");
        values_print(study, body, out);
    }
    text_init(&params);
    values_params(json_object_get(body, "params"), &params);
    if (params.len)
        text_addf(out, "%s%s", state == TRIAL_SUCCEEDED ? " " : "  ",
                  text_str(&params));
    text_clear(&params);
    if (!has_value(body, "best_value") || !integer_of(body, "best_number") ||
        values_several(study))
        return;
    text_addf(out, "  best: trial %lld ",
              (long long)integer_of(body, "best_number"));
    print_plain(json_object_get(body, "best_value"), false, out);
}

/* Of a study's end the summary tells. */
static void study_line(const json_t *body, const json_t *study,
                       struct text *out)
{
    enum study_state state;

    if (!study_state_read(string_of(body, "to"), &state) ||
        study_state_ended(state))
        return;
    text_addf(out, "Study %s %s", string_of(study, "name"),
              string_of(body, "to"));
    if (*string_of(body, "reason"))
        text_addf(out, ": %s", string_of(body, "reason"));
}

void view_resumed(const struct json_t *study, struct text *out)
{
    const char *name = string_of(study, "name");
    const char *state = string_of(study, "state");
    enum study_state is;

    text_addf(out, "Study %s was there", name);
    if (!study_state_read(state, &is) || !study_state_ended(is))
        text_add(out, ": going on with it");
    else if (is == STUDY_CANCELLED)
        text_addf(out,
                  " and was cancelled: `hypertune delete %s` and it begins "
                  "anew",
                  name);
    else
        text_addf(out,
                  " and has ended: raise its `trials` and it goes on, or "
                  "`hypertune delete %s` and it begins anew",
                  name);
}

void view_event_line(const struct json_t *event, const struct json_t *study,
                     struct text *out)
{
    const json_t *body = json_object_get(event, "body");
    const char *kind = string_of(event, "kind");
    struct text raw;

    text_init(&raw);
    if (!strcmp(kind, "trial")) {
        trial_line(body, study, &raw);
    } else if (!strcmp(kind, "study")) {
        study_line(body, study, &raw);
    } else if (!strcmp(kind, "warning")) {
        text_addf(&raw, "Warning: %s", string_of(body, "text"));
    }
    print_safe(text_str(&raw), out);
    text_clear(&raw);
}

static void add_cut(struct text *line, size_t width, struct text *out)
{
    struct text safe;

    text_init(&safe);
    print_safe(text_str(line), &safe);
    print_cut(text_str(&safe), width, out);
    text_add(out, "\n");
    text_clear(&safe);
    text_reset(line);
}

/* "[########>>>.........] ", of so many places. */
static void add_bar(const json_t *study, size_t places, struct text *line)
{
    int64_t wanted = integer_of(study, "trials"), done = done_of(study);
    int64_t running = view_running(study);

    if (wanted < 1)
        wanted = 1;
    text_add(line, "[");
    for (size_t i = 0; i < places; i++) {
        int64_t at = (int64_t)i * wanted / (int64_t)places;

        text_add(line, at < done ? "#" : at < done + running ? ">" : ".");
    }
    text_add(line, "] ");
}

/* "12/40 done, 3 running, 1 failed", or "12 done, no limit, 3 running". */
static void add_progress(const json_t *study, struct text *line)
{
    int64_t failed = view_count(study, "FAILED");
    const char *state = string_of(study, "state");

    if (has_limit(study)) {
        view_done(study, line);
        text_add(line, " done");
    } else {
        text_addf(line, "%lld done, no limit", (long long)done_of(study));
    }
    text_addf(line, ", %lld running", (long long)view_running(study));
    if (failed)
        text_addf(line, ", %lld failed", (long long)failed);
    if (strcmp(state, "ACTIVE") != 0)
        text_addf(line, "  %s", state);
}

/* "digits  [########>>>.........] 12/40 done, 3 running": where the screen is
 * narrow the bar gives way. */
static void add_head(const json_t *study, size_t width, struct text *line)
{
    struct text progress;
    size_t used, places = BAR;

    text_init(&progress);
    add_progress(study, &progress);
    text_addf(line, "%s  ", string_of(study, "name"));
    used = line->len + progress.len + strlen("[] ");
    if (width < used + places)
        places = width > used ? width - used : 0;
    if (has_limit(study) && places >= LEAST_BAR)
        add_bar(study, places, line);
    text_add(line, text_str(&progress));
    text_clear(&progress);
}

static void add_time(const json_t *study, const struct view_clock *clock,
                     struct text *line)
{
    int64_t done = done_of(study);
    int64_t fresh = done - clock->done_at_first;
    int64_t left = integer_of(study, "trials") - done;
    int64_t left_ms =
        fresh > 0 && has_limit(study) ? clock->watched_ms / fresh * left : 0;

    text_add(line, "time    ");
    print_duration(clock->ran_ms, line);
    text_add(line, " elapsed");
    if (left_ms < 1000)
        return;
    text_add(line, ", about ");
    print_duration(left_ms / 1000 * 1000, line);
    text_add(line, " left");
}

void view_block(const struct json_t *study, const struct view_clock *clock,
                size_t width, struct text *out)
{
    const json_t *best = json_object_get(study, "best");
    struct text line;

    text_init(&line);
    add_head(study, width, &line);
    add_cut(&line, width, out);
    if (values_several(study)) {
        text_add(&line, "goal    ");
        values_goals(study, &line);
    } else if (json_is_object(best)) {
        text_addf(&line, "best    trial %lld  %s=",
                  (long long)integer_of(best, "number"),
                  string_of(study, "metric"));
        print_plain(json_object_get(best, "value"), false, &line);
        text_add(&line, "  ");
        values_params(json_object_get(best, "params"), &line);
    } else {
        text_add(&line, "best    none yet");
    }
    add_cut(&line, width, out);
    add_time(study, clock, &line);
    add_cut(&line, width, out);
    text_clear(&line);
}

static void add_best(const json_t *study, const json_t *best,
                     const char *folder, struct text *out)
{
    json_t *params = json_object_get(best, "params"), *value;
    const char *name;
    size_t widest = 6;

    text_addf(out,
              "Best: trial %lld  %s=", (long long)integer_of(best, "number"),
              string_of(study, "metric"));
    print_plain(json_object_get(best, "value"), false, out);
    text_add(out, "\n");
    json_object_foreach(params, name, value) if (print_width(name) > widest)
        widest = print_width(name);
    json_object_foreach(params, name, value)
    {
        text_addf(out, "  %s%*s  ", name, (int)(widest - print_width(name)),
                  "");
        print_plain(value, false, out);
        text_add(out, "\n");
    }
    if (folder)
        text_addf(out, "  %-*s  %s\n", (int)widest, "output", folder);
}

void view_span_event(struct view_span *s, const struct json_t *event)
{
    const char *to = string_of(json_object_get(event, "body"), "to");
    int64_t at = integer_of(event, "time");
    enum study_state state;

    if (strcmp(string_of(event, "kind"), "study") != 0 ||
        !study_state_read(to, &state))
        return;
    if (state == STUDY_PAUSED || study_state_ended(state)) {
        s->ran_ms = view_span_ms(s, at);
        s->since_ms = 0;
    } else if (!s->since_ms) {
        s->since_ms = at;
    }
}

int64_t view_span_ms(const struct view_span *s, int64_t now_ms)
{
    return s->ran_ms + (s->since_ms ? now_ms - s->since_ms : 0);
}

static void add_front(const json_t *study, const json_t *front,
                      struct text *out)
{
    size_t n = json_array_size(front);

    text_addf(out, "Best: %zu trial%s that no other beats\n", n,
              n == 1 ? "" : "s");
    values_front(study, front, "  ", out);
}

void view_summary(const struct json_t *study, const struct json_t *best,
                  const char *folder, const struct view_span *span,
                  struct text *out)
{
    int64_t ended = integer_of(study, "ended");

    text_addf(out, "Study %s %s: ", string_of(study, "name"),
              string_of(study, "state"));
    view_counts(study, out);
    if (ended) {
        text_add(out, " in ");
        print_duration(view_span_ms(span, ended), out);
    }
    text_add(out, "\n");
    if (json_is_object(best))
        add_best(study, best, folder, out);
    else if (json_array_size(best))
        add_front(study, best, out);
    else if (view_count(study, "SUCCEEDED") > 0) /* a job that tunes nothing */
        text_add(out, "Best: none, no value was reported\n");
    else
        text_add(out, "Best: none, no trial succeeded\n");
}

/* ---- the screen ---- */

static size_t screen_width(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
        return 79;
    return size.ws_col - 1U;
}

static void erase(struct view *v)
{
    if (v->lines)
        (void)printf("\033[%dA\r\033[J", v->lines);
    v->lines = 0;
}

void view_open(struct view *v)
{
    const char *kind = getenv("TERM");

    *v = (struct view){.began_ms = clock_steady_ms(&clock_real),
                       .done_at_first = -1};
    v->live =
        isatty(STDOUT_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* On a terminal the block tells of successes; only the rest has a line. */
static bool is_worth_a_line(const struct view *v, const json_t *event)
{
    const json_t *body = json_object_get(event, "body");

    return !v->live || strcmp(string_of(event, "kind"), "trial") != 0 ||
           !strcmp(string_of(body, "to"), "FAILED") ||
           !strcmp(string_of(body, "to"), "INFEASIBLE");
}

void view_event(struct view *v, const struct json_t *event,
                const struct json_t *study)
{
    struct text line;

    if (!is_worth_a_line(v, event))
        return;
    text_init(&line);
    view_event_line(event, study, &line);
    if (line.len)
        view_say(v, "%s", line.data);
    text_clear(&line);
}

void view_say(struct view *v, const char *fmt, ...)
{
    va_list args;

    if (v->live)
        erase(v);
    va_start(args, fmt);
    (void)vprintf(fmt, args);
    va_end(args);
    (void)printf("\n");
    v->drawn_ms = 0;
    (void)fflush(stdout);
}

void view_study(struct view *v, const struct json_t *study)
{
    int64_t now = clock_steady_ms(&clock_real);
    struct view_clock clock;
    struct text block;

    if (v->done_at_first < 0)
        v->done_at_first = done_of(study);
    if (!v->live || (v->drawn_ms && now - v->drawn_ms < REDRAW_MS))
        return;
    clock = (struct view_clock){
        .ran_ms = view_span_ms(&v->span, clock_wall_ms(&clock_real)),
        .watched_ms = now - v->began_ms,
        .done_at_first = v->done_at_first};
    text_init(&block);
    view_block(study, &clock, screen_width(), &block);
    erase(v);
    for (const char *c = text_str(&block); *c; c++)
        v->lines += *c == '\n';
    (void)fputs(text_str(&block), stdout);
    (void)fflush(stdout);
    text_clear(&block);
    v->drawn_ms = now;
}

void view_close(struct view *v)
{
    if (v->live)
        erase(v);
    (void)fflush(stdout);
}
