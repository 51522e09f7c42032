/* Writes batch scripts for any POSIX shell. Values stand in single quotes;
 * addresses, which only the node knows, are variables between them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_script.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "slurm/slurm_shell.h"

#define WORD "#: " /* begins a line that holds a word for sbatch */
#define TASKS "# replicas: "
#define APART "# apart\n"

void slurm_script_address(size_t rank, char out[LAUNCHER_ADDRESS])
{
    snprintf(out, LAUNCHER_ADDRESS, "{host-%zu}:{port-%zu}", rank, rank);
}

/* ---- options ---- */

/* Options that have names of their own in a study. */
static const char *const named[] = {
    "partition",  "account",     "qos",      "time",    "gres",
    "constraint", "reservation", "nodelist", "exclude",
};

/* What sbatch may not be told, for the launcher would not know the job. */
static const struct {
    const char *is, *why;
} refused[] = {
    {"--array", "each trial is a job of its own"},
    {"-a", "each trial is a job of its own"},
    {"--clusters", "only the cluster of this machine is asked"},
    {"--cluster", "only the cluster of this machine is asked"},
    {"-M", "only the cluster of this machine is asked"},
    {"--job-name", "jobs are known by their names"},
    {"-J", "jobs are known by their names"},
    {"--requeue", "a trial that lost its node is begun again by this service"},
    {"--wait", "the service does not wait"},
    {"-W", "the service does not wait"},
    {"--wrap", "the script is the trial's own"},
    {"--test-only", "then nothing would ever run"},
    {"--export", "use env in the study instead"},
    {"--export-file", "use env in the study instead"},
    {"--output", "what a trial prints is in its folder"},
    {"-o", "what a trial prints is in its folder"},
    {"--error", "what a trial prints is in its folder"},
    {"-e", "what a trial prints is in its folder"},
    {"--uid", "a trial runs as the service does"},
    {"--gid", "a trial runs as the service does"},
};

static bool gives(const char *word, const char *option)
{
    size_t n = strlen(option);

    if (strncmp(word, option, n) != 0)
        return false;
    /* -ofile, --output=file, --output */
    return option[1] != '-' || word[n] == '=' || word[n] == '\0';
}

static int check_raw(const char *word, struct err *e)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (gives(word, refused[i].is))
            return err_set(e, ERR_INVALID,
                           "slurm: options: %s cannot be given: %s",
                           refused[i].is, refused[i].why);
    return 0;
}

static const char *option(const struct job *job, const char *name)
{
    for (size_t i = 0; i < job->n_options; i++)
        if (strcmp(job->options[i].name, name) == 0)
            return job->options[i].value;
    return NULL;
}

/* Its nodes do not see its folder. */
static bool is_apart(const struct job *job)
{
    const char *shared = option(job, "shared");

    return shared && strcmp(shared, "false") == 0;
}

static bool has_variable(const struct job_replica *r, const char *name)
{
    size_t n = strlen(name);

    for (char *const *v = r->environ_; *v; v++)
        if (strncmp(*v, name, n) == 0 && (*v)[n] == '=')
            return true;
    return false;
}

static int check_apart(const struct job *job, struct err *e)
{
    if (job->n_replicas > 1)
        return err_set(e, ERR_INVALID,
                       "slurm: shared: false goes with trials of one process "
                       "only");
    if (!has_variable(&job->replicas[0], "HYPERTUNE_REPORT_TOKEN"))
        return err_set(e, ERR_INVALID,
                       "slurm: shared: false: trials cannot report to a "
                       "service that does not listen on TCP; start hypertuned "
                       "with --listen, and with --report-url where the nodes "
                       "reach it");
    return 0;
}

