/* What a trial's process is given: its words and its environment. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"

/* What the name of a variable is made of. */
static const char in_a_name[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* ---- lists of words ---- */

void words_init(struct words *w)
{
    *w = (struct words){0};
}

void words_clear(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->items[i]);
    free(w->items);
    words_init(w);
}

void words_add_take(struct words *w, char *word)
{
    void *items = w->items;

    mem_grow(&items, &w->cap, w->n + 2, sizeof *w->items);
    w->items = items;
    w->items[w->n++] = word;
    w->items[w->n] = NULL;
}

static size_t find_env(const struct words *w, const char *name, size_t len)
{
    size_t i = 0;

    while (i < w->n &&
           (strncmp(w->items[i], name, len) != 0 || w->items[i][len] != '='))
        i++;
    return i;
}

void words_set_env(struct words *w, const char *name, const char *value)
{
    size_t i = find_env(w, name, strlen(name));
    char *word = mem_format("%s=%s", name, value);

    if (i == w->n || !w->items) {
        words_add_take(w, word);
        return;
    }
    free(w->items[i]);
    w->items[i] = word;
}

static void unset_env(struct words *w, const char *name)
{
    size_t i = find_env(w, name, strlen(name));

    if (i == w->n)
        return;
    free(w->items[i]);
    memmove(&w->items[i], &w->items[i + 1],
            (w->n - i) * sizeof *w->items); /* the NULL too */
    w->n--;
}

/* ---- folders ---- */

/* A path as written, made absolute under the base folder. */
static char *absolute(const char *path, const struct command_place *at)
{
    if (!path || !*path || strcmp(path, ".") == 0)
        return mem_copy_text(at->base_dir);
    if (path[0] == '/')
        return mem_copy_text(path);
    return mem_format("%s/%s", at->base_dir, path);
}

static void trim_slashes(char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
}

/* DIR/TRIAL of a folder that each trial has a part of. */
static char *trial_part(const struct study *s, const char *dir,
                        const struct command_place *at)
{
    char *base = absolute(dir, at);
    char *out;

    trim_slashes(base);
    if (!study_tunes(s))
        return base;
    out = mem_format("%s/%lld", base, (long long)at->trial);
    free(base);
    return out;
}

char *command_workdir(const struct study *s, const struct command_place *at)
{
    return absolute(s->job.tasks[ROLE_MASTER].workdir, at);
}

char *command_folder(const struct study *s, const struct command_place *at)
{
    enum study_role role;
    int index;

    if (at->rank == 0)
        return mem_copy_text(at->folder);
    study_replica(s, at->rank, &role, &index);
    return mem_format("%s/%s-%d", at->folder, study_role_name(role), index);
}

/* ---- parameters as words ---- */

static char *value_text(const struct study *s, const struct point *p, size_t i)
{
    struct text text;

    text_init(&text);
    value_print(&s->space.params[i], &p->values[i], &text);
    return text_take(&text);
}

static bool says(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

/* One parameter in the study's style; name and value are the caller's. */
static void add_param(enum study_args style, const char *name,
                      const char *value, struct words *out)
{
    switch (style) {
    case ARGS_SPACE:
        words_add_take(out, mem_format("--%s", name));
        words_add_take(out, mem_copy_text(value));
        return;
    case ARGS_HYDRA:
        words_add_take(out, mem_format("%s=%s", name, value));
        return;
    case ARGS_FLAGS:
        if (says(value, "true", "True"))
            words_add_take(out, mem_format("--%s", name));
        else if (!says(value, "false", "False"))
            words_add_take(out, mem_format("--%s=%s", name, value));
        return;
    default:
        words_add_take(out, mem_format("--%s=%s", name, value));
    }
}

static void add_params(const struct study *s, const struct point *p,
                       struct words *out)
{
    struct text json;

    if (s->job.args == ARGS_ENV)
        return;
    if (s->job.args == ARGS_JSON) {
        text_init(&json);
        point_write_json(p, &s->space, &json);
        words_add_take(out, text_take(&json));
        return;
    }
    for (size_t i = 0; i < s->space.n; i++) {
        char *value;

        if (!p->values[i].active)
            continue;
        value = value_text(s, p, i);
        add_param(s->job.args, s->space.params[i].name, value, out);
        free(value);
    }
}

/* ---- the environment ---- */

static void set_int(struct words *out, const char *name, int64_t value)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%lld", (long long)value);
    words_set_env(out, name, digits);
}

