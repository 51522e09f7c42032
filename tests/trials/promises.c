/* What trials/launcher.h promises, held against the local launcher with real
 * processes: good trainers, bad trainers, killed shims and killed services. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "trials/local.h"
#include "trials/status.h"

enum { MOST_NEWS = 1024, WAIT_MS = 60000 };

struct told {
    int64_t ran_ms;
    enum launcher_word word;
    int exit_code, signal_number;
    enum launcher_blame blame;
    char name[32];
    char text[STATUS_TEXT];
};

static struct loop *loop;
static struct ports *ports;
static struct launcher *launcher;
static char root[64];
static struct told told[MOST_NEWS];
static int n_told;
static int n_ended; /* news other than ALIVE */
static int wanted;  /* ends to wait for */
static int wanted_alive;
static bool late;

/* ---- the bench ---- */

static void on_news(void *ctx, const struct launcher_news *n)
{
    struct told *t = &told[n_told];
    int alive;

    (void)ctx;
    ck_assert_int_lt(n_told, MOST_NEWS);
    snprintf(t->name, sizeof t->name, "%s", n->job_name);
    t->word = n->word;
    t->exit_code = n->exit_code;
    t->signal_number = n->signal_number;
    t->ran_ms = n->ran_ms;
    t->blame = n->blame;
    snprintf(t->text, sizeof t->text, "%s", n->text ? n->text : "");
    n_told++;
    n_ended += n->word != LAUNCHER_ALIVE;
    alive = n_told - n_ended;
    if (n_ended >= wanted && alive >= wanted_alive)
        loop_stop(loop);
}

static struct launcher *opened(void)
{
    char *shim = mem_format("%s/hypertune-shim", getenv("HYPERTUNE_BUILD"));
    struct launcher *l;
    struct err e = {0};

    ck_assert_msg(local_open(&l, loop, ports, shim, on_news, NULL, &e) == 0,
                  "%s", e.text);
    free(shim);
    return l;
}

