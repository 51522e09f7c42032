/* Whatever becomes of the files, a report counts once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/follow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/suite.h"

/* One attempt's folder, its follower, and the values that it gave. */
struct attempt {
    char folder[256], path[300];
    struct follow_spec spec;
    struct follow *follow;
    size_t n, cap;
    double *values;
    struct report newest;
};

static void reopen(struct attempt *a)
{
    char *marks = a->follow ? strdup(follow_marks(a->follow)) : NULL;
    struct err e;

    follow_close(a->follow);
    ck_assert_msg(follow_open(&a->follow, &a->spec, marks, &e) == 0, "%s",
                  e.text);
    free(marks);
}

static void begin(struct attempt *a, const char *pattern)
{
    const char *base = getenv("TMPDIR");

    *a = (struct attempt){0};
    snprintf(a->folder, sizeof a->folder, "%.200s/follow.XXXXXX",
             base && *base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(a->folder));
    a->spec = (struct follow_spec){
        .folder = a->folder, .metric = "acc", .pattern = pattern};
    reopen(a);
}

static const char *path_of(struct attempt *a, const char *file)
{
    snprintf(a->path, sizeof a->path, "%s/%s", a->folder, file);
    return a->path;
}

static void end(struct attempt *a)
{
    static const char *const files[] = {"reports", "output.metrics",
                                        "stdout.log", "lines"};

    follow_close(a->follow);
    free(a->values);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(path_of(a, files[i]));
    ck_assert_int_eq(rmdir(a->folder), 0);
}

