/* A glance finds what stands at the top of an object, and only that. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "face/glance.h"
#include "tests/lib/suite.h"

static char *found(const char *json, const char *key)
{
    struct glance g = {.key = key};

    if (!glance(json, &g, 1))
        return NULL;
    return mem_copy_bytes(g.value, g.n);
}

static void check_value(const char *json, const char *key, const char *value)
{
    char *got = found(json, key);

    ck_assert_pstr_eq(got, value);
    free(got);
}

START_TEST(values_are_found_as_they_are_written)
{
    static const char json[] = "{\n\"a\": \"x \\\"}, \\\\\", \n\"b\" : [1, "
                               "{\"c\": 2}] ,\"d\": -1e3}\n";

    check_value(json, "a", "\"x \\\"}, \\\\\"");
    check_value(json, "b", "[1, {\"c\": 2}]");
    check_value(json, "d", "-1e3");
}
END_TEST

START_TEST(what_lies_deeper_is_not_found)
{
    check_value("{\"p\": {\"trials\": 3}, \"q\": \"\\\"trials\\\": 4\"}",
                "trials", NULL);
    check_value("{\"trialsx\": 3, \"tria\": 4}", "trials", NULL);
}
END_TEST

START_TEST(several_keys_are_found_in_one_go)
{
    struct glance g[] = {{.key = "z"}, {.key = "a"}, {.key = "none"}};

    ck_assert_uint_eq(glance("{\"a\": 1, \"z\": 22}", g, 3), 2);
    ck_assert_uint_eq(g[0].n, 2);
    ck_assert_uint_eq(g[1].n, 1);
    ck_assert_ptr_null(g[2].value);
}
END_TEST

START_TEST(broken_text_ends_the_search)
{
    static const char whole[] = "{\"a\": {\"b\": [\"\\\"\", 1]}, \"c\": \"d\"}";

    check_value("", "a", NULL);
    check_value("[1]", "a", NULL);
    check_value("{}", "a", NULL);
    check_value("{\"a\"", "a", NULL);
    check_value("{\"b\": ]}, \"a\": 1}", "a", NULL);
    for (size_t n = 0; n < sizeof whole; n++) {
        char *cut = mem_copy_bytes(whole, n);

        free(found(cut, "zz"));
        free(cut);
    }
}
END_TEST

SUITE("face/glance", values_are_found_as_they_are_written,
      what_lies_deeper_is_not_found, several_keys_are_found_in_one_go,
      broken_text_ends_the_search)
