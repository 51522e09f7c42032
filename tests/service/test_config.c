/* Settings: flags over environment over defaults, and clear refusals. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/suite.h"

enum { MOST_WORDS = 12, ALL_WORDS = 48 };

static const char *const variables[] = {
    "HYPERTUNE_STATE",      "HYPERTUNE_PROCESSORS",  "HYPERTUNE_LOG_LEVEL",
    "HYPERTUNE_LEAST_FREE", "HYPERTUNE_PRIVATE_FOR", "HYPERTUNE_LISTEN",
    "HYPERTUNE_GPUS",       "HYPERTUNE_SHIM",        "XDG_STATE_HOME",
    "HYPERTUNE_CONFIG"};

static void forget_environment(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
    setenv("HOME", "/home/ada", 1);
}

/* Reads "hypertuned WORDS...", the words ended by NULL. */
static int read_words(struct config *out, enum config_wish *wish, struct err *e,
                      const char *const *words)
{
    char *argv[MOST_WORDS + 1] = {strdup("hypertuned")};
    int argc = 1, rc;

    while (*words && argc < MOST_WORDS)
        argv[argc++] = strdup(*words++);
    rc = config_read(out, argc, argv, wish, e);
    while (argc-- > 0)
        free(argv[argc]);
    return rc;
}

