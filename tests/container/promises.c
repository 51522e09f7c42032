/* What trials/launcher.h promises, held against the containers' launcher with a
 * real engine: the one at DOCKER_HOST, with the images of scripts/engine. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "container/container_mark.h"
#include "io/fetch.h"
#include "tests/lib/suite.h"

#define TINY "localhost/tiny:1"
enum { MOST_NEWS = 256, WAIT_MS = 120000, MOST_PARTS = 4 };

struct told {
    enum launcher_word word;
    int exit_code, signal_number;
    enum launcher_blame blame;
    int64_t ran_ms;
    char name[64], replica[32], text[512];
};

static struct loop *loop;
static struct ports *ports;
static struct launcher *launcher;
static struct fetch *engine;
static char root[64];
static struct told told[MOST_NEWS];
static int n_told, n_ended, n_alive;
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

static void open_launcher(void)
{
    struct err e = {0};

    ck_assert_msg(
        container_open(&launcher, loop, ports, NULL, on_news, NULL, &e) == 0,
        "%s", e.text);
}

static void close_launcher(void)
{
    launcher->type->close(launcher);
    launcher = NULL;
}

static void setup(void)
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

static size_t n_containers(void)
{
    json_t *all = containers();
    size_t n = json_array_size(all);

    json_decref(all);
    return n;
}

static void teardown(void)
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

/* Runs the loop until so many jobs ended and so many are alive in all. */
static void wait_for(int ends, int alive)
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

static void run_ms(int64_t ms)
{
    wanted = wanted_alive = MOST_NEWS;
    run_for(ms);
}

static char *folder_of(const char *name)
{
    return mem_format("%s/%s", root, name);
}

/* A replica: a script for the shell, or (argv not NULL) words. */
struct part {
    const char *name, *script, *image;
    char *const *argv;
    size_t n_entry;
    int64_t memory;
};

static void make_folders(const char *name)
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