static void put(struct attempt *a, const char *file, const char *mode,
                const char *text)
{
    FILE *out = fopen(path_of(a, file), mode);

    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

static void hear(void *ctx, const struct report *r)
{
    struct attempt *a = ctx;

    if (a->n == a->cap) {
        a->cap = a->cap ? a->cap * 2 : 64;
        a->values = realloc(a->values, a->cap * sizeof *a->values);
    }
    a->values[a->n++] = r->value;
    a->newest = *r;
}

static void poll_all(struct attempt *a, bool last)
{
    while (follow_poll(a->follow, last, hear, a))
        ;
}

/* The values are 0, 1, …, n - 1: nothing was lost, nothing came twice. */
static void expect_count(const struct attempt *a, size_t n)
{
    ck_assert_uint_eq(a->n, n);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(a->values[i] == (double)i, "%zu: %g", i, a->values[i]);
}

START_TEST(half_a_line_waits_for_the_other_half)
{
    struct attempt a;

    begin(&a, NULL);
    poll_all(&a, false);
    put(&a, "reports", "a", "{\"acc\": \"0\", \"global_step\": \"5\"}\n{\"a");
    poll_all(&a, false);
    expect_count(&a, 1);
    ck_assert_int_eq(a.newest.step, 5);
    reopen(&a);
    put(&a, "reports", "a", "cc\": \"1\"}\n\nnoise\n{\"acc\": \"2\"}");
    poll_all(&a, false);
    expect_count(&a, 2);
    ck_assert_int_eq(follow_skipped(a.follow), 1);
    reopen(&a);
    poll_all(&a, true);
    expect_count(&a, 3);
    reopen(&a);
    poll_all(&a, true);
    expect_count(&a, 3);
    end(&a);
}
END_TEST

START_TEST(a_replaced_or_shortened_file_is_read_anew)
{
    struct attempt a;

    begin(&a, NULL);
    put(&a, "reports", "w", "{\"acc\": 0}\n{\"acc\": 1}\n");
    poll_all(&a, false);
    put(&a, "reports", "w", "{\"acc\": 2}\n");
    poll_all(&a, false);
    put(&a, "lines", "w", "{\"acc\": 3}\n{\"acc\": 4}\n{\"acc\": 5}\n");
    {
        char to[300];

        snprintf(to, sizeof to, "%s/reports", a.folder);
        ck_assert_int_eq(rename(path_of(&a, "lines"), to), 0);
    }
    reopen(&a);
    poll_all(&a, false);
    expect_count(&a, 6);
    end(&a);
}
END_TEST

START_TEST(a_line_of_ten_megabytes_is_passed_over)
{
    struct attempt a;
    char *chunk = malloc(1 << 20);

    memset(chunk, 'x', (1 << 20) - 1);
    chunk[(1 << 20) - 1] = '\0';
    begin(&a, NULL);
    put(&a, "reports", "a", "{\"acc\": 0}\n{\"acc\": \"");
    for (int i = 0; i < 10; i++) {
        put(&a, "reports", "a", chunk);
        poll_all(&a, false);
        reopen(&a);
    }
    put(&a, "reports", "a", "\"}\n{\"acc\": 1}\n");
    poll_all(&a, false);
    expect_count(&a, 2);
    ck_assert_int_eq(follow_skipped(a.follow), 1);
    free(chunk);
    end(&a);
}
END_TEST

START_TEST(a_million_lines_come_in_bounded_bites)
{
    enum { LINES = 1000000 };
    struct attempt a;
    size_t before = 0;
    FILE *out;
    bool more;

    begin(&a, NULL);
    out = fopen(path_of(&a, "reports"), "w");
    ck_assert_ptr_nonnull(out);
    for (int i = 0; i < LINES; i++)
        fprintf(out, "{\"acc\":%d}\n", i);
    fclose(out);
    do {
        more = follow_poll(a.follow, false, hear, &a);
        if (a.n - before > 5000)
            ck_abort_msg("%zu reports in one call", a.n - before);
        before = a.n;
        if (a.n % 64 == 0)
            reopen(&a);
    } while (more);
    ck_assert_uint_eq(a.n, LINES);
    for (size_t i = 0; i < a.n; i++)
        if (a.values[i] != (double)i)
            ck_abort_msg("%zu: %g", i, a.values[i]);
    end(&a);
}
END_TEST

/* Writes the file as the Python package does after report number `newest`:
 * the last hundred records, but only the first `bytes` of them yet. */
static void rewrite(struct attempt *a, int newest, size_t bytes)
{
    char *text = malloc(32768);
    size_t n = 0;

    for (int i = newest < 99 ? 0 : newest - 99; i <= newest; i++)
        n += (size_t)snprintf(
            text + n, 32768 - n,
            "{\"acc\": \"%d.0\", \"checkpoint_path\": \"\", \"global_step\": "
            "\"%d\", \"timestamp\": %d.%d, \"trial\": \"1\"}\n",
            i, i, 1795219602 + i / 4, i % 4);
    if (bytes < n)
        text[bytes] = '\0';
    put(a, "output.metrics", "w", text);
    free(text);
}

START_TEST(the_rewritten_window_gives_each_record_once)
{
    struct attempt a;
    unsigned draw = 1;

    begin(&a, NULL);
    for (int newest = 0; newest < 2000;) {
        draw = draw * 1664525 + 1013904223; /* any sequence will do */
        rewrite(&a, newest, (draw >> 8) % 12000);
        poll_all(&a, false);
        if (draw >> 28 == 0)
            reopen(&a);
        rewrite(&a, newest, SIZE_MAX);
        poll_all(&a, false);
        expect_count(&a, (size_t)newest + 1);
        newest += 1 + (int)((draw >> 16) % 90);
    }
    reopen(&a);
    poll_all(&a, true);
    ck_assert_int_eq(a.newest.step, (int64_t)a.n - 1);
    end(&a);
}
END_TEST

START_TEST(a_restarted_trainer_begins_a_new_window)
{
    struct attempt a;

    begin(&a, NULL);
    put(&a, "output.metrics", "w",
        "{\"acc\": \"0\", \"timestamp\": 100.5}\n"
        "{\"acc\": \"1\", \"timestamp\": 101.5}\n");
    poll_all(&a, false);
    put(&a, "output.metrics", "w", "");
    poll_all(&a, false);
    put(&a, "output.metrics", "w", "{\"acc\": \"2\", \"timestamp\": 200}\n");
    reopen(&a);
    poll_all(&a, false);
    poll_all(&a, true);
    expect_count(&a, 3);
    end(&a);
}
END_TEST

START_TEST(a_window_that_grew_without_end_is_read_too)
{
    struct attempt a;
    FILE *out;
    int i = 0;

    begin(&a, NULL);
    for (int round = 0; round < 4; round++) {
        out = fopen(path_of(&a, "output.metrics"), "a");
        ck_assert_ptr_nonnull(out);
        for (int k = 0; k < 15000; k++, i++)
            fprintf(out, "{\"acc\": \"%d\", \"timestamp\": %d.5}\n", i, 1 + i);
        fclose(out);
        poll_all(&a, false);
        reopen(&a);
    }
    poll_all(&a, true);
    ck_assert_uint_eq(a.n, (size_t)i);
    for (size_t k = 0; k < a.n; k++)
        if (a.values[k] != (double)k)
            ck_abort_msg("%zu: %g", k, a.values[k]);
    end(&a);
}
END_TEST

START_TEST(printed_lines_and_progress_bars_are_scraped)
{
    struct attempt a;

    begin(&a, "epoch {step}.*acc={value}");
    put(&a, "stdout.log", "a", "start\nepoch 1 acc=0\nepoch 2");
    poll_all(&a, false);
    expect_count(&a, 1);
    put(&a, "stdout.log", "a", " acc=1\r\nepoch 3 acc=2\repoch 4 acc=3");
    poll_all(&a, false);
    expect_count(&a, 3);
    reopen(&a);
    poll_all(&a, true);
    expect_count(&a, 4);
    ck_assert_int_eq(a.newest.step, 4);
    ck_assert_str_eq(a.newest.metric, "acc");
    end(&a);
}
END_TEST

START_TEST(json_lines_of_the_trainer_are_read)
{
    struct attempt a;
    char lines[300];

    begin(&a, NULL);
    snprintf(lines, sizeof lines, "%s/lines", a.folder);
    a.spec.lines_file = lines;
    reopen(&a);
    put(&a, "lines", "w", "{\"step\": 3, \"acc\": 0, \"loss\": 1}\nhello\n");
    poll_all(&a, false);
    expect_count(&a, 2);
    ck_assert_int_eq(a.newest.step, 3);
    ck_assert_str_eq(a.newest.metric, "loss");
    end(&a);
}
END_TEST

START_TEST(a_fifo_or_a_folder_in_a_files_place_is_not_waited_on)
{
    struct attempt a;

    begin(&a, "acc={value}");
    ck_assert_int_eq(mkfifo(path_of(&a, "reports"), 0600), 0);
    ck_assert_int_eq(mkfifo(path_of(&a, "output.metrics"), 0600), 0);
    ck_assert_int_eq(mkdir(path_of(&a, "stdout.log"), 0700), 0);
    poll_all(&a, false);
    poll_all(&a, true);
    ck_assert_uint_eq(a.n, 0);
    ck_assert_int_eq(rmdir(path_of(&a, "stdout.log")), 0);
    end(&a);
}
END_TEST

START_TEST(marks_that_are_not_ours_are_refused)
{
    static const char *const bad[] = {"x", "1", "2 0 0 0 0 0 0 0 0 0 0 0 0 0",
                                      "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
                                      "1 -5 0 0 0 0 0 0 0 0 0 0 0 0"};
    struct follow_spec spec = {.folder = "/nowhere", .metric = "acc"};
    struct follow *f;
    struct err e;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(follow_open(&f, &spec, bad[i], &e) == -1, "%s", bad[i]);
        ck_assert_ptr_null(f);
    }
    ck_assert_int_eq(follow_open(&f, &spec, "", &e), 0);
    ck_assert_int_eq(follow_poll(f, true, hear, NULL), 0);
    follow_close(f);
    ck_assert_int_eq(follow_check_pattern("acc=(", &e), -1);
    ck_assert_int_eq(follow_check_pattern("acc={value}", &e), 0);
}
END_TEST

SUITE_WITHIN(240, "metrics/follow", half_a_line_waits_for_the_other_half,
             a_replaced_or_shortened_file_is_read_anew,
             a_line_of_ten_megabytes_is_passed_over,
             a_million_lines_come_in_bounded_bites,
             the_rewritten_window_gives_each_record_once,
             a_restarted_trainer_begins_a_new_window,
             a_window_that_grew_without_end_is_read_too,
             printed_lines_and_progress_bars_are_scraped,
             json_lines_of_the_trainer_are_read,
             a_fifo_or_a_folder_in_a_files_place_is_not_waited_on,
             marks_that_are_not_ours_are_refused)
