/* What goes wrong between clients and the service: places in other lists,
 * bodies without a bottom, two at once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/lib/suite.h"
#include "tests/service/lib/served.h"

static struct served service;

static void just(const char *method, const char *path, const char *body)
{
    json_decref(served_ask(&service, 200, method, path, body));
}

static void submit(const char *name)
{
    char *file = mem_format("study: %s\nminimize: loss\nparams: {x: 0.0 .. 1.0}"
                            "\nalgorithm: random\ntrials: 100000\n",
                            name);

    just("POST", "/api/studies?dir=/tmp", file);
    free(file);
}

static void give(const char *study, int n)
{
    char *path = mem_format("/api/studies/%s/trials", study);
    struct text body;

    text_init(&body);
    text_add(&body, "[");
    for (int i = 0; i < n; i++)
        text_addf(&body, "%s{\"params\":{\"x\":0.5},\"loss\":%d}", i ? "," : "",
                  n - i);
    text_add(&body, "]");
    just("POST", path, text_str(&body));
    text_clear(&body);
    free(path);
}

/* ---- places in lists ---- */

static const struct list {
    const char *path, *items, *key;
} lists[] = {
    {"/api/studies?limit=1", "studies", "id"},
    {"/api/studies/a/trials?limit=3", "trials", "number"},
    {"/api/studies/b/trials?limit=3", "trials", "number"},
    {"/api/studies/a/trials?limit=3&changed_after=0", "trials", "number"},
    {"/api/studies/a/trials?limit=3&state=SUCCEEDED", "trials", "number"},
    {"/api/studies/a/best?count=3", "trials", "number"},
    {"/api/studies/a/events?limit=3", "events", "id"},
    {"/api/events?limit=3", "events", "id"},
};
enum { LISTS = sizeof lists / sizeof lists[0] };

static char *place_of(const json_t *answer)
{
    const char *page = json_string_value(json_object_get(answer, "next_page"));

    ck_assert_ptr_nonnull(page);
    return mem_copy_text(page);
}

static json_t *page_of(const struct list *l, const char *page, int status)
{
    char *path = mem_format("%s&page=%s", l->path, page);
    json_t *got = served_ask(&service, status, "GET", path, NULL);

    free(path);
    return got;
}

/* How many items there are, page after page; none comes twice. */
static size_t count(const struct list *l)
{
    char *page = mem_copy_text("");
    json_t *seen = json_object();
    size_t n = 0;

    do {
        json_t *got = page_of(l, page, 200);
        const json_t *items = json_object_get(got, l->items);

        for (size_t i = 0; i < json_array_size(items); i++, n++) {
            char *key = mem_format(
                "%lld", (long long)json_integer_value(
                            json_object_get(json_array_get(items, i), l->key)));

            ck_assert_msg(!json_object_get(seen, key), "%s: %s twice", l->path,
                          key);
            json_object_set_new(seen, key, json_true());
            free(key);
        }
        free(page);
        page = place_of(got);
        json_decref(got);
    } while (*page);
    free(page);
    json_decref(seen);
    return n;
}

START_TEST(every_list_is_read_page_after_page)
{
    static const size_t wanted[LISTS] = {3, 10, 4, 10, 10, 10};

    served_begin(&service);
    submit("a");
    submit("b");
    submit("c");
    give("a", 10);
    give("b", 4);
    for (size_t i = 0; i < LISTS; i++)
        if (wanted[i])
            ck_assert_msg(count(&lists[i]) == wanted[i], "%s", lists[i].path);
        else
            ck_assert_msg(count(&lists[i]) >= 10, "%s", lists[i].path);
    served_end(&service);
}
END_TEST

START_TEST(a_place_of_one_list_is_refused_by_the_others)
{
    static const char *const none[] = {
        "0",
        "1",
        "abc",
        "%20",
        "ffffffffffffffff",
        "6bc694df7ddd33c7",
        "%c3%28",
        "00000000000000000000000000000000000000"};

    served_begin(&service);
    submit("a");
    submit("b");
    give("a", 10);
    give("b", 4);
    for (size_t i = 0; i < LISTS; i++) {
        json_t *first = page_of(&lists[i], "", 200);
        char *page = place_of(first);

        json_decref(first);
        for (size_t j = 0; j < LISTS; j++)
            json_decref(page_of(&lists[j], page, i == j ? 200 : 400));
        for (size_t j = 0; j < sizeof none / sizeof none[0]; j++)
            json_decref(page_of(&lists[i], none[j], 400));
        page[0] = page[0] == '0' ? '1' : '0';
        json_decref(page_of(&lists[i], page, 400));
        free(page);
    }
    served_end(&service);
}
END_TEST

