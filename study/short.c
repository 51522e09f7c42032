/* Our own dialect: every key of a study file but the parameters. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "study/dialects.h"

/* --- the goal ------------------------------------------------------------ */

static void set_goal(struct reading *r, const struct node *at,
                     const char *metric, bool maximize)
{
    if (r->goal) {
        reading_fault(r, at,
                      "this is a second goal (the first is on line %d), and "
                      "this version has studies of one",
                      r->goal->line);
        return;
    }
    r->goal = at;
    if (!*metric || strpbrk(metric, "\r\n\t")) {
        reading_fault(r, at, "the goal's metric has no usable name");
        return;
    }
    free(r->s->metric);
    r->s->metric = mem_copy_text(metric);
    r->s->maximize = maximize;
}

static void read_goal(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    const char *metric = reading_text(r, k->name, v);

    (void)into;
    if (metric)
        set_goal(r, v, metric, strcmp(k->name, "maximize") == 0);
    else if (!r->goal)
        r->goal = v;
}

static const struct choice directions[] = {
    {"max", 1, -1},      {"min", 0, -1}, {"maximize", 1, -1},
    {"minimize", 0, -1}, {NULL, 0, 0},
};

static void read_objectives(struct reading *r, const struct key *k,
                            const struct node *v, void *into)
{
    int direction = 1;

    (void)into;
    if (v->kind != NODE_MAP || v->n == 0) {
        reading_fault(r, v, "%s must be a map such as {accuracy: max}",
                      k->name);
        return;
    }
    if (v->n > 1)
        reading_fault(r, v,
                      "%s: several goals at once are not supported by "
                      "this version; keep one",
                      k->name);
    reading_choice(r, v->items[0].key, v->items[0].value, directions,
                   &direction);
    set_goal(r, v->items[0].value, v->items[0].key, direction == 1);
}

/* --- what is run --------------------------------------------------------- */

/* One word of a command line, by the shell's rules of quoting. Returns where
 * it ends, or NULL if a quote is not closed. *bare is set if no part of it was
 * quoted. */
static const char *take_word(const char *s, struct text *out, bool *bare)
{
    char quote = 0;

    *bare = true;
    text_reset(out);
    text_add(out, "");
    for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
        if (*s == '\\' && quote != '\'' && s[1] &&
            (!quote || strchr("$`\"\\\n", s[1]))) {
            s++;
            *bare = false;
            if (*s != '\n')
                text_add_bytes(out, s, 1);
        } else if (*s == quote) {
            quote = 0;
        } else if (!quote && (*s == '\'' || *s == '"')) {
            quote = *s;
            *bare = false;
        } else {
            text_add_bytes(out, s, 1);
        }
    }
    return quote ? NULL : s;
}

/* What only a shell could do. */
static bool wants_shell(const char *word)
{
    size_t n = strspn(word, "|&;<>()");

    return n > 0 && (word[n] == '\0' || strchr("<>", word[0]));
}

static void split_command(struct reading *r, const struct node *v)
{
    const char *s = v->text;
    struct text word;
    bool bare;

    text_init(&word);
    while (s && *(s += strspn(s, " \t\r\n"))) {
        s = take_word(s, &word, &bare);
        if (!s)
            reading_fault(r, v, "run: a quote is not closed");
        else if (bare && wants_shell(text_str(&word)))
            reading_fault(r, v,
                          "run: \"%.20s\" needs a shell, and none is used; "
                          "write run: [sh, -c, '...'] if you want one",
                          text_str(&word));
        else
            reading_add_word(r, "run", v, text_str(&word));
    }
    text_clear(&word);
}

static void read_run(struct reading *r, const struct key *k,
                     const struct node *v, void *into)
{
    size_t before = r->f->n;

    (void)into;
    if (v->kind == NODE_SCALAR)
        split_command(r, v);
    else
        reading_words(r, k->name, v);
    reading_program(r, k->name, v, before);
}

static void read_env(struct reading *r, const struct key *k,
                     const struct node *v, void *into)
{
    (void)into;
    if (v->kind != NODE_MAP) {
        reading_fault(r, v, "%s must be a map of names and values", k->name);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct node *value = v->items[i].value;

        if (value->kind == NODE_NULL)
            reading_add_env(r, value, v->items[i].key, "");
        else if (reading_text(r, v->items[i].key, value))
            reading_add_env(r, value, v->items[i].key, value->text);
    }
}

static const struct key metrics_keys[] = {
    {.name = "pattern",
     .read = key_text,
     .offset = offsetof(struct study, job.pattern)},
    {.name = "file",
     .read = key_text,
     .offset = offsetof(struct study, job.lines_file)},
    {.name = "tensorboard",
     .read = key_refuse,
     .why = "TensorBoard files are not read by this version; report from the "
            "program, or with a pattern"},
    {0},
};

/* A text alone is a pattern. Whether it is a regular expression is for those
 * to say who search with it (metrics/follow.h). */
static void read_metrics(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    struct key pattern = metrics_keys[0];

    (void)into;
    pattern.name = k->name;
    if (v->kind == NODE_SCALAR)
        key_text(r, &pattern, v, r->s);
    else
        reading_keys(r, v, metrics_keys, r->s, "metrics");
}

/* --- the rest ------------------------------------------------------------ */

static void read_algorithm(struct reading *r, const struct key *k,
                           const struct node *v, void *into)
{
    const char *text = reading_text(r, k->name, v), *near;
    size_t n = 0;

    (void)into;
    if (!text)
        return;
    for (; study_algorithms[n]; n++)
        if (strcmp(study_algorithms[n], text) == 0) {
            r->s->algorithm = study_algorithms[n];
            return;
        }
    near = fault_near(text, study_algorithms, n);
    if (near)
        reading_fault(r, v, "%s: there is no \"%.60s\"; did you mean %s?",
                      k->name, text, near);
    else
        reading_fault(r, v,
                      "%s: there is no \"%.60s\"; take bayesian, tpe, cma-es, "
                      "random, quasi-random or grid",
                      k->name, text);
}

