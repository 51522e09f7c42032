/* Image maps are read strictly and found by name. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/image_map.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"

START_TEST(the_first_entry_that_fits_counts)
{
    static const char file[] = "a/b:1: [one]\n"
                               "a/*: {prefix: [two], workdir: here}\n"
                               "'*': {entrypoint: [three], workdir: /abs}\n";
    struct image_map m;
    struct err e;

    ck_assert_int_eq(
        image_map_read(&m, file, strlen(file), "images.yaml", "/base", &e), 0);
    ck_assert_str_eq(image_map_find(&m, "a/b:1")->prefix->items[0].value->text,
                     "one");
    ck_assert_str_eq(image_map_find(&m, "a/b:2")->workdir, "/base/here");
    ck_assert_str_eq(image_map_find(&m, "c")->workdir, "/abs");
    ck_assert_ptr_null(image_map_find(&m, "c")->prefix);
    image_map_clear(&m);
    ck_assert_uint_eq(m.n, 0);
}
END_TEST

START_TEST(a_wrong_map_is_refused_with_its_place)
{
    static const struct {
        const char *file, *says;
    } rows[] = {
        {"[a, b]", "an image map is a map"},
        {"a: b", "images.yaml:1:4: a: write the words"},
        {"a: []", "write the words"},
        {"a: {}", "nothing is said"},
        {"a: {prefix: x}", "lists of words"},
        {"a: {entrypoint: [[x]]}", "lists of words"},
        {"a: {workdir: [x]}", "workdir must be a folder"},
        {"a: {env: [x]}", "env must be a map"},
        {"a: {prefix: [x], env: {b: [c]}}", "env must be a map"},
        {"a: {cmd: [x]}", "no other key"},
        {"a: {prefix: [x]\n", "images.yaml:"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct image_map m;
        struct err e;

        ck_assert_int_eq(image_map_read(&m, rows[i].file, strlen(rows[i].file),
                                        "images.yaml", "/base", &e),
                         -1);
        ck_assert_msg(strstr(e.text, rows[i].says), "row %zu says: %s", i,
                      e.text);
    }
}
END_TEST

SUITE("study/image_map", the_first_entry_that_fits_counts,
      a_wrong_map_is_refused_with_its_place)