static void setup(void)
{
    struct err e = {0};

    n_told = n_ended = 0;
    snprintf(root, sizeof root, "/tmp/hypertune-trials-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ports = ports_new();
    launcher = opened();
}

static int remove_it(const char *path, const struct stat *st, int kind,
                     struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static void teardown(void)
{
    if (launcher)
        launcher->type->close(launcher);
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

/* Runs the loop until so many jobs ended and so many are alive in all. */
static void wait_for(int ends, int alive)
{
    struct loop_watch *w;

    wanted = ends;
    wanted_alive = alive;
    if (n_ended >= ends && n_told - n_ended >= alive)
        return;
    late = false;
    w = loop_after(loop, WAIT_MS, too_late, NULL);
    loop_run(loop, NULL, NULL);
    ck_assert_msg(!late, "no news in time");
    loop_forget(w);
}

static void run_ms(int64_t ms)
{
    wanted = wanted_alive = MOST_NEWS;
    loop_after(loop, ms, too_late, NULL);
    loop_run(loop, NULL, NULL);
}

static char *folder_of(const char *name)
{
    return mem_format("%s/%s", root, name);
}

static int start_argv(struct launcher *l, const char *name, char **argv,
                      const char *workdir, struct err *e)
{
    char *folder = folder_of(name);
    char *reports = mem_format("HYPERTUNE_REPORT_FILE=%s/reports", folder);
    char *path = mem_format("PATH=%s", getenv("PATH"));
    char *env[] = {path, reports, "MARK=set here", NULL};
    struct job_replica master = {.name = "master-0",
                                 .folder = folder,
                                 .argv = argv,
                                 .environ_ = env,
                                 .workdir = workdir ? workdir : folder};
    struct job job = {
        .name = name, .folder = folder, .replicas = &master, .n_replicas = 1};
    int rc;

    mkdir(folder, 0700);
    rc = l->type->start(l, &job, e);
    free(path);
    free(reports);
    free(folder);
    return rc;
}

/* Starts a trainer written for the shell; it runs in its own folder. */
static void start_with(struct launcher *l, const char *name, const char *script)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
    struct err e = {0};

    ck_assert_msg(start_argv(l, name, argv, NULL, &e) == 0, "%s", e.text);
}

static void start(const char *name, const char *script)
{
    start_with(launcher, name, script);
}

static void stop(const char *name, bool kill_now)
{
    launcher->type->stop(launcher, name, kill_now);
}

static void watch(struct launcher *l, const char *name)
{
    char *folder = folder_of(name);
    struct err e;

    ck_assert_int_eq(l->type->watch(l, name, folder, &e), 0);
    free(folder);
}

/* What a file of the job holds, once it holds a line. */
static const char *file_of(const char *name, const char *file)
{
    static char text[4096];
    char *path = mem_format("%s/%s/%s", root, name, file);

    for (int i = 0; i < WAIT_MS / 10; i++) {
        if (proc_file(path, text, sizeof text) > 0 && strchr(text, '\n'))
            break;
        usleep(10 * 1000);
    }
    free(path);
    return text;
}

static pid_t pid_in(const char *name, const char *file)
{
    pid_t pid = (pid_t)strtol(file_of(name, file), NULL, 10);

    ck_assert_int_gt(pid, 0);
    return pid;
}

static bool runs(pid_t pid)
{
    struct proc p;

    return !proc_read(pid, &p) && proc_lives(&p);
}

static pid_t shim_of(const char *name)
{
    char *folder = folder_of(name);
    struct status s;

    ck_assert(status_read(folder, &s));
    free(folder);
    return s.shim;
}

static const struct told *last_of(const char *name)
{
    for (int i = n_told - 1; i >= 0; i--)
        if (strcmp(told[i].name, name) == 0)
            return &told[i];
    ck_abort_msg("no news of %s", name);
    return NULL;
}

static void expect_end(const char *name, int exit_code, int signal_number)
{
    const struct told *t = last_of(name);

    ck_assert_msg(t->word == LAUNCHER_ENDED && t->exit_code == exit_code &&
                      t->signal_number == signal_number &&
                      t->blame == BLAME_NOBODY,
                  "%s: word %d exit %d signal %d %s", name, t->word,
                  t->exit_code, t->signal_number, t->text);
}

/* ---- good trainers ---- */

START_TEST(a_job_runs_in_its_place_and_ends_with_its_code)
{
    setup();
    start("1", "echo \"$MARK $0\"; pwd; echo oops >&2; sleep 0.1; exit 3");
    ck_assert_int_eq(n_told, 0);
    wait_for(1, 1);
    ck_assert_int_eq(n_told, 2);
    ck_assert_int_eq(told[0].word, LAUNCHER_ALIVE);
    expect_end("1", 3, 0);
    ck_assert_int_ge(told[1].ran_ms, 90);
    ck_assert_int_lt(told[1].ran_ms, WAIT_MS);
    ck_assert_ptr_nonnull(strstr(file_of("1", "stdout.log"), "set here sh\n"));
    ck_assert_ptr_nonnull(strstr(file_of("1", "stdout.log"), "/1\n"));
    ck_assert_str_eq(file_of("1", "stderr.log"), "oops\n");
    teardown();
}
END_TEST

START_TEST(a_job_has_a_group_of_its_own_and_no_descriptor_of_ours)
{
    int leak;

    setup();
    leak = open("/dev/null", O_RDONLY); /* NOLINT: not close-on-exec */
    ck_assert_int_eq(dup2(leak, 77), 77);
    start("1", "ls /proc/self/fd | sort | tr '\\n' ' ' >fds; echo >>fds; "
               "cat </dev/stdin; cut -d' ' -f5,6 /proc/$$/stat >ids; echo $$");
    wait_for(1, 1);
    expect_end("1", 0, 0);
    ck_assert_str_eq(file_of("1", "fds"), "0 1 2 3 \n");
    /* The group is the command itself, the session its shim. */
    ck_assert_int_eq(pid_in("1", "ids"), pid_in("1", "stdout.log"));
    ck_assert_ptr_null(strstr(file_of("1", "ids"), "\n\n"));
    close(leak);
    close(77);
    teardown();
}
END_TEST

START_TEST(a_job_that_ends_at_once_was_alive_before_it_ended)
{
    char *argv[] = {"true", NULL};
    char name[32];
    struct err e;

    setup();
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(start_argv(launcher, name, argv, NULL, &e), 0);
        wait_for(i + 1, i + 1);
        ck_assert_int_eq(told[n_told - 2].word, LAUNCHER_ALIVE);
        expect_end(name, 0, 0);
    }
    teardown();
}
END_TEST

START_TEST(death_by_a_signal_is_told_as_such)
{
    setup();
    start("1", "kill -SEGV $$");
    start("2", "kill -KILL $$");
    wait_for(2, 2);
    expect_end("1", -1, SIGSEGV);
    expect_end("2", -1, SIGKILL);
    teardown();
}
END_TEST

START_TEST(two_hundred_jobs_leave_no_descriptor_and_no_child)
{
    char *argv[] = {"true", NULL};
    char name[32];
    struct err e;
    int probe[2];

    setup();
    probe[0] = dup(0);
    close(probe[0]);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(start_argv(launcher, name, argv, NULL, &e), 0);
        if (i >= 7)
            wait_for(i - 6, 0);
    }
    wait_for(200, 200);
    probe[1] = dup(0);
    close(probe[1]);
    ck_assert_int_eq(probe[1], probe[0]);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    teardown();
}
END_TEST