static int start_parts(const char *name, const struct part *parts, size_t n,
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

static void start(const char *name, const char *script)
{
    struct part part = {.name = "master-0", .script = script};

    ck_assert_int_eq(start_parts(name, &part, 1, NULL, 0), 0);
}

static void start_with(const char *name, struct part part, const char *option,
                       const char *value)
{
    struct job_option o = {option, value};

    part.name = "master-0";
    ck_assert_int_eq(start_parts(name, &part, 1, &o, option ? 1 : 0), 0);
}

static void watch(const char *name)
{
    char *folder = folder_of(name);
    struct err e;

    ck_assert_int_eq(launcher->type->watch(launcher, name, folder, &e), 0);
    free(folder);
}

static void stop(const char *name, bool kill_now)
{
    launcher->type->stop(launcher, name, kill_now);
}

static const char *file_of(const char *name, const char *file)
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

static void make_file(const char *name, const char *file)
{
    char *path = mem_format("%s/%s/%s", root, name, file);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    ck_assert_int_ge(fd, 0);
    close(fd);
    free(path);
}

/* Runs the loop until the file holds the word. */
static void wait_word(const char *name, const char *file, const char *word)
{
    int64_t until = clock_steady_ms(&clock_real) + WAIT_MS;

    while (!strstr(file_of(name, file), word)) {
        ck_assert_msg(clock_steady_ms(&clock_real) < until, "%s never had %s",
                      file, word);
        run_ms(20);
    }
}

static const struct told *last_of(const char *name)
{
    for (int i = n_told - 1; i >= 0; i--)
        if (strcmp(told[i].name, name) == 0)
            return &told[i];
    ck_abort_msg("no news of %s", name);
    return NULL;
}

static const struct told *expect(const char *name, enum launcher_word word,
                                 int exit_code, int signal_number)
{
    const struct told *t = last_of(name);

    ck_assert_msg(t->word == word && t->exit_code == exit_code &&
                      t->signal_number == signal_number,
                  "%s: word %d exit %d signal %d blame %d %s", name, t->word,
                  t->exit_code, t->signal_number, t->blame, t->text);
    return t;
}

static const struct told *expect_end(const char *name, int exit_code,
                                     int signal_number)
{
    return expect(name, LAUNCHER_ENDED, exit_code, signal_number);
}

/* By hand, as a person would. path follows the container's name. */
static void by_hand(const char *method, const char *name, const char *replica,
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

/* ---- good trainers ---- */

START_TEST(a_job_runs_in_its_image_and_ends_with_its_code)
{
    setup();
    start("s/1/1", "echo $MARK; pwd; ls /bin | wc -l; echo oops >&2;"
                   " echo report >$HYPERTUNE_REPORT_FILE; printf end; exit 3");
    ck_assert_int_eq(n_told, 0);
    wait_for(1, 1);
    ck_assert_int_eq(n_told, 2);
    ck_assert_int_eq(told[0].word, LAUNCHER_ALIVE);
    ck_assert_int_eq(expect_end("s/1/1", 3, 0)->blame, BLAME_NOBODY);
    ck_assert_int_lt(told[1].ran_ms, WAIT_MS);
    ck_assert_ptr_nonnull(
        strstr(file_of("s/1/1", "stdout.log"), "set here\n/\n"));
    ck_assert_ptr_nonnull(strstr(file_of("s/1/1", "stdout.log"), "\nend"));
    ck_assert_str_eq(file_of("s/1/1", "stderr.log"), "oops\n");
    ck_assert_str_eq(file_of("s/1/1", "reports"), "report\n");
    teardown();
}
END_TEST

START_TEST(all_that_was_printed_is_there_when_the_end_is_told)
{
    setup();
    for (int i = 0; i < 4; i++) {
        char name[16];

        snprintf(name, sizeof name, "s/%d/1", i);
        start(name, "seq 1 20000; seq 1 100 >&2; printf last");
    }
    wait_for(4, 4);
    for (int i = 0; i < 4; i++) {
        char name[16];
        const char *at;

        snprintf(name, sizeof name, "s/%d/1", i);
        expect_end(name, 0, 0);
        at = file_of(name, "stdout.log");
        for (int k = 1; k <= 20000; k++, at++)
            ck_assert_msg(strtol(at, (char **)&at, 10) == k, "line %d", k);
        ck_assert_str_eq(at, "last");
    }
    teardown();
}
END_TEST

/* As when an engine leaves some out of what it sends meanwhile. */
START_TEST(lines_that_were_lost_on_the_way_are_there_in_the_end)
{
    setup();
    start("s/1/1", "log=${HYPERTUNE_REPORT_FILE%/*}/stdout.log;"
                   " seq 1 3; until grep -q 3 $log; do sleep 0.1; done;"
                   " printf '1\\n3\\n' >$log; echo 4");
    wait_for(1, 1);
    expect_end("s/1/1", 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "1\n2\n3\n4\n");
    teardown();
}
END_TEST

START_TEST(words_stand_for_entrypoint_and_arguments)
{
    char *entry[] = {"echo", "from", NULL};
    char *none[] = {NULL};

    setup();
    /* The image has a command and no entrypoint: a shell without input. */
    start_with("s/1/1", (struct part){.argv = entry, .n_entry = 1}, NULL, NULL);
    start_with("s/2/1", (struct part){.argv = entry, .n_entry = 2}, NULL, NULL);
    start_with("s/3/1", (struct part){.argv = entry, .n_entry = 0}, NULL, NULL);
    start_with("s/4/1", (struct part){.argv = none}, NULL, NULL);
    wait_for(4, 4);
    for (int i = 1; i < 5; i++) {
        char name[16];

        snprintf(name, sizeof name, "s/%d/1", i);
        expect_end(name, 0, 0);
        ck_assert_str_eq(file_of(name, "stdout.log"), i < 4 ? "from\n" : "");
    }
    teardown();
}
END_TEST

START_TEST(death_by_a_signal_is_told_as_such)
{
    setup();
    start("s/1/1", "kill -SEGV $$; sleep 5");
    wait_for(1, 1);
    expect_end("s/1/1", -1, SIGSEGV);
    teardown();
}
END_TEST

START_TEST(an_image_may_have_a_user_of_its_own)
{
    setup();
    start_with("s/1/1",
               (struct part){.script =
                                 "id -u; echo x >$HYPERTUNE_REPORT_FILE;"
                                 " mkdir ${HYPERTUNE_REPORT_FILE%/*/*}/c"},
               "user", "65534");
    wait_for(1, 1);
    expect_end("s/1/1", 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "65534\n");
    ck_assert_str_eq(file_of("s/1/1", "reports"), "x\n");
    teardown();
}
END_TEST

START_TEST(a_folder_is_mounted_where_the_study_says)
{
    char *volume;

    setup();
    volume = mem_format("%s:/data:ro", root);
    start_with("s/1/1",
               (struct part){.script = "ls /data; touch /data/x || echo ro"},
               "volumes", volume);
    wait_for(1, 1);
    expect_end("s/1/1", 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "s\nro\n");
    free(volume);
    teardown();
}
END_TEST

/* ---- what cannot be started ---- */

static void expect_hopeless(const char *name, const char *words)
{
    const struct told *t = last_of(name);

    ck_assert_msg(t->word == LAUNCHER_HOPELESS && strstr(t->text, words),
                  "%s: word %d %s", name, t->word, t->text);
}

START_TEST(a_missing_image_is_told_in_one_sentence)
{
    setup();
    start_with("s/1/1",
               (struct part){.image = "localhost/none:1", .script = "true"},
               NULL, NULL);
    wait_for(1, 0);
    expect_hopeless("s/1/1", "the image localhost/none:1 is not here");
    ck_assert_ptr_nonnull(
        strstr(last_of("s/1/1")->text, " pull localhost/none:1`"));
    ck_assert_int_eq(n_alive, 0);
    teardown();
}
END_TEST

START_TEST(an_image_that_cannot_be_pulled_is_told_with_the_reason)
{
    setup();
    start_with("s/1/1",
               (struct part){.image = "127.0.0.1:9/none:1", .script = "true"},
               "pull", "missing");
    start_with("s/2/1",
               (struct part){.image = "127.0.0.1:9/none:1", .script = "true"},
               "pull", "missing");
    wait_for(2, 0);
    ck_assert_int_eq(told[0].word, LAUNCHER_WAITING);
    ck_assert_str_eq(told[0].text, "pulling the image 127.0.0.1:9/none:1");
    expect_hopeless("s/1/1", "the image 127.0.0.1:9/none:1 cannot be pulled: ");
    expect_hopeless("s/2/1", "refused");
    teardown();
}
END_TEST

START_TEST(a_program_that_is_not_in_the_image_is_told)
{
    char *nosuch[] = {"nosuch", NULL};
    char *plain[] = {"/etc/passwd", NULL};

    setup();
    start_with("s/1/1", (struct part){.argv = nosuch}, NULL, NULL);
    start_with("s/2/1", (struct part){.argv = plain}, NULL, NULL);
    /* The program's own doing. */
    start("s/3/1", "nosuch");
    start("s/4/1", "exit 125");
    wait_for(4, 2);
    expect_hopeless("s/1/1", "nosuch");
    expect_hopeless("s/2/1", "/etc/passwd");
    ck_assert_ptr_nonnull(strstr(expect_end("s/3/1", 127, 0)->text, "127"));
    expect_end("s/4/1", 125, 0);
    teardown();
}
END_TEST

START_TEST(options_that_are_wrong_are_told)
{
    static const struct {
        const char *name, *value, *words;
    } rows[] = {{"volumes", "/no/such/folder:/x", "/no/such/folder"},
                {"volumes", "here", "HOST:CONTAINER"},
                {"pull", "always", "never or missing"},
                {"shm_size", "lots", "shm_size"},
                {"user", "nobodyhere", "nobodyhere"},
                {"network", "nosuchnet", "nosuchnet"},
                {"netwrok", "host", "did you mean network?"}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    char name[16];

    setup();
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "s/%d/1", i);
        start_with(name, (struct part){.script = "true"}, rows[i].name,
                   rows[i].value);
    }
    wait_for(ROWS, 0);
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "s/%d/1", i);
        expect_hopeless(name, rows[i].words);
    }
    teardown();
}
END_TEST

