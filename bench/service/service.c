/* What the service bears: durable reports beside an empty evhttp, clients that
 * ask and tell, idle connections, and a study of 100,000 trials.
 *
 *     bench_service BUILD [reports|pairs|idle|many…]     all of them if none
 *
 * BUILD holds hypertuned; its state lies under TMPDIR, or /tmp. Run it on
 * TMPDIR=/dev/shm too: 64 clients that wait for their reports wait for one
 * synced write a round, so on a slow disk that is all that is measured. SECONDS
 * (5) is how long each load lasts. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/service/ceiling.h"
#include "bench/service/load.h"

enum { CLIENTS = 64, IDLE = 5000, HOLDERS = 1000, MANY = 100000, LOOKS = 21 };

static struct {
    const char *build;
    char dir[200], socket[240];
    pid_t pid;
    double load_seconds;
} bench;

/* ---- the service ---- */

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");
    char *program = mem_format("%s/hypertuned", bench.build);

    snprintf(bench.dir, sizeof bench.dir, "%s/bench-service.XXXXXX",
             tmp ? tmp : "/tmp");
    if (!mkdtemp(bench.dir)) {
        perror(bench.dir);
        exit(1);
    }
    snprintf(bench.socket, sizeof bench.socket, "%s/hypertuned.sock",
             bench.dir);
    bench.pid = fork();
    if (bench.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl(program, "hypertuned", "--state", bench.dir, "--log-level",
              "error", (char *)NULL);
        perror(program);
        _exit(1);
    }
    for (int tries = 0; access(bench.socket, F_OK) && tries < 1000; tries++)
        usleep(10000);
    usleep(200000);
    free(program);
}

