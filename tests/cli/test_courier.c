/* Batches stay as they are until the service has them, whoever is killed
 * meanwhile; and the verb goes on until all is sent, or nobody wants it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/courier.h"

#include <jansson.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "tests/cli/fake.h"
#include "tests/lib/suite.h"

static char folder[64];
static struct courier *courier;
static struct text body;

static char *in(const char *name)
{
    return mem_format("%s/%s", folder, name);
}

static void put(const char *name, const char *bytes, size_t n)
{
    char *path = in(name);
    FILE *f = fopen(path, "ae");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
    free(path);
}

static void report(const char *name, const char *value)
{
    char *line = mem_format("{\"acc\": \"%s\", \"global_step\": \"%zu\"}\n",
                            value, strlen(value));

    put(name, line, strlen(line));
    free(line);
}

static void reopen(void)
{
    struct courier_spec spec = {.folder = folder, .metric = "acc"};
    struct err e;

    courier_close(courier);
    ck_assert_int_eq(courier_open(&courier, &spec, &e), 0);
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/ht-courier.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    text_init(&body);
    courier = NULL;
    reopen();
}

static void teardown(void)
{
    static const char *const names[] = {
        "reports",    "courier",    "courier.end",      "stop",
        "stdout.log", "stderr.log", "worker-1/reports", "ps-0/reports",
        "worker-1",   "ps-0",       "courier.new"};

    courier_close(courier);
    text_clear(&body);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = in(names[i]);

        (void)remove(path);
        free(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

static bool next(void)
{
    struct err e = {0};
    bool more;

    ck_assert_msg(courier_next(courier, false, &body, &more, &e) == 0, "%s",
                  e.text);
    return more;
}

static void check_body(const char *wanted)
{
    ck_assert_str_eq(text_str(&body), wanted);
}

#define ONE(value, step)                                                       \
    "{\"value\":" value ",\"step\":" step ",\"metric\":\"acc\"}"

START_TEST(a_batch_stays_the_same_until_it_is_known)
{
    setup();
    ck_assert(!next());
    check_body("{\"replica\":\"master-0\",\"from\":0,\"reports\":[]}");
    report("reports", "0.5");
    ck_assert(next());
    check_body("{\"replica\":\"master-0\",\"from\":0,\"reports\":[" ONE(
        "0.5", "3") "]}");
    report("reports", "nan");
    report("reports", "-inf");
    ck_assert(next());
    check_body("{\"replica\":\"master-0\",\"from\":0,\"reports\":[" ONE(
        "0.5", "3") "]}");
    ck_assert(courier_known(courier, 1));
    ck_assert(next());
    check_body("{\"replica\":\"master-0\",\"from\":1,\"reports\":[" ONE(
        "\"nan\"", "3") "," ONE("\"-inf\"", "4") "]}");
    ck_assert(courier_known(courier, 3));
    ck_assert(!next());
    teardown();
}
END_TEST

START_TEST(a_killed_courier_sends_what_it_had_sent)
{
    setup();
    report("reports", "0.5");
    ck_assert(next()); /* sent; it is killed before the answer comes */
    report("reports", "0.25");
    reopen();
    ck_assert(next());
    check_body("{\"replica\":\"master-0\",\"from\":0,\"reports\":[" ONE(
        "0.5", "3") "]}");
    ck_assert(courier_known(courier, 1));
    ck_assert(next());
    check_body("{\"replica\":\"master-0\",\"from\":1,\"reports\":[" ONE(
        "0.25", "4") "]}");
    ck_assert(courier_known(courier, 2));
    reopen(); /* after the answer: it is sent once more, and passed over */
    ck_assert(next());
    ck_assert(courier_known(courier, 2));
    ck_assert(!next());
    teardown();
}
END_TEST

START_TEST(what_the_service_lost_is_read_again)
{
    setup();
    report("reports", "0.5");
    ck_assert(next());
    ck_assert(courier_known(courier, 1));
    report("reports", "0.25");
    ck_assert(next());
    ck_assert(!courier_known(courier, 0));
    ck_assert(next());
    check_body("{\"replica\":\"master-0\",\"from\":0,\"reports\":[" ONE(
        "0.5", "3") "," ONE("0.25", "4") "]}");
    ck_assert(courier_known(courier, 2));
    teardown();
}
END_TEST

START_TEST(a_spool_that_is_no_spool_is_none)
{
    setup();
    report("reports", "0.5");
    put("courier", "{\"master-0\": {\"from\": 3, \"marks\": \"x\"", 30);
    reopen();
    ck_assert(next());
    check_body("{\"replica\":\"master-0\",\"from\":0,\"reports\":[" ONE(
        "0.5", "3") "]}");
    teardown();
}
END_TEST

START_TEST(replicas_are_counted_by_themselves)
{
    char *worker, *ps;

    setup();
    worker = in("worker-1");
    ps = in("ps-0");
    report("reports", "0.5");
    ck_assert(next());
    ck_assert(courier_known(courier, 1));
    ck_assert_int_eq(mkdir(worker, 0700) + mkdir(ps, 0700), 0);
    report("worker-1/reports", "0.75");
    report("ps-0/reports", "9");
    ck_assert(next());
    check_body("{\"replica\":\"worker-1\",\"from\":0,\"reports\":[" ONE(
        "0.75", "4") "]}");
    reopen();
    ck_assert(next()); /* that one once more */
    ck_assert_ptr_nonnull(strstr(text_str(&body), "worker-1"));
    ck_assert(courier_known(courier, 1));
    ck_assert(!next());
    free(worker);
    free(ps);
    teardown();
}
END_TEST