/* ---- ending ---- */

START_TEST(a_trainer_that_listens_ends_when_asked)
{
    setup();
    start("s/1/1",
          "trap 'exit 5' TERM; echo ready; while :; do sleep 0.1; done");
    start("s/2/1", "sleep 1000");
    wait_word("s/1/1", "stdout.log", "ready");
    stop("s/1/1", false);
    stop("s/2/1", false);
    stop("unknown/1/1", false);
    wait_for(2, 2);
    expect_end("s/1/1", 5, 0);
    ck_assert_int_eq(expect_end("s/2/1", -1, SIGTERM)->blame, BLAME_NOBODY);
    teardown();
}
END_TEST

START_TEST(a_trainer_that_ignores_the_asking_is_killed_when_told)
{
    setup();
    start("s/1/1", "trap '' TERM; echo ready; while :; do sleep 0.1; done");
    wait_word("s/1/1", "stdout.log", "ready");
    stop("s/1/1", false);
    run_ms(300);
    ck_assert_int_eq(n_ended, 0);
    stop("s/1/1", true);
    wait_for(1, 1);
    ck_assert_int_eq(expect_end("s/1/1", -1, SIGKILL)->blame, BLAME_NOBODY);
    teardown();
}
END_TEST

START_TEST(a_job_told_to_end_before_it_runs_does_not_run)
{
    setup();
    start("s/1/1", "echo ran >$HYPERTUNE_REPORT_FILE; sleep 1000");
    stop("s/1/1", true);
    wait_for(1, 0);
    expect("s/1/1", LAUNCHER_LOST, 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "reports"), "");
    teardown();
}
END_TEST

