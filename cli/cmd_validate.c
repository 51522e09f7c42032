/* `validate FILE`: every fault with its place, or what the file stands for. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/node.h"
#include "cli/cmd.h"
#include "cli/place.h"
#include "cli/print.h"
#include "cli/source.h"
#include "metrics/follow.h"
#include "study/codec.h"
#include "study/command.h"
#include "study/environ.h"
#include "study/places.h"

enum { EXAMPLE_PORT = 29500 }; /* of the master; the others come after it */

/* The default, else the middle of the range or list. */
static struct value middle(const struct param *p)
{
    struct value v = {.active = true};

    if (p->fallback.active)
        return p->fallback;
    if (param_count(p) != UINT64_MAX)
        return param_nth(p, (param_count(p) - 1) / 2);
    v.real = p->scale == SCALE_LOG ? sqrt(p->min) * sqrt(p->max)
                                   : p->min / 2 + p->max / 2;
    return v;
}

static void example_point(const struct study *s, struct point *out)
{
    if (s->n_start) {
        point_copy(out, &s->start[0]);
        return;
    }
    point_init(out, &s->space);
    for (size_t i = 0; i < s->space.n; i++)
        out->values[i] = middle(&s->space.params[i]);
    point_settle(out, &s->space);
}

/* As a shell would take it: one variable a line, then the command. */
static void print_command(const struct words *env, const struct words *argv,
                          struct text *out)
{
    for (size_t i = 0; i < env->n; i++) {
        size_t name = strcspn(env->items[i], "=");

        text_add_bytes(out, env->items[i], name);
        text_add(out, "=");
        print_shell(env->items[i] + name + 1, out);
        text_add(out, " \\\n");
    }
    for (size_t i = 0; i < argv->n; i++) {
        text_add(out, i ? " " : "");
        print_shell(argv->items[i], out);
    }
    text_add(out, "\n");
}

/* "worker-1" is a rank; ERR_INVALID lists those that there are. */
static int read_rank(const struct study *s, const char *name, int *rank,
                     struct err *e)
{
    struct text names;
    int n = study_replicas(s);

    text_init(&names);
    for (int i = 0; i < n; i++) {
        enum study_role role;
        size_t before = names.len;
        int index;

        study_replica(s, i, &role, &index);
        text_addf(&names, "%s-%d", study_role_name(role), index);
        if (!strcmp(names.data + before, name)) {
            *rank = i;
            text_clear(&names);
            return 0;
        }
        text_add(&names, i + 1 < n ? ", " : "");
    }
    err_set(e, ERR_INVALID, "--replica %s: a trial of study %s has only %s",
            name, s->name, text_str(&names));
    text_clear(&names);
    return -1;
}

/* Which replica follows, where that is not plain: "# worker-0 in IMAGE". */
static void print_title(const struct study *s, int rank, struct text *out)
{
    const struct study_task *t;
    enum study_role role;
    int index;

    study_replica(s, rank, &role, &index);
    t = &s->job.tasks[role];
    if (study_replicas(s) == 1 && !t->image)
        return;
    text_addf(out, "# %s-%d", study_role_name(role), index);
    if (t->image)
        text_addf(out, " in %s", t->image);
    if (t->n_entry)
        text_addf(out, ", whose entrypoint is the first %zu word%s", t->n_entry,
                  t->n_entry == 1 ? "" : "s");
    text_add(out, "\n");
}

/* The example's command; of an image what it is given. */
static void show_command(const struct study *s, const struct places *at)
{
    struct words env, argv;
    struct point point;
    struct text out;

    example_point(s, &point);
    words_init(&env);
    words_init(&argv);
    text_init(&out);
    print_title(s, at->rank, &out);
    environ_set(s, &point, at, &env);
    command_argv(s, &point, at, &argv);
    print_command(&env, &argv, &out);
    (void)fputs(text_str(&out), stdout);
    text_clear(&out);
    words_clear(&argv);
    words_clear(&env);
    point_clear(&point);
}

/* That replica's, or each one's if rank is -1. */
static void show_replicas(const struct study *s, struct places *at, int rank)
{
    int n = study_replicas(s);
    struct words addresses;

    words_init(&addresses);
    for (int i = 0; i < n; i++)
        words_add_take(&addresses,
                       mem_format("127.0.0.1:%d", EXAMPLE_PORT + i));
    at->addresses = (const char *const *)addresses.items;
    for (at->rank = 0; at->rank < n; at->rank++) {
        if (rank >= 0 && rank != at->rank)
            continue;
        if (rank < 0 && at->rank > 0)
            (void)putchar('\n');
        show_command(s, at);
    }
    words_clear(&addresses);
}

static int show_argv(const struct options *o, const struct source *s,
                     struct err *e)
{
    struct places at = {.trial = 1, .attempt = 1, .base_dir = s->dir};
    const char *name = o->text[OPTION_REPLICA];
    char *state, *folder;
    int rank = -1;