int slurm_script_check(const struct job *job, struct err *e)
{
    if (is_apart(job) && check_apart(job, e))
        return -1;
    for (size_t i = 0; i < job->n_options; i++) {
        const struct job_option *o = &job->options[i];
        bool raw = strcmp(o->name, "options") == 0;

        if (strcmp(o->name, "setup") == 0)
            continue;
        if (strpbrk(o->value, "\r\n"))
            return err_set(e, ERR_INVALID,
                           "slurm: %s: it must be one line; lines of shell go "
                           "into setup",
                           o->name);
        if (raw && check_raw(o->value, e))
            return -1;
    }
    for (size_t i = 0; i < job->n_replicas; i++)
        if (job->replicas[i].image)
            return err_set(e, ERR_INVALID,
                           "the image %s cannot be run by launcher: slurm; let "
                           "`run` start it, by apptainer or podman say",
                           job->replicas[i].image);
        else if (!job->replicas[i].argv[0] || !*job->replicas[i].argv[0])
            return err_set(e, ERR_INVALID, "there is no program to run");
    return 0;
}

/* ---- what is asked of Slurm ---- */

/* The most that any replica needs: Slurm's tasks are alike. */
struct need {
    int64_t cpus, mib, gpus;
};

static struct need need_of(const struct job *job)
{
    struct need most = {0};

    for (size_t i = 0; i < job->n_replicas; i++) {
        const struct job_replica *r = &job->replicas[i];
        int64_t cpus = (int64_t)r->cpus;
        int64_t mib = r->memory / (1 << 20) + (r->memory % (1 << 20) > 0);

        cpus += (double)cpus < r->cpus;
        if (cpus > most.cpus)
            most.cpus = cpus;
        if (mib > most.mib)
            most.mib = mib;
        if (r->gpus > most.gpus)
            most.gpus = r->gpus;
    }
    return most;
}

static void add_need(struct text *out, const struct job *job)
{
    struct need need = need_of(job);
    int64_t cpus = need.cpus ? need.cpus : 1;
    bool many = job->n_replicas > 1;

    if (many)
        text_addf(out, WORD "--ntasks=%zu\n", job->n_replicas);
    if (need.cpus)
        text_addf(out, WORD "--cpus-per-task=%lld\n", (long long)need.cpus);
    if (need.mib && many)
        text_addf(out, WORD "--mem-per-cpu=%lldM\n",
                  (long long)((need.mib + cpus - 1) / cpus));
    else if (need.mib)
        text_addf(out, WORD "--mem=%lldM\n", (long long)need.mib);
    if (need.gpus && !option(job, "gres"))
        text_addf(out, WORD "--%s%lld\n",
                  many ? "gpus-per-task=" : "gres=gpu:", (long long)need.gpus);
    if (job->limit_ms && !option(job, "time"))
        text_addf(out, WORD "--time=%lld\n",
                  (long long)((job->limit_ms + 59999) / 60000));
}

/* "--nodes 2" is two words, as a shell would have it. */
static void add_raw(struct text *out, const char *value)
{
    size_t n = strcspn(value, " =");

    text_add(out, WORD);
    text_add_bytes(out, value, n);
    if (value[n] == ' ') {
        text_add(out, "\n" WORD);
        n += strspn(value + n, " ");
    }
    text_addf(out, "%s\n", value + n);
}

static void add_options(struct text *out, const struct job *job)
{
    for (size_t i = 0; i < job->n_options; i++) {
        const struct job_option *o = &job->options[i];

        for (size_t k = 0; k < sizeof named / sizeof named[0]; k++)
            if (strcmp(o->name, named[k]) == 0)
                text_addf(out, WORD "--%s=%s\n", o->name, o->value);
        if (strcmp(o->name, "options") == 0)
            add_raw(out, o->value);
    }
}

/* In names of files sbatch replaces %j and others, and knows backslashes. */
static void add_path(struct text *out, const char *path)
{
    for (; *path; path++) {
        if (*path == '%' || *path == '\\')
            text_add_bytes(out, path, 1);
        text_add_bytes(out, path, 1);
    }
}

