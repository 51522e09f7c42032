/* A study in its canonical long form, as JSON for the store and as YAML for
 * people; both read back to the same study. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/quote.h"
#include "study/codec.h"
#include "study/front.h"
#include "study/literal.h"

/* Entries of the document are written one a line; what is inside them in flow
 * style, which both languages share. */
struct writer {
    struct text *out;
    bool yaml;
    bool inside; /* a map or list whose first entry is still to come */
    int depth;
};

/* ---- scalars ---- */

/* Words that YAML readers of any age take for words. */
static bool is_plain(const char *s)
{
    static const char *const not_words[] = {"null", "true", "false", "yes",
                                            "no",   "on",   "off",   "y",
                                            "n",    "nan",  "inf"};

    if (!isalpha((unsigned char)*s) && *s != '_' && *s != '/')
        return false;
    for (size_t i = 0; i < sizeof not_words / sizeof not_words[0]; i++)
        if (strcasecmp(s, not_words[i]) == 0)
            return false;
    return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789_-./")] == '\0';
}

static void put_word(struct writer *w, const char *word)
{
    if (w->yaml && is_plain(word))
        text_add(w->out, word);
    else
        quote_json(w->out, word);
}

/* The text of a number as it was written, where that is a number to JSON. */
static void put_number_text(struct writer *w, const char *text)
{
    if (literal_is_json(text))
        text_add(w->out, text);
    else
        quote_json(w->out, text);
}

static void put_real(struct writer *w, double x)
{
    quote_number(w->out, x);
}

static void put_whole(struct writer *w, int64_t x)
{
    text_addf(w->out, "%lld", (long long)x);
}

/* ---- maps and lists ---- */

static void separate(struct writer *w)
{
    if (!w->inside)
        text_add(w->out, ", ");
    w->inside = false;
}

static void open_with(struct writer *w, const char *bracket)
{
    text_add(w->out, bracket);
    w->inside = true;
}

static void close_with(struct writer *w, const char *bracket)
{
    text_add(w->out, bracket);
    w->inside = false;
}

static void put_key(struct writer *w, const char *key)
{
    put_word(w, key);
    text_add(w->out, ": ");
}

static void flow_key(struct writer *w, const char *key)
{
    separate(w);
    put_key(w, key);
}

/* A key on a line of its own; a value or, in YAML, deeper lines follow. */
static void line_only(struct writer *w, const char *key)
{
    if (!w->yaml && !w->inside)
        text_add(w->out, ",");
    w->inside = false;
    if (!w->yaml || w->out->len)
        text_add(w->out, "\n");
    for (int i = 0; i < w->depth; i++)
        text_add(w->out, "  ");
    put_word(w, key);
    text_add(w->out, ":");
}

static void line_key(struct writer *w, const char *key)
{
    line_only(w, key);
    text_add(w->out, " ");
}

static void open_lines(struct writer *w)
{
    w->depth++;
    if (!w->yaml)
        open_with(w, " {");
}

static void close_lines(struct writer *w)
{
    w->depth--;
    if (!w->yaml)
        close_with(w, "}");
}

/* ---- parameters ---- */

static void put_value(struct writer *w, const struct param *p,
                      const struct value *v)
{
    struct text text;

    text_init(&text);
    value_print(p, v, &text);
    if (p->kind == PARAM_CATEGORICAL)
        put_word(w, text_str(&text));
    else
        put_number_text(w, text_str(&text));
    text_clear(&text);
}

static void put_values(struct writer *w, const struct param *p)
{
    flow_key(w, "values");
    open_with(w, "[");
    for (size_t i = 0; i < p->n_values; i++) {
        separate(w);
        if (p->kind == PARAM_CATEGORICAL)
            put_word(w, p->words[i]);
        else
            put_number_text(w, p->words[i]);
    }
    close_with(w, "]");
}