START_TEST(want_of_memory_is_told)
{
    static const char script[] = "x=a; while :; do x=$x$x$x$x; done";

    setup();
    start_with("s/1/1", (struct part){.script = script, .memory = 24 << 20},
               NULL, NULL);
    wait_for(1, 1);
    ck_assert_int_eq(expect_end("s/1/1", -1, SIGKILL)->blame, BLAME_MEMORY);
    ck_assert_ptr_nonnull(strstr(last_of("s/1/1")->text, "24 MiB"));
    teardown();
}
END_TEST

/* podman may speak of a kill only after the end was seen: then it is a signal
 * like any other. */
static bool may_not_say_who(void)
{
    const char *name = getenv("ENGINE");

    return name && strcmp(name, "podman") == 0;
}

START_TEST(a_container_that_a_person_removes_is_lost)
{
    enum launcher_blame killed;

    setup();
    start("s/1/1", "echo ready; sleep 1000");
    start("s/2/1", "echo ready; sleep 1000");
    wait_word("s/1/1", "stdout.log", "ready");
    wait_word("s/2/1", "stdout.log", "ready");
    by_hand("DELETE", "s/1/1", "master-0", "?force=1");
    by_hand("POST", "s/2/1", "master-0", "/kill?signal=SIGKILL");
    wait_for(2, 2);
    ck_assert_int_eq(last_of("s/1/1")->blame, BLAME_PERSON);
    killed = expect_end("s/2/1", -1, SIGKILL)->blame;
    ck_assert(killed == BLAME_PERSON ||
              (killed == BLAME_NOBODY && may_not_say_who()));
    teardown();
}
END_TEST