static void add_words(struct text *out, const struct job *job, const char *name)
{
    text_addf(out, WORD "--job-name=%s\n", name);
    text_addf(out, WORD "--comment=hypertune %s\n", job->name);
    text_add(out,
             WORD "--no-requeue\n" WORD "--export=ALL\n" WORD "--chdir=/\n" WORD
                  "--open-mode=append\n" WORD "--output=");
    add_path(out, is_apart(job) ? "/dev/null" : job->folder);
    text_add(out, is_apart(job) ? "\n" : "/slurm.log\n");
    add_need(out, job);
    add_options(out, job);
}

/* ---- the script ---- */

/* What is replaced in values, for only the node knows it. */
struct quoting {
    size_t n_replicas; /* whose hosts and ports */
    const char *top;   /* the trial's folder, if the node has one of its own */
    size_t top_n;      /* 0: it has not */
};

static const struct quoting as_it_is = {0};

static struct quoting quoting_of(const struct job *job)
{
    struct quoting q = {.n_replicas = job->n_replicas, .top = job->folder};
    const char *slash = strrchr(job->folder, '/');

    if (is_apart(job) && slash)
        q.top_n = (size_t)(slash - job->folder);
    return q;
}

/* The rank in "{host-12}" or "{port-12}" at `at`; *n: how long that is. */
static bool placeholder(const char *at, size_t n_replicas, size_t *rank,
                        size_t *n)
{
    char *end;

    if (strncmp(at, "{host-", 6) != 0 && strncmp(at, "{port-", 6) != 0)
        return false;
    if (!isdigit((unsigned char)at[6]))
        return false;
    *rank = strtoul(at + 6, &end, 10);
    *n = (size_t)(end - at) + 1;
    return *end == '}' && *rank < n_replicas;
}

/* Whether the trial's folder, or one in it, begins at `at`. */
static bool is_top(const struct quoting *q, const char *at)
{
    return q->top_n && strncmp(at, q->top, q->top_n) == 0 &&
           !isalnum((unsigned char)at[q->top_n]) &&
           (!at[q->top_n] || !strchr("._-", at[q->top_n]));
}

static void add_quoted(struct text *out, const char *value,
                       const struct quoting *q)
{
    text_add(out, "'");
    while (*value) {
        size_t rank, n;

        if (is_top(q, value)) {
            text_add(out, "'\"$ht_top\"'");
            value += q->top_n;
            continue;
        }

        if (placeholder(value, q->n_replicas, &rank, &n)) {
            text_addf(out, "'\"$ht_%.4s_%zu\"'", value + 1, rank);
            value += n;
            continue;
        }
        if (*value == '\'')
            text_add(out, "'\\''");
        else
            text_add_bytes(out, value, 1);
        value++;
    }
    text_add(out, "'");
}

static bool can_export(const char *variable, size_t n)
{
    if (!n || isdigit((unsigned char)*variable))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)variable[i]) && variable[i] != '_')
            return false;
    return true;
}

/* A shell has no variables of other names; the program env sets them. */
static void add_command(struct text *out, const struct job_replica *r,
                        const struct quoting *q)
{
    bool odd = false;

    text_add(out, "    set --");
    for (char *const *v = r->environ_; *v; v++) {
        size_t n = strcspn(*v, "=");

        if (can_export(*v, n))
            continue;
        text_add(out, odd ? " " : " env ");
        add_quoted(out, *v, q);
        odd = true;
    }
    for (char *const *w = r->argv; *w; w++) {
        text_add(out, " ");
        add_quoted(out, *w, q);
    }
    text_add(out, "\n");
}

static void add_environ(struct text *out, const struct job_replica *r,
                        const struct quoting *q)
{
    for (char *const *v = r->environ_; *v; v++) {
        size_t n = strcspn(*v, "=");

        if (!can_export(*v, n) || (*v)[n] != '=')
            continue;
        text_addf(out, "    export %.*s=", (int)n, *v);
        add_quoted(out, *v + n + 1, q);
        text_add(out, "\n");
    }
}