static void put_range(struct writer *w, const struct param *p)
{
    bool whole = p->kind == PARAM_INTEGER;

    flow_key(w, "min");
    whole ? put_whole(w, p->low) : put_real(w, p->min);
    flow_key(w, "max");
    whole ? put_whole(w, p->high) : put_real(w, p->max);
    if (whole && p->int_step > 1) {
        flow_key(w, "step");
        put_whole(w, p->int_step);
    } else if (!whole && p->step > 0) {
        flow_key(w, "step");
        put_real(w, p->step);
    }
}

static void put_when(struct writer *w, const struct space *s,
                     const struct param *p)
{
    const struct param *parent = &s->params[p->parent];

    flow_key(w, "when");
    open_with(w, "{");
    flow_key(w, parent->name);
    open_with(w, "[");
    for (size_t i = 0; i < p->n_when; i++) {
        separate(w);
        put_value(w, parent, &p->when[i]);
    }
    close_with(w, "]");
    close_with(w, "}");
}

static void put_param(struct writer *w, const struct space *s,
                      const struct param *p)
{
    static const char *const kinds[] = {"double", "int", "discrete",
                                        "categorical"};
    static const char *const scales[] = {"linear", "log", "revlog"};

    line_key(w, p->name);
    open_with(w, "{");
    flow_key(w, "type");
    put_word(w, kinds[p->kind]);
    if (p->kind == PARAM_DOUBLE || p->kind == PARAM_INTEGER)
        put_range(w, p);
    else
        put_values(w, p);
    if (p->has_scale) {
        flow_key(w, "scale");
        put_word(w, scales[p->scale]);
    }
    if (p->fallback.active) {
        flow_key(w, "default");
        put_value(w, p, &p->fallback);
    }
    if (p->parent >= 0)
        put_when(w, s, p);
    close_with(w, "}");
}

/* ---- the study ---- */

static void line_word(struct writer *w, const char *key, const char *word)
{
    if (!word)
        return;
    line_key(w, key);
    put_word(w, word);
}

static void line_whole(struct writer *w, const char *key, int64_t x)
{
    line_key(w, key);
    put_whole(w, x);
}

/* A duration in its largest whole unit. */
static void line_ms(struct writer *w, const char *key, int64_t ms)
{
    static const struct {
        int64_t ms;
        const char *unit;
    } units[] = {{3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}};
    size_t i = ms ? 0 : 2; /* "0s" */
    char *text;

    while (ms % units[i].ms)
        i++;
    text = mem_format("%lld%s", (long long)(ms / units[i].ms), units[i].unit);
    line_key(w, key);
    w->yaml ? text_add(w->out, text) : quote_json(w->out, text);
    free(text);
}

static void put_objectives(struct writer *w, const struct study *s)
{
    line_key(w, "objectives");
    open_with(w, "{");
    for (size_t k = 0; k < front_objectives(s); k++) {
        flow_key(w, front_name(s, k));
        put_word(w, front_maximizes(s, k) ? "max" : "min");
    }
    close_with(w, "}");
}

static void put_goal(struct writer *w, const struct study *s)
{
    if (s->n_others)
        put_objectives(w, s);
    else
        line_word(w, s->maximize ? "maximize" : "minimize", s->metric);
    line_word(w, "selection", s->selection == SELECT_BEST ? "best" : "last");
    if (s->noisy) {
        line_key(w, "noisy");
        text_add(w->out, "true");
    }
}

static void put_stop(struct writer *w, const struct study *s)
{
    char *text;

    if (!study_stops_early(s))
        return;
    text = s->stop_after
               ? mem_format("%s after %lld", s->stop, (long long)s->stop_after)
               : mem_copy_text(s->stop);
    line_word(w, "stop_early", text);
    free(text);
}

static void put_search(struct writer *w, const struct study *s)
{
    line_word(w, "algorithm", s->algorithm);
    put_stop(w, s);
    line_key(w, "seed");
    text_addf(w->out, "%llu", (unsigned long long)s->seed);
    if (!s->n_start)
        return;
    line_key(w, "start");
    open_with(w, "[");
    for (size_t i = 0; i < s->n_start; i++) {
        separate(w);
        point_write_json(&s->start[i], &s->space, w->out);
    }
    close_with(w, "]");
}

