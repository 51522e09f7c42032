/* Processors and memory, as far as pretended control groups allow. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/machine.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static char root[64];

static void begin(void)
{
    snprintf(root, sizeof root, "/tmp/hypertune-machine-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void end(void)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below the pretended root, with the folders above it. */
static void put(const char *path, const char *text)
{
    char *full = mem_format("%s%s", root, path);
    FILE *f;

    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    f = fopen(full, "we");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
    free(full);
}

START_TEST(without_control_groups_all_of_it_may_be_had)
{
    begin();
    ck_assert_int_ge(machine_processors(root), 1);
    ck_assert_int_eq(machine_memory(root),
                     (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    end();
}
END_TEST

START_TEST(the_least_limit_from_ours_upwards_counts)
{
    begin();
    put("/proc/self/cgroup", "0::/user.slice/me.scope\n");
    put("/sys/fs/cgroup/user.slice/me.scope/memory.max", "max\n");
    put("/sys/fs/cgroup/user.slice/memory.max", "1048576\n");
    put("/sys/fs/cgroup/user.slice/me.scope/cpu.max", "100000 100000\n");
    ck_assert_int_eq(machine_memory(root), 1048576);
    ck_assert_int_eq(machine_processors(root), 1);
    end();
}
END_TEST

START_TEST(half_a_processor_is_one)
{
    begin();
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    ck_assert_int_eq(machine_processors(root), 1);
    end();
}
END_TEST

START_TEST(a_container_sees_its_own_group_as_the_root)
{
    begin();
    put("/proc/self/cgroup", "0::/docker/0123456789ab\n");
    put("/sys/fs/cgroup/memory.max", "2097152\n");
    ck_assert_int_eq(machine_memory(root), 2097152);
    end();
}
END_TEST

START_TEST(groups_of_the_first_version_are_read_too)
{
    begin();
    put("/proc/self/cgroup", "9:name=systemd:/x\n5:cpu,cpuacct:/job\n"
                             "4:memory:/job\n");
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3145728\n");
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    ck_assert_int_eq(machine_memory(root), 3145728);
    ck_assert_int_eq(machine_processors(root), 1);
    end();
}
END_TEST

SUITE("trials/machine", without_control_groups_all_of_it_may_be_had,
      the_least_limit_from_ours_upwards_counts, half_a_processor_is_one,
      a_container_sees_its_own_group_as_the_root,
      groups_of_the_first_version_are_read_too)