static void read_stop_early(struct reading *r, const struct key *k,
                            const struct node *v, void *into)
{
    const char *text = reading_text(r, k->name, v);

    (void)into;
    if (text && strcmp(text, "none") != 0)
        reading_fault(r, v,
                      "%s: \"%.60s\" is not supported by this version; write "
                      "none",
                      k->name, text);
}

static void read_launcher(struct reading *r, const struct key *k,
                          const struct node *v, void *into)
{
    const char *text = reading_text(r, k->name, v);

    (void)into;
    if (text && strcmp(text, "local") != 0)
        reading_fault(r, v,
                      "%s: \"%.60s\" is not supported by this version; write "
                      "local",
                      k->name, text);
}

static void read_target(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    key_real(r, k, v, into);
    r->s->has_target = true;
}

static const struct choice dialects[] = {
    {"short", DIALECT_SHORT, -1},
    {"ai-platform", DIALECT_AI_PLATFORM, -1},
    {"vertex", DIALECT_VERTEX, -1},
    {NULL, 0, 0},
};

static const struct choice selections[] = {
    {"last", SELECT_LAST, -1},
    {"best", SELECT_BEST, -1},
    {NULL, 0, 0},
};

static const struct choice styles[] = {
    {"equals", ARGS_EQUALS, -1},
    {"space", ARGS_SPACE, -1},
    {"hydra", ARGS_HYDRA, -1},
    {"flags", ARGS_FLAGS, -1},
    {"env", ARGS_ENV, -1},
    {"json", ARGS_JSON, -1},
    {NULL, 0, 0},
};

#define MANY 1000000000
#define OF_STUDY(member) .offset = offsetof(struct study, member)
#define OF_READING(member) .offset = offsetof(struct reading, member)

/* Members of struct reading are set by keys of this second kind. */
static void into_reading(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    (void)into;
    key_node(r, k, v, r);
}

static const char no_containers[] =
    "containers are not supported by this version; write the program into run";
static const char no_cluster[] =
    "this version starts jobs on this machine only; take the key away";

const struct key short_keys[] = {
    {.name = "study", .read = into_reading, OF_READING(name)},
    {.name = "maximize", .read = read_goal},
    {.name = "minimize", .read = read_goal},
    {.name = "objectives", .read = read_objectives},
    {.name = "selection",
     .read = key_choice,
     OF_STUDY(selection),
     .choices = selections},
    {.name = "noisy", .read = key_flag, OF_STUDY(noisy)},
    {.name = "params", .read = short_params},
    {.name = "run", .read = read_run},
    {.name = "args", .read = key_choice, OF_STUDY(job.args), .choices = styles},
    {.name = "trials",
     .read = key_whole,
     OF_STUDY(trials),
     .low = 1,
     .high = STUDY_MOST_TRIALS},
    {.name = "parallel",
     .read = key_int,
     OF_STUDY(parallel),
     .low = 0,
     .high = 10000},
    {.name = "algorithm", .read = read_algorithm},
    {.name = "seed", .read = key_seed, OF_STUDY(seed)},
    {.name = "start", .read = into_reading, OF_READING(start)},
    {.name = "stop_early", .read = read_stop_early},
    {.name = "trial_limit", .read = key_ms, OF_STUDY(trial_limit_ms)},
    {.name = "time_limit", .read = key_ms, OF_STUDY(time_limit_ms)},
    {.name = "grace", .read = key_ms, OF_STUDY(grace_ms)},
    {.name = "max_failed",
     .read = key_whole,
     OF_STUDY(max_failed),
     .low = 0,
     .high = MANY},
    {.name = "retries",
     .read = key_int,
     OF_STUDY(retries),
     .low = 0,
     .high = 1000},
    {.name = "target", .read = read_target, OF_STUDY(target)},
    {.name = "patience",
     .read = key_whole,
     OF_STUDY(patience),
     .low = 0,
     .high = MANY},
    {.name = "cpus",
     .read = key_real,
     OF_STUDY(job.tasks[ROLE_MASTER].cpus),
     .low = 0,
     .high = 100000},
    {.name = "gpus",
     .read = key_int,
     OF_STUDY(job.tasks[ROLE_MASTER].gpus),
     .low = 0,
     .high = 10000},
    {.name = "memory",
     .read = key_bytes,
     OF_STUDY(job.tasks[ROLE_MASTER].memory)},
    {.name = "env", .read = read_env},
    {.name = "workdir",
     .read = key_text,
     OF_STUDY(job.tasks[ROLE_MASTER].workdir)},
    {.name = "job_dir", .read = key_folder, OF_STUDY(job.job_dir)},
    {.name = "output_dir", .read = key_folder, OF_STUDY(job.output_dir)},
    {.name = "metrics", .read = read_metrics},
    {.name = "launcher", .read = read_launcher},
    {.name = "local", .read = key_ignore},
    {.name = "container", .read = key_refuse, .why = no_containers},
    {.name = "image", .read = key_refuse, .why = no_containers},
    {.name = "slurm", .read = key_refuse, .why = no_cluster},
    {.name = "kubernetes", .read = key_refuse, .why = no_cluster},
    {.name = "replicas",
     .read = key_refuse,
     .why = "a trial is one process in this version; take the key away"},
    {.name = "dialect",
     .read = key_choice,
     OF_STUDY(dialect),
     .choices = dialects},
    {0},
};

void short_read(struct reading *r)
{
    reading_keys(r, r->doc, short_keys, r->s, "a study file");
}
