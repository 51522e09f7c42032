/* Who starts a study's trials, and with which options of its own. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/launching.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* ---- options ---- */

static void add_option(struct reading *r, const char *name, const char *value)
{
    struct study_job *job = &r->s->job;

    job->options =
        mem_resize(job->options, job->n_options + 1, sizeof *job->options);
    job->options[job->n_options++] =
        (struct study_option){mem_copy_text(name), mem_copy_text(value)};
}

/* The scalar's text if it is not empty; else NULL, with a fault. */
static const char *text_of(struct reading *r, const char *key,
                           const struct node *v)
{
    const char *text = reading_text(r, key, v);

    if (text && !*text) {
        reading_fault(r, v, "%s is empty", key);
        return NULL;
    }
    return text;
}

/* What becomes part of a command line or a script of somebody else's. */
static bool has_blank(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return true;
    return false;
}

static void option_word(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    const char *text = text_of(r, k->name, v);

    (void)into;
    if (!text)
        return;
    if (has_blank(text))
        reading_fault(r, v, "%s: \"%.60s\" must be one word, without blanks",
                      k->name, text);
    else
        add_option(r, k->name, text);
}

/* Part of a line of shell. */
static void option_module(struct reading *r, const struct key *k,
                          const struct node *v, void *into)
{
    const char *text = text_of(r, k->name, v);

    (void)into;
    if (!text)
        return;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) &&
            (c == text || !strchr("_./+-", *c))) {
            reading_fault(r, v, "%s: \"%.60s\" is no name of a module", k->name,
                          text);
            return;
        }
    add_option(r, k->name, text);
}

/* Lines of a shell. */
static void option_lines(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    const char *text = text_of(r, k->name, v);

    (void)into;
    for (const char *c = text; c && *c; c++)
        if (((unsigned char)*c < ' ' && !strchr("\n\t", *c)) || *c == 0x7f) {
            reading_fault(r, v, "%s: it holds a control character", k->name);
            return;
        }
    if (text)
        add_option(r, k->name, text);
}

/* A time as sbatch takes it: 30:00, 2:00:00, 1-12, 1-12:30 ... */
static bool is_slurm_time(const char *text)
{
    size_t days = strspn(text, "0123456789");
    const char *clock = text[days] == '-' ? text + days + 1 : text;
    size_t colons = 0;

    if (days == 0 || !isdigit((unsigned char)*clock))
        return false;
    for (const char *c = clock; *c; c++) {
        if (*c == ':' && isdigit((unsigned char)c[1]))
            colons++;
        else if (!isdigit((unsigned char)*c))
            return false;
    }
    return colons <= 2 && (colons > 0 || clock != text);
}

/* A bare number would be minutes there and seconds here. */
static void option_time(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    static const struct key ms_key = {.name = "time"};
    const char *text = text_of(r, k->name, v);
    int64_t ms = 0, s;
    size_t before = r->f->n;
    char *made;

    (void)into;
    if (!text)
        return;
    if (is_slurm_time(text) || strcasecmp(text, "UNLIMITED") == 0) {
        add_option(r, k->name, text);
        return;
    }
    if (text[strspn(text, "0123456789.")] == '\0') {
        reading_fault(r, v,
                      "%s: \"%.60s\" has no unit; write 90m, 2h or 2:00:00",
                      k->name, text);
        return;
    }
    key_ms(r, &ms_key, v, &ms);
    if (ms <= 0) {
        if (r->f->n == before)
            reading_fault(r, v, "%s: no time is left in \"%.60s\"", k->name,
                          text);
        return;
    }
    s = (ms + 999) / 1000;
    made = mem_format("%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
                      (int)(s % 60));
    add_option(r, k->name, made);
    free(made);
}

static void option_bytes(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    struct key bytes_key = {.name = k->name};
    int64_t bytes = 0;
    size_t before = r->f->n;
    char *made;

    (void)into;
    key_bytes(r, &bytes_key, v, &bytes);
    if (r->f->n > before)
        return;
    made = mem_format("%" PRId64, bytes);
    add_option(r, k->name, made);
    free(made);
}

static void option_choice(struct reading *r, const struct key *k,
                          const struct node *v, void *into)
{
    int which;

    (void)into;
    if (reading_choice(r, k->name, v, k->choices, &which) == 0)
        add_option(r, k->name, k->choices[which].name);
}

/* What Hypertune says itself when it submits a job. */
static bool is_ours(const char *option)
{
    static const char *const names[] = {
        "-J",       "--job-name", "-o",          "--output",     "-e",
        "--error",  "-a",         "--array",     "-W",           "--wait",
        "-D",       "--chdir",    "-M",          "--cluster",    "--clusters",
        "--wrap",   "--parsable", "--open-mode", "--requeue",    "--test-only",
        "--export", "--uid",      "--gid",       "--export-file"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);

        if (strncmp(option, names[i], n) != 0)
            continue;
        if (names[i][1] != '-' || strchr("= ", option[n])) /* or '\0' */
            return true;
    }
    return false;
}

