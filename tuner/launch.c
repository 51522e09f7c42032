/* Launching: a trial's job put together from study and point, and handed to the
 * study's launcher. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quote.h"
#include "study/command.h"
#include "study/environ.h"
#include "study/places.h"
#include "tuner/hold.h"
#include "tuner/nodes.h"

/* Makes the folder and those above it. */
static int make_folders(char *path, struct err *e)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return err_errno(e, errno, "cannot make the folder %s", path);
        if (!slash)
            return 0;
        *slash = '/';
    }
}

/* The attempt's folder; most often only the last two of its path are missing.
 */
static int make_folder(const struct board *b, const struct live_trial *t,
                       struct err *e)
{
    char *trial = board_folder(b, t->study->name, t->trial.number);
    char *folder = mem_copy_text(t->folder);
    int rc = 0;

    mkdir(trial, 0700);
    if (mkdir(folder, 0700) && errno != EEXIST)
        rc = make_folders(folder, e);
    free(trial);
    free(folder);
    return rc;
}

/* The folder that a NAME=value names for the trial's results; NULL if it is
 * another variable. */
static char *output_in(char *variable)
{
    static const char *const names[] = {
        "AIP_MODEL_DIR=", "AIP_CHECKPOINT_DIR=", "AIP_TENSORBOARD_LOG_DIR="};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        size_t len = strlen(names[k]);

        if (strncmp(variable, names[k], len) == 0)
            return variable + len;
    }
    return NULL;
}

/* The folders that the AIP_… variables name, where there is an output folder:
 * programs written for them expect to write there at once. */
static int make_outputs(const struct words *environ_, struct err *e)
{
    for (size_t i = 0; i < environ_->n; i++) {
        char *folder = output_in(environ_->items[i]);

        if (folder && make_folders(folder, e))
            return -1;
    }
    return 0;
}

/* Whether the folder is one of those listed, or in one. */
static bool is_within(const struct words *folders, const char *path)
{
    for (size_t i = 0; i < folders->n; i++) {
        size_t n = strlen(folders->items[i]);

        if (strncmp(path, folders->items[i], n) == 0 &&
            (path[n] == '/' || path[n] == '\0'))
            return true;
    }
    return false;
}

/* An output folder without the slashes at its end; what is no absolute path,
 * such as gs://, or is in a listed one already, is left out. */
static void add_output(struct words *out, const char *path)
{
    size_t n = strlen(path);
    char *copy;

    while (n > 1 && path[n - 1] == '/')
        n--;
    copy = mem_copy_bytes(path, n);
    if (n > 1 && copy[0] == '/' && !is_within(out, copy))
        words_add_take(out, copy);
    else
        free(copy);
}

/* The folders that a replica was told to write to, by AIP_… and --job-dir:
 * what a container has to see of this machine beside the trial's own folder.
 * The folder comes first that holds the others. */
static void list_outputs(const struct words *ours, const struct words *argv,
                         struct words *out)
{
    for (size_t i = 0; i + 1 < argv->n; i++)
        if (strcmp(argv->items[i], "--job-dir") == 0)
            add_output(out, argv->items[i + 1]);
    for (size_t i = 0; i < ours->n; i++) {
        const char *folder = output_in(ours->items[i]);

        if (folder)
            add_output(out, folder);
    }
}

/* A container sees only what was there when it began. */
static int make_listed(const struct words *folders, struct err *e)
{
    for (size_t i = 0; i < folders->n; i++)
        if (make_folders(folders->items[i], e))
            return -1;
    return 0;
}

static void add_words(struct text *out, const struct words *w, size_t from)
{
    for (size_t i = from; i < w->n; i++) {
        text_add(out, i > from ? ", " : "");
        quote_json(out, w->items[i]);
    }
}

static void inherit(const struct board *b, struct words *out)
{
    for (char *const *v = b->parts.environ_; v && *v; v++)
        words_add_take(out, mem_copy_text(*v));
}

/* What the attempt needs to report over HTTP. A token is a secret: files that
 * only describe the job get it `masked`. */
static void add_reporting(const struct board *b, const struct live_trial *t,
                          bool masked, struct words *out)
{
    const struct engine_parts *parts = &b->parts;
    const char *server;
    char *token;

    if (!parts->reporting ||
        !parts->reporting(parts->ctx, t->study->id, t->trial.number, t->attempt,
                          &server, &token))
        return;
    words_set_env(out, "HYPERTUNE_SERVER", server);
    words_set_env(out, "HYPERTUNE_REPORT_TOKEN", masked ? "***" : token);
    free(token);
}