#define READ(...)                                                              \
    read_words(&c, &wish, &e, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(defaults_are_found_by_looking_at_the_machine)
{
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    ck_assert_int_eq(read_words(&c, &wish, &e, (const char *const[]){NULL}), 0);
    ck_assert_int_eq(wish, CONFIG_RUN);
    ck_assert_str_eq(c.state, "/home/ada/.local/state/hypertune");
    ck_assert_int_ge(c.processors, 1);
    ck_assert_int_ge(c.memory, 1);
    ck_assert_uint_eq(c.gpus.n, 0); /* those that are there */
    ck_assert_int_eq(c.least_free, 64 << 20);
    ck_assert_int_eq(c.log_level, LOG_LEVEL_INFO);
    ck_assert_int_eq(c.private_for, 0);
    ck_assert_ptr_nonnull(strstr(c.shim, "/hypertune-shim"));
    config_clear(&c);

    setenv("XDG_STATE_HOME", "/var/x", 1);
    ck_assert_int_eq(read_words(&c, &wish, &e, (const char *const[]){NULL}), 0);
    ck_assert_str_eq(c.state, "/var/x/hypertune");
    config_clear(&c);
}
END_TEST

START_TEST(flags_go_over_the_environment_over_defaults)
{
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    setenv("HYPERTUNE_STATE", "/from/environment", 1);
    setenv("HYPERTUNE_PROCESSORS", "3", 1);
    setenv("HYPERTUNE_LOG_LEVEL", "debug", 1);
    setenv("HYPERTUNE_PRIVATE_FOR", "77", 1); /* of whom? not ours to read */
    ck_assert_int_eq(READ("--processors", "5", "--least-free=2G"), 0);
    ck_assert_str_eq(c.state, "/from/environment");
    ck_assert_int_eq(c.processors, 5);
    ck_assert_int_eq(c.log_level, LOG_LEVEL_DEBUG);
    ck_assert_int_eq(c.least_free, (int64_t)2 << 30);
    ck_assert_int_eq(c.private_for, 0);
    config_clear(&c);

    ck_assert_int_eq(READ("--state", "/a", "--state=/b"), 0);
    ck_assert_str_eq(c.state, "/b");
    config_clear(&c);
    forget_environment();
}
END_TEST

START_TEST(a_relative_path_is_made_absolute)
{
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    ck_assert_int_eq(READ("--state", "here"), 0);
    ck_assert_int_eq(c.state[0], '/');
    ck_assert_str_eq(strrchr(c.state, '/'), "/here");
    config_clear(&c);
}
END_TEST

START_TEST(what_is_wrong_is_named_with_the_way_out)
{
    static const struct {
        const char *words[3];
        const char *says;
    } rows[] = {
        {{"--procesors", "4"}, "did you mean --processors?"},
        {{"--wobble", "4"}, "--help"},
        {{"serve"}, "\"serve\" is no flag"},
        {{"-x"}, "\"-x\" is no flag"},
        {{"--state"}, "--state wants DIR"},
        {{"--state", ""}, "--state wants a path"},
        {{"--processors", "0"}, "from 1 to"},
        {{"--processors", "4.5"}, "--processors must be a whole number"},
        {{"--gpus", "-1"}, "--gpus: \"-1\" is no GPU"},
        {{"--gpus", "0,0"}, "--gpus: GPU 0 stands there twice"},
        {{"--private-for", "99999999999999999999"}, "--private-for must be"},
        {{"--least-free", "much"}, "such as 64M"},
        {{"--least-free", "9999999999G"}, "such as 64M"},
        {{"--least-free", "-1"}, "such as 64M"},
        {{"--least-free", "M"}, "such as 64M"},
        {{"--log-level", "loud"}, "must be error, warn, info or debug"},
        {{"--look-only"}, "--private-for PID"},
        {{"--look-only=maybe"}, "yes or no"},
        {{"--listen", "8470"}, "write it as 127.0.0.1:8470"},
        {{"--listen", "127.0.0.1"}, "write it as 127.0.0.1:8470"},
        {{"--listen", "127.0.0.1:70000"}, "write it as 127.0.0.1:8470"},
        {{"--listen", "[::1:8470"}, "write it as 127.0.0.1:8470"},
        {{"--listen", "tune.example.org:80"}, "is a name"},
        {{"--listen", "0.0.0.0:8470"}, "give --tls-cert and --tls-key"},
        {{"--listen", "[::]:8470"}, "--insecure-plain-http"},
        {{"--listen=192.0.2.7:1"}, "can be reached from other machines"},
        {{"--tls-cert", "/c.pem"}, "--tls-cert wants --tls-key"},
        {{"--tls-key", "/k.pem"}, "--tls-key wants --tls-cert"},
        {{"--report-url", "http://h"}, "--report-url wants --listen"},
        {{"--allow-host", "http://x"}, "is no name of a host"},
        {{"--max-connections", "0"}, "from 1 to"},
        {{"--config", "/nowhere/at/all"}, "cannot read /nowhere/at/all"},
    };
    struct config c;
    enum config_wish wish;

    forget_environment();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};

        ck_assert_int_eq(read_words(&c, &wish, &e, rows[i].words), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_msg(strstr(e.text, rows[i].says), "%s: %s", rows[i].words[0],
                      e.text);
    }
}
END_TEST

START_TEST(times_have_units)
{
    static const struct {
        const char *text;
        int64_t ms; /* -1: is none */
    } rows[] = {
        {"0", 0},         {"0s", 0},       {"90s", 90000},
        {"30m", 1800000}, {"2h", 7200000}, {"7d", 604800000},
        {"90", -1},       {"", -1},        {"-1h", -1},
        {"h", -1},        {"1.5h", -1},    {"1 h", -1},
        {"1w", -1},       {"1hh", -1},     {"9223372036854775807d", -1},
    };
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int rc = READ("--lease", rows[i].text);

        ck_assert_msg(rc == (rows[i].ms < 0 ? -1 : 0), "%s", rows[i].text);
        if (rc) {
            ck_assert_ptr_nonnull(strstr(e.text, "--lease must be a time"));
            continue;
        }
        ck_assert_int_eq(c.lease_ms, rows[i].ms);
        config_clear(&c);
    }
}
END_TEST