static void set_in(struct words *out, const char *name, const char *folder,
                   const char *file)
{
    char *path = mem_format("%s/%s", folder, file);

    words_set_env(out, name, path);
    free(path);
}

/* Whether the word gets its meaning from the trial: {args} or a {NAME}. */
static bool is_filled_in(const struct study *s, const char *word)
{
    size_t n;

    if (strstr(word, "{args}"))
        return true;
    for (; *word; word++)
        if (command_named(s, word, &n) >= 0)
            return true;
    return false;
}

/* The module that a Python job of Google's formats names, or NULL. */
static const char *module_of(const struct study *s)
{
    char *const *argv = s->job.tasks[ROLE_MASTER].argv;

    if (s->dialect != DIALECT_SHORT && s->job.tasks[ROLE_MASTER].n_argv > 2 &&
        strcmp(argv[0], "python3") == 0 && strcmp(argv[1], "-m") == 0)
        return argv[2];
    return NULL;
}

/* What the formats call args: the declared ones, without the trial's. They
 * stand behind the module, or the program. */
static void add_job_args(const struct study *s, struct text *out)
{
    const char *comma = "";

    text_add(out, "[");
    for (size_t i = module_of(s) ? 3 : 1; i < s->job.tasks[ROLE_MASTER].n_argv;
         i++) {
        if (is_filled_in(s, s->job.tasks[ROLE_MASTER].argv[i]))
            continue;
        text_add(out, comma);
        quote_json(out, s->job.tasks[ROLE_MASTER].argv[i]);
        comma = ",";
    }
    text_add(out, "]");
}

/* On Vertex only a Python package has arguments there; those of a container
 * stand in its own spec. */
static void vertex_job(const struct study *s, struct text *out)
{
    const char *module = module_of(s);

    text_add(out, "{\"python_module\":");
    quote_json(out, module ? module : "");
    text_add(out, ",\"package_uris\":[],\"job_args\":");
    if (module)
        add_job_args(s, out);
    else
        text_add(out, "[]");
    text_add(out, "}");
}

/* The `job` of each dialect: an object, or on Vertex text that holds one. */
static void job_text(const struct study *s, struct text *out)
{
    if (s->dialect == DIALECT_VERTEX) {
        vertex_job(s, out);
        return;
    }
    text_add(out, "{\"scale_tier\":\"BASIC\",\"args\":");
    add_job_args(s, out);
    text_add(out, "}");
}

/* The trial's number, where there are trials: programs look for it to know. */
static void add_trial(const struct study *s, const struct command_place *at,
                      struct text *out)
{
    if (study_tunes(s))
        text_addf(out, ",\"trial\":\"%lld\"", (long long)at->trial);
}

/* Where the master is: HOST, or the text after it, PORT. */
static const char *port_of(const char *address)
{
    const char *colon = strrchr(address, ':');

    return colon ? colon + 1 : address + strlen(address);
}

static void set_cluster(const struct study *s, const struct command_place *at,
                        const char *job, struct words *out)
{
    bool vertex = s->dialect == DIALECT_VERTEX;
    const char *role = vertex ? "workerpool0" : "master";
    struct text spec;

    text_init(&spec);
    text_addf(&spec, "{\"cluster\":{\"%s\":[\"%s\"]},", role, at->addresses[0]);
    if (vertex)
        text_add(&spec, "\"environment\":\"cloud\",");
    text_addf(&spec, "\"task\":{\"type\":\"%s\",\"index\":0", role);
    add_trial(s, at, &spec);
    text_add(&spec, "},\"job\":");
    if (vertex)
        quote_json(&spec, job);
    else
        text_add(&spec, job);
    text_add(&spec, "}");
    words_set_env(out, "CLUSTER_SPEC", text_str(&spec));
    text_clear(&spec);
}

/* AI Platform sets TF_CONFIG always; Vertex only with several replicas, since
 * its mere presence changes what some programs do. */
static void set_tf_config(const struct study *s, const struct command_place *at,
                          const char *job, struct words *out)
{
    struct text config;

    if (s->dialect == DIALECT_VERTEX) {
        unset_env(out, "TF_CONFIG");
        return;
    }
    text_init(&config);
    text_addf(&config,
              "{\"cluster\":{\"master\":[\"%s\"]},"
              "\"environment\":\"cloud\",\"job\":%s,\"task\":{"
              "\"type\":\"master\",\"index\":0",
              at->addresses[0], job);
    add_trial(s, at, &config);
    text_add(&config, "}}");
    words_set_env(out, "TF_CONFIG", text_str(&config));
    text_clear(&config);
}

