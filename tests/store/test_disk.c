/* The state's folder is made, and not on a network disk. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/disk.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/suite.h"

START_TEST(a_folder_is_made_with_its_parents_for_its_owner_only)
{
    char top[] = "/tmp/hypertune-disk-XXXXXX", path[64], parent[64];
    struct stat st;
    struct err e;

    ck_assert_ptr_nonnull(mkdtemp(top));
    snprintf(parent, sizeof parent, "%s/a", top);
    snprintf(path, sizeof path, "%s/a//b/", top);
    ck_assert_int_eq(disk_make_folder(path, &e), 0);
    ck_assert_int_eq(disk_make_folder(path, &e), 0);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0700);
    ck_assert_int_eq(stat(parent, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0700);
    rmdir(path);
    rmdir(parent);
    rmdir(top);
}
END_TEST

START_TEST(a_folder_that_is_there_keeps_its_mode)
{
    char top[] = "/tmp/hypertune-disk-XXXXXX";
    struct stat st;
    struct err e;

    ck_assert_ptr_nonnull(mkdtemp(top));
    ck_assert_int_eq(chmod(top, 0750), 0);
    ck_assert_int_eq(disk_make_folder(top, &e), 0);
    ck_assert_int_eq(stat(top, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0750);
    rmdir(top);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named)
{
    char file[] = "/tmp/hypertune-disk-XXXXXX", path[64];
    struct err e = {0};

    close(mkstemp(file));
    snprintf(path, sizeof path, "%s/below", file);
    ck_assert_int_eq(disk_make_folder(path, &e), -1);
    ck_assert_int_eq(e.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, "is a file, not a folder"));
    ck_assert_int_eq(disk_make_folder("/proc/hypertune", &e), -1);
    ck_assert_int_eq(e.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, "/proc/hypertune"));
    ck_assert_int_eq(disk_make_folder("", &e), -1);
    unlink(file);
}
END_TEST

START_TEST(network_file_systems_are_known_by_their_numbers)
{
    ck_assert_str_eq(disk_network_name(0x6969), "NFS");
    ck_assert_str_eq(disk_network_name(0xFF534D42), "CIFS");
    ck_assert_str_eq(disk_network_name((unsigned long)(int)0xFF534D42), "CIFS");
    ck_assert_str_eq(disk_network_name(0x0BD00BD0), "Lustre");
    ck_assert_ptr_null(disk_network_name(0xEF53));     /* ext4 */
    ck_assert_ptr_null(disk_network_name(0x01021994)); /* tmpfs */
}
END_TEST

START_TEST(a_place_that_is_not_there_is_left_to_whoever_opens_it)
{
    struct err e;

    ck_assert_int_eq(disk_check_local("/nowhere/at/all.db", &e), 0);
    ck_assert_int_eq(disk_check_local("plain.db", &e), 0);
    ck_assert_int_eq(disk_check_local("/plain.db", &e), 0);
}
END_TEST

SUITE("store/disk", a_folder_is_made_with_its_parents_for_its_owner_only,
      a_folder_that_is_there_keeps_its_mode,
      a_folder_that_cannot_be_made_is_named,
      network_file_systems_are_known_by_their_numbers,
      a_place_that_is_not_there_is_left_to_whoever_opens_it)
