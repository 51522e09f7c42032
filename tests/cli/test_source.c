/* A study file is read whole, placed, and refused with every fault. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/source.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static char *folder;

/* A file of that text in a new folder. Yours to free. */
static char *file_of(const char *text)
{
    char *path;
    FILE *file;

    folder = mem_copy_text("/tmp/ht-src.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    path = mem_format("%s/s.yaml", folder);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    (void)fclose(file);
    return path;
}

static void remove_file(char *path)
{
    (void)unlink(path);
    (void)rmdir(folder);
    free(folder);
    free(path);
}

START_TEST(a_good_file_has_name_folder_and_study)
{
    static const char good[] = "study: s\nmaximize: a\nrun: ./t\n"
                               "params: {x: 0.0 .. 1.0}\n";
    char *path = file_of(good);
    char *dir = realpath(folder, NULL);
    struct source s;
    struct err e;

    ck_assert_int_eq(source_read(&s, path, &e), 0);
    ck_assert_str_eq(s.file, "s.yaml");
    ck_assert_str_eq(s.dir, dir);
    ck_assert_str_eq(s.study.name, "s");
    ck_assert_str_eq(text_str(&s.bytes), good);
    source_clear(&s);
    free(dir);
    remove_file(path);
}
END_TEST

START_TEST(a_wrong_file_is_refused_and_its_faults_are_told)
{
    char *path = file_of("study: s\nmaximize: a\nrun: ./t\n"
                         "params: {x: 2.0 .. 1.0}\n");
    char told[4096] = "";
    int before = dup(STDERR_FILENO);
    FILE *heard = tmpfile();
    struct source s;
    struct err e;

    ck_assert_ptr_nonnull(heard);
    (void)dup2(fileno(heard), STDERR_FILENO);
    ck_assert_int_eq(source_read(&s, path, &e), -1);
    (void)dup2(before, STDERR_FILENO);
    (void)close(before);
    rewind(heard);
    (void)!fread(told, 1, sizeof told - 1, heard);
    (void)fclose(heard);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_str_eq(e.text, "");
    ck_assert_int_eq(strncmp(told, path, strlen(path)), 0);
    ck_assert_int_eq(strncmp(told + strlen(path), ":4:", 3), 0);
    remove_file(path);
}
END_TEST

START_TEST(what_is_no_file_is_said_in_one_sentence)
{
    struct source s;
    struct err e;

    ck_assert_int_eq(source_read(&s, "/nowhere/s.yaml", &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(e.text, "/nowhere/s.yaml"));
    ck_assert_int_eq(source_read(&s, "/tmp", &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_str_eq(e.text, "/tmp is a folder, and a file is wanted");
}
END_TEST

SUITE("cli/source", a_good_file_has_name_folder_and_study,
      a_wrong_file_is_refused_and_its_faults_are_told,
      what_is_no_file_is_said_in_one_sentence)