/* What prepares the node: modules first. Its output is the replica's. */
static void add_setup(struct text *out, const struct job *job)
{
    text_add(out, "    {\n    :\n");
    for (size_t i = 0; i < job->n_options; i++)
        if (strcmp(job->options[i].name, "modules") == 0) {
            text_add(out, "    ht_module ");
            add_quoted(out, job->options[i].value, &as_it_is);
            text_add(out, "\n");
        }
    for (size_t i = 0; i < job->n_options; i++)
        if (strcmp(job->options[i].name, "setup") == 0)
            text_addf(out, "%s\n", job->options[i].value);
    text_add(out, "    } </dev/null >>\"$ht_logs/stdout.log\" "
                  "2>>\"$ht_logs/stderr.log\"\n");
}

/* It stays when the program is told to end. */
static void add_courier(struct text *out, const struct job *job)
{
    const char *program = option(job, "courier");
    const char *workdir = job->replicas[0].workdir;
    struct quoting q = quoting_of(job);
    char *lines = NULL;

    text_add(out, "ht_program=");
    add_quoted(out, program ? program : "hypertune", &as_it_is);
    text_add(out, "\nht_carry() {\n    trap '' TERM INT HUP QUIT USR1 USR2\n"
                  "    exec \"$ht_program\" courier \"$ht_folder\"");
    if (job->pattern) {
        text_add(out, " --pattern ");
        add_quoted(out, job->pattern, &as_it_is);
    }
    if (job->lines_file) {
        lines = job->lines_file[0] == '/' || !workdir
                    ? mem_copy_text(job->lines_file)
                    : mem_format("%s/%s", workdir, job->lines_file);
        text_add(out, " --lines ");
        add_quoted(out, lines, &q);
        free(lines);
    }
    text_add(out, " \\\n        </dev/null >>\"$ht_folder/courier.log\" "
                  "2>&1\n}\n\n");
}

static void add_replica(struct text *out, const struct job *job, size_t rank)
{
    const struct job_replica *r = &job->replicas[rank];
    struct quoting q = quoting_of(job);

    text_addf(out, "ht_replica_%zu() {\n    ht_replica=", rank);
    add_quoted(out, r->name, &as_it_is);
    text_add(out, " ht_logs=");
    add_quoted(out, r->folder, &q);
    text_add(out, "\n");
    add_environ(out, r, &q);
    if (is_apart(job))
        text_add(out, "    ht_courier_begin\n");
    add_setup(out, job);
    text_add(out, "    ht_enter ");
    add_quoted(out, r->workdir ? r->workdir : "/", &q);
    text_add(out, "\n    ht_needs ");
    add_quoted(out, r->argv[0], &q);
    text_add(out, "\n");
    add_command(out, r, &q);
    text_add(out, "    ht_run \"$@\"\n}\n\n");
}

static void add_srun(struct text *out, const struct job *job)
{
    int64_t cpus = need_of(job).cpus;

    text_addf(out, "srun --ntasks=%zu --cpus-per-task=%lld ", job->n_replicas,
              (long long)(cpus ? cpus : 1));
    text_add(out, "--distribution=block --kill-on-bad-exit=1 --input=none \\\n"
                  "    sh \"$ht_folder/" SLURM_SCRIPT_FILE "\" task &\n");
    text_add(out, slurm_shell_after_srun);
}

/* Where the trial's folder is, on its node. */
static void add_folder(struct text *out, const struct job *job,
                       const char *name)
{
    struct quoting q = quoting_of(job);

    if (is_apart(job)) {
        text_add(out, "ht_top=${TMPDIR:-/tmp}/");
        add_quoted(out, name, &as_it_is);
        text_add(out, "\n");
    }
    text_add(out, "ht_folder=");
    add_quoted(out, job->folder, &q);
    text_add(out, "\n");
}