static void put_limits(struct writer *w, const struct study *s)
{
    line_whole(w, "trials", s->trials);
    line_whole(w, "parallel", s->parallel);
    if (s->max_failed >= 0)
        line_whole(w, "max_failed", s->max_failed);
    line_whole(w, "retries", s->retries);
    if (s->patience)
        line_whole(w, "patience", s->patience);
    if (s->has_target) {
        line_key(w, "target");
        put_real(w, s->target);
    }
    if (s->trial_limit_ms)
        line_ms(w, "trial_limit", s->trial_limit_ms);
    if (s->time_limit_ms)
        line_ms(w, "time_limit", s->time_limit_ms);
    line_ms(w, "grace", s->grace_ms);
}

static void put_env(struct writer *w, const struct study_task *t)
{
    open_with(w, "{");
    for (size_t i = 0; i < t->n_env; i++) {
        flow_key(w, t->env[i].name);
        quote_json(w->out, t->env[i].value);
    }
    close_with(w, "}");
}

static void put_words(struct writer *w, char *const *words, size_t n)
{
    open_with(w, "[");
    for (size_t i = 0; i < n; i++) {
        separate(w);
        put_word(w, words[i]);
    }
    close_with(w, "]");
}

/* A key on a line of its own, or inside a map. */
typedef void put_key_fn(struct writer *w, const char *key);

static void put_program(struct writer *w, const struct study_task *t,
                        put_key_fn *key)
{
    if (t->image) {
        key(w, "image");
        put_word(w, t->image);
    }
    if (t->n_entry) {
        key(w, "entrypoint");
        put_words(w, t->argv, t->n_entry);
    }
    if (t->n_argv > t->n_entry) {
        key(w, "run");
        put_words(w, t->argv + t->n_entry, t->n_argv - t->n_entry);
    }
    if (t->workdir) {
        key(w, "workdir");
        put_word(w, t->workdir);
    }
    if (t->n_env) {
        key(w, "env");
        put_env(w, t);
    }
}

static void put_needs(struct writer *w, const struct study_task *t,
                      put_key_fn *key)
{
    if (t->cpus > 0) {
        key(w, "cpus");
        put_real(w, t->cpus);
    }
    if (t->gpus) {
        key(w, "gpus");
        put_whole(w, t->gpus);
    }
    if (t->memory) {
        key(w, "memory");
        put_whole(w, t->memory);
    }
}

/* A role that is as the master needs its number only. */
static void put_role(struct writer *w, const struct study_job *j,
                     enum study_role role)
{
    const struct study_task *t = &j->tasks[role];

    flow_key(w, study_role_name(role));
    if (study_task_same(t, &j->tasks[ROLE_MASTER])) {
        put_whole(w, t->replicas);
        return;
    }
    open_with(w, "{");
    flow_key(w, "count");
    put_whole(w, t->replicas);
    flow_key(w, "inherit");
    text_add(w->out, "false");
    put_program(w, t, flow_key);
    put_needs(w, t, flow_key);
    close_with(w, "}");
}

static void put_replicas(struct writer *w, const struct study *s)
{
    const struct study_job *j = &s->job;
    bool several = study_replicas(s) > 1;

    if (several) {
        line_key(w, "replicas");
        open_with(w, "{");
        for (unsigned i = ROLE_WORKER; i < STUDY_ROLES; i++)
            if (j->tasks[i].replicas)
                put_role(w, j, (enum study_role)i);
        close_with(w, "}");
    }
    if (j->chief != (s->dialect == DIALECT_SHORT && several)) {
        line_key(w, "chief");
        text_add(w->out, j->chief ? "true" : "false");
    }
}

