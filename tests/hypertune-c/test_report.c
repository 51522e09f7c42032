/* A report is one line, whoever else writes, and never harms the trainer. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "hypertune-c/include/hypertune.h"
#include "tests/hypertune-c/folder.h"
#include "tests/lib/suite.h"

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

/* Reports once and checks that the line begins and ends with these texts. */
static void expect_line(const char *metric, double value, const char *begins,
                        const char *ends)
{
    struct folder f;
    hypertune *h;
    char *line;

    folder_make(&f);
    setenv("CLOUD_ML_TRIAL_ID", "7", 1);
    ck_assert_int_eq(hypertune_open(&h), 0);
    ck_assert_int_eq(hypertune_report(h, metric, value, 3), 0);
    hypertune_close(h);
    line = folder_read(f.reports);
    ck_assert_uint_eq(count(line, "\n"), 1);
    ck_assert_msg(strncmp(line, begins, strlen(begins)) == 0, "%s\n%s", line,
                  begins);
    ck_assert_uint_ge(strlen(line), strlen(ends));
    ck_assert_str_eq(line + strlen(line) - strlen(ends), ends);
    free(line);
    folder_drop(&f);
}

START_TEST(a_line_is_what_python_writes_and_a_sequence)
{
    expect_line("acc", 0.1 + 0.2,
                "{\"acc\": \"0.30000000000000004\", \"checkpoint_path\": "
                "\"\", \"global_step\": \"3\", \"sequence\": \"",
                ", \"trial\": \"7\"}\n");
    expect_line("val", 1, "{\"checkpoint_path\": \"\", \"global_step\": \"3\"",
                ", \"trial\": \"7\", \"val\": \"1.0\"}\n");
    expect_line(NULL, 2, "{\"checkpoint_path\": \"\"",
                "\"training/hptuning/metric\": \"2.0\", \"trial\": \"7\"}\n");
    expect_line("", 2, "{\"checkpoint_path\": \"\"",
                "\"training/hptuning/metric\": \"2.0\", \"trial\": \"7\"}\n");
}
END_TEST

START_TEST(a_metric_named_like_a_fixed_key_takes_its_place)
{
    expect_line("trial", 5, "{\"checkpoint_path\"", ", \"trial\": \"5.0\"}\n");
    expect_line("sequence", 5,
                "{\"checkpoint_path\": \"\", \"global_step\": \"3\", "
                "\"sequence\": \"5.0\", \"timestamp\": ",
                ", \"trial\": \"7\"}\n");
}
END_TEST