void slurm_script_print(struct text *out, const struct job *job,
                        const char *name)
{
    text_addf(out, "#!/bin/sh\n" TASKS "%zu\n%s", job->n_replicas,
              is_apart(job) ? APART : "");
    add_words(out, job, name);
    text_add(out, "# The trial's job, as it was given to sbatch. It runs once, "
                  "however often it is\n# submitted: whoever makes slurm.began "
                  "runs it.\n");
    add_folder(out, job, name);
    text_add(out, slurm_shell_begin);
    if (is_apart(job)) {
        text_add(out, slurm_shell_apart);
        add_courier(out, job);
    }
    for (size_t i = 0; i < job->n_replicas; i++)
        add_replica(out, job, i);
    if (job->n_replicas == 1) {
        text_add(out, is_apart(job) ? slurm_shell_one_apart : slurm_shell_one);
        return;
    }
    text_add(out, slurm_shell_tasks);
    add_srun(out, job);
}

/* ---- the file ---- */

static void make_name(const struct job *job, char out[SLURM_SCRIPT_NAME])
{
    unsigned char dice[5] = {0};
    char *end;

    snprintf(out, SLURM_SCRIPT_NAME - 16, "hypertune-%s", job->name);
    for (end = out; *end; end++)
        if (!isalnum((unsigned char)*end) && !strchr("-_", *end))
            *end = '-';
    if (getrandom(dice, sizeof dice, 0) < 0)
        snprintf((char *)dice, sizeof dice, "%d", (int)getpid());
    snprintf(end, 16, "-%02x%02x%02x%02x%02x", dice[0], dice[1], dice[2],
             dice[3], dice[4]);
}

static int write_all(const char *path, const struct text *t)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    size_t done = 0;
    int why = 0;

    if (fd < 0)
        return errno;
    while (done < t->len && !why) {
        ssize_t n = write(fd, t->data + done, t->len - done);

        if (n < 0 && errno != EINTR)
            why = errno;
        done += n > 0 ? (size_t)n : 0;
    }
    if (!why && fsync(fd))
        why = errno;
    if (close(fd) && !why)
        why = errno;
    return why;
}

int slurm_script_write(const struct job *job, struct err *e)
{
    char *path = mem_format("%s/" SLURM_SCRIPT_FILE, job->folder);
    char *draft = mem_format("%s.new", path);
    char name[SLURM_SCRIPT_NAME];
    struct text text;
    int why;

    make_name(job, name);
    text_init(&text);
    slurm_script_print(&text, job, name);
    why = write_all(draft, &text);
    if (!why && rename(draft, path))
        why = errno;
    if (why) {
        unlink(draft);
        err_errno(e, why, "cannot write %s", path);
    }
    text_clear(&text);
    free(draft);
    free(path);
    return why ? -1 : 0;
}

bool slurm_script_read(const char *folder, char name[SLURM_SCRIPT_NAME],
                       struct text *words, bool *tasks)
{
    static const char names[] = "--job-name=";
    char *path = mem_format("%s/" SLURM_SCRIPT_FILE, folder);
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;

    free(path);
    *name = '\0';
    *tasks = false;
    if (!f)
        return false;
    while (getline(&line, &cap, f) > 0 && *line == '#') {
        const char *word = line + strlen(WORD);

        if (strncmp(line, TASKS, strlen(TASKS)) == 0)
            *tasks = strtol(line + strlen(TASKS), NULL, 10) > 1;
        if (strncmp(line, WORD, strlen(WORD)) != 0)
            continue;
        text_add(words, word);
        if (strncmp(word, names, strlen(names)) == 0)
            snprintf(name, SLURM_SCRIPT_NAME, "%.*s",
                     (int)strcspn(word + strlen(names), "\n"),
                     word + strlen(names));
    }
    free(line);
    fclose(f);
    return *name != '\0';
}

bool slurm_script_is_apart(const char *folder)
{
    char *path = mem_format("%s/" SLURM_SCRIPT_FILE, folder);
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;
    bool is = false;

    free(path);
    while (f && !is && getline(&line, &cap, f) > 0 && *line == '#')
        is = strcmp(line, APART) == 0;
    free(line);
    if (f)
        fclose(f);
    return is;
}