static void option_raw(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    const char *text = text_of(r, k->name, v);

    (void)into;
    if (!text)
        return;
    if (*text != '-')
        reading_fault(r, v,
                      "%s: \"%.60s\" must be an option of sbatch, such as "
                      "--exclusive or --mail-type=END",
                      k->name, text);
    else if (strpbrk(text, "\r\n"))
        reading_fault(r, v, "%s: an option must be on one line", k->name);
    else if (is_ours(text))
        reading_fault(r, v,
                      "%s: %.60s is what Hypertune says itself; take it away",
                      k->name, text);
    else
        add_option(r, k->name, text);
}

static bool is_volume_name(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) &&
            (i == 0 || !strchr("_.-", name[i])))
            return false;
    return n > 0;
}

/* HOST:CONTAINER or HOST:CONTAINER:MODE. */
static bool is_volume(const char *text)
{
    size_t host = strcspn(text, ":"), inside;
    const char *mode;

    if (text[host] != ':' || text[host + 1] != '/' ||
        (text[0] != '/' && !is_volume_name(text, host)))
        return false;
    inside = strcspn(text + host + 1, ":");
    mode = text + host + 1 + inside;
    if (!*mode)
        return true;
    mode++;
    return *mode && mode[strspn(mode, "rowzZ,")] == '\0';
}

static void option_volume(struct reading *r, const struct key *k,
                          const struct node *v, void *into)
{
    const char *text = text_of(r, k->name, v);

    (void)into;
    if (!text)
        return;
    if (is_volume(text) && text[strcspn(text, "\r\n")] == '\0')
        add_option(r, k->name, text);
    else
        reading_fault(r, v,
                      "%s: \"%.100s\" must be HOST:CONTAINER or "
                      "HOST:CONTAINER:ro, where HOST is an absolute path or "
                      "the name of a volume and CONTAINER an absolute path",
                      k->name, text);
}

/* true, which is what is there without a word, is not written down. */
static void option_shared(struct reading *r, const struct key *k,
                          const struct node *v, void *into)
{
    bool shared = true;

    (void)into;
    key_flag(r, k, v, &shared);
    if (!shared)
        add_option(r, k->name, "false");
}

static void option_path(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    const char *text = text_of(r, k->name, v);

    (void)into;
    if (!text)
        return;
    if (*text == '/' && !has_blank(text))
        add_option(r, k->name, text);
    else
        reading_fault(r, v,
                      "%s: \"%.100s\" must be the absolute path of a program, "
                      "without blanks",
                      k->name, text);
}

static const struct choice pulls[] = {
    {"never", 0, -1}, {"missing", 1, -1}, {NULL, 0, 0}};

/* A row with `high` takes a list too; what it reads stands there as often. */
static const struct key slurm_keys[] = {
    {.name = "partition", .read = option_word},
    {.name = "account", .read = option_word},
    {.name = "qos", .read = option_word},
    {.name = "time", .read = option_time},
    {.name = "gres", .read = option_word},
    {.name = "constraint", .read = option_word},
    {.name = "nodelist", .read = option_word},
    {.name = "exclude", .read = option_word},
    {.name = "reservation", .read = option_word},
    {.name = "modules", .read = option_module, .high = 1},
    {.name = "setup", .read = option_lines, .high = 1},
    {.name = "options", .read = option_raw, .high = 1},
    {.name = "shared", .read = option_shared},
    {.name = "courier", .read = option_path},
    {0},
};

static const struct key container_keys[] = {
    {.name = "network", .read = option_word},
    {.name = "user", .read = option_word},
    {.name = "volumes", .read = option_volume, .high = 1},
    {.name = "shm_size", .read = option_bytes},
    {.name = "pull", .read = option_choice, .choices = pulls},
    {.name = "runtime", .read = option_word},
    {0},
};

static const struct key local_keys[] = {{0}};

static const struct {
    const char *name;
    const struct key *keys;
} kinds[LAUNCHING_KINDS] = {
    [LAUNCHING_LOCAL] = {"local", local_keys},
    [LAUNCHING_CONTAINER] = {"container", container_keys},
    [LAUNCHING_SLURM] = {"slurm", slurm_keys},
};

struct table {
    const struct key *keys;
};

/* Any option, one value or a list: the table's own key reads each. */
static void read_each(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    const struct key *keys = ((const struct table *)into)->keys;

    while (strcmp(keys->name, k->name) != 0)
        keys++;
    if (v->kind != NODE_LIST || keys->high == 0) {
        keys->read(r, keys, v, NULL);
        return;
    }
    for (size_t i = 0; i < v->n; i++)
        keys->read(r, keys, v->items[i].value, NULL);
}

enum { MOST_OPTIONS = 16 };