START_TEST(values_print_as_python_prints_floats)
{
    static const struct {
        double x;
        const char *text;
    } rows[] = {
        {0.5, "0.5"},
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {-12.25, "-12.25"},
        {1e-7, "1e-07"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {0.00012345, "0.00012345"},
        {123456789, "123456789.0"},
        {1e15, "1000000000000000.0"},
        {9007199254740992, "9007199254740992.0"},
        {1e16, "1e+16"},
        {1.5e22, "1.5e+22"},
        {1e100, "1e+100"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char begins[80];

        snprintf(begins, sizeof begins, "{\"a\": \"%s\", \"che", rows[i].text);
        expect_line("a", rows[i].x, begins, "}\n");
    }
}
END_TEST

START_TEST(names_are_ascii_json_whatever_they_are_made_of)
{
    expect_line("a\"b\\c\n\x01\x7f", 1,
                "{\"a\\\"b\\\\c\\n\\u0001\\u007f\": \"1.0\", ", "}\n");
    expect_line("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 1,
                "{\"checkpoint_path\"",
                "\"\\u00e9\\u20ac\\ud83d\\ude00\": \"1.0\"}\n");
    expect_line("a\xff\xc0\xaf\xed\xa0\x80z", 1,
                "{\"a\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdz\": ", "}\n");
}
END_TEST

START_TEST(a_long_name_is_cut_between_characters)
{
    char name[1000], begins[260];

    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    memcpy(name + 254, "\xc3\xa9", 2);
    snprintf(begins, sizeof begins, "{\"%.254s\": ", name);
    expect_line(name, 1, begins, "}\n");
}
END_TEST

START_TEST(outside_a_trial_nothing_happens)
{
    hypertune *h;

    forget_trial();
    errno = 77;
    ck_assert_int_eq(hypertune_open(&h), 0);
    ck_assert_ptr_nonnull(h);
    ck_assert_int_eq(hypertune_report(h, "a", 1, 1), 0);
    ck_assert_int_eq(hypertune_should_stop(h), 0);
    hypertune_close(h);
    ck_assert_int_eq(errno, 77);
    ck_assert_int_eq(hypertune_report(NULL, "a", 1, 1), 0);
    ck_assert_int_eq(hypertune_should_stop(NULL), 0);
    hypertune_close(NULL);
}
END_TEST

static void refused(const char *path)
{
    hypertune *h = (hypertune *)&h;

    forget_trial();
    setenv("HYPERTUNE_REPORT_FILE", path, 1);
    errno = 77;
    ck_assert_msg(hypertune_open(&h) == -1, "%s", path);
    ck_assert_ptr_null(h);
    ck_assert_int_eq(errno, 77);
}

START_TEST(what_is_no_plain_file_or_not_ours_is_refused_at_once)
{
    struct folder f;

    folder_make(&f);
    ck_assert_int_eq(mkfifo(f.reports, 0600), 0);
    refused(f.reports);
    unlink(f.reports);
    refused(f.path);
    refused("/dev/null");
    refused("/dev/full");
    refused("/nowhere/at/all");
    if (geteuid() != 0) {
        ck_assert_int_eq(chmod(f.path, 0500), 0);
        refused(f.reports);
        ck_assert_int_eq(chmod(f.path, 0700), 0);
    }
    folder_drop(&f);
}
END_TEST

enum { THREADS = 8, EACH = 500, ALL = THREADS * EACH };

static void *report_many(void *h)
{
    for (int i = 0; i < EACH; i++)
        if (hypertune_report(h, "loss", i, i) != 0)
            return h;
    return NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every line is whole, there are n of them, and no sequence comes twice. */
static void expect_whole(char *text, size_t n)
{
    char **sequences = calloc(n, sizeof *sequences), *rest = text;
    size_t found = 0;

    for (char *line; (line = strsep(&rest, "\n")) && *line; found++) {
        char *sequence = strstr(line, "\"sequence\": \"");

        ck_assert_uint_lt(found, n);
        ck_assert(strncmp(line, "{\"checkpoint_path", 17) == 0);
        ck_assert_ptr_nonnull(strstr(line, "\"trial\": \"0\"}"));
        ck_assert_ptr_nonnull(sequence);
        sequence[strcspn(sequence + 13, "\"") + 13] = '\0';
        sequences[found] = sequence + 13;
    }
    ck_assert_uint_eq(found, n);
    qsort(sequences, n, sizeof *sequences, by_text);
    for (size_t i = 1; i < n; i++)
        ck_assert_str_ne(sequences[i - 1], sequences[i]);
    free(sequences);
}

START_TEST(threads_write_whole_lines)
{
    struct folder f;
    pthread_t threads[THREADS];
    hypertune *h;
    char *text;

    folder_make(&f);
    ck_assert_int_eq(hypertune_open(&h), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, report_many, h), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = h;

        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    hypertune_close(h);
    text = folder_read(f.reports);
    expect_whole(text, ALL);
    free(text);
    folder_drop(&f);
}
END_TEST

static void join(pid_t child)
{
    int status = -1;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

START_TEST(children_write_beside_their_parent)
{
    struct folder f;
    pid_t children[4];
    hypertune *h;
    char *text;

    folder_make(&f);
    ck_assert_int_eq(hypertune_open(&h), 0);
    ck_assert_int_eq(hypertune_report(h, "loss", 1, 1), 0);
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(report_many(h) ? 1 : 0);
    }
    ck_assert_ptr_null(report_many(h));
    for (int i = 0; i < 4; i++)
        join(children[i]);
    hypertune_close(h);
    text = folder_read(f.reports);
    expect_whole(text, 1 + 5 * (size_t)EACH);
    free(text);
    folder_drop(&f);
}
END_TEST

START_TEST(a_descriptor_that_is_another_file_now_is_left_alone)
{
    struct folder f;
    char other[320], *text;
    hypertune *h;
    int fd;

    folder_make(&f);
    snprintf(other, sizeof other, "%s/other", f.path);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* the number h will have */
    close(fd);
    ck_assert_int_eq(hypertune_open(&h), 0);
    ck_assert_int_eq(close(fd), 0);
    ck_assert_int_eq(open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600), fd);
    ck_assert_int_eq(hypertune_report(h, "loss", 1, 1), 0);
    hypertune_close(h);
    ck_assert_int_eq(close(fd), 0);
    text = folder_read(other);
    ck_assert_str_eq(text, "");
    free(text);
    text = folder_read(f.reports);
    expect_whole(text, 1);
    free(text);
    unlink(other);
    folder_drop(&f);
}
END_TEST

/* In a child, because Check writes files too: reports five times under a limit
 * that leaves room for half a line. */
static int report_at_limit(hypertune *h, const char *path)
{
    struct rlimit limit;
    struct stat st;

    if (stat(path, &st) < 0 || getrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 1;
    limit.rlim_cur = (rlim_t)st.st_size + 100;
    if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 2;
    errno = 77;
    for (int i = 0; i < 5; i++)
        if (hypertune_report(h, "loss", 2, 2) != -1 || errno != 77)
            return 3;
    return 0;
}

/* SIGXFSZ keeps its deadly default. */
START_TEST(a_limit_on_file_sizes_fails_the_report_and_spares_the_trainer)
{
    struct folder f;
    hypertune *h;
    char *text;
    pid_t child;

    folder_make(&f);
    ck_assert_int_eq(hypertune_open(&h), 0);
    ck_assert_int_eq(hypertune_report(h, "loss", 1, 1), 0);
    child = fork();
    if (child == 0)
        _exit(report_at_limit(h, f.reports));
    join(child);
    ck_assert_int_eq(hypertune_report(h, "loss", 3, 3), 0);
    hypertune_close(h);
    text = folder_read(f.reports);
    expect_whole(text, 2);
    free(text);
    folder_drop(&f);
}
END_TEST

/* A disk with room for so many bytes, then full; stands in for libc's write
 * in this program. */
static ssize_t disk_room = -1;

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (disk_room == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (disk_room > 0 && n > (size_t)disk_room)
        n = (size_t)disk_room;
    if (disk_room > 0)
        disk_room -= (ssize_t)n;
    return syscall(SYS_write, fd, bytes, n);
}

START_TEST(after_a_full_disk_the_half_line_spoils_no_other)
{
    struct folder f;
    hypertune *h;
    char *text;

    folder_make(&f);
    ck_assert_int_eq(hypertune_open(&h), 0);
    disk_room = 10;
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(hypertune_report(h, "loss", 2, 2), -1);
    disk_room = -1;
    ck_assert_int_eq(hypertune_report(h, "loss", 3, 3), 0);
    ck_assert_int_eq(hypertune_report(h, "loss", 4, 4), 0);
    hypertune_close(h);
    text = folder_read(f.reports);
    ck_assert(strncmp(text, "{\"checkpoi\n{\"checkpoint_path\"", 29) == 0);
    expect_whole(text + 11, 2);
    free(text);
    folder_drop(&f);
}
END_TEST

START_TEST(under_another_tuner_the_python_file_is_appended_to)
{
    static const char begins[] = "{\"checkpoint_path\": \"\", \"global_step\": "
                                 "\"0\", \"loss\": \"1.0\", \"timestamp\": ";
    struct folder f;
    char path[320], inner[320], *text;
    hypertune *h;

    folder_make(&f);
    forget_trial();
    snprintf(inner, sizeof inner, "%s/deep", f.path);
    snprintf(path, sizeof path, "%s/deep/output.metrics", f.path);
    setenv("CLOUD_ML_HP_METRIC_FILE", path, 1);
    ck_assert_int_eq(hypertune_open(&h), 0);
    ck_assert_int_eq(hypertune_report(h, "loss", 1, -1), 0);
    hypertune_close(h);
    text = folder_read(path);
    ck_assert_msg(strncmp(text, begins, strlen(begins)) == 0, "%s", text);
    free(text);
    unlink(path);
    rmdir(inner);
    folder_drop(&f);
}
END_TEST

SUITE_WITHIN(240, "hypertune-c/report",
             a_line_is_what_python_writes_and_a_sequence,
             a_metric_named_like_a_fixed_key_takes_its_place,
             values_print_as_python_prints_floats,
             names_are_ascii_json_whatever_they_are_made_of,
             a_long_name_is_cut_between_characters,
             outside_a_trial_nothing_happens,
             what_is_no_plain_file_or_not_ours_is_refused_at_once,
             threads_write_whole_lines, children_write_beside_their_parent,
             a_descriptor_that_is_another_file_now_is_left_alone,
             a_limit_on_file_sizes_fails_the_report_and_spares_the_trainer,
             after_a_full_disk_the_half_line_spoils_no_other,
             under_another_tuner_the_python_file_is_appended_to)
