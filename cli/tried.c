/* What rehearsed corners showed, in words. Times are those of the reports, so
 * they are as good as the clocks of the machines that the trials ran on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/tried.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "cli/print.h"
#include "study/study.h"

enum {
    NAMES_MOST = 20,      /* of metrics, in a sentence */
    EXAMPLE_REPORTS = 100 /* of a trial whose length nobody knows */
};

static const char *string_of(const json_t *map, const char *key)
{
    const char *s = json_string_value(json_object_get(map, key));

    return s ? s : "";
}

static int64_t integer_of(const json_t *map, const char *key)
{
    return json_integer_value(json_object_get(map, key));
}

void tried_init(struct tried *t)
{
    *t = (struct tried){.first_ms = -1, .step_ms = -1, .ran_ms = -1};
}

void tried_clear(struct tried *t)
{
    text_clear(&t->value);
    text_clear(&t->detail);
    text_clear(&t->output);
}

/* ---- learning ---- */

struct reports {
    int64_t n, first_at, last_at; /* of the goal */
    bool odd;                     /* one of them was not finite */
    int64_t odd_step;
    const json_t *last;
    const char *others[NAMES_MOST];
    size_t n_others;
};

static void add_other(struct reports *r, const char *name)
{
    for (size_t i = 0; i < r->n_others; i++)
        if (!strcmp(r->others[i], name))
            return;
    if (r->n_others < NAMES_MOST)
        r->others[r->n_others++] = name;
}

static void read_reports(const json_t *trial, const char *metric,
                         struct reports *r)
{
    const json_t *list = json_object_get(trial, "measurements");

    *r = (struct reports){0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const json_t *value = json_object_get(one, "value");

        if (strcmp(string_of(one, "metric"), metric) != 0) {
            add_other(r, string_of(one, "metric"));
            continue;
        }
        r->last_at = integer_of(one, "time");
        if (!r->n++)
            r->first_at = r->last_at;
        if (!json_is_number(value) && !r->odd) {
            r->odd = true;
            r->odd_step = integer_of(one, "step");
        }
        r->last = value;
    }
}

static int64_t not_below_zero(int64_t ms)
{
    return ms > 0 ? ms : 0;
}

static void learn_times(struct tried *t, const json_t *trial,
                        const struct reports *r)
{
    int64_t started = integer_of(trial, "started");
    int64_t ended = integer_of(trial, "ended");

    t->reports = r->n;
    t->first_at = r->first_at;
    t->first_ms = r->n ? not_below_zero(r->first_at - started) : -1;
    t->step_ms =
        r->n > 1 ? not_below_zero(r->last_at - r->first_at) / (r->n - 1) : -1;
    t->ended = ended != 0;
    t->ran_ms = t->ended && started ? not_below_zero(ended - started) : -1;
    t->by_itself = !strcmp(string_of(trial, "state"), "SUCCEEDED");
}

/* "it reported loss, acc; did you mean acc?" */
static void say_others(const struct reports *r, const char *metric,
                       struct text *out)
{
    const char *near = fault_near(metric, r->others, r->n_others);

    text_addf(out, "never reported %s, but ", metric);
    for (size_t i = 0; i < r->n_others; i++)
        text_addf(out, "%s%s", i ? ", " : "", r->others[i]);
    if (near)
        text_addf(out, "; did you mean %s?", near);
}

static enum tried_how how_it_failed(const json_t *trial,
                                    const struct reports *r, struct text *out)
{
    const json_t *attempts = json_object_get(trial, "attempts");
    const json_t *last = json_array_get(
        attempts, json_array_size(attempts) - (json_array_size(attempts) > 0));
    const char *reason = string_of(trial, "reason");
    const char *outcome = string_of(last, "outcome");
    bool its_own = !strcmp(reason, "exit") || !strcmp(reason, "signal");

    text_add(out, its_own && *outcome ? outcome : string_of(trial, "detail"));
    if (!strcmp(reason, "refused"))
        return TRIED_REFUSED;
    return !strcmp(reason, "exit") && !r->n && !r->n_others ? TRIED_AT_ONCE
                                                            : TRIED_BROKE;
}