static void end(void)
{
    char *command[] = {(char[]){"rm"}, (char[]){"-rf"}, bench.dir, NULL};
    pid_t pid;

    kill(bench.pid, SIGTERM);
    waitpid(bench.pid, NULL, 0);
    pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

static void ask(const char *method, const char *path, const char *body)
{
    free(load_ask(bench.socket, method, path, body));
}

static void submit(const char *algorithm)
{
    char *file = mem_format("study: s\nminimize: loss\nparams:\n"
                            "  x: 0.0 .. 1.0\n  y: log 1e-4 .. 1e-1\n"
                            "  z: int 1 .. 64\n  w: [a, b, c]\n"
                            "algorithm: %s\ntrials: 10000000\n",
                            algorithm);

    ask("POST", "/api/studies?dir=/tmp", file);
    free(file);
}

static double resident_mb(void)
{
    char *path = mem_format("/proc/%ld/statm", (long)bench.pid);
    FILE *f = fopen(path, "re");
    char line[200] = "", *second = line;

    if (f && fgets(line, sizeof line, f))
        second += strcspn(line, " ");
    if (f)
        fclose(f);
    free(path);
    return strtod(second, NULL) * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Processor time of a process, in seconds. */
static double spent(pid_t pid)
{
    char *path = mem_format("/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "re");
    char line[1000] = "", *at;
    double ticks = 0;

    if (f && fgets(line, sizeof line, f) && (at = strrchr(line, ')'))) {
        for (int i = 0; i < 12; i++)
            at += strcspn(at + 1, " ") + 1;
        ticks = strtod(at, &at);
        ticks += strtod(at, &at);
    }
    if (f)
        fclose(f);
    free(path);
    return ticks / (double)sysconf(_SC_CLK_TCK);
}

static void print_refusals(const struct load_result *r)
{
    if (r->refused)
        printf("  %lld REFUSED, the first: %s\n", (long long)r->refused,
               r->why);
}

/* ---- reports ---- */

static void make_report(void *ctx, int client, int64_t n, const char *answer,
                        struct text *request)
{
    char path[100], body[100];

    (void)ctx;
    (void)answer;
    snprintf(path, sizeof path, "/api/studies/s/trials/%d:report", client + 1);
    snprintf(body, sizeof body,
             "{\"metric\": \"loss\", \"value\": 0.%lld, \"step\": %lld}",
             (long long)n % 1000, (long long)n);
    load_request(request, "POST", path, body);
}

static double load(const char *name, pid_t pid, const char *socket,
                   load_fn *make, struct load_result *r)
{
    double before = spent(pid);
    struct load l = {.socket = socket,
                     .clients = CLIENTS,
                     .seconds = bench.load_seconds,
                     .make = make};
    double rate;

    load_run(&l, r);
    rate = (double)r->answers / r->seconds;
    printf("%-28s %9.0f a second   p50 %6.2f ms   p99 %6.2f ms   %5.1f us of "
           "processor each\n",
           name, rate, r->p50_ms, r->p99_ms,
           (spent(pid) - before) * 1e6 / (double)r->answers);
    print_refusals(r);
    return rate;
}

static void reports(void)
{
    char *socket = mem_format("%s/empty.sock", bench.dir);
    struct load_result r;
    double empty, durable;
    pid_t pid;

    submit("quasi-random");
    for (int i = 0; i < CLIENTS; i++)
        ask("POST", "/api/studies/s:ask", "{}");
    pid = ceiling_begin(socket);
    empty = load("empty evhttp, 64 clients", pid, socket, make_report, &r);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    durable = load("durable reports, 64 clients", bench.pid, bench.socket,
                   make_report, &r);
    printf("  %.0f %% of the empty one (limit: at least 40 %%); p99 limit 50 "
           "ms\n",
           100 * durable / empty);
    free(socket);
}

/* ---- ask and tell ---- */

static void make_pair(void *ctx, int client, int64_t n, const char *answer,
                      struct text *request)
{
    const char *number = strstr(answer, "\"number\": ");
    char path[100], body[64];

    (void)ctx;
    if (n % 2 == 0 || !number) {
        snprintf(body, sizeof body, "{\"client\": \"c%d\"}", client);
        load_request(request, "POST", "/api/studies/s:ask", body);
        return;
    }
    snprintf(path, sizeof path, "/api/studies/s/trials/%ld:tell",
             strtol(number + 10, NULL, 10));
    snprintf(body, sizeof body, "{\"value\": 0.%lld}",
             (long long)(n * 7919 % 1000));
    load_request(request, "POST", path, body);
}

static void pairs(void)
{
    struct load_result r;
    double rate;

    submit("quasi-random");
    rate = load("ask and tell, 64 clients", bench.pid, bench.socket, make_pair,
                &r) /
           2;
    printf("  %.0f pairs a second (limit: at least 2,000)\n", rate);
}

/* ---- idle ---- */

static double look_ms(const char *path)
{
    double times[LOOKS];

    for (int i = 0; i < LOOKS; i++) {
        double began = load_now();

        ask("GET", path, "");
        times[i] = (load_now() - began) * 1000;
        for (int j = i; j > 0 && times[j] < times[j - 1]; j--) {
            double t = times[j];

            times[j] = times[j - 1];
            times[j - 1] = t;
        }
    }
    return times[LOOKS / 2];
}

static void idle(void)
{
    int *fds = mem_new(IDLE, sizeof *fds);
    double before = resident_mb();

    submit("quasi-random");
    for (int i = 0; i < HOLDERS; i++) {
        char body[64];

        snprintf(body, sizeof body, "{\"client\": \"holder-%d\"}", i);
        ask("POST", "/api/studies/s:ask", body);
    }
    for (int i = 0; i < IDLE; i++) {
        struct text hello;

        fds[i] = load_connect(bench.socket);
        text_init(&hello);
        load_request(&hello, "GET", "/healthz", "");
        if (write(fds[i], hello.data, hello.len) < 0)
            perror("write");
        text_clear(&hello);
    }
    printf("5,000 idle connections, 1,000 trials held: %.0f MB (limit 150 MB); "
           "%.0f MB before\n",
           resident_mb(), before);
    printf("  a list of studies meanwhile: %.2f ms\n",
           look_ms("/api/studies?brief=1"));
    for (int i = 0; i < IDLE; i++)
        close(fds[i]);
    free(fds);
}

/* ---- many trials ---- */

static void put_in(int from, int n)
{
    struct text body;

    text_init(&body);
    text_add(&body, "x,y,z,w,value\n");
    for (int i = from; i < from + n; i++)
        text_addf(&body, "0.%05d,0.01,%d,%c,%d\n", i % 100000, 1 + i % 64,
                  'a' + i % 3, i * 7919 % 100003);
    ask("POST", "/api/studies/s/trials", text_str(&body));
    text_clear(&body);
}

static void many(void)
{
    static const char *const looks[][2] = {
        {"a page of 100 trials", "/api/studies/s/trials?after=50000&limit=100"},
        {"the newest changes", "/api/studies/s/trials?changed_after=199990"},
        {"FAILED ones", "/api/studies/s/trials?state=FAILED"},
        {"the best ten", "/api/studies/s/best?count=10"},
        {"the study and its counters", "/api/studies/s"},
        {"the list of studies", "/api/studies"},
        {"events", "/api/studies/s/events?after=1"},
        {"figures for Prometheus", "/metrics"}};

    submit("quasi-random");
    for (int i = 0; i < MANY; i += 10000)
        put_in(i, 10000);
    printf("100,000 trials in one study (limit: 20 ms each)\n");
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        printf("  %-28s %8.2f ms\n", looks[i][0], look_ms(looks[i][1]));
    printf("  resident: %.0f MB\n", resident_mb());
}

/* ---- all ---- */

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"reports", reports}, {"pairs", pairs}, {"idle", idle}, {"many", many}};

static void raise_limit(void)
{
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

int main(int argc, char **argv)
{
    const char *seconds = getenv("SECONDS");

    if (argc < 2) {
        fprintf(stderr, "usage: %s BUILD [reports|pairs|idle|many...]\n",
                argv[0]);
        return 2;
    }
    bench.build = argv[1];
    bench.load_seconds = seconds ? strtod(seconds, NULL) : 5;
    setvbuf(stdout, NULL, _IOLBF, 0);
    raise_limit();
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool wanted = argc == 2;

        for (int a = 2; a < argc; a++)
            wanted |= strcmp(argv[a], parts[i].name) == 0;
        if (!wanted)
            continue;
        begin();
        parts[i].run();
        end();
    }
    return 0;
}
