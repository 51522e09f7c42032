/* Trials find the command line, whatever PATH the service was given. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/path.h"

#include <check.h>
#include <stdlib.h>

#include "tests/lib/suite.h"

START_TEST(the_folder_stands_once_and_last)
{
    static const struct {
        const char *path, *with;
    } rows[] = {
        {"/bin:/usr/bin", "/bin:/usr/bin:/opt/ht"},
        {"/opt/ht", NULL},
        {"/opt/ht:/bin", NULL},
        {"/bin:/opt/ht:/usr/bin", NULL},
        {"/bin:/opt/ht", NULL},
        {"/opt/htx:/x/opt/ht", "/opt/htx:/x/opt/ht:/opt/ht"},
        {":", "::/opt/ht"},
        {"", "/usr/local/bin:/usr/bin:/bin:/opt/ht"},
        {NULL, "/usr/local/bin:/usr/bin:/bin:/opt/ht"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *with = path_with(rows[i].path, "/opt/ht");

        ck_assert_pstr_eq(with, rows[i].with);
        free(with);
    }
}
END_TEST

SUITE("service/path", the_folder_stands_once_and_last)