/* ---- replicas ---- */

START_TEST(the_masters_end_is_the_jobs)
{
    static const struct part parts[] = {
        {.name = "master-0", .script = "sleep 1; echo over"},
        {.name = "worker-0", .script = "echo here; sleep 1000"},
        {.name = "worker-1", .script = "echo done early"},
        {.name = "ps-0",
         .script = "trap '' TERM; sleep 2; trap 'exit 0' TERM; sleep 1000"}};

    static const struct part stopped[] = {
        {.name = "master-0", .script = "sleep 1000"},
        {.name = "worker-0", .script = "trap 'exit 3' TERM; sleep 1000"}};

    setup();
    ck_assert_int_eq(start_parts("s/1/1", stopped, 2, NULL, 0), 0);
    wait_for(0, 1);
    ck_assert_uint_eq(n_containers(), 2);
    stop("s/1/1", false);
    wait_for(1, 1);
    ck_assert_str_eq(expect_end("s/1/1", -1, SIGTERM)->replica, "");
    ck_assert_int_eq(start_parts("s/2/1", parts, 4, NULL, 0), 0);
    wait_for(2, 2);
    ck_assert_str_eq(expect_end("s/2/1", 0, 0)->replica, "");
    ck_assert_str_eq(file_of("s/2/1", "stdout.log"), "over\n");
    ck_assert_str_eq(file_of("s/2/1", "worker-0/stdout.log"), "here\n");
    ck_assert_str_eq(file_of("s/2/1", "worker-1/stdout.log"), "done early\n");
    teardown();
}
END_TEST

START_TEST(a_replica_that_breaks_before_the_master_breaks_the_job)
{
    static const struct part parts[] = {
        {.name = "master-0", .script = "sleep 1000"},
        {.name = "worker-0", .script = "sleep 1000"},
        {.name = "worker-1", .script = "echo oh >&2; exit 9"}};

    setup();
    ck_assert_int_eq(start_parts("s/1/1", parts, 3, NULL, 0), 0);
    wait_for(1, 1);
    ck_assert_str_eq(expect_end("s/1/1", 9, 0)->replica, "worker-1");
    ck_assert_str_eq(file_of("s/1/1", "worker-1/stderr.log"), "oh\n");
    teardown();
}
END_TEST

START_TEST(a_replica_that_cannot_begin_keeps_all_from_it)
{
    static const struct part parts[] = {
        {.name = "master-0", .script = "echo x >$HYPERTUNE_REPORT_FILE"},
        {.name = "worker-0", .script = "true", .image = "localhost/none:2"}};

    setup();
    ck_assert_int_eq(start_parts("s/1/1", parts, 2, NULL, 0), 0);
    wait_for(1, 0);
    expect_hopeless("s/1/1", "localhost/none:2");
    ck_assert_str_eq(file_of("s/1/1", "reports"), "");
    teardown();
}
END_TEST

/* ---- the service goes away, and comes back ---- */

START_TEST(jobs_are_found_again_and_their_output_is_gone_on_with)
{
    setup();
    start("s/1/1", "echo one; until [ -e ${HYPERTUNE_REPORT_FILE%/*}/go ];"
                   " do sleep 0.05; done; echo two; exit 6");
    start("s/2/1", "echo begin; sleep 0.5; echo end; exit 7");
    wait_word("s/1/1", "stdout.log", "one");
    wait_word("s/2/1", "stdout.log", "begin");
    close_launcher();
    usleep(900 * 1000); /* the second ends while nobody looks */
    open_launcher();
    watch("s/1/1");
    watch("s/1/1");
    watch("s/2/1");
    wait_for(1, 4);
    expect_end("s/2/1", 7, 0);
    ck_assert_str_eq(file_of("s/2/1", "stdout.log"), "begin\nend\n");
    make_file("s/1/1", "go");
    wait_for(2, 4);
    expect_end("s/1/1", 6, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "one\ntwo\n");
    teardown();
}
END_TEST

