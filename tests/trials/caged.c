/* Limits of memory and processors, kept by this machine's real cgroups; where
 * none can be made, that is said and the rest is passed over. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/trials/lib/rig.h"
#include "trials/limits.h"

enum { MB = 1 << 20 };

/* Takes 300 MB of memory if it may. */
#define HOG "dd if=/dev/zero of=/dev/null bs=300M count=1"

static struct cage_places places;

static bool has_cgroups(void)
{
    limits_find(&places, "/proc/self", limits_systemd());
    if (places.memory.how == CAGE_PROCESS || places.cpus.how == CAGE_NONE)
        printf("passed over: no cgroups for memory and cpu can be made here\n");
    return places.memory.how != CAGE_PROCESS && places.cpus.how != CAGE_NONE;
}

/* The name of a cgroup that this job's shim made, or "". */
static const char *cage_of(const struct cage_place *p, pid_t shim)
{
    static char name[256];
    char *prefix = mem_format("hypertune-%d-", (int)shim);
    DIR *all = opendir(p->folder);
    const struct dirent *entry;

    name[0] = '\0';
    while (all && (entry = readdir(all)))
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            snprintf(name, sizeof name, "%s", entry->d_name);
    if (all)
        closedir(all);
    free(prefix);
    return name;
}

static void expect_no_cage(pid_t shim)
{
    ck_assert_str_eq(cage_of(&places.memory, shim), "");
    ck_assert_str_eq(cage_of(&places.cpus, shim), "");
}

static void expect_blame(const char *name, enum launcher_blame blame,
                         const char *replica)
{
    ck_assert_int_eq(last_of(name)->word, LAUNCHER_ENDED);
    ck_assert_int_eq(last_of(name)->blame, blame);
    ck_assert_str_eq(last_of(name)->replica, replica);
}

START_TEST(a_hog_is_killed_and_its_memory_blamed)
{
    const struct part parts[] = {
        {.name = "master-0", .script = "sleep 1000", .memory = 256 * MB},
        {.name = "worker-0", .script = "exec " HOG, .memory = 64 * MB}};

    if (!has_cgroups())
        return;
    setup();
    start_parts("1", parts, 2); /* killed itself */
    start_parts(
        "2", /* a program of its own is killed */
        (const struct part[]){
            {.name = "master-0", .script = HOG "; exit 7", .memory = 64 * MB}},
        1);
    start_parts(
        "3", /* killed for another reason */
        (const struct part[]){
            {.name = "master-0", .script = "kill -KILL $$", .memory = 64 * MB}},
        1);
    wait_for(3, 3);
    expect_blame("1", BLAME_MEMORY, "worker-0");
    ck_assert_int_eq(last_of("1")->signal_number, SIGKILL);
    expect_blame("2", BLAME_MEMORY, "");
    expect_end("3", -1, SIGKILL);
    for (int i = 1; i <= 3; i++) {
        char name[8];

        snprintf(name, sizeof name, "%d", i);
        expect_no_cage(shim_of(name));
    }
    teardown();
}
END_TEST

/* The number that a file of the job's cgroup holds. */
static void expect_in_cage(const struct cage_place *p, pid_t shim,
                           const char *v1, const char *v2, const char *in_v1,
                           const char *in_v2)
{
    bool second = p->how == CAGE_V2;
    char *path =
        mem_format("%s/%s/%s", p->folder, cage_of(p, shim), second ? v2 : v1);
    char text[64];

    ck_assert_msg(proc_file(path, text, sizeof text) > 0, "%s", path);
    ck_assert_str_eq(text, second ? in_v2 : in_v1);
    free(path);
}

START_TEST(limits_are_written_and_taken_away_at_the_end)
{
    const struct part parts[] = {{.name = "master-0",
                                  .script = "sleep 1000",
                                  .memory = 64 * MB,
                                  .cpus = 0.5}};
    pid_t shim;

    if (!has_cgroups())
        return;
    setup();
    start_parts("1", parts, 1);
    wait_for(0, 1);
    shim = shim_of("1");
    expect_in_cage(&places.memory, shim, "memory.limit_in_bytes", "memory.max",
                   "67108864\n", "67108864\n");
    expect_in_cage(&places.cpus, shim, "cpu.cfs_quota_us", "cpu.max", "50000\n",
                   "50000 100000\n");
    stop("1", false);
    wait_for(1, 1);
    expect_end("1", -1, SIGTERM);
    expect_no_cage(shim);
    teardown();
}
END_TEST

START_TEST(a_share_of_a_processor_is_all_that_a_trainer_gets)
{
    const struct part parts[] = {
        {.name = "master-0",
         .script = "timeout 2 sh -c 'while :; do :; done'; times >used",
         .cpus = 0.2}};
    const char *at;
    double user;

    if (!has_cgroups())
        return;
    setup();
    start_parts("1", parts, 1);
    wait_for(1, 1);
    /* The second line is of the children: 0mS.Fs of 2 s. */
    at = strchr(file_of("1", "used"), '\n');
    ck_assert_ptr_nonnull(at);
    at = strchr(at, 'm');
    ck_assert_ptr_nonnull(at);
    user = strtod(at + 1, NULL);
    ck_assert(user > 0 && user < 1);
    teardown();
}
END_TEST

START_TEST(cgroups_of_a_killed_shim_are_removed)
{
    const struct part parts[] = {
        {.name = "master-0", .script = "sleep 1000", .memory = 64 * MB},
        {.name = "worker-0",
         .script = "setsid sleep 1000 & echo $! >pid; wait",
         .memory = 64 * MB,
         .cpus = 1}};
    pid_t shim;

    if (!has_cgroups())
        return;
    setup();
    start_parts("1", parts, 2);
    wait_for(0, 1);
    shim = shim_of("1");
    pid_in("1", "worker-0/pid");
    launcher->type->close(launcher);
    ck_assert_str_ne(cage_of(&places.cpus, shim), "");
    kill(shim, SIGKILL);
    launcher = opened();
    watch(launcher, "1");
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    expect_no_cage(shim);
    teardown();
}
END_TEST

SUITE_WITHIN(240, "trials/caged", a_hog_is_killed_and_its_memory_blamed,
             limits_are_written_and_taken_away_at_the_end,
             a_share_of_a_processor_is_all_that_a_trainer_gets,
             cgroups_of_a_killed_shim_are_removed)