START_TEST(a_place_stays_while_the_list_grows)
{
    const struct list *l = &lists[5]; /* the best */
    json_t *got;
    char *page;

    served_begin(&service);
    submit("a");
    give("a", 6); /* values 6 … 1: the best is number 6 */
    got = page_of(l, "", 200);
    page = place_of(got);
    json_decref(got);
    give("a", 3); /* values 3, 2, 1 */
    got = page_of(l, page, 200);
    /* after number 4 of value 3 comes number 7 of value 3 */
    ck_assert_int_eq(
        json_integer_value(json_object_get(
            json_array_get(json_object_get(got, "trials"), 0), "number")),
        7);
    json_decref(got);
    free(page);
    served_end(&service);
}
END_TEST

/* ---- bodies without a bottom ---- */

/* So many of `open` around nothing. */
static char *deep(const char *open, const char *close, int n)
{
    struct text out;

    text_init(&out);
    for (int i = 0; i < n; i++)
        text_add(&out, open);
    for (int i = 0; i < n; i++)
        text_add(&out, close);
    return text_take(&out);
}

START_TEST(ten_thousand_brackets_are_refused)
{
    static const char *const paths[] = {
        "/api/studies?dir=/tmp",        "/api/studies/a/trials",
        "/api/studies/a:ask",           "/api/studies/a:pause",
        "/api/studies/a/trials/1:tell", "/api/studies/a/trials/1:report"};
    static const char *const pairs[][2] = {{"[", "]"}, {"{\"a\":", "}"},
                                           {"[", ""},  {"{\"params\":[", "]}"},
                                           {"- ", ""}, {"? ", ""}};

    served_begin(&service);
    submit("a");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        for (size_t j = 0; j < sizeof pairs / sizeof pairs[0]; j++) {
            char *body = deep(pairs[j][0], pairs[j][1], 10000);

            json_decref(served_ask(&service, 400, "POST", paths[i], body));
            free(body);
        }
    served_end(&service);
}
END_TEST

/* ---- two at once ---- */

START_TEST(one_of_two_who_complete_a_trial_at_once_is_told_so)
{
    served_begin(&service);
    submit("a");
    for (int number = 1; number <= 20; number++) {
        char *path = mem_format("/api/studies/a/trials/%d:tell", number);
        int one, two;

        just("POST", "/api/studies/a:ask", "{}");
        one = served_send(&service, "POST", path, "{\"value\": 1}");
        two = served_send(&service, "POST", path, "{\"value\": 2}");
        one = served_status(one);
        two = served_status(two);
        ck_assert_msg((one == 200 && two == 409) || (one == 409 && two == 200),
                      "%d %d", one, two);
        free(path);
    }
    served_end(&service);
}
END_TEST

START_TEST(a_study_may_be_deleted_while_it_is_asked)
{
    served_begin(&service);
    for (int round = 0; round < 20; round++) {
        int asks[4], deleted, gone;

        submit("a");
        for (int i = 0; i < 4; i++)
            asks[i] = served_send(&service, "POST", "/api/studies/a:ask",
                                  "{\"count\": 3}");
        deleted = served_status(
            served_send(&service, "DELETE", "/api/studies/a", ""));
        ck_assert_msg(deleted == 200 || deleted == 409, "%d", deleted);
        for (int i = 0; i < 4; i++) {
            int status = served_status(asks[i]);

            ck_assert_msg(status == 200 || status == 404, "%d", status);
        }
        if (deleted == 200)
            continue;
        just("POST", "/api/studies/a:cancel", "");
        for (int tries = 0;
             (gone = served_status(served_send(&service, "DELETE",
                                               "/api/studies/a", ""))) != 200;
             tries++) {
            ck_assert_int_lt(tries, 1000);
            ck_assert_int_eq(gone, 409);
            poll(NULL, 0, 10);
        }
    }
    just("GET", "/readyz", NULL);
    served_end(&service);
}
END_TEST

SUITE_WITHIN(240, "service/api_odd", every_list_is_read_page_after_page,
             a_place_of_one_list_is_refused_by_the_others,
             a_place_stays_while_the_list_grows,
             ten_thousand_brackets_are_refused,
             one_of_two_who_complete_a_trial_at_once_is_told_so,
             a_study_may_be_deleted_while_it_is_asked)