START_TEST(a_name_that_is_started_again_runs_once)
{
    static const char script[] =
        "echo x >>$HYPERTUNE_REPORT_FILE; sleep 1; exit 8";

    setup();
    start("s/1/1", script);
    wait_for(0, 1);
    start("s/1/1", script); /* known */
    wait_for(0, 2);
    close_launcher();
    open_launcher();
    start("s/1/1", script); /* found */
    wait_for(1, 3);
    expect_end("s/1/1", 8, 0);
    start("s/1/1", script); /* ended, and that is known */
    wait_for(2, 3);
    expect_end("s/1/1", 8, 0);
    ck_assert_str_eq(file_of("s/1/1", "reports"), "x\n");
    teardown();
}
END_TEST

START_TEST(jobs_given_up_at_any_moment_of_their_start_run_once)
{
    static const char script[] = "echo x >>$HYPERTUNE_REPORT_FILE; sleep 0.5";
    char name[16];

    setup();
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "s/%d/1", i);
        start(name, script);
        run_ms(i * 40);
        close_launcher();
        open_launcher();
        start(name, script);
        wait_for(i + 1, 0);
        expect_end(name, 0, 0);
        ck_assert_str_eq(file_of(name, "reports"), "x\n");
    }
    teardown();
}
END_TEST

START_TEST(a_job_that_never_began_or_was_removed_is_lost)
{
    setup();
    make_folders("s/1/1");
    watch("s/1/1");
    wait_for(1, 0);
    expect("s/1/1", LAUNCHER_LOST, 0, 0);
    start("s/2/1", "echo ready; sleep 1000");
    wait_word("s/2/1", "stdout.log", "ready");
    close_launcher();
    by_hand("DELETE", "s/2/1", "master-0", "?force=1");
    open_launcher();
    watch("s/2/1");
    wait_for(2, 0);
    ck_assert_int_eq(expect("s/2/1", LAUNCHER_LOST, 0, 0)->blame, BLAME_PERSON);
    teardown();
}
END_TEST

START_TEST(forgetting_ends_nothing)
{
    setup();
    start("s/1/1", "echo ready; sleep 1000");
    wait_word("s/1/1", "stdout.log", "ready");
    close_launcher();
    ck_assert_uint_eq(n_containers(), 1);
    open_launcher();
    watch("s/1/1");
    stop("s/1/1", false);
    wait_for(1, 0);
    expect_end("s/1/1", -1, SIGTERM);
    teardown();
}
END_TEST

SUITE_WITHIN(
    300, "container/containers", a_job_runs_in_its_image_and_ends_with_its_code,
    all_that_was_printed_is_there_when_the_end_is_told,
    lines_that_were_lost_on_the_way_are_there_in_the_end,
    words_stand_for_entrypoint_and_arguments, death_by_a_signal_is_told_as_such,
    an_image_may_have_a_user_of_its_own,
    a_folder_is_mounted_where_the_study_says,
    a_missing_image_is_told_in_one_sentence,
    an_image_that_cannot_be_pulled_is_told_with_the_reason,
    a_program_that_is_not_in_the_image_is_told, options_that_are_wrong_are_told,
    a_trainer_that_listens_ends_when_asked,
    a_trainer_that_ignores_the_asking_is_killed_when_told,
    a_job_told_to_end_before_it_runs_does_not_run, want_of_memory_is_told,
    a_container_that_a_person_removes_is_lost, the_masters_end_is_the_jobs,
    a_replica_that_breaks_before_the_master_breaks_the_job,
    a_replica_that_cannot_begin_keeps_all_from_it,
    jobs_are_found_again_and_their_output_is_gone_on_with,
    a_name_that_is_started_again_runs_once,
    jobs_given_up_at_any_moment_of_their_start_run_once,
    a_job_that_never_began_or_was_removed_is_lost, forgetting_ends_nothing)