START_TEST(outputs_are_text_whatever_was_printed)
{
    char *big = mem_new(COURIER_OUTPUT + 2, 1);
    json_t *sent;

    setup();
    put("stdout.log", "a\0b\xff z\xc3\xa9\n", 9);
    memset(big, 'x', COURIER_OUTPUT + 1);
    put("stderr.log", "\xc3", 1);
    put("stderr.log", "\xa9", 1);
    put("stderr.log", big, COURIER_OUTPUT - 1);
    ck_assert(courier_output(courier, 0, &body));
    sent = json_loads(text_str(&body), 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(sent, "stdout")),
                     "a?b? z??\n");
    big[COURIER_OUTPUT - 1] = '\0'; /* half of the first letter was cut off */
    ck_assert_str_eq(json_string_value(json_object_get(sent, "stderr")), big);
    ck_assert(!courier_output(courier, 1, &body));
    json_decref(sent);
    free(big);
    teardown();
}
END_TEST

START_TEST(a_batch_that_cannot_be_kept_is_not_sent)
{
    struct err e;
    char *blocked;
    bool more;

    setup();
    blocked = in("courier.new");
    report("reports", "0.5");
    ck_assert_int_eq(mkdir(blocked, 0700), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(courier_next(courier, false, &body, &more, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "cannot write"));
    ck_assert_int_eq(rmdir(blocked), 0);
    ck_assert(next());
    free(blocked);
    teardown();
}
END_TEST

/* ---- the verb ---- */

static int run(struct fake *f, struct err *e)
{
    struct options o = {
        .verb = "courier", .words = (const char *[]){folder}, .n_words = 1};

    setenv("HYPERTUNE_SERVER", f->url, 1);
    setenv("HYPERTUNE_REPORT_TOKEN", "t", 1);
    setenv("HYPERTUNE_STUDY", "s t", 1);
    setenv("HYPERTUNE_TRIAL", "3", 1);
    setenv("HYPERTUNE_METRIC", "acc", 1);
    unsetenv("HYPERTUNE_REPLICA");
    return cmd_courier(&o, e);
}

static bool there(const char *name)
{
    char *path = in(name);
    bool is = access(path, F_OK) == 0;

    free(path);
    return is;
}

#define REPORT "/api/studies/s t/trials/3:report"

START_TEST(it_goes_on_until_all_is_sent)
{
    static const struct fake_route routes[] = {
        {SERVE_POST, REPORT, "0.5", 503, "{}", true, NULL},
        {SERVE_POST, REPORT, "\"from\":0,\"reports\":[{", 200,
         "{\"next\": 1, \"stop\": true}", false, NULL},
        {SERVE_POST, REPORT, "\"stdout\":\"bye\"", 200,
         "{\"next\": 1, \"stop\": true}", false, NULL},
        {0}};
    struct fake f;
    struct err e = {0};

    setup();
    report("reports", "0.5");
    put("stdout.log", "bye", 3);
    put("courier.end", "", 0);
    fake_start(&f, routes);
    ck_assert_msg(run(&f, &e) == CMD_DONE, "%s", e.text);
    ck_assert(there("stop"));
    fake_stop(&f);
    teardown();
}
END_TEST

START_TEST(it_ends_when_the_attempt_is_over)
{
    static const struct fake_route routes[] = {
        {SERVE_POST, REPORT, NULL, 401,
         "{\"error\": {\"message\": \"attempt 1 is over\"}}", false, NULL},
        {0}};
    struct fake f;
    struct err e = {0};

    setup();
    report("reports", "0.5");
    fake_start(&f, routes);
    ck_assert_msg(run(&f, &e) == CMD_DONE, "%s", e.text);
    ck_assert(there("stop"));
    fake_stop(&f);
    teardown();
}
END_TEST

START_TEST(what_is_never_taken_is_said)
{
    static const struct fake_route routes[] = {
        {SERVE_POST, REPORT, NULL, 400,
         "{\"error\": {\"message\": \"no such field\"}}", false, NULL},
        {0}};
    struct fake f;
    struct err e = {0};

    setup();
    report("reports", "0.5");
    fake_start(&f, routes);
    ck_assert_int_eq(run(&f, &e), -1);
    ck_assert_str_eq(e.text, "the service answered 400: no such field");
    unsetenv("HYPERTUNE_REPORT_TOKEN");
    fake_stop(&f);
    teardown();
}
END_TEST

SUITE("cli/courier", a_batch_stays_the_same_until_it_is_known,
      a_killed_courier_sends_what_it_had_sent,
      what_the_service_lost_is_read_again, a_spool_that_is_no_spool_is_none,
      replicas_are_counted_by_themselves, outputs_are_text_whatever_was_printed,
      a_batch_that_cannot_be_kept_is_not_sent, it_goes_on_until_all_is_sent,
      it_ends_when_the_attempt_is_over, what_is_never_taken_is_said)