/* What there is in a trial only. */
static void set_tuning(const struct study *s, const struct command_place *at,
                       struct words *out)
{
    if (!study_tunes(s)) {
        unset_env(out, "CLOUD_ML_TRIAL_ID");
        unset_env(out, "CLOUD_ML_HP_METRIC_FILE");
        unset_env(out, "CLOUD_ML_HP_METRIC_TAG");
        return;
    }
    set_int(out, "CLOUD_ML_TRIAL_ID", at->trial);
    set_in(out, "CLOUD_ML_HP_METRIC_FILE", at->folder, "output.metrics");
    words_set_env(out, "CLOUD_ML_HP_METRIC_TAG", s->metric);
}

static void set_master(const char *address, struct words *out)
{
    const char *port = port_of(address);
    char *host = mem_copy_text(address);

    if (port > address)
        host[port - address - 1] = '\0';
    words_set_env(out, "MASTER_ADDR", host);
    words_set_env(out, "MASTER_PORT", port);
    free(host);
}

static void set_cloud(const struct study *s, const struct command_place *at,
                      struct words *out)
{
    struct text job;

    text_init(&job);
    job_text(s, &job);
    set_cluster(s, at, text_str(&job), out);
    set_tf_config(s, at, text_str(&job), out);
    set_tuning(s, at, out);
    words_set_env(out, "CLOUD_ML_JOB_ID", s->name);
    words_set_env(out, "CLOUD_ML_JOB", text_str(&job));
    set_master(at->addresses[0], out);
    words_set_env(out, "RANK", "0");
    words_set_env(out, "WORLD_SIZE", "1");
    text_clear(&job);
}

/* Folders of the trial: the same for each of its attempts, so that a retry
 * goes on from its checkpoint. */
static void set_folders(const struct study *s, const struct command_place *at,
                        struct words *out)
{
    static const char *const parts[][2] = {
        {"AIP_MODEL_DIR", "model/"},
        {"AIP_CHECKPOINT_DIR", "checkpoints/"},
        {"AIP_TENSORBOARD_LOG_DIR", "logs/"}};
    char *folder;

    if (s->job.output_dir) {
        folder = trial_part(s, s->job.output_dir, at);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            set_in(out, parts[i][0], folder, parts[i][1]);
    } else {
        char *slash;

        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            unset_env(out, parts[i][0]);
        folder = mem_copy_text(at->folder);
        trim_slashes(folder);
        slash = strrchr(folder, '/');
        if (slash && slash != folder)
            *slash = '\0';
    }
    set_in(out, "HYPERTUNE_CHECKPOINT_DIR", folder, "checkpoints/");
    free(folder);
}

static void set_ours(const struct study *s, const struct command_place *at,
                     struct words *out)
{
    words_set_env(out, "HYPERTUNE_STUDY", s->name);
    set_int(out, "HYPERTUNE_TRIAL", at->trial);
    set_int(out, "HYPERTUNE_ATTEMPT", at->attempt);
    words_set_env(out, "HYPERTUNE_METRIC", s->metric);
    set_in(out, "HYPERTUNE_REPORT_FILE", at->folder, "reports");
    set_in(out, "HYPERTUNE_STOP_FILE", at->folder, "stop");
}

/* $(NAME) becomes the value of an earlier variable; an unknown one stays as it
 * is, and $$(NAME) is $(NAME) literally. */
static char *expand(const char *value, const struct words *known)
{
    struct text out;

    text_init(&out);
    text_add(&out, "");
    while (*value) {
        size_t len, i;

        if (strncmp(value, "$$(", 3) == 0) {
            text_add(&out, "$(");
            value += 3;
            continue;
        }
        len = strncmp(value, "$(", 2) == 0 ? strspn(value + 2, in_a_name) : 0;
        if (len == 0 || value[len + 2] != ')') {
            text_add_bytes(&out, value++, 1);
            continue;
        }
        i = find_env(known, value + 2, len);
        if (i < known->n)
            text_add(&out, known->items[i] + len + 1);
        else
            text_add_bytes(&out, value, len + 3);
        value += len + 3;
    }
    return text_take(&out);
}