/* What it amounts to, of a trial that has ended. */
static enum tried_how judge(const json_t *trial, const char *metric,
                            const struct reports *r, struct text *detail)
{
    const char *state = string_of(trial, "state");
    const char *reason = string_of(trial, "reason");

    if (!integer_of(trial, "started") && strcmp(state, "FAILED") != 0)
        return TRIED_NOT;
    if (!strcmp(state, "FAILED"))
        return how_it_failed(trial, r, detail);
    if (r->odd) {
        text_addf(detail, "%s was not a finite number at step %lld", metric,
                  (long long)r->odd_step);
        return TRIED_NOT_FINITE;
    }
    if (r->n && strcmp(state, "INFEASIBLE") != 0)
        return TRIED_FINE;
    if (r->n && !strcmp(reason, "no_metric")) { /* of another objective */
        text_add(detail, string_of(trial, "detail"));
        return TRIED_OTHER;
    }
    if (!r->n && r->n_others) {
        say_others(r, metric, detail);
        return TRIED_OTHER;
    }
    if (!strcmp(state, "INFEASIBLE") && strcmp(reason, "no_metric") != 0) {
        text_add(detail, string_of(trial, "detail"));
        return TRIED_BROKE;
    }
    text_add(detail,
             !strcmp(state, "STOPPED")
                 ? "had reported nothing when its time was up; --for 10m "
                   "gives it more"
                 : "ended well, but reported nothing");
    return TRIED_SILENT;
}

void tried_learn(struct tried *t, const json_t *trial, const char *metric)
{
    struct reports r;

    read_reports(trial, metric, &r);
    learn_times(t, trial, &r);
    text_reset(&t->value);
    if (r.last)
        print_plain(r.last, false, &t->value);
    text_reset(&t->detail);
    if (t->ended)
        t->how = judge(trial, metric, &r, &t->detail);
}

/* ---- one ---- */

static void add_bytes(int64_t bytes, struct text *out)
{
    if (bytes < 10 << 20)
        text_addf(out, "%.1f MB", (double)bytes / (1 << 20));
    else if (bytes < (int64_t)10 << 30)
        text_addf(out, "%lld MB", (long long)(bytes >> 20));
    else
        text_addf(out, "%.1f GB", (double)bytes / (1 << 30));
}

/* Finer than print_duration: steps may take a few milliseconds. */
static void add_time(int64_t ms, struct text *out)
{
    if (!ms)
        text_add(out, "less than 1 ms");
    else if (ms < 1000)
        text_addf(out, "%lld ms", (long long)ms);
    else
        print_duration(ms, out);
}

static void add_run(const struct tried *t, struct text *out)
{
    if (t->first_ms >= 0) {
        text_add(out, " after ");
        add_time(t->first_ms, out);
    }
    if (!t->step_ms)
        text_add(out, ", the others at once");
    if (t->step_ms > 0) {
        text_add(out, ", then every ");
        add_time(t->step_ms, out);
    }
    if (t->ran_ms >= 0 && t->by_itself) {
        text_add(out, "; ended after ");
        add_time(t->ran_ms, out);
    }
    if (t->memory) {
        text_add(out, "; ");
        add_bytes(t->memory, out);
    }
}

void tried_print(const struct tried *t, const char *metric, struct text *out)
{
    char *copy, *rest, *line;

    if (t->how == TRIED_FINE) {
        text_addf(out, "fine: %s=%s", metric, text_str(&t->value));
        add_run(t, out);
    } else if (t->how == TRIED_NOT) {
        text_add(out, "not tried");
    } else {
        text_add(out, "NOT FINE: ");
        print_safe(text_str(&t->detail), out);
    }
    text_add(out, "\n");
    if (t->how == TRIED_FINE)
        return;
    rest = copy = mem_copy_text(text_str(&t->output));
    while ((line = strsep(&rest, "\n")))
        if (*line) {
            text_add(out, "    | ");
            print_safe(line, out);
            text_add(out, "\n");
        }
    free(copy);
}

/* ---- the sum ---- */

size_t tried_fine(const struct tried *all, size_t n)
{
    size_t fine = 0;

    for (size_t i = 0; i < n; i++)
        fine += all[i].how == TRIED_FINE;
    return fine;
}

static size_t count(const struct tried *all, size_t n, enum tried_how how)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += all[i].how == how;
    return found;
}

struct range {
    int64_t least, most, sum, n;
};

static void widen(struct range *r, int64_t x)
{
    if (x < 0)
        return;
    r->least = !r->n || x < r->least ? x : r->least;
    r->most = !r->n || x > r->most ? x : r->most;
    r->sum += x;
    r->n++;
}

