/* Events over the socket, and polls that wait for them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/suite.h"
#include "tests/service/lib/driven.h"

enum { PAUSE_MS = 10, POLL_MS = 30000 };

static void nap(void)
{
    nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
}

static json_int_t last_event(void)
{
    json_t *got =
        ask(200, "GET", "/api/studies/driven/events?limit=10000", NULL);
    const json_t *events = member(got, "events");
    size_t n = json_array_size(events);
    json_int_t id = n ? whole(json_array_get(events, n - 1), "id") : 0;

    json_decref(got);
    return id;
}

/* Sends a poll on a connection of its own, without waiting. */
static int poll_begin(json_int_t after)
{
    char path[128];

    snprintf(path, sizeof path,
             "/api/studies/driven/events?after=%lld&wait_ms=%d",
             (long long)after, POLL_MS);
    return served_send(&service, "GET", path, "");
}

/* Reads to the end; the answer's status line, headers and body. */
static const char *poll_end(int fd)
{
    static char answer[65536];
    size_t n = 0;
    ssize_t got;

    while ((got = read(fd, answer + n, sizeof answer - 1 - n)) > 0)
        n += (size_t)got;
    answer[n] = 0;
    close(fd);
    return answer;
}

START_TEST(events_tell_what_happened_in_order)
{
    json_t *got;
    json_int_t before = 0;
    const json_t *events;
    bool seen = false;

    served_begin(&service);
    submit_driven();
    tell_trials();
    got = ask(200, "GET", "/api/studies/driven/events", NULL);
    ck_assert_str_eq(text(member(got, "study"), "name"), "driven");
    events = member(got, "events");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);

        ck_assert_int_gt(whole(event, "id"), before);
        ck_assert_int_gt(whole(event, "time"), 0);
        before = whole(event, "id");
        seen = seen ||
               (strcmp(text(event, "kind"), "trial") == 0 &&
                strcmp(text(member(event, "body"), "to"), "SUCCEEDED") == 0 &&
                whole(member(event, "body"), "number") == 2);
    }
    ck_assert(seen);
    json_decref(got);
    served_end(&service);
}
END_TEST

START_TEST(a_poll_is_answered_when_something_happens)
{
    const char *answer;
    int fd;

    served_begin(&service);
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    fd = poll_begin(last_event());
    nap();
    just("POST", "/api/studies/driven/trials/1:tell", "{\"value\": 0.125}");
    answer = poll_end(fd);
    ck_assert_ptr_nonnull(strstr(answer, " 200 "));
    ck_assert_ptr_nonnull(strstr(answer, "0.125"));
    served_end(&service);
}
END_TEST

START_TEST(a_poll_without_news_ends_when_its_time_is_up)
{
    char path[128];
    json_t *got;

    served_begin(&service);
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    snprintf(path, sizeof path,
             "/api/studies/driven/events?after=%lld&wait_ms=50",
             (long long)last_event());
    got = ask(200, "GET", path, NULL);
    ck_assert_uint_eq(json_array_size(member(got, "events")), 0);
    ck_assert_str_eq(text(member(got, "study"), "state"), "ACTIVE");
    json_decref(got);
    served_end(&service);
}
END_TEST

START_TEST(a_poll_of_a_study_that_is_deleted_ends)
{
    int fd;

    served_begin(&service);
    submit_driven();
    just("POST", "/api/studies/driven:pause", NULL);
    fd = poll_begin(last_event());
    nap();
    just("DELETE", "/api/studies/driven", NULL);
    ck_assert_ptr_nonnull(strstr(poll_end(fd), " 404 "));
    served_end(&service);
}
END_TEST

START_TEST(clients_that_hang_up_while_they_wait_are_forgotten)
{
    json_int_t after;

    served_begin(&service);
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    after = last_event();
    for (int i = 0; i < 20; i++) {
        int fd = poll_begin(after);

        if (i % 2)
            nap();
        close(fd);
    }
    just("POST", "/api/studies/driven/trials/1:tell", "{\"value\": 1}");
    just("GET", "/healthz", NULL);
    served_end(&service);
}
END_TEST

START_TEST(a_service_that_ends_answers_those_who_wait)
{
    const char *answer;
    int fd;

    served_begin(&service);
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    fd = poll_begin(last_event());
    just("GET", "/healthz", NULL); /* the poll came before it */
    kill(service.pid, SIGTERM);
    answer = poll_end(fd);
    ck_assert_ptr_nonnull(strstr(answer, " 200 "));
    ck_assert_ptr_nonnull(strstr(answer, "\"events\": []"));
    served_wait(&service);
}
END_TEST

SUITE_WITHIN(240, "service/api_events", events_tell_what_happened_in_order,
             a_poll_is_answered_when_something_happens,
             a_poll_without_news_ends_when_its_time_is_up,
             a_poll_of_a_study_that_is_deleted_ends,
             clients_that_hang_up_while_they_wait_are_forgotten,
             a_service_that_ends_answers_those_who_wait)