    if (!study_launches(&s->study))
        return err_set(e, ERR_INVALID,
                       "%s: study %s launches nothing: its trials are given "
                       "out by `hypertune ask`",
                       s->path, s->study.name);
    if ((name && read_rank(&s->study, name, &rank, e)) ||
        place_state(o, &state, e))
        return -1;
    folder = mem_format("%s/trials/%s/1/1", state, s->study.name);
    at.folder = folder;
    show_replicas(&s->study, &at, rank);
    free(folder);
    free(state);
    return CMD_DONE;
}

static void show_long_form(const struct study *s)
{
    struct text out;

    text_init(&out);
    codec_write_yaml(s, &out);
    (void)fputs(text_str(&out), stdout);
    text_clear(&out);
}

/* Adds the fault where that key of `metrics` stands in the file. */
static void add_at(const struct source *s, const char *key,
                   const char *sentence, struct faults *f)
{
    const struct node *at;
    struct node *doc;

    if (node_parse(text_str(&s->bytes), s->bytes.len, &doc, f))
        return;
    at = node_get(doc, "metrics");
    if (at && at->kind == NODE_MAP)
        at = node_get(at, key);
    faults_add(f, at ? at->line : 0, at ? at->column : 0, "%s", sentence);
    node_free(doc);
}

/* What the decoder leaves to those who listen by it. */
static int check_metrics(const struct source *s, struct err *e)
{
    const char *pattern = s->study.job.pattern;
    struct faults f;
    int rc = 0;

    faults_init(&f);
    if (pattern && follow_check_pattern(pattern, e)) {
        err_wrap(e, "metrics");
        add_at(s, "pattern", e->text, &f);
    }
    if (places_check_lines(&s->study, e))
        add_at(s, "file", e->text, &f);
    if (f.n)
        rc = source_faults(s->path, &f, e);
    faults_clear(&f);
    return rc;
}

static bool may_run(const char *path)
{
    struct stat is;

    return !access(path, X_OK) && !stat(path, &is) && S_ISREG(is.st_mode);
}

/* As execvp looks for it; a path hangs on the folder. */
static bool finds(const char *program, const char *folder)
{
    const char *path = getenv("PATH");
    bool found = false;

    if (program[0] == '/')
        return may_run(program);
    if (strchr(program, '/')) {
        char *whole = mem_format("%s/%s", folder, program);

        found = may_run(whole);
        free(whole);
        return found;
    }
    for (size_t n; !found && path && *path; path += n + (path[n] == ':')) {
        char *whole;

        n = strcspn(path, ":");
        whole = mem_format("%.*s/%s", (int)n, path, program);
        found = may_run(whole);
        free(whole);
    }
    return found;
}

/* What may have been forgotten about a program that is not found. */
static const char *forgotten(const char *program, const char *folder)
{
    char *whole = *program == '/' ? mem_copy_text(program)
                                  : mem_format("%s/%s", folder, program);
    bool is_there = !access(whole, F_OK);

    free(whole);
    if (!is_there)
        return "";
    return strchr(program, '/') ? "; chmod +x makes it one"
                                : "; one that lies there is written with ./";
}

/* Whether the program is here is no fault: the service may be elsewhere. */
static void look_for_program(const struct source *s)
{
    const struct study *study = &s->study;
    const struct places at = {.base_dir = s->dir};
    const struct study_task *t = &study->job.tasks[ROLE_MASTER];
    char *folder;

    for (size_t i = 0; i < t->n_env; i++)
        if (!strcmp(t->env[i].name, "PATH"))
            return;
    if (!study_launches(study) || t->image || !t->n_argv ||
        strcmp(study->job.launcher, "local") != 0 || strchr(t->argv[0], '{'))
        return;
    folder = places_workdir(study, &at);
    if (!finds(t->argv[0], folder))
        (void)fprintf(stderr,
                      "hypertune: %s: no program %s that may be run is here "
                      "(seen from %s)%s\n",
                      s->path, t->argv[0], folder,
                      forgotten(t->argv[0], folder));
    free(folder);
}

int cmd_validate(const struct options *o, struct err *e)
{
    struct source s;
    int rc = CMD_DONE;

    if (o->text[OPTION_REPLICA] && !o->text[OPTION_ARGV])
        return err_set(e, ERR_INVALID,
                       "--replica goes with --argv: what that replica is "
                       "given");
    if (source_read(&s, o->words[0], e))
        return -1;
    if (check_metrics(&s, e)) {
        source_clear(&s);
        return -1;
    }
    if (o->text[OPTION_PRINT])
        show_long_form(&s.study);
    if (o->text[OPTION_ARGV])
        rc = show_argv(o, &s, e);
    if (!o->text[OPTION_PRINT] && !o->text[OPTION_ARGV]) {
        look_for_program(&s);
        (void)printf("%s is fine: study %s, %zu parameter%s, %lld trial%s\n",
                     s.path, s.study.name, s.study.space.n,
                     s.study.space.n == 1 ? "" : "s", (long long)s.study.trials,
                     s.study.trials == 1 ? "" : "s");
    }
    source_clear(&s);
    return rc;
}
