/* Answers that come in pieces: events, logs that are followed, exports. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/lib/suite.h"
#include "tests/service/lib/served.h"

enum { PATIENCE_MS = 60000 };

#define STUDY "/api/studies/s"

static struct served service;

/* A client that reads what comes. */
struct reader {
    int fd;
    struct text got;
};

static void read_on(struct reader *r, const char *path, const char *headers)
{
    char *asked =
        mem_format("GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, headers);

    r->fd = served_connect(&service);
    text_init(&r->got);
    text_add(&r->got, "");
    ck_assert_int_gt(send(r->fd, asked, strlen(asked), 0), 0);
    free(asked);
}

/* One piece; false if none came within that time, or the end came. */
static bool read_piece(struct reader *r, int wait_ms)
{
    struct pollfd wait = {.fd = r->fd, .events = POLLIN};
    char piece[8192];
    ssize_t n;

    if (poll(&wait, 1, wait_ms) <= 0)
        return false;
    n = recv(r->fd, piece, sizeof piece, 0);
    if (n > 0)
        text_add_bytes(&r->got, piece, (size_t)n);
    return n > 0;
}

static void wait_for(struct reader *r, const char *words)
{
    while (!strstr(text_str(&r->got), words))
        ck_assert_msg(read_piece(r, PATIENCE_MS), "no %s in %s", words,
                      text_str(&r->got));
}

static void wait_end(struct reader *r)
{
    while (read_piece(r, PATIENCE_MS))
        ;
}

static void done(struct reader *r)
{
    close(r->fd);
    text_clear(&r->got);
}

static size_t count(const struct reader *r, const char *word)
{
    size_t n = 0;

    for (const char *at = text_str(&r->got); (at = strstr(at, word)); at++)
        n++;
    return n;
}

static void just(const char *method, const char *path, const char *body)
{
    json_decref(served_ask(&service, 200, method, path, body));
}

static void begin(void)
{
    served_begin(&service);
    just("POST", "/api/studies?dir=/tmp",
         "study: s\nminimize: loss\nparams: {x: 0.0 .. 1.0}\n"
         "algorithm: random\ntrials: 100000\n");
}

static void run_trial(int number)
{
    char *tell = mem_format(STUDY "/trials/%d:tell", number);

    just("POST", STUDY ":ask", "{}");
    just("POST", tell, "{\"value\": 1}");
    free(tell);
}

#define STREAM "Accept: text/event-stream\r\n"

START_TEST(events_come_as_they_happen_and_go_on_where_one_was)
{
    struct reader all, later, rest;

    begin();
    read_on(&all, "/api/events", STREAM);
    wait_for(&all, "retry: ");
    ck_assert(strstr(text_str(&all.got), "Content-Type: text/event-stream"));
    run_trial(1);
    wait_for(&all, "\"to\": \"SUCCEEDED\"");
    ck_assert(strstr(text_str(&all.got), "event: trial\ndata: {\"id\": "));
    ck_assert(strstr(text_str(&all.got), "\"study\": \"s\""));
    run_trial(2);
    wait_for(&all, "\"number\": 2, \"from\": \"RUNNING\"");

    read_on(&later, STUDY "/events?after=1", STREAM "Last-Event-ID: 2\r\n");
    wait_for(&later, "\"number\": 2, \"from\": \"RUNNING\"");
    ck_assert_uint_eq(count(&later, "\nid: 1\n") + count(&later, "\nid: 2\n"),
                      0);
    ck_assert_uint_eq(count(&later, "id: 3\n"), 1);

    read_on(&rest, STUDY "/events?after=-1", STREAM);
    wait_for(&rest, "retry: ");
    run_trial(3);
    wait_for(&rest, "\"number\": 3, \"from\": \"RUNNING\"");
    ck_assert_uint_eq(count(&rest, "\"number\": 2,"), 0);
    ck_assert_uint_eq(count(&rest, "id: "), count(&all, "\"number\": 1,"));
    done(&all);
    done(&later);
    done(&rest);
    served_end(&service);
}
END_TEST

START_TEST(a_deleted_study_ends_its_stream_and_is_told_to_others)
{
    struct reader own, all;

    begin();
    read_on(&own, STUDY "/events", STREAM);
    read_on(&all, "/api/events?after=-1", STREAM);
    wait_for(&own, "retry: ");
    wait_for(&all, "retry: ");
    just("DELETE", STUDY, NULL);
    wait_end(&own);
    wait_for(&all, "event: deleted\ndata: {\"study_id\": 1}");
    ck_assert_uint_eq(count(&own, "event: deleted"), 1);
    done(&own);
    done(&all);
    served_end(&service);
}
END_TEST

START_TEST(streams_end_with_the_service)
{
    struct reader all;

    begin();
    read_on(&all, "/api/events", STREAM);
    wait_for(&all, "retry: ");
    served_end(&service);
    wait_end(&all);
    done(&all);
}
END_TEST

START_TEST(clients_that_go_leave_nothing_behind)
{
    struct reader r[20];
    json_t *status;
    struct fetch_answer a;

    begin();
    for (int i = 0; i < 20; i++)
        read_on(&r[i], i % 2 ? "/api/events" : STUDY "/events", STREAM);
    for (int i = 0; i < 20; i++)
        wait_for(&r[i], "retry: ");
    for (int i = 0; i < 20; i++)
        done(&r[i]);
    run_trial(1);
    status = served_ask(&service, 200, "GET", "/api/status", NULL);
    json_decref(status);
    served_fetch(&service, "GET", "/metrics", NULL, 0, &a);
    ck_assert_msg(strstr(text_str(&a.body), "hypertune_http_streams 0\n"), "%s",
                  text_str(&a.body));
    fetch_answer_clear(&a);
    served_end(&service);
}
END_TEST

/* Whether the figures have that line by and by: connections that were closed
 * are missed within half a second. */
static void figure(const char *line)
{
    struct fetch_answer a = {0};
    bool is = false;

    for (int tries = 0; !is && tries < PATIENCE_MS / 20; tries++) {
        fetch_answer_clear(&a);
        served_fetch(&service, "GET", "/metrics", NULL, 0, &a);
        is = strstr(text_str(&a.body), line) != NULL;
        if (!is)
            usleep(20000);
    }
    ck_assert_msg(is, "%s is not in %s", line, text_str(&a.body));
    fetch_answer_clear(&a);
}

START_TEST(connections_and_those_who_wait_are_counted)
{
    struct reader r[5];

    begin();
    figure("hypertune_http_connections{door=\"unix\"} 1\n"
           "hypertune_http_connections{door=\"tcp\"} 0\n");
    figure("\nhypertune_asks_waiting 0\n");
    for (int i = 0; i < 5; i++)
        read_on(&r[i], "/api/events", STREAM);
    figure("{door=\"unix\"} 6\n");
    figure("\nhypertune_http_streams 5\n");
    for (int i = 0; i < 5; i++)
        done(&r[i]);
    figure("{door=\"unix\"} 1\n");
    served_end(&service);
}
END_TEST

START_TEST(a_place_that_is_none_is_refused)
{
    static const char *const bad[] = {"x", "-3", "1.5", "99999999999999999999"};

    begin();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *asked = mem_format("GET /api/events HTTP/1.1\r\nHost: x\r\n"
                                 "Connection: close\r\n" STREAM
                                 "Last-Event-ID: %s\r\n\r\n",
                                 bad[i]);
        char *got = served_raw(&service, asked, strlen(asked), PATIENCE_MS);

        ck_assert_msg(strstr(got, "400 Bad") && strstr(got, "Last-Event-ID"),
                      "%s", got);
        free(got);
        free(asked);
    }
    served_end(&service);
}
END_TEST