START_TEST(trials_report_to_a_url)
{
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    ck_assert_int_eq(READ("--listen", "127.0.0.1:1"), 0);
    ck_assert_ptr_null(c.report_url);
    config_clear(&c);
    ck_assert_int_eq(READ("--listen", "127.0.0.1:1", "--report-url",
                          "https://tune.example.org/here//"),
                     0);
    ck_assert_str_eq(c.report_url, "https://tune.example.org/here");
    config_clear(&c);
    ck_assert_int_eq(
        READ("--listen", "127.0.0.1:1", "--report-url", "tune.example.org"),
        -1);
    ck_assert_ptr_nonnull(strstr(e.text, "tune.example.org is no URL"));
}
END_TEST

START_TEST(addresses_are_listed_with_commas_or_one_after_the_other)
{
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    setenv("HYPERTUNE_LISTEN", "127.0.0.1:1", 1);
    ck_assert_int_eq(READ("--allow-host", "tune.example.org"), 0);
    ck_assert_uint_eq(c.listen.n, 1);
    ck_assert_str_eq(c.listen.items[0], "127.0.0.1:1");
    ck_assert_str_eq(c.allow_hosts.items[0], "tune.example.org");
    config_clear(&c);
    ck_assert_int_eq(
        READ("--listen", "127.0.0.2:5,[::1]:6", "--listen", "localhost:7"), 0);
    ck_assert_uint_eq(c.listen.n, 3); /* in place of the environment's */
    ck_assert_str_eq(c.listen.items[1], "[::1]:6");
    ck_assert_str_eq(c.listen.items[2], "localhost:7");
    config_clear(&c);
    ck_assert_int_eq(READ("--listen", "0.0.0.0:8470", "--insecure-plain-http"),
                     0);
    config_clear(&c);
    forget_environment();
}
END_TEST

/* ---- the file ---- */

static char file[64];

static void write_file(const char *text)
{
    FILE *f;

    snprintf(file, sizeof file, "/tmp/ht-config.XXXXXX");
    close(mkstemp(file));
    f = fopen(file, "we");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(the_file_counts_less_than_environment_and_flags)
{
    struct config c;
    enum config_wish wish;
    struct err e = {0};

    forget_environment();
    write_file("# of this machine\nprocessors: 3\ngpus: 2\nlog-level: warn\n"
               "state: here\nlisten: [127.0.0.1:1, \"[::1]:2\"]\n"
               "insecure-plain-http: true\ntls-cert:\n");
    setenv("HYPERTUNE_GPUS", "4", 1);
    setenv("HYPERTUNE_CONFIG", "/nowhere", 1); /* the flag goes over it */
    ck_assert_msg(READ("--log-level", "debug", "--config", file) == 0, "%s",
                  e.text);
    ck_assert_int_eq(c.processors, 3);
    ck_assert_uint_eq(c.gpus.n, 1);
    ck_assert_str_eq(c.gpus.items[0], "4");
    ck_assert_int_eq(c.log_level, LOG_LEVEL_DEBUG);
    ck_assert_str_eq(c.state, "/tmp/here"); /* beside the file */
    ck_assert_uint_eq(c.listen.n, 2);
    ck_assert_str_eq(c.listen.items[1], "[::1]:2");
    ck_assert(c.insecure_plain_http);
    ck_assert_str_eq(c.config, file);
    config_clear(&c);
    unlink(file);
    forget_environment();
}
END_TEST

START_TEST(a_fault_of_the_file_is_named_with_its_place)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"processors: 3\nprocesors: 4\n",
         ":2:1: there is no setting procesors; "
         "did you mean processors?"},
        {"private-for: 7\n", ":1:1: there is no setting private-for"},
        {"config: other.yaml\n", "there is no setting config"},
        {"processors: [1]\n", ":1:1: processors wants N"},
        {"processors: many\n", "--processors must be a whole number"},
        {"listen: [[a]]\n", "listen wants a list of words"},
        {"- listen\n", "NAME: VALUE"},
        {"gpus: [\n", ":"},
        {"listen: 10.0.0.1:80\n", "can be reached from other machines"},
    };
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        e = (struct err){0};
        write_file(rows[i].text);
        ck_assert_int_eq(READ("--config", file), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_msg(strstr(e.text, rows[i].says), "%s", e.text);
        unlink(file);
    }
    write_file("# nothing is set\n");
    ck_assert_int_eq(READ("--config", file), 0);
    config_clear(&c);
    unlink(file);
}
END_TEST