/* The values of one option that stand there several times. */
static size_t put_option(struct writer *w, const struct study_job *j, size_t i)
{
    const char *name = j->options[i].name;
    size_t n = i;

    while (n < j->n_options && strcmp(j->options[n].name, name) == 0)
        n++;
    flow_key(w, name);
    if (n == i + 1) {
        quote_json(w->out, j->options[i].value);
        return n;
    }
    open_with(w, "[");
    for (; i < n; i++) {
        separate(w);
        quote_json(w->out, j->options[i].value);
    }
    close_with(w, "]");
    return n;
}

static void put_launcher(struct writer *w, const struct study *s)
{
    const struct study_job *j = &s->job;

    if (!study_launches(s))
        return;
    line_word(w, "launcher", j->launcher);
    if (!j->n_options)
        return;
    line_key(w, j->launcher);
    open_with(w, "{");
    for (size_t i = 0; i < j->n_options;)
        i = put_option(w, j, i);
    close_with(w, "}");
}

static void put_metrics(struct writer *w, const struct study_job *j)
{
    line_key(w, "metrics");
    open_with(w, "{");
    if (j->pattern) {
        flow_key(w, "pattern");
        quote_json(w->out, j->pattern);
    }
    if (j->lines_file) {
        flow_key(w, "file");
        put_word(w, j->lines_file);
    }
    close_with(w, "}");
}

static void put_job(struct writer *w, const struct study *s)
{
    static const char *const styles[] = {"equals", "space", "hydra",
                                         "flags",  "env",   "json"};
    const struct study_job *j = &s->job;

    put_program(w, &j->tasks[ROLE_MASTER], line_key);
    put_needs(w, &j->tasks[ROLE_MASTER], line_key);
    put_replicas(w, s);
    put_launcher(w, s);
    line_word(w, "args", styles[j->args]);
    line_word(w, "job_dir", j->job_dir);
    line_word(w, "output_dir", j->output_dir);
    if (j->pattern || j->lines_file)
        put_metrics(w, j);
}

static void put_study(struct writer *w, const struct study *s)
{
    static const char *const dialects[] = {"short", "ai-platform", "vertex"};

    line_word(w, "study", s->name);
    if (s->dialect != DIALECT_SHORT || !w->yaml)
        line_word(w, "dialect", dialects[s->dialect]);
    put_goal(w, s);
    line_only(w, "params");
    open_lines(w);
    for (size_t i = 0; i < s->space.n; i++)
        put_param(w, &s->space, &s->space.params[i]);
    close_lines(w);
    put_job(w, s);
    put_search(w, s);
    put_limits(w, s);
}

/* Characters at which YAML breaks lines, or which it takes for none, become
 * escapes; they stand only in quoted texts. */
static void escape_breaks(const char *s, struct text *out)
{
    static const struct {
        const char *bytes, *escape;
    } breaks[] = {
        {"\u2028", "\\u2028"}, {"\u2029", "\\u2029"}, {"\ufeff", "\\uFEFF"},
        {"\ufffe", "\\uFFFE"}, {"\uffff", "\\uFFFF"},
    };

    while (*s) {
        const char *with = NULL;
        size_t n = 1;

        for (size_t i = 0; i < sizeof breaks / sizeof breaks[0] && !with; i++) {
            size_t len = strlen(breaks[i].bytes);

            if (strncmp(s, breaks[i].bytes, len) != 0)
                continue;
            with = breaks[i].escape;
            n = len;
        }
        if (with)
            text_add(out, with);
        else if (s[0] == '\xc2' && (unsigned char)s[1] < 0xa0) /* controls */
            text_addf(out, "\\u%04x", (unsigned char)s[n++]);
        else
            text_add_bytes(out, s, 1);
        s += n;
    }
}

void codec_write_json(const struct study *s, struct text *out)
{
    struct writer w = {.out = out};

    open_with(&w, "{");
    put_study(&w, s);
    close_with(&w, "\n}\n");
}

void codec_write_yaml(const struct study *s, struct text *out)
{
    struct text raw;
    struct writer w = {.out = &raw, .yaml = true};

    text_init(&raw);
    put_study(&w, s);
    text_add(&raw, "\n");
    escape_breaks(text_str(&raw), out);
    text_clear(&raw);
}
