/* The file by which a job's containers are found again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_mark.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static char folder[64];

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hypertune-mark-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    char *path = mem_format("%s/container", folder);

    unlink(path);
    free(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void put(const char *text)
{
    char *path = mem_format("%s/container", folder);
    FILE *f = fopen(path, "w");

    fputs(text, f);
    fclose(f);
    free(path);
}

static void make(struct container_mark *m)
{
    struct job_replica replicas[] = {
        {.name = "master-0", .folder = folder},
        {.name = "worker-0", .folder = "/a folder/worker-0"}};
    struct job job = {.name = "s/1/1",
                      .folder = folder,
                      .replicas = replicas,
                      .n_replicas = 2};

    container_mark_init(m, &job);
}

START_TEST(what_is_written_is_read)
{
    struct container_mark m, got;
    struct launcher_news end = {.word = LAUNCHER_ENDED,
                                .exit_code = -1,
                                .signal_number = 9,
                                .ran_ms = 1234,
                                .blame = BLAME_MEMORY,
                                .replica = "worker-0",
                                .text = "killed = for want of memory"};
    struct err e;

    setup();
    ck_assert(!container_mark_read(&got, folder));
    make(&m);
    ck_assert_int_eq(container_mark_write(&m, folder, &e), 0);
    ck_assert(container_mark_read(&got, folder));
    ck_assert_str_eq(got.id, m.id);
    ck_assert_uint_eq(got.n, 2);
    ck_assert_str_eq(got.parts[1].name, "worker-0");
    ck_assert_str_eq(got.parts[1].folder, "/a folder/worker-0");
    ck_assert(!got.ended);
    container_mark_clear(&got);

    container_mark_end(&m, &end);
    ck_assert_int_eq(container_mark_write(&m, folder, &e), 0);
    ck_assert(container_mark_read(&got, folder));
    ck_assert(got.ended);
    ck_assert_int_eq(got.end.word, LAUNCHER_ENDED);
    ck_assert_int_eq(got.end.exit_code, -1);
    ck_assert_int_eq(got.end.signal_number, 9);
    ck_assert_int_eq(got.end.ran_ms, 1234);
    ck_assert_int_eq(got.end.blame, BLAME_MEMORY);
    ck_assert_str_eq(got.end.replica, "worker-0");
    ck_assert_str_eq(got.end.text, "killed = for want of memory");
    container_mark_clear(&got);
    container_mark_clear(&got);
    container_mark_clear(&m);
    teardown();
}
END_TEST

START_TEST(two_jobs_have_two_ids)
{
    struct container_mark a, b;

    setup();
    make(&a);
    make(&b);
    ck_assert_str_ne(a.id, b.id);
    ck_assert_uint_eq(strlen(a.id), CONTAINER_ID - 1);
    container_mark_clear(&a);
    container_mark_clear(&b);
    teardown();
}
END_TEST

/* The job may write there: nothing of it may lead elsewhere. */
START_TEST(what_is_no_mark_is_not_read)
{
    static const char *const bad[] = {
        "",
        "id=0123456789ab\n",
        "replica=master-0 /x\n",
        "id=../../0123456\nreplica=master-0 /x\n",
        "id=0123456789ab\nreplica=../master /x\n",
        "id=0123456789ab\nreplica=master-0 x\n",
        "id=0123456789ab\nreplica=master-0\n",
        "id=0123456789ab\nreplica=master-0 /x\nend=strange 0 0\n",
        "id=0123456789ab\nreplica=master-0 /x\nend=ended\n"};
    struct container_mark m;

    setup();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(bad[i]);
        ck_assert_msg(!container_mark_read(&m, folder), "%s", bad[i]);
    }
    put("id=0123456789ab\nreplica=master-0 /x\nlater=yes\n");
    ck_assert(container_mark_read(&m, folder));
    container_mark_clear(&m);
    teardown();
}
END_TEST

START_TEST(a_folder_that_is_gone_is_told)
{
    struct container_mark m;
    struct err e = {0};

    setup();
    make(&m);
    ck_assert_int_eq(container_mark_write(&m, "/no/such/folder", &e), -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
    ck_assert_ptr_nonnull(strstr(e.text, "/no/such/folder"));
    container_mark_clear(&m);
    teardown();
}
END_TEST

SUITE("container/container_mark", what_is_written_is_read,
      two_jobs_have_two_ids, what_is_no_mark_is_not_read,
      a_folder_that_is_gone_is_told)
