/* What the tests of the containers' launcher stand on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/container/lib/rig.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "container/container.h"
#include "container/container_mark.h"
#include "io/fetch.h"

#define TINY "localhost/tiny:1"

struct loop *loop;
struct launcher *launcher;
char root[64];
struct told told[MOST_NEWS];
int n_told, n_ended, n_alive;
static struct ports *ports;
static struct fetch *engine;
static int wanted, wanted_alive;
static bool late;

/* ---- the bench ---- */

static void on_news(void *ctx, const struct launcher_news *n)
{
    struct told *t = &told[n_told];

    (void)ctx;
    ck_assert_int_lt(n_told, MOST_NEWS);
    *t = (struct told){.word = n->word,
                       .exit_code = n->exit_code,
                       .signal_number = n->signal_number,
                       .blame = n->blame,
                       .ran_ms = n->ran_ms};
    snprintf(t->name, sizeof t->name, "%s", n->job_name);
    snprintf(t->replica, sizeof t->replica, "%s", n->replica ? n->replica : "");
    snprintf(t->text, sizeof t->text, "%s", n->text ? n->text : "");
    n_told++;
    n_alive += n->word == LAUNCHER_ALIVE;
    n_ended += n->word != LAUNCHER_ALIVE && n->word != LAUNCHER_WAITING;
    if (n_ended >= wanted && n_alive >= wanted_alive)
        loop_stop(loop);
}

void open_launcher(void)
{
    struct err e = {0};

    ck_assert_msg(
        container_open(&launcher, loop, ports, NULL, on_news, NULL, &e) == 0,
        "%s", e.text);
}

void close_launcher(void)
{
    launcher->type->close(launcher);
    launcher = NULL;
}