/* A replica as it is put together; `job` points into it. */
struct part {
    char *name, *folder, *workdir, *gpus;
    struct words argv, ours, all; /* all: what is handed over */
    struct job_replica job;
};

struct assembly {
    const struct live_trial *t;
    size_t n;
    char (*addresses)[LAUNCHER_ADDRESS];
    const char **listed; /* the same, as study/command.h wants them */
    struct part *parts;
    struct job_replica *replicas;
    struct job_option *options;
    size_t n_options;
    char *exclude; /* nodes, for the option of that name; NULL = none */
    struct words outputs;
};

static void assembly_clear(struct assembly *a)
{
    for (size_t i = 0; i < a->n; i++) {
        struct part *p = &a->parts[i];

        free(p->name);
        free(p->folder);
        free(p->workdir);
        free(p->gpus);
        words_clear(&p->argv);
        words_clear(&p->ours);
        words_clear(&p->all);
    }
    free(a->addresses);
    free(a->listed);
    free(a->parts);
    free(a->replicas);
    free(a->options);
    free(a->exclude);
    words_clear(&a->outputs);
}

/* Variables of the service's own are for processes beside it. */
static bool is_beside(const struct launcher *l, const struct study_task *task)
{
    return !task->image && strcmp(l->type->name, "local") == 0;
}

/* A replica sees its own GPUs, and one that has none beside others that do sees
 * none. In a container the runtime counts those that it lets in anew, so that
 * only UUIDs keep their meaning. */