static void read_options(struct reading *r, enum launching kind)
{
    struct key each[MOST_OPTIONS] = {{0}};
    const struct key *keys = kinds[kind].keys;
    struct table table = {keys};

    for (size_t i = 0; keys[i].name && i + 1 < MOST_OPTIONS; i++)
        each[i] = (struct key){.name = keys[i].name, .read = read_each};
    reading_keys(r, r->options[kind], each, &table, kinds[kind].name);
}

/* ---- the launcher ---- */

static const struct choice launchers[] = {
    {"local", LAUNCHING_LOCAL, -1},
    {"container", LAUNCHING_CONTAINER, -1},
    {"slurm", LAUNCHING_SLURM, -1},
    {NULL, 0, 0},
};

/* What the key says, or what fits to what is run; -1 after a fault. */
static int choose(struct reading *r, bool image)
{
    const struct node *v = r->launcher;
    int kind = image ? LAUNCHING_CONTAINER : LAUNCHING_LOCAL;

    if (!v)
        return kind;
    if (v->text && strcasecmp(v->text, "kubernetes") == 0) {
        reading_fault(r, v,
                      "launcher: Kubernetes is not supported; take local, "
                      "container or slurm");
        return -1;
    }
    if (reading_choice(r, "launcher", v, launchers, &kind) < 0)
        return -1;
    if (image && kind == LAUNCHING_SLURM)
        reading_fault(r, v,
                      "launcher: containers on Slurm are not supported; take "
                      "image away and run apptainer in `run`");
    else if (image && kind == LAUNCHING_LOCAL)
        reading_fault(r, v,
                      "launcher: local starts programs of this machine, and "
                      "there is an image; write container, or take image "
                      "away");
    else if (!image && kind == LAUNCHING_CONTAINER)
        reading_fault(r, v,
                      "launcher: container starts images, and there is none; "
                      "write image, or take local or slurm");
    else
        return kind;
    return -1;
}

static void check_mixed(struct reading *r, const struct node *at)
{
    const struct study_task *tasks = r->s->job.tasks;
    bool image = tasks[ROLE_MASTER].image != NULL;

    for (size_t i = ROLE_WORKER; i < STUDY_ROLES; i++)
        if ((tasks[i].argv || tasks[i].image) &&
            (tasks[i].image != NULL) != image) {
            reading_fault(r, at,
                          "a trial is all containers or all programs of this "
                          "machine, but the master is %s and the %s is %s",
                          image ? "a container" : "a program",
                          study_role_name((enum study_role)i),
                          image ? "a program" : "a container");
            return;
        }
}

static void check_count(struct reading *r, const struct node *at)
{
    int n = study_replicas(r->s);

    if (n > STUDY_MOST_REPLICAS)
        reading_fault(r, at, "a trial has %d replicas, and may have %d", n,
                      STUDY_MOST_REPLICAS);
}

/* What a container writes is seen where its folder is the host's too. */
static void check_lines_file(struct reading *r)
{
    const struct study_job *job = &r->s->job;
    const struct node *at = node_get(r->doc, "metrics");

    if (job->tasks[ROLE_MASTER].image && job->lines_file &&
        job->lines_file[0] != '/')
        reading_fault(r, at ? at : r->doc,
                      "metrics: file is \"%.60s\" inside a container; write an "
                      "absolute path in a volume that has the same path there",
                      job->lines_file);
}

/* Replicas meet by files in the trial's folder. */
static void check_shared(struct reading *r, const struct node *at)
{
    if (!study_shares(r->s) && study_replicas(r->s) > 1)
        reading_fault(r, at,
                      "slurm: shared: false goes with trials of one process "
                      "only, and there are %d replicas; let them share the "
                      "state folder",
                      study_replicas(r->s));
}

void launching_settle(struct reading *r)
{
    const struct node *at = r->replicas  ? r->replicas
                            : r->command ? r->command
                                         : r->doc;
    struct study_job *job = &r->s->job;
    bool runs = study_launches(r->s);
    int kind = choose(r, job->tasks[ROLE_MASTER].image != NULL);

    check_mixed(r, at);
    check_count(r, at);
    check_lines_file(r);
    if (kind < 0)
        return;
    for (int i = 0; i < LAUNCHING_KINDS; i++)
        if (r->options[i] && i == kind)
            read_options(r, (enum launching)kind);
        else if (r->options[i])
            reading_fault(r, r->options[i],
                          "%s: these are options of a launcher that this "
                          "study does not use; write launcher: %s, or take "
                          "them away",
                          kinds[i].name, kinds[i].name);
    check_shared(r, at);
    if (r->launcher && !runs && kind != LAUNCHING_LOCAL)
        reading_fault(r, r->launcher,
                      "launcher: there is nothing to run; write run");
    free(job->launcher);
    job->launcher = mem_copy_text(runs ? kinds[kind].name : "lease");
}
