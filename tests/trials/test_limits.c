/* Where limits are looked for, on folders that look like a machine's cgroups.
 * The folder of the probe is there already, with the files that a kernel would
 * put into it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/limits.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static char root[64];
static struct cage_places places;

static void setup(void)
{
    snprintf(root, sizeof root, "/tmp/hypertune-limits-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
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
    ck_assert_int_eq(nftw(root, remove_it, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(const char *folder, const char *file, const char *text)
{
    char *path = mem_format("%s%s/%s", root, folder, file);
    FILE *f = fopen(path, "we");

    ck_assert_msg(f != NULL, "%s", path);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
    free(path);
}

static void folder(const char *name)
{
    char *path = mem_format("%s%s", root, name);

    ck_assert_int_eq(mkdir(path, 0700), 0);
    free(path);
}

/* A folder in which groups with that file can be made. */
static void good_place(const char *name, const char *file)
{
    char *probe = mem_format("%s/hypertune-probe-%d", name, (int)getpid());

    if (*name)
        folder(name);
    folder(probe);
    put(probe, file, "");
    free(probe);
}

/* A line of mountinfo, with the path in place of %s. */
static void mounts(const char *format)
{
    char *text = mem_format(format, root, root);

    put("", "mountinfo", text);
    free(text);
}

static void expect(const struct cage_place *p, enum cage_how how,
                   const char *name)
{
    char *path = mem_format("%s%s", root, name);

    ck_assert_int_eq(p->how, how);
    if (how == CAGE_V1 || how == CAGE_V2)
        ck_assert_str_eq(p->folder, path);
    free(path);
}

static void find(bool systemd)
{
    limits_find(&places, root, systemd);
}

START_TEST(version_1_is_found_below_the_own_group)
{
    setup();
    mounts("31 23 0:28 / %s rw - tmpfs tmpfs rw\n"
           "35 31 0:32 / %s rw,relatime shared:9 - cgroup cgroup rw,memory\n");
    put("", "cgroup",
        "5:cpu,cpuacct:/\n4:memory:/a/b\n1:name=systemd:/x\n0::/\n");
    folder("/a");
    good_place("/a/b", "memory.limit_in_bytes");
    find(true);
    expect(&places.memory, CAGE_V1, "/a/b");
    expect(&places.cpus, CAGE_NONE, "");
    teardown();
}
END_TEST

START_TEST(a_container_sees_its_part_of_version_1)
{
    setup();
    mounts("35 31 0:32 /docker/1f %s ro - cgroup cgroup rw,cpu,cpuacct\n");
    put("", "cgroup", "4:memory:/docker/1f\n3:cpuacct,cpu:/docker/1f\n");
    good_place("", "cpu.cfs_quota_us");
    find(false);
    expect(&places.cpus, CAGE_V1, "");
    expect(&places.memory, CAGE_PROCESS, "");
    teardown();
}
END_TEST

/* The service is in /u/service. */
static void second(void)
{
    setup();
    mounts("30 23 0:26 / %s rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
    put("", "cgroup", "0::/u/service\n");
    good_place("/u", "memory.max");
    folder("/u/service");
    put("/u", "cgroup.procs", "");
    put("/u", "cgroup.controllers", "cpuset memory pids\n");
}

START_TEST(version_2_is_found_beside_the_own_group_where_it_was_delegated)
{
    char *path;

    second();
    path = mem_format("%s/u", root);
    put("/u", "cgroup.subtree_control", "cpuset cpu io memory pids\n");
    find(true);
    expect(&places.memory, CAGE_PROCESS, "");
    find(false);
    expect(&places.memory, CAGE_V2, "/u");
    expect(&places.cpus, CAGE_NONE, "");
    if (setxattr(path, "user.delegate", "1", 1, 0)) {
        printf("passed over: no attributes of files in /tmp\n");
    } else {
        find(true);
        expect(&places.memory, CAGE_V2, "/u");
    }
    free(path);
    teardown();
}
END_TEST

START_TEST(a_controller_is_switched_on_where_it_is_not)
{
    char text[64] = "";
    char *path;
    FILE *f;

    second();
    path = mem_format("%s/u/cgroup.subtree_control", root);
    put("/u", "cgroup.subtree_control", "\n");
    find(false);
    expect(&places.memory, CAGE_V2, "/u");
    f = fopen(path, "re");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(text[0], '+');
    free(path);
    teardown();
}
END_TEST

START_TEST(nobody_is_moved_in_a_container_that_has_no_controllers)
{
    char *path;

    setup();
    mounts("30 23 0:26 / %s rw,nosuid - cgroup2 cgroup2 rw\n");
    put("", "cgroup", "0::/\n");
    put("", "cgroup.type", "domain\n");
    put("", "cgroup.procs", "1\n");
    put("", "cgroup.controllers", "pids\n");
    put("", "cgroup.subtree_control", "\n");
    path = mem_format("%s/hypertune-service", root);
    find(false);
    expect(&places.memory, CAGE_PROCESS, "");
    ck_assert_int_eq(access(path, F_OK), -1);
    free(path);
    teardown();
}
END_TEST

START_TEST(a_service_whose_own_group_is_delegated_stays_out_of_it)
{
    char *path;

    second();
    put("", "cgroup", "0::/u\n"); /* other services may have to follow us */
    put("/u", "cgroup.subtree_control", "memory\n");
    path = mem_format("%s/u", root);
    (void)setxattr(path, "user.delegate", "1", 1, 0);
    find(true);
    expect(&places.memory, CAGE_PROCESS, "");
    free(path);
    teardown();
}
END_TEST

START_TEST(odd_files_lead_nowhere)
{
    static const char *const texts[] = {
        "",
        "\n",
        ":",
        "::\n:\n",
        "0::",
        "4:memory:",
        "1 2 - cgroup2 x y",
        "- - - - - - - -\n",
        "4:memory:/\n35 31 0:32 / - cgroup cgroup memory"};

    setup();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put("", "cgroup", texts[i]);
        put("", "mountinfo", texts[i]);
        find(false);
        expect(&places.memory, CAGE_PROCESS, "");
        expect(&places.cpus, CAGE_NONE, "");
    }
    limits_find(&places, "/no/such/folder", true);
    expect(&places.memory, CAGE_PROCESS, "");
    teardown();
}
END_TEST

SUITE("trials/limits", version_1_is_found_below_the_own_group,
      a_container_sees_its_part_of_version_1,
      version_2_is_found_beside_the_own_group_where_it_was_delegated,
      a_controller_is_switched_on_where_it_is_not,
      nobody_is_moved_in_a_container_that_has_no_controllers,
      a_service_whose_own_group_is_delegated_stays_out_of_it,
      odd_files_lead_nowhere)