static void set_gpus(const struct live_trial *t, const struct part *p,
                     bool image, struct words *out)
{
    const char *comma = p->gpus ? strrchr(p->gpus, ',') : NULL;
    bool by_index = p->gpus && gpus_is_index(comma ? comma + 1 : p->gpus);

    if (!t->gpus || (image && by_index))
        return;
    words_set_env(out, "CUDA_VISIBLE_DEVICES", p->gpus ? p->gpus : "");
    if (by_index)
        words_set_env(out, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
}

static void put_together(const struct board *b, struct assembly *a, int rank)
{
    const struct live_trial *t = a->t;
    const struct study *s = &t->study->study;
    struct part *p = &a->parts[rank];
    struct places at = {.trial = t->trial.number,
                        .attempt = t->attempt,
                        .folder = t->folder,
                        .base_dir = t->study->base_dir,
                        .rank = rank,
                        .addresses = a->listed};
    const struct study_task *task;
    enum study_role role;
    int index;

    study_replica(s, rank, &role, &index);
    task = &s->job.tasks[role];
    p->name = mem_format("%s-%d", study_role_name(role), index);
    p->folder = places_folder(s, &at);
    p->workdir = places_workdir(s, &at);
    command_argv(s, &t->trial.point, &at, &p->argv);
    environ_set(s, &t->trial.point, &at, &p->ours);
    add_reporting(b, t, true, &p->ours);
    p->gpus = hold_gpus(t, rank);
    set_gpus(t, p, task->image != NULL, &p->ours);
    if (is_beside(board_launcher(b, t->study), task))
        inherit(b, &p->all);
    environ_set(s, &t->trial.point, &at, &p->all);
    add_reporting(b, t, false, &p->all);
    set_gpus(t, p, task->image != NULL, &p->all);
    p->job = (struct job_replica){.name = p->name,
                                  .folder = p->folder,
                                  .image = task->image,
                                  .argv = p->argv.items,
                                  .n_entry = task->n_entry,
                                  .environ_ = p->all.items,
                                  .workdir = p->workdir,
                                  .cpus = task->cpus,
                                  .memory = task->memory,
                                  .gpus = task->gpus,
                                  .gpu_ids = p->gpus};
    a->replicas[rank] = p->job;
}

static bool excludes(const struct job_option *o)
{
    return strcmp(o->name, "exclude") == 0;
}

/* The study's own, and the nodes that are avoided beside those that the study
 * does not want itself. */
static void add_options(const struct board *b, struct assembly *a)
{
    const struct study_job *job = &a->t->study->study.job;
    struct text nodes;

    text_init(&nodes);
    if (strcmp(job->launcher, "slurm") == 0)
        nodes_avoided(b, &nodes);
    a->options = mem_new(job->n_options + 1, sizeof *a->options);
    for (size_t i = 0; i < job->n_options; i++) {
        struct job_option o = {job->options[i].name, job->options[i].value};

        if (nodes.len && excludes(&o))
            text_addf(&nodes, ",%s", o.value);
        else
            a->options[a->n_options++] = o;
    }
    if (nodes.len) {
        a->exclude = text_take(&nodes);
        a->options[a->n_options++] = (struct job_option){"exclude", a->exclude};
    }
    text_clear(&nodes);
}

static int assemble(const struct board *b, struct assembly *a, struct err *e)
{
    const struct live_study *s = a->t->study;
    struct launcher *l = board_launcher(b, s);
    size_t n = (size_t)study_replicas(&s->study);

    a->addresses = mem_new(n, sizeof *a->addresses);
    if (l->type->addresses(l, a->t->job_name, n, a->addresses, e))
        return -1;
    a->n = n;
    a->listed = mem_new(n, sizeof *a->listed);
    a->parts = mem_new(n, sizeof *a->parts);
    a->replicas = mem_new(n, sizeof *a->replicas);
    for (size_t i = 0; i < n; i++)
        a->listed[i] = a->addresses[i];
    add_options(b, a);
    for (size_t i = 0; i < n; i++)
        put_together(b, a, (int)i);
    words_init(&a->outputs);
    for (size_t i = 0; i < n; i++)
        list_outputs(&a->parts[i].ours, &a->parts[i].argv, &a->outputs);
    return 0;
}

/* What of a replica a person needs to run it again. */
static void add_part(struct text *json, const struct part *p)
{
    if (p->job.image) {
        text_add(json, " \"image\": ");
        quote_json(json, p->job.image);
        text_add(json, ",\n");
    }
    text_add(json, " \"workdir\": ");
    quote_json(json, p->workdir ? p->workdir : "");
    text_add(json, ",\n \"argv\": [");
    add_words(json, &p->argv, 0);
    text_add(json, "],\n \"environment\": [");
    add_words(json, &p->ours, 0);
    text_add(json, "]");
}

/* job.json: what was run, the master's part first. */
static void write_job(const struct assembly *a)
{
    const struct live_trial *t = a->t;
    char *path = mem_format("%s/job.json", t->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct text json;

    free(path);
    if (fd < 0)
        return; /* the job matters more than its description */
    text_init(&json);
    text_addf(&json, "{\"study\": \"%s\", \"trial\": %lld, \"attempt\": %d,\n",
              t->study->name, (long long)t->trial.number, t->attempt);
    add_part(&json, &a->parts[0]);
    for (size_t i = 1; i < a->n; i++) {
        text_addf(&json, "%s{\"name\": \"%s\",\n",
                  i == 1 ? ",\n \"replicas\": [" : ",\n ", a->parts[i].name);
        add_part(&json, &a->parts[i]);
        text_add(&json, "}");
    }
    text_add(&json, a->n > 1 ? "]}\n" : "}\n");
    if (write(fd, json.data, json.len) < 0)
        log_write(LOG_LEVEL_WARN, "job_json", "folder=%s text=\"%s\"",
                  t->folder, strerror(errno));
    close(fd);
    text_clear(&json);
}

/* The folders of the replicas lie in the attempt's. */
static int make_all_folders(const struct board *b, const struct assembly *a,
                            struct err *e)
{
    if (make_folder(b, a->t, e))
        return -1;
    for (size_t i = 1; i < a->n; i++)
        if (mkdir(a->parts[i].folder, 0700) && errno != EEXIST)
            return err_errno(e, errno, "cannot make the folder %s",
                             a->parts[i].folder);
    if (!a->t->study->study.job.output_dir)
        return 0;
    return make_outputs(&a->parts[0].ours, e);
}

int launch_start(const struct board *b, const struct live_trial *t,
                 struct err *e)
{
    struct launcher *l = board_launcher(b, t->study);
    struct assembly a = {.t = t};
    struct places at = {.trial = t->trial.number};
    char *lines = places_lines(&t->study->study, &at);
    struct job job = {.name = t->job_name,
                      .folder = t->folder,
                      .base_dir = t->study->base_dir,
                      .limit_ms = t->study->study.trial_limit_ms,
                      .pattern = t->study->study.job.pattern,
                      .lines_file = lines};
    int rc;

    if (!l) {
        free(lines);
        return err_set(e, ERR_INVALID, "this service has no launcher %s",
                       t->study->study.job.launcher);
    }
    rc = assemble(b, &a, e);
    if (rc == 0)
        rc = make_all_folders(b, &a, e);
    if (rc == 0 && a.replicas[0].image)
        rc = make_listed(&a.outputs, e);
    if (rc == 0) {
        job.outputs = a.outputs.items;
        write_job(&a);
        job.replicas = a.replicas;
        job.n_replicas = a.n;
        job.options = a.options;
        job.n_options = a.n_options;
        rc = l->type->start(l, &job, e);
    }
    assembly_clear(&a);
    free(lines);
    return rc;
}