static void range_fact(struct text *out, const char *name,
                       const struct range *r, const char *what)
{
    struct text line;

    if (!r->n)
        return;
    text_init(&line);
    add_time(r->least, &line);
    if (r->most != r->least) {
        text_add(&line, " to ");
        add_time(r->most, &line);
    }
    print_fact(out, name, "%s %s", text_str(&line), what);
    text_clear(&line);
}

/* How long all trials take, if each takes ms. */
static int64_t altogether(const struct tried_plan *plan, int64_t ms)
{
    int64_t parallel = plan->parallel > 0 ? plan->parallel : 1;

    return (plan->trials + parallel - 1) / parallel * ms;
}

/* "about 1:06" */
static void add_whole(int64_t ms, bool at_least, struct text *out)
{
    if (ms < 1000 && !at_least) {
        text_add(out, "less than a second");
        return;
    }
    text_add(out, at_least ? "at least " : "about ");
    print_duration(ms, out);
}

/* Trials that were stopped would have gone on: with some of them among `ran` it
 * is the least that the study takes. */
static void study_fact(const struct range *whole, const struct range *ran,
                       const struct range *step, const struct range *first,
                       const struct tried_plan *plan, struct text *out)
{
    struct text line;

    text_init(&line);
    if (plan->trials >= STUDY_MOST_TRIALS) {
        text_add(&line, "no limit to its trials: it goes on until it is ended");
    } else {
        text_addf(&line,
                  "%lld trials, %lld at a time: ", (long long)plan->trials,
                  (long long)plan->parallel);
        if (whole->n && ran->n) {
            add_whole(altogether(plan, ran->sum / ran->n), ran->n > whole->n,
                      &line);
        } else if (step->n && first->n) {
            text_addf(&line,
                      "not known, for no trial came to its end here; "
                      "with %d reports a trial about ",
                      EXAMPLE_REPORTS);
            print_duration(altogether(plan, first->sum / first->n +
                                                (EXAMPLE_REPORTS - 1) *
                                                    step->sum / step->n),
                           &line);
        } else {
            text_add(&line, "not known, for no trial came to its end here");
        }
        if (plan->limit_ms) {
            text_add(&line, "; at most ");
            print_duration(altogether(plan, plan->limit_ms), &line);
        }
    }
    print_fact(out, "the study", "%s", text_str(&line));
    text_clear(&line);
}

static void memory_fact(int64_t most, struct text *out)
{
    struct text line;

    text_init(&line);
    if (most) {
        text_add(&line, "at least ");
        add_bytes(most, &line);
        text_add(&line, " a trial");
    } else {
        text_add(&line, "not seen: too short, or not on this machine");
    }
    print_fact(out, "memory", "%s", text_str(&line));
    text_clear(&line);
}

void tried_sum(const struct tried *all, size_t n, const struct tried_plan *plan,
               struct text *out)
{
    size_t ran = n - count(all, n, TRIED_NOT) - count(all, n, TRIED_REFUSED);
    size_t flags = ran - count(all, n, TRIED_AT_ONCE);
    size_t odd = count(all, n, TRIED_NOT_FINITE), seen = 0;
    size_t mute = count(all, n, TRIED_SILENT);
    struct range first = {0}, step = {0}, whole = {0}, took = {0};
    int64_t memory = 0;

    for (size_t i = 0; i < n; i++) {
        const struct tried *t = &all[i];

        seen += t->first_ms >= 0;
        memory = t->memory > memory ? t->memory : memory;
        widen(&first, t->first_ms);
        widen(&step, t->step_ms);
        if (t->how != TRIED_FINE)
            continue;
        widen(&took, t->ran_ms);
        widen(&whole, t->by_itself ? t->ran_ms : -1);
    }
    print_fact(out, "corners", "%zu of %zu are fine", tried_fine(all, n), n);
    if (ran) {
        print_fact(out, "flags", "accepted at %zu of %zu", flags, ran);
        print_fact(out, "metric", "%s seen at %zu of %zu%s", plan->metric, seen,
                   ran,
                   mute == ran ? ": let the program report it, or "
                                 "metrics: {pattern: …} find it in what it "
                                 "prints"
                               : "");
    }
    if (seen)
        print_fact(out, "values", "finite at %zu of %zu", seen - odd, seen);
    range_fact(out, "first report", &first, "after the start");
    range_fact(out, "step", &step, "from one report to the next");
    range_fact(out, "whole trial", &whole, "from start to end");
    memory_fact(memory, out);
    study_fact(&whole, &took, &step, &first, plan, out);
}