/* A slow client: it asks for much and reads nothing for a while. */
START_TEST(a_client_that_does_not_read_gets_it_all_in_the_end)
{
    enum { TRIALS = 9000 };
    struct reader slow;
    struct text body;

    begin();
    text_init(&body);
    text_add(&body, "[");
    for (int i = 0; i < TRIALS; i++)
        text_addf(&body, "%s{\"params\":{\"x\":0.5},\"loss\":%d}", i ? "," : "",
                  i);
    text_add(&body, "]");
    just("POST", STUDY "/trials", text_str(&body));
    text_clear(&body);
    read_on(&slow, STUDY "/export?format=jsonl", "");
    just("GET", STUDY, NULL); /* others are served meanwhile */
    wait_end(&slow);
    ck_assert_uint_eq(count(&slow, "{\"number\": "), TRIALS);
    done(&slow);
    read_on(&slow, STUDY "/export", "");
    wait_end(&slow);
    ck_assert_uint_eq(count(&slow, ",SUCCEEDED,"), TRIALS);
    done(&slow);
    served_end(&service);
}
END_TEST

/* ---- logs ---- */

/* What the first attempt of trial 1 prints. */
static void print(const char *text)
{
    char *path = mem_format("%s/trials/s/1/1/stdout.log", service.dir);
    FILE *f;

    for (char *c = path + strlen(service.dir) + 1; (c = strchr(c, '/')); c++) {
        *c = 0;
        mkdir(path, 0700);
        *c = '/';
    }
    f = fopen(path, "ae");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
    free(path);
}

