/* A job goes into a roster and comes out of it as it was. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/roster.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/suite.h"

static char *argv[] = {"python", "train.py", "--x=1\n2", "", "name=b", NULL};
static char *env[] = {"A=", "TF_CONFIG={\"a\": \"=\"}", "name=worker-9", NULL};
static char *none[] = {NULL};

static struct job_replica replicas[] = {
    {.name = "master-0",
     .folder = "/s/1/1",
     .workdir = "/home/a b",
     .argv = argv,
     .environ_ = env,
     .memory = INT64_C(68719476736),
     .cpus = 0.25},
    {.name = "worker-0",
     .folder = "/s/1/1/worker-0",
     .workdir = "/",
     .argv = argv,
     .environ_ = none},
};
static const struct job job = {.replicas = replicas, .n_replicas = 2};
static const struct cage_places places = {
    .memory = {.how = CAGE_V2, .folder = "/sys/fs/cgroup/a b"},
    .cpus = {.how = CAGE_NONE}};

static void expect_words(char *const *got, char *const *wanted)
{
    size_t i = 0;

    for (; wanted[i]; i++)
        ck_assert_str_eq(got[i], wanted[i]);
    ck_assert_ptr_null(got[i]);
}

START_TEST(what_is_written_is_read)
{
    int fd = roster_write(&job, &places);
    struct roster r;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(roster_read(&r, fd), 0);
    ck_assert_uint_eq(r.n, 2);
    ck_assert_int_eq(r.places.memory.how, CAGE_V2);
    ck_assert_str_eq(r.places.memory.folder, "/sys/fs/cgroup/a b");
    ck_assert_int_eq(r.places.cpus.how, CAGE_NONE);
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(r.replicas[i].name, replicas[i].name);
        ck_assert_str_eq(r.replicas[i].folder, replicas[i].folder);
        ck_assert_str_eq(r.replicas[i].workdir, replicas[i].workdir);
        ck_assert_int_eq(r.replicas[i].memory, replicas[i].memory);
        ck_assert_double_eq(r.replicas[i].cpus, replicas[i].cpus);
        expect_words(r.replicas[i].argv, argv);
        expect_words(r.replicas[i].environ_, i ? none : env);
    }
    roster_clear(&r);
    close(fd);
}
END_TEST

START_TEST(what_is_cut_off_or_no_roster_is_refused)
{
    int fd = roster_write(&job, &places);
    struct roster r;
    off_t whole;

    ck_assert_int_ge(fd, 0);
    whole = lseek(fd, 0, SEEK_END);
    for (off_t n = 0; n < whole; n++) {
        int part = roster_write(&job, &places);

        ck_assert_int_eq(ftruncate(part, n), 0);
        if (!roster_read(&r, part)) /* cut where a word may end */
            ck_assert_uint_gt(r.n, 0);
        roster_clear(&r);
        close(part);
    }
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    ck_assert_int_eq(roster_read(&r, fd), -1);
    ck_assert_int_eq(errno, EINVAL);
    roster_clear(&r);
    close(fd);
    ck_assert_int_eq(roster_read(&r, -1), -1);
    roster_clear(&r);
}
END_TEST

SUITE("trials/roster", what_is_written_is_read,
      what_is_cut_off_or_no_roster_is_refused)