/* ---- what cannot be started ---- */

static void put_script(const char *name, const char *text, mode_t mode)
{
    char *path = mem_format("%s/%s", root, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);

    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    free(path);
}

START_TEST(what_cannot_run_is_refused_with_the_reason)
{
    static const struct {
        const char *program, *workdir, *sentence;
    } rows[] = {
        {"./train", NULL, "cannot run ./train: No such file or directory"},
        {"no-such-program-here", NULL,
         "cannot run no-such-program-here: No such file or directory"},
        {"../plain", NULL, "cannot run ../plain: Permission denied"},
        {"../lone", NULL,
         "cannot run ../lone: the interpreter that it names is not there"},
        {"true", "/no/such/folder",
         "cannot enter the folder /no/such/folder: No such file or directory"},
    };
    char name[32];
    struct err e;

    setup();
    put_script("plain", "echo\n", 0600);
    put_script("lone", "#!/no/such/interpreter\n", 0700);
    for (int i = 0; i < 5; i++) {
        char *argv[] = {(char *)(uintptr_t)rows[i].program, NULL};

        snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(start_argv(launcher, name, argv, rows[i].workdir, &e),
                         0);
        wait_for(i + 1, 0);
        ck_assert_int_eq(last_of(name)->word, LAUNCHER_REFUSED);
        ck_assert_str_eq(last_of(name)->text, rows[i].sentence);
    }
    ck_assert_int_eq(n_told, 5);
    teardown();
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_refused)
{
    char *argv[] = {"true", NULL};
    char *env[] = {NULL};
    struct job_replica master = {.name = "master-0",
                                 .folder = "/no/such/folder",
                                 .argv = argv,
                                 .environ_ = env,
                                 .workdir = "/"};
    struct job job = {.name = "1",
                      .folder = "/no/such/folder",
                      .replicas = &master,
                      .n_replicas = 1};
    struct err e;

    setup();
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), 0);
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_REFUSED);
    ck_assert_ptr_nonnull(strstr(last_of("1")->text, "/no/such/folder"));
    argv[0] = NULL;
    job.name = "2";
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    teardown();
}
END_TEST