static void set_users(const struct study *s, struct words *out)
{
    for (size_t i = 0; i < s->job.tasks[ROLE_MASTER].n_env; i++) {
        const struct study_env *v = &s->job.tasks[ROLE_MASTER].env[i];
        char *value = s->dialect == DIALECT_VERTEX ? expand(v->value, out)
                                                   : mem_copy_text(v->value);

        words_set_env(out, v->name, value);
        free(value);
    }
}

/* A parameter's name as a variable's: letters, digits and underscores. */
static char *variable_name(const char *name)
{
    char *out = mem_copy_text(name);

    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return out;
}

static void set_params(const struct study *s, const struct point *p,
                       struct words *out)
{
    for (size_t i = 0; i < s->space.n && s->job.args == ARGS_ENV; i++) {
        char *name = variable_name(s->space.params[i].name);

        unset_env(out, name);
        if (p->values[i].active) {
            char *value = value_text(s, p, i);

            words_set_env(out, name, value);
            free(value);
        }
        free(name);
    }
}

void command_environ(const struct study *s, const struct point *p,
                     const struct command_place *at, struct words *out)
{
    set_cloud(s, at, out);
    set_folders(s, at, out);
    set_ours(s, at, out);
    set_users(s, out);
    set_params(s, p, out);
}

/* ---- argv ---- */

int command_named(const struct study *s, const char *at, size_t *n)
{
    if (*at != '{')
        return -1;
    for (size_t i = 0; i < s->space.n; i++) {
        const char *name = s->space.params[i].name;
        size_t len = strlen(name);

        if (strncmp(name, at + 1, len) != 0 || at[len + 1] != '}')
            continue;
        *n = len + 2;
        return (int)i;
    }
    return -1;
}

static void add_for_shell(const char *word, struct text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";

    if (*word && word[strspn(word, plain)] == '\0') {
        text_add(out, word);
        return;
    }
    text_add(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_bytes(out, word, 1);
    text_add(out, "'");
}

/* A command being filled in for one trial. */
struct filling {
    const struct study *s;
    const struct point *p;
    struct words params; /* the arguments */
    bool said;           /* one of {args} and {NAME} stands in the command */
};

static void add_joined(const struct words *words, struct text *out)
{
    for (size_t i = 0; i < words->n; i++) {
        text_add(out, i ? " " : "");
        add_for_shell(words->items[i], out);
    }
}

/* The word with {args} and every {NAME} replaced. */
static char *fill_in(struct filling *f, const char *word)
{
    static const char args[] = "{args}";
    struct text out;

    text_init(&out);
    text_add(&out, "");
    while (*word) {
        size_t n = 1;
        int i = command_named(f->s, word, &n);

        if (i >= 0 && f->p->values[i].active) {
            value_print(&f->s->space.params[i], &f->p->values[i], &out);
        } else if (i < 0 && strncmp(word, args, strlen(args)) == 0) {
            add_joined(&f->params, &out);
            i = 0;
            n = strlen(args);
        } else if (i < 0) {
            text_add_bytes(&out, word, 1);
        }
        f->said = f->said || i >= 0;
        word += n;
    }
    return text_take(&out);
}

static void add_all(const struct words *words, struct words *out)
{
    for (size_t i = 0; i < words->n; i++)
        words_add_take(out, mem_copy_text(words->items[i]));
}

/* `known` are the variables of $(NAME), NULL where that is no rule. */
static void add_word(struct filling *f, const char *word,
                     const struct words *known, struct words *out)
{
    char *expanded;

    if (strcmp(word, "{args}") == 0) {
        add_all(&f->params, out);
        f->said = true;
        return;
    }
    expanded = known ? expand(word, known) : mem_copy_text(word);
    words_add_take(out, fill_in(f, expanded));
    free(expanded);
}

void command_argv(const struct study *s, const struct point *p,
                  const struct command_place *at, struct words *out)
{
    struct filling f = {.s = s, .p = p};
    bool expands = s->dialect == DIALECT_VERTEX;
    struct words known;

    words_init(&known);
    words_init(&f.params);
    add_params(s, p, &f.params);
    if (expands)
        command_environ(s, p, at, &known);
    for (size_t i = 0; i < s->job.tasks[ROLE_MASTER].n_argv; i++)
        add_word(&f, s->job.tasks[ROLE_MASTER].argv[i], expands ? &known : NULL,
                 out);
    if (!f.said)
        add_all(&f.params, out);
    if (s->job.job_dir) {
        words_add_take(out, mem_copy_text("--job-dir"));
        words_add_take(out, trial_part(s, s->job.job_dir, at));
    }
    words_clear(&f.params);
    words_clear(&known);
}
