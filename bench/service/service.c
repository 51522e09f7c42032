/* What the service bears: durable reports beside an empty evhttp and one that
 * syncs, clients that ask and tell in our words and in Google's, a search that
 * thinks, idle connections, and a study of 100,000 trials.
 *
 *     bench_service BUILD [reports|pairs|vizier|bayesian|idle|many…]
 *
 * All of them if none is named. BUILD holds hypertuned; its state lies under
 * TMPDIR, or /tmp. Run it on TMPDIR=/dev/shm too: 64 clients that wait for
 * their reports wait for one synced write a round, so on a slow disk that is
 * all that is measured. SECONDS (5) is how long each load lasts. */
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
#include "bench/service/vizier.h"

enum {
    CLIENTS = VIZIER_CLIENTS,
    IDLE = 5000,
    HOLDERS = 1000,
    MANY = 100000,
    LOOKS = 21,
    TURNS = 7
};

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

static void print_load(const char *name, double rate, double p50_ms,
                       double p99_ms, double cost_us)
{
    printf("%-28s %9.0f a second   p50 %6.2f ms   p99 %6.2f ms   %5.1f us of "
           "processor each\n",
           name, rate, p50_ms, p99_ms, cost_us);
}

static double load(const char *name, load_fn *make, void *ctx,
                   struct load_result *r)
{
    double before = spent(bench.pid);
    struct load l = {.socket = bench.socket,
                     .clients = CLIENTS,
                     .seconds = bench.load_seconds,
                     .make = make,
                     .ctx = ctx};
    double rate;

    load_run(&l, r);
    rate = (double)r->answers / r->seconds;
    print_load(name, rate, r->p50_ms, r->p99_ms,
               (spent(bench.pid) - before) * 1e6 / (double)r->answers);
    print_refusals(r);
    return rate;
}

/* One of the service's own, from /metrics. */
static double figure(const char *name)
{
    char *all = load_ask(bench.socket, "GET", "/metrics", "");
    char *line = mem_format("\n%s ", name);
    const char *at = strstr(all, line);
    double value = at ? strtod(at + strlen(line), NULL) : 0;

    free(line);
    free(all);
    return value;
}

/* Three servers by turns, so that what else the machine does meanwhile is
 * shared by all. */
enum { EMPTY, SYNCED, DURABLE, SERVERS };

static struct server {
    const char *name;
    pid_t pid;
    char *socket;
    double rates[TURNS], p50[TURNS], p99[TURNS], cost[TURNS];
} servers[SERVERS] = {{.name = "empty evhttp"},
                      {.name = "evhttp and a synced page"},
                      {.name = "durable reports"}};

static double median(double *values)
{
    for (int i = 1; i < TURNS; i++)
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            double t = values[j];

            values[j] = values[j - 1];
            values[j - 1] = t;
        }
    return values[TURNS / 2];
}

static void take_turn(struct server *s, int turn)
{
    struct load l = {.socket = s->socket,
                     .clients = CLIENTS,
                     .seconds = bench.load_seconds / 2,
                     .make = make_report};
    double before = spent(s->pid);
    struct load_result r;

    load_run(&l, &r);
    s->rates[turn] = (double)r.answers / r.seconds;
    s->p50[turn] = r.p50_ms;
    s->p99[turn] = r.p99_ms;
    s->cost[turn] = (spent(s->pid) - before) * 1e6 / (double)r.answers;
    print_refusals(&r);
}

static void print_shares(void)
{
    static const char *const of[] = {
        [EMPTY] = "the empty one", [SYNCED] = "the one that syncs"};

    for (int i = 0; i < DURABLE; i++) {
        double shares[TURNS], middle;

        for (int turn = 0; turn < TURNS; turn++)
            shares[turn] =
                100 * servers[DURABLE].rates[turn] / servers[i].rates[turn];
        middle = median(shares);
        printf("  of %s: %.0f %%, in %d turns from %.0f to %.0f%s\n", of[i],
               middle, TURNS, shares[0], shares[TURNS - 1],
               i == EMPTY ? "; limit: at least 40 %" : "");
    }
}

static void end_ceilings(char *sync)
{
    for (int i = 0; i < DURABLE; i++) {
        kill(servers[i].pid, SIGKILL);
        waitpid(servers[i].pid, NULL, 0);
        free(servers[i].socket);
    }
    free(sync);
}

static void reports(void)
{
    char *sync = mem_format("%s/page", bench.dir);

    submit("quasi-random");
    for (int i = 0; i < CLIENTS; i++)
        ask("POST", "/api/studies/s:ask", "{}");
    for (int i = 0; i < DURABLE; i++) {
        servers[i].socket = mem_format("%s/ceiling-%d.sock", bench.dir, i);
        servers[i].pid =
            ceiling_begin(servers[i].socket, i == SYNCED ? sync : NULL);
    }
    servers[DURABLE].socket = bench.socket;
    servers[DURABLE].pid = bench.pid;
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < SERVERS; i++)
            take_turn(&servers[i], turn);
    print_shares();
    for (int i = 0; i < SERVERS; i++) {
        struct server *s = &servers[i];

        print_load(s->name, median(s->rates), median(s->p50), median(s->p99),
                   median(s->cost));
    }
    printf("  %.1f reports share a commit; p99 limit 50 ms\n",
           figure("hypertune_reports_total") /
               figure("hypertune_commits_total"));
    end_ceilings(sync);
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
    rate = load("ask and tell, 64 clients", make_pair, NULL, &r) / 2;
    printf("  %.0f pairs a second (limit: at least 2,000)\n", rate);
}

static void vizier(void)
{
    struct load_result r;
    struct vizier v;

    vizier_begin(&v, bench.socket);
    load("Google's routes, 64 clients", vizier_make, &v, &r);
    printf("  %.0f trials a second: suggested, measured, completed\n",
           (double)v.completed / r.seconds);
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

/* ---- a search that thinks ---- */

static void bayesian(void)
{
    double before, sum, rate;
    struct load_result r;

    submit("bayesian");
    put_in(0, 100);
    before = figure("hypertune_suggestion_seconds_sum");
    rate = load("bayesian, from 100 results on", make_pair, NULL, &r) / 2;
    sum = figure("hypertune_suggestion_seconds_sum") - before;
    printf("  %.1f pairs a second; %.0f %% of the time the search worked, "
           "%.1f ms for each\n",
           rate, 100 * sum / r.seconds, 1000 * sum / (rate * r.seconds));
}

/* ---- all ---- */

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"reports", reports},   {"pairs", pairs}, {"vizier", vizier},
             {"bayesian", bayesian}, {"idle", idle},   {"many", many}};

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
        fprintf(
            stderr,
            "usage: %s BUILD [reports|pairs|vizier|bayesian|idle|many...]\n",
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