START_TEST(a_missing_shim_is_found_at_once)
{
    struct launcher *l;
    struct err e;

    setup();
    ck_assert_int_eq(local_open(&l, loop, ports, "/no/shim", on_news, NULL, &e),
                     -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
    teardown();
}
END_TEST

/* ---- bad trainers ---- */

START_TEST(a_trainer_may_close_its_output)
{
    setup();
    start("1", "exec >&- 2>&- <&-; sleep 0.05; exit 4");
    wait_for(1, 1);
    expect_end("1", 4, 0);
    teardown();
}
END_TEST

START_TEST(a_trainer_that_listens_ends_when_asked)
{
    setup();
    start("1", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.02; done");
    start("2", "sleep 1000 & echo $! >child; wait; echo over");
    wait_for(0, 2);
    file_of("1", "stdout.log");
    stop("1", false);
    wait_for(1, 2);
    expect_end("1", 5, 0);
    pid_in("2", "child");
    stop("2", false);
    wait_for(2, 2);
    expect_end("2", -1, SIGTERM);
    ck_assert(!runs(pid_in("2", "child")));
    teardown();
}
END_TEST

START_TEST(a_trainer_that_ignores_the_asking_is_killed_when_told)
{
    setup();
    start("1", "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    wait_for(0, 1);
    file_of("1", "stdout.log");
    stop("1", false);
    stop("unknown", true);
    run_ms(200);
    ck_assert_int_eq(n_ended, 0);
    stop("1", true);
    wait_for(1, 1);
    expect_end("1", -1, SIGKILL);
    teardown();
}
END_TEST

START_TEST(a_stopped_trainer_hears_that_it_shall_end)
{
    setup();
    start("1", "echo ready; kill -STOP $$; sleep 1000");
    wait_for(0, 1);
    file_of("1", "stdout.log");
    run_ms(50);
    stop("1", false);
    wait_for(1, 1);
    expect_end("1", -1, SIGTERM);
    teardown();
}
END_TEST

START_TEST(a_job_told_to_end_before_it_runs_still_ends)
{
    setup();
    start("1", "sleep 1000");
    stop("1", false);
    start("2", "trap '' TERM; sleep 1000");
    stop("2", true);
    wait_for(2, 2);
    expect_end("1", -1, SIGTERM);
    expect_end("2", -1, SIGKILL);
    teardown();
}
END_TEST

START_TEST(what_forked_away_ends_with_the_job)
{
    setup();
    start("1", "sleep 1000 & echo $! >child; exit 0");
    start("2", "setsid sh -c 'echo $$ >daemon; trap \"\" TERM HUP;"
               " sleep 1000 & echo $! >below; wait' >/dev/null 2>&1 &"
               " until [ -s below ]; do sleep 0.01; done; exit 6");
    wait_for(2, 2);
    expect_end("1", 0, 0);
    expect_end("2", 6, 0);
    ck_assert(!runs(pid_in("1", "child")));
    ck_assert(!runs(pid_in("2", "daemon")));
    ck_assert(!runs(pid_in("2", "below")));
    teardown();
}
END_TEST

START_TEST(killed_now_means_every_descendant)
{
    setup();
    start("1", "setsid sh -c 'trap \"\" TERM HUP; echo $$ >daemon;"
               " setsid sleep 1000 & echo $! >below; wait' &"
               " sleep 1000; echo never >never");
    wait_for(0, 1);
    pid_in("1", "below");
    stop("1", true);
    wait_for(1, 1);
    expect_end("1", -1, SIGKILL);
    ck_assert(!runs(pid_in("1", "daemon")));
    ck_assert(!runs(pid_in("1", "below")));
    teardown();
}
END_TEST

/* ---- killed shims ---- */

START_TEST(a_killed_shim_takes_everything_along)
{
    setup();
    start("1", "setsid sleep 1000 & echo $! >daemon;"
               " sleep 1000 & echo $! >below; echo $$ >main;"
               " trap '' TERM HUP; sleep 1000; sleep 1000");
    wait_for(0, 1);
    pid_in("1", "main");
    kill(shim_of("1"), SIGKILL);
    wait_for(1, 1);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert(!runs(pid_in("1", "main")));
    ck_assert(!runs(pid_in("1", "below")));
    ck_assert(!runs(pid_in("1", "daemon")));
    teardown();
}
END_TEST

START_TEST(a_shim_killed_while_nobody_looked_is_lost)
{
    setup();
    start("1", "sleep 1000 & echo $! >below; wait");
    wait_for(0, 1);
    pid_in("1", "below");
    launcher->type->close(launcher);
    kill(shim_of("1"), SIGKILL);
    launcher = opened();
    watch(launcher, "1");
    ck_assert_int_eq(n_ended, 0);
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert(!runs(pid_in("1", "below")));
    teardown();
}
END_TEST

/* ---- once, and found again ---- */

START_TEST(a_name_started_twice_runs_once)
{
    struct launcher *other;

    setup();
    other = opened();
    start("1", "echo once; until [ -e go ]; do sleep 0.01; done; exit 7");
    start("1", "echo once; exit 8");
    start_with(other, "1", "echo once; exit 9");
    wait_for(0, 2); /* one from each launcher */
    put_script("1/go", "", 0600);
    wait_for(2, 2);
    for (int i = 2; i < 4; i++) {
        ck_assert_int_eq(told[i].word, LAUNCHER_ENDED);
        ck_assert_int_ge(told[i].exit_code, 7);
        ck_assert_int_eq(told[i].exit_code, told[2].exit_code);
    }
    ck_assert_str_eq(file_of("1", "stdout.log"), "once\n");
    other->type->close(other);
    teardown();
}
END_TEST

START_TEST(who_starts_a_running_job_again_hears_that_it_lives)
{
    setup();
    start("1", "echo once; until [ -e go ]; do sleep 0.01; done; exit 7");
    wait_for(0, 1);
    start("1", "echo once; exit 8");
    wait_for(0, 2);
    put_script("1/go", "", 0600);
    wait_for(1, 2);
    expect_end("1", 7, 0);
    ck_assert_str_eq(file_of("1", "stdout.log"), "once\n");
    teardown();
}
END_TEST

START_TEST(a_name_that_ended_is_not_run_again)
{
    setup();
    start("1", "echo once; exit 2");
    wait_for(1, 1);
    start("1", "echo once; exit 3");
    wait_for(2, 2);
    expect_end("1", 2, 0);
    ck_assert_str_eq(file_of("1", "stdout.log"), "once\n");
    teardown();
}
END_TEST

START_TEST(a_running_job_is_found_again)
{
    setup();
    start("1", "echo up; until [ -e go ]; do sleep 0.01; done; exit 6");
    start("2", "sleep 1000");
    wait_for(0, 2);
    launcher->type->close(launcher);
    launcher = opened();
    watch(launcher, "1");
    watch(launcher, "2");
    watch(launcher, "2");
    wait_for(0, 4);
    put_script("1/go", "", 0600);
    wait_for(1, 4);
    expect_end("1", 6, 0);
    stop("2", false);
    wait_for(2, 4);
    expect_end("2", -1, SIGTERM);
    teardown();
}
END_TEST

START_TEST(an_end_that_nobody_saw_is_told_later)
{
    setup();
    start("1", "sleep 0.1; exit 6");
    wait_for(0, 1);
    launcher->type->close(launcher);
    while (runs(shim_of("1")))
        usleep(10 * 1000);
    launcher = opened();
    watch(launcher, "1");
    wait_for(1, 2);
    expect_end("1", 6, 0);
    teardown();
}
END_TEST

START_TEST(a_job_that_never_began_is_lost_and_cannot_begin_after)
{
    char *folder;

    setup();
    folder = folder_of("1");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    watch(launcher, "1");
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    start("1", "echo ran >ran");
    wait_for(2, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert_int_eq(n_told, 2);
    free(folder);
    teardown();
}
END_TEST

START_TEST(a_job_of_another_boot_is_lost_and_no_stranger_is_killed)
{
    char status[256];
    struct proc p;
    pid_t stranger;
    char *folder;

    setup();
    folder = folder_of("1");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    stranger = fork();
    if (stranger == 0) {
        setsid();
        pause();
        _exit(0);
    }
    ck_assert_int_eq(proc_read(stranger, &p), 0);
    snprintf(status, sizeof status, "boot=another\nshim=%d %llu\nchild=%d 1\n",
             (int)stranger, (unsigned long long)p.start, (int)stranger);
    put_script("1/status", status, 0600);
    watch(launcher, "1");
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert(runs(stranger));

    /* This boot, but the pid belongs to somebody else now. */
    free(folder);
    folder = folder_of("2");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    proc_file("/proc/sys/kernel/random/boot_id", status + 128, 40);
    status[128 + strcspn(status + 128, "\n")] = '\0';
    snprintf(told[MOST_NEWS - 1].text, sizeof told[0].text,
             "boot=%s\nshim=%d %llu\nchild=%d 1\n", status + 128, (int)stranger,
             (unsigned long long)p.start - 1, (int)stranger);
    put_script("2/status", told[MOST_NEWS - 1].text, 0600);
    watch(launcher, "2");
    wait_for(2, 0);
    ck_assert_int_eq(last_of("2")->word, LAUNCHER_LOST);
    ck_assert(runs(stranger));
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
    free(folder);
    teardown();
}
END_TEST

/* A service of its own process: starts a job, says so, and is killed. */
static void serve_until_killed(int alive)
{
    start("1", "until [ -e go ]; do sleep 0.01; done; echo done; exit 6");
    wait_for(0, 1);
    if (write(alive, "a", 1) == 1)
        for (;;)
            pause();
    _exit(1);
}

START_TEST(a_job_outlives_a_killed_service_and_is_found_again)
{
    int ends[2];
    char byte;
    pid_t service;

    setup();
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    service = fork();
    if (service == 0)
        serve_until_killed(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    kill(service, SIGKILL);
    ck_assert_int_eq(waitpid(service, NULL, 0), service);
    watch(launcher, "1");
    wait_for(0, 1);
    put_script("1/go", "", 0600);
    wait_for(1, 1);
    expect_end("1", 6, 0);
    ck_assert_str_eq(file_of("1", "stdout.log"), "done\n");
    close(ends[0]);
    close(ends[1]);
    teardown();
}
END_TEST

/* ---- where there is no pidfd ---- */

static int forbid_pidfd(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {.len = sizeof code / sizeof code[0],
                                 .filter = code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int without_pidfd(void)
{
    if (forbid_pidfd() || syscall(SYS_pidfd_open, getpid(), 0U) != -1)
        return 2;
    start("1", "sleep 1000");
    start("2", "exit 3");
    wait_for(1, 2);
    stop("1", false);
    wait_for(2, 2);
    return last_of("1")->signal_number == SIGTERM &&
                   last_of("2")->exit_code == 3
               ? 0
               : 1;
}

START_TEST(jobs_are_watched_by_polling_where_there_is_no_pidfd)
{
    int how;
    pid_t pid;

    setup();
    pid = fork();
    if (pid == 0)
        _exit(without_pidfd());
    ck_assert_int_eq(waitpid(pid, &how, 0), pid);
    ck_assert(WIFEXITED(how));
    ck_assert_int_eq(WEXITSTATUS(how), 0);
    teardown();
}
END_TEST

SUITE_WITHIN(
    240, "trials/promises", a_job_runs_in_its_place_and_ends_with_its_code,
    a_job_has_a_group_of_its_own_and_no_descriptor_of_ours,
    a_job_that_ends_at_once_was_alive_before_it_ended,
    death_by_a_signal_is_told_as_such,
    two_hundred_jobs_leave_no_descriptor_and_no_child,
    what_cannot_run_is_refused_with_the_reason,
    a_folder_that_is_not_there_is_refused, a_missing_shim_is_found_at_once,
    a_trainer_may_close_its_output, a_trainer_that_listens_ends_when_asked,
    a_trainer_that_ignores_the_asking_is_killed_when_told,
    a_stopped_trainer_hears_that_it_shall_end,
    a_job_told_to_end_before_it_runs_still_ends,
    what_forked_away_ends_with_the_job, killed_now_means_every_descendant,
    a_killed_shim_takes_everything_along,
    a_shim_killed_while_nobody_looked_is_lost, a_name_started_twice_runs_once,
    who_starts_a_running_job_again_hears_that_it_lives,
    a_name_that_ended_is_not_run_again, a_running_job_is_found_again,
    an_end_that_nobody_saw_is_told_later,
    a_job_that_never_began_is_lost_and_cannot_begin_after,
    a_job_of_another_boot_is_lost_and_no_stranger_is_killed,
    a_job_outlives_a_killed_service_and_is_found_again,
    jobs_are_watched_by_polling_where_there_is_no_pidfd)