START_TEST(a_log_is_followed_to_the_end_of_its_trial)
{
    struct reader log;

    begin();
    just("POST", STUDY ":ask", "{}");
    read_on(&log, STUDY "/trials/1/log?follow=1", "");
    wait_for(&log, "HTTP/1.1 200");
    print("epoch 1\n");
    wait_for(&log, "epoch 1\n");
    print("epoch 2\n");
    wait_for(&log, "epoch 2\n");
    print("last words\n");
    just("POST", STUDY "/trials/1:tell", "{\"value\": 1}");
    wait_end(&log);
    ck_assert_uint_eq(count(&log, "last words\n"), 1);
    ck_assert_uint_eq(count(&log, "epoch 1\n"), 1);
    done(&log);
    read_on(&log, STUDY "/trials/1/log?follow=1&offset=-11", "");
    wait_end(&log);
    ck_assert(strstr(text_str(&log.got), "last words\n"));
    ck_assert_uint_eq(count(&log, "epoch"), 0);
    done(&log);
    served_end(&service);
}
END_TEST

static void range(const char *value, const char *status, const char *holds)
{
    char *asked = mem_format("GET " STUDY "/trials/1/log HTTP/1.1\r\nHost: x"
                             "\r\nConnection: close\r\nRange: %s\r\n\r\n",
                             value);
    char *got = served_raw(&service, asked, strlen(asked), PATIENCE_MS);

    ck_assert_msg(strstr(got, status) && strstr(got, holds), "%s: %s", value,
                  got);
    free(got);
    free(asked);
}

START_TEST(a_range_of_a_log_is_the_range)
{
    begin();
    just("POST", STUDY ":ask", "{}");
    print("0123456789");
    range("bytes=2-4", "206 ", "\r\n\r\n234");
    range("bytes=2-4", "206 ", "Content-Range: bytes 2-4/10\r\n");
    range("bytes=7-", "206 ", "\r\n\r\n789");
    range("bytes=-2", "206 ", "\r\n\r\n89");
    range("bytes=10-", "416 ", "Content-Range: bytes */10\r\n");
    range("bytes=4-2", "200 ", "0123456789");
    range("bytes=0-1,4-5", "200 ", "0123456789");
    range("lines=1-2", "200 ", "0123456789");
    range("bytes=-", "200 ", "0123456789");
    range("bytes=99999999999999999999-", "200 ", "0123456789");
    served_end(&service);
}
END_TEST

SUITE_WITHIN(120, "service/api_streams",
             events_come_as_they_happen_and_go_on_where_one_was,
             a_deleted_study_ends_its_stream_and_is_told_to_others,
             streams_end_with_the_service, clients_that_go_leave_nothing_behind,
             connections_and_those_who_wait_are_counted,
             a_place_that_is_none_is_refused,
             a_client_that_does_not_read_gets_it_all_in_the_end,
             a_log_is_followed_to_the_end_of_its_trial,
             a_range_of_a_log_is_the_range)