void setup(void)
{
    struct err e = {0};
    const char *host = getenv("DOCKER_HOST");
    char *where = mem_format("unix:%s", host + strlen("unix://"));

    n_told = n_ended = n_alive = wanted = wanted_alive = 0;
    snprintf(root, sizeof root, "/tmp/hypertune-boxes-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ck_assert_msg(fetch_open(&engine, where, NULL, &e) == 0, "%s", e.text);
    fetch_limit(engine, WAIT_MS);
    ports = ports_new();
    open_launcher();
    free(where);
}

static int remove_it(const char *path, const struct stat *st, int kind,
                     struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

/* What of our test's is there in the engine; a list to be freed. */
static json_t *containers(void)
{
    struct fetch_answer a;
    struct err e = {0};
    json_t *all, *ours = json_array(), *one;
    size_t i;

    fetch_answer_init(&a);
    ck_assert_msg(fetch_do(engine, "GET", "/containers/json?all=1", NULL, 0,
                           NULL, &a, &e) == 0,
                  "%s", e.text);
    all = json_loads(text_str(&a.body), 0, NULL);
    json_array_foreach(all, i, one)
    {
        const char *folder = json_string_value(json_object_get(
            json_object_get(one, "Labels"), "hypertune.folder"));

        if (folder && strncmp(folder, root, strlen(root)) == 0)
            json_array_append(ours, one);
    }
    json_decref(all);
    fetch_answer_clear(&a);
    return ours;
}

size_t n_containers(void)
{
    json_t *all = containers();
    size_t n = json_array_size(all);

    json_decref(all);
    return n;
}

void teardown(void)
{
    ck_assert_uint_eq(n_containers(), 0);
    if (launcher)
        close_launcher();
    fetch_close(engine);
    loop_close(loop);
    ports_free(ports);
    ck_assert_int_eq(nftw(root, remove_it, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void too_late(void *ctx)
{
    (void)ctx;
    late = true;
    loop_stop(loop);
}

static void run_for(int64_t ms)
{
    late = false;
    struct loop_watch *w = loop_after(loop, ms, too_late, NULL);

    loop_run(loop, NULL, NULL);
    if (!late)
        loop_forget(w);
}

void wait_for(int ends, int alive)
{
    wanted = ends;
    wanted_alive = alive;
    if (n_ended >= ends && n_alive >= alive)
        return;
    run_for(WAIT_MS);
    if (!late)
        return;
    for (int i = 0; i < n_told; i++)
        fprintf(stderr, "%s: word %d %s\n", told[i].name, told[i].word,
                told[i].text);
    ck_abort_msg("no news in time");
}

void run_ms(int64_t ms)
{
    wanted = wanted_alive = MOST_NEWS;
    run_for(ms);
}

char *folder_of(const char *name)
{
    return mem_format("%s/%s", root, name);
}

void make_folders(const char *name)
{
    char *folder = folder_of(name);

    for (char *slash = folder + strlen(root) + 1;
         (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
    mkdir(folder, 0700);
    free(folder);
}

int start_parts(const char *name, const struct part *parts, size_t n,
                const struct job_option *options, size_t n_options)
{
    static const char *const shell[] = {"sh", "-c"};
    char *folder = folder_of(name);
    char *report = mem_format("HYPERTUNE_REPORT_FILE=%s/reports", folder);
    char *environ_[] = {report, (char *)(uintptr_t) "MARK=set here", NULL};
    struct job_replica replicas[MOST_PARTS];
    char *words[MOST_PARTS][4];
    char *folders[MOST_PARTS];
    char addresses[MOST_PARTS][LAUNCHER_ADDRESS];
    struct job job = {.name = name,
                      .folder = folder,
                      .replicas = replicas,
                      .n_replicas = n,
                      .base_dir = root,
                      .options = options,
                      .n_options = n_options};
    struct err e = {0};
    int rc;

    make_folders(name);
    for (size_t i = 0; i < n; i++) {
        const struct part *p = &parts[i];

        folders[i] =
            i ? mem_format("%s/%s", folder, p->name) : mem_copy_text(folder);
        mkdir(folders[i], 0700);
        for (int k = 0; k < 2; k++)
            words[i][k] = (char *)(uintptr_t)shell[k];
        words[i][2] = (char *)(uintptr_t)p->script;
        words[i][3] = NULL;
        replicas[i] = (struct job_replica){.name = p->name,
                                           .folder = folders[i],
                                           .image = p->image ? p->image : TINY,
                                           .argv = p->argv ? p->argv : words[i],
                                           .n_entry = p->n_entry,
                                           .environ_ = environ_,
                                           .memory = p->memory};
    }
    ck_assert_int_eq(
        launcher->type->addresses(launcher, name, n, addresses, &e), 0);
    rc = launcher->type->start(launcher, &job, &e);
    ck_assert_msg(rc == 0 || e.code, "no error");
    for (size_t i = 0; i < n; i++)
        free(folders[i]);
    free(report);
    free(folder);
    return rc;
}

void start(const char *name, const char *script)
{
    struct part part = {.name = "master-0", .script = script};

    ck_assert_int_eq(start_parts(name, &part, 1, NULL, 0), 0);
}

void start_with(const char *name, struct part part, const char *option,
                const char *value)
{
    struct job_option o = {option, value};

    part.name = "master-0";
    ck_assert_int_eq(start_parts(name, &part, 1, &o, option ? 1 : 0), 0);
}

void watch(const char *name)
{
    char *folder = folder_of(name);
    struct err e;

    ck_assert_int_eq(launcher->type->watch(launcher, name, folder, &e), 0);
    free(folder);
}

void stop(const char *name, bool kill_now)
{
    launcher->type->stop(launcher, name, kill_now);
}

const char *file_of(const char *name, const char *file)
{
    static char text[1 << 20];
    char *path = mem_format("%s/%s/%s", root, name, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
    free(path);
    return text;
}

void make_file(const char *name, const char *file)
{
    char *path = mem_format("%s/%s/%s", root, name, file);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    ck_assert_int_ge(fd, 0);
    close(fd);
    free(path);
}

void wait_word(const char *name, const char *file, const char *word)
{
    int64_t until = clock_steady_ms(&clock_real) + WAIT_MS;

    while (!strstr(file_of(name, file), word)) {
        ck_assert_msg(clock_steady_ms(&clock_real) < until, "%s never had %s",
                      file, word);
        run_ms(20);
    }
}

const struct told *last_of(const char *name)
{
    for (int i = n_told - 1; i >= 0; i--)
        if (strcmp(told[i].name, name) == 0)
            return &told[i];
    ck_abort_msg("no news of %s", name);
    return NULL;
}

const struct told *expect(const char *name, enum launcher_word word,
                          int exit_code, int signal_number)
{
    const struct told *t = last_of(name);

    ck_assert_msg(t->word == word && t->exit_code == exit_code &&
                      t->signal_number == signal_number,
                  "%s: word %d exit %d signal %d blame %d %s", name, t->word,
                  t->exit_code, t->signal_number, t->blame, t->text);
    return t;
}

const struct told *expect_end(const char *name, int exit_code,
                              int signal_number)
{
    return expect(name, LAUNCHER_ENDED, exit_code, signal_number);
}

void by_hand(const char *method, const char *name, const char *replica,
             const char *path)
{
    char *folder = folder_of(name);
    struct container_mark mark;
    struct fetch_answer a;
    struct err e = {0};
    char *tail = mem_copy_text(name);
    char *slash, *to;

    ck_assert(container_mark_read(&mark, folder));
    slash = strchr(tail, '/');
    *strchr(slash + 1, '/') = '-';
    to = mem_format("/containers/hypertune-%s-%s-%s%s", mark.id, slash + 1,
                    replica, path);
    fetch_answer_init(&a);
    ck_assert_msg(fetch_do(engine, method, to, NULL, 0, NULL, &a, &e) == 0,
                  "%s", e.text);
    ck_assert_msg(a.status < 300, "%s %s: %d %s", method, to, a.status,
                  text_str(&a.body));
    fetch_answer_clear(&a);
    container_mark_clear(&mark);
    free(to);
    free(tail);
    free(folder);
}

void expect_hopeless(const char *name, const char *words)
{
    const struct told *t = last_of(name);

    ck_assert_msg(t->word == LAUNCHER_HOPELESS && strstr(t->text, words),
                  "%s: word %d %s", name, t->word, t->text);
}