START_TEST(a_wrong_variable_is_named_as_one)
{
    struct config c;
    enum config_wish wish;
    struct err e;

    forget_environment();
    setenv("HYPERTUNE_PROCESSORS", "many", 1);
    ck_assert_int_eq(read_words(&c, &wish, &e, (const char *const[]){NULL}),
                     -1);
    ck_assert_ptr_nonnull(strstr(e.text, "HYPERTUNE_PROCESSORS"));
    forget_environment();
}
END_TEST

START_TEST(what_is_printed_can_be_given_again)
{
    struct config c, again;
    enum config_wish wish;
    struct err e;
    struct text out, out_again;
    char *words[ALL_WORDS] = {strdup("hypertuned")};
    int n = 1;

    forget_environment();
    ck_assert_int_eq(READ("--print-config", "--least-free", "3K", "--lease",
                          "2h", "--listen", "127.0.0.1:1,[::1]:2"),
                     0);
    ck_assert_int_eq(wish, CONFIG_PRINT);
    text_init(&out);
    text_init(&out_again);
    config_print(&c, &out);
    ck_assert_ptr_nonnull(strstr(text_str(&out), "least-free=3072\n"));
    for (const char *line = text_str(&out); *line;) {
        size_t length = strcspn(line, "\n");

        ck_assert_int_lt(n, ALL_WORDS);
        words[n] = malloc(length + 3);
        ck_assert_ptr_nonnull(words[n]);
        memcpy(words[n], "--", 2);
        memcpy(words[n] + 2, line, length);
        words[n++][length + 2] = 0;
        line += length + (line[length] == '\n');
    }
    ck_assert_int_eq(config_read(&again, n, words, &wish, &e), 0);
    config_print(&again, &out_again);
    ck_assert_str_eq(text_str(&out), text_str(&out_again));
    while (n-- > 0)
        free(words[n]);
    text_clear(&out);
    text_clear(&out_again);
    config_clear(&c);
    config_clear(&again);
}
END_TEST

START_TEST(help_has_a_sentence_for_every_setting)
{
    struct config c;
    enum config_wish wish;
    struct err e;
    struct text help, all;

    forget_environment();
    ck_assert_int_eq(READ("-h"), 0);
    ck_assert_int_eq(wish, CONFIG_HELP);
    text_init(&help);
    text_init(&all);
    config_help(&help);
    config_print(&c, &all);
    for (const char *line = text_str(&all); *line;) {
        char flag[64] = "  --";

        ck_assert_uint_lt(strcspn(line, "="), 50);
        memcpy(flag + 4, line, strcspn(line, "="));
        ck_assert_msg(strstr(text_str(&help), flag), "%s", flag);
        line += strcspn(line, "\n") + 1;
    }
    text_clear(&help);
    text_clear(&all);
    config_clear(&c);
}
END_TEST

SUITE("service/config", defaults_are_found_by_looking_at_the_machine,
      flags_go_over_the_environment_over_defaults,
      a_relative_path_is_made_absolute, times_have_units,
      trials_report_to_a_url,
      addresses_are_listed_with_commas_or_one_after_the_other,
      the_file_counts_less_than_environment_and_flags,
      a_fault_of_the_file_is_named_with_its_place,
      what_is_wrong_is_named_with_the_way_out, a_wrong_variable_is_named_as_one,
      what_is_printed_can_be_given_again, help_has_a_sentence_for_every_setting)
