/* What one report costs the trainer, beside a bare write of the same bytes to
 * the same kind of file: median and 99th percentile, and their ratio. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hypertune.h>

/* MEDIAN and P99: where they stand among the sorted samples. */
enum { SAMPLES = 50000, MEDIAN = 25000, P99 = 49500, LIMIT_NS = 10000 };

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* A value with all its digits, as losses have them. */
static double loss(int i)
{
    return 1.0 / (3.0 + i);
}

static int time_reports(hypertune *h, int64_t *took)
{
    for (int i = 0; i < SAMPLES; i++) {
        int64_t begin = now_ns();

        if (hypertune_report(h, "loss", loss(i), i) < 0)
            return -1;
        took[i] = now_ns() - begin;
    }
    return 0;
}

static int time_writes(int fd, const char *line, size_t n, int64_t *took)
{
    for (int i = 0; i < SAMPLES; i++) {
        int64_t begin = now_ns();

        if (write(fd, line, n) != (ssize_t)n)
            return -1;
        took[i] = now_ns() - begin;
    }
    return 0;
}

static void print(const char *what, int64_t *took)
{
    qsort(took, SAMPLES, sizeof *took, by_size);
    printf("%-18s median %6.2f us   p99 %6.2f us\n", what,
           (double)took[MEDIAN] / 1e3, (double)took[P99] / 1e3);
}

/* The last line of the reports, for the bare writes to repeat. */
static size_t last_line(const char *path, char line[4096])
{
    FILE *in = fopen(path, "r");
    size_t n = 0;

    if (!in)
        return 0;
    while (fgets(line, 4096, in))
        n = strlen(line);
    fclose(in);
    return n;
}

/* reports and writes: two paths that are free to use. */
static int measure(const char *reports, const char *writes)
{
    static int64_t report_ns[SAMPLES], write_ns[SAMPLES];
    char line[4096];
    hypertune *h;
    int fd = open(writes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    int failed = 1;
    size_t n;

    setenv("HYPERTUNE_REPORT_FILE", reports, 1);
    setenv("HYPERTUNE_TRIAL", "1", 1);
    if (hypertune_open(&h) == 0 && fd >= 0 && time_reports(h, report_ns) == 0 &&
        (n = last_line(reports, line)) > 0 &&
        time_writes(fd, line, n, write_ns) == 0) {
        print("hypertune_report", report_ns);
        print("write of the same", write_ns);
        printf("ratio of medians   %.2f   limit %d us at the median: %s\n",
               (double)report_ns[MEDIAN] / (double)write_ns[MEDIAN],
               LIMIT_NS / 1000,
               report_ns[MEDIAN] < LIMIT_NS ? "kept" : "MISSED");
        failed = 0;
    }
    hypertune_close(h);
    if (fd >= 0)
        close(fd);
    return failed;
}

int main(int argc, char **argv)
{
    char folder[512], reports[600], writes[600];
    int failed;

    snprintf(folder, sizeof folder, "%.480s/bench_report.XXXXXX",
             argc > 1 ? argv[1] : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr,
                "bench_report: no folder can be made in %s; name another\n",
                argc > 1 ? argv[1] : "/tmp");
        return 1;
    }
    snprintf(reports, sizeof reports, "%s/reports", folder);
    snprintf(writes, sizeof writes, "%s/writes", folder);
    failed = measure(reports, writes);
    if (failed)
        fprintf(stderr, "bench_report: %s cannot be written\n", folder);
    unlink(reports);
    unlink(writes);
    rmdir(folder);
    return failed;
}
