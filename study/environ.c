/* What a trial's process is given: its environment. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/environ.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/cluster.h"

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

/* A file of the replica's own folder. */
static void set_own(const struct study *s, const struct places *at,
                    struct words *out, const char *name, const char *file)
{
    char *folder = places_folder(s, at);

    set_in(out, name, folder, file);
    free(folder);
}

static const struct study_task *task_of(const struct study *s,
                                        const struct places *at)
{
    enum study_role role;
    int index;

    study_replica(s, at->rank, &role, &index);
    return &s->job.tasks[role];
}

/* Where the master is: HOST, or the text after it, PORT. */
static const char *port_of(const char *address)
{
    const char *colon = strrchr(address, ':');

    return colon ? colon + 1 : address + strlen(address);
}

/* What there is in a trial only. */
static void set_tuning(const struct study *s, const struct places *at,
                       struct words *out)
{
    if (!study_tunes(s)) {
        words_unset_env(out, "CLOUD_ML_TRIAL_ID");
        words_unset_env(out, "CLOUD_ML_HP_METRIC_FILE");
        words_unset_env(out, "CLOUD_ML_HP_METRIC_TAG");
        return;
    }
    set_int(out, "CLOUD_ML_TRIAL_ID", at->trial);
    set_own(s, at, out, "CLOUD_ML_HP_METRIC_FILE", "output.metrics");
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

static void set_cluster(const struct study *s, const struct places *at,
                        struct words *out)
{
    struct text text;

    text_init(&text);
    cluster_spec(s, at, &text);
    words_set_env(out, "CLUSTER_SPEC", text_str(&text));
    text_reset(&text);
    if (cluster_tf_config(s, at, &text))
        words_set_env(out, "TF_CONFIG", text_str(&text));
    else
        words_unset_env(out, "TF_CONFIG");
    text_reset(&text);
    cluster_job(s, &text);
    words_set_env(out, "CLOUD_ML_JOB", text_str(&text));
    text_clear(&text);
}

static void set_cloud(const struct study *s, const struct places *at,
                      struct words *out)
{
    set_cluster(s, at, out);
    set_tuning(s, at, out);
    words_set_env(out, "CLOUD_ML_JOB_ID", s->name);
    set_master(at->addresses[0], out);
    set_int(out, "RANK", at->rank);
    set_int(out, "WORLD_SIZE", study_replicas(s));
    if (s->dialect == DIALECT_VERTEX && task_of(s, at)->image)
        words_set_env(out, "AIP_USE_CUSTOM_CONTAINER", "true");
    else
        words_unset_env(out, "AIP_USE_CUSTOM_CONTAINER");
}

/* Folders of the trial: the same for each of its attempts, so that a retry
 * goes on from its checkpoint. */
static void set_folders(const struct study *s, const struct places *at,
                        struct words *out)
{
    static const char *const parts[][2] = {
        {"AIP_MODEL_DIR", "model/"},
        {"AIP_CHECKPOINT_DIR", "checkpoints/"},
        {"AIP_TENSORBOARD_LOG_DIR", "logs/"}};
    char *folder;

    if (s->job.output_dir) {
        folder = places_of_trial(s, s->job.output_dir, at);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            set_in(out, parts[i][0], folder, parts[i][1]);
    } else {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            words_unset_env(out, parts[i][0]);
        folder = places_above(at->folder);
    }
    set_in(out, "HYPERTUNE_CHECKPOINT_DIR", folder, "checkpoints/");
    free(folder);
}

static void set_replica(const struct study *s, const struct places *at,
                        struct words *out)
{
    enum study_role role;
    int index;
    char *name;

    study_replica(s, at->rank, &role, &index);
    name = mem_format("%s-%d", study_role_name(role), index);
    words_set_env(out, "HYPERTUNE_REPLICA", name);
    free(name);
}

static void set_ours(const struct study *s, const struct places *at,
                     struct words *out)
{
    words_set_env(out, "HYPERTUNE_STUDY", s->name);
    set_int(out, "HYPERTUNE_TRIAL", at->trial);
    set_int(out, "HYPERTUNE_ATTEMPT", at->attempt);
    words_set_env(out, "HYPERTUNE_METRIC", s->metric);
    set_replica(s, at, out);
    set_own(s, at, out, "HYPERTUNE_REPORT_FILE", "reports");
    set_in(out, "HYPERTUNE_STOP_FILE", at->folder, "stop");
}

static void set_users(const struct study *s, const struct places *at,
                      struct words *out)
{
    const struct study_task *t = task_of(s, at);

    for (size_t i = 0; i < t->n_env; i++) {
        char *value = s->dialect == DIALECT_VERTEX
                          ? words_expand(out, t->env[i].value)
                          : mem_copy_text(t->env[i].value);

        words_set_env(out, t->env[i].name, value);
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
    struct text value;

    text_init(&value);
    for (size_t i = 0; i < s->space.n && s->job.args == ARGS_ENV; i++) {
        char *name = variable_name(s->space.params[i].name);

        words_unset_env(out, name);
        if (p->values[i].active) {
            text_reset(&value);
            value_print(&s->space.params[i], &p->values[i], &value);
            words_set_env(out, name, text_str(&value));
        }
        free(name);
    }
    text_clear(&value);
}

void environ_set(const struct study *s, const struct point *p,
                 const struct places *at, struct words *out)
{
    set_cloud(s, at, out);
    set_folders(s, at, out);
    set_ours(s, at, out);
    set_users(s, at, out);
    set_params(s, p, out);
}
