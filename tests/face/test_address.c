/* Addresses and hosts are read strictly, and written in one way. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/address.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"

START_TEST(addresses_are_ips_with_a_port)
{
    static const struct {
        const char *text, *host;
        int port;
        bool loopback, any;
    } rows[] = {
        {"127.0.0.1:8470", "127.0.0.1", 8470, true, false},
        {"127.9.9.9:1", "127.9.9.9", 1, true, false},
        {"localhost:0", "127.0.0.1", 0, true, false},
        {"[::1]:8470", "::1", 8470, true, false},
        {"[0:0:0:0:0:0:0:1]:1", "::1", 1, true, false},
        {"0.0.0.0:80", "0.0.0.0", 80, false, true},
        {"[::]:80", "::", 80, false, true},
        {"192.0.2.7:65535", "192.0.2.7", 65535, false, false},
        {"[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1", 1, false, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct address a;
        struct err e = {0};

        ck_assert_msg(address_read(&a, rows[i].text, &e) == 0, "%s", e.text);
        ck_assert_str_eq(a.host, rows[i].host);
        ck_assert_int_eq(a.port, rows[i].port);
        ck_assert_msg(a.loopback == rows[i].loopback, "%s", rows[i].text);
        ck_assert_msg(a.any == rows[i].any, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
    static const char *const wrong[] = {"",
                                        ":1",
                                        "8470",
                                        "127.0.0.1",
                                        "127.0.0.1:",
                                        "::1:8470",
                                        "[::1:1",
                                        "[::1]8470",
                                        "[]:1",
                                        "127.0.0.1:-1",
                                        "1.2.3.4:",
                                        "host:80",
                                        "1.2.3:80",
                                        "*:80",
                                        "127.0.0.1:65536",
                                        "a b:1",
                                        "[::1%lo]:1",
                                        "127.0.0.1:8470x",
                                        "127.0.0.1:0x10"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct address a;
        struct err e = {0};

        ck_assert_msg(address_read(&a, wrong[i], &e) == -1, "%s", wrong[i]);
        ck_assert_int_eq(e.code, ERR_INVALID);
    }
}
END_TEST

START_TEST(hosts_are_written_in_one_way)
{
    static const struct {
        const char *text, *host; /* NULL = none */
    } rows[] = {
        {"Tune.Example.ORG:80", "tune.example.org"},
        {"localhost", "localhost"},
        {"[0::1]:80", "::1"},
        {"[::1]", "::1"},
        {"127.0.0.1:", "127.0.0.1"},
        {"host:8x", NULL},
        {"host:1:2", NULL},
        {"[::1]x", NULL},
        {"", NULL},
        {":80", NULL},
        {"a-host-with-more-letters-than-there-is-room-for.example", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char host[32];
        bool is = address_host(rows[i].text, host, sizeof host);

        ck_assert_msg(is == (rows[i].host != NULL), "%s", rows[i].text);
        if (is)
            ck_assert_str_eq(host, rows[i].host);
    }
    ck_assert(address_is_ip("::1") && address_is_ip("192.0.2.7"));
    ck_assert(!address_is_ip("localhost") && !address_is_ip("1.2.3"));
}
END_TEST

START_TEST(a_url_names_a_host_and_nobody)
{
    static const struct {
        const char *url, *host; /* NULL: is none */
    } rows[] = {
        {"http://127.0.0.1:8470", "127.0.0.1"},
        {"https://Tune.Example.org/here", "tune.example.org"},
        {"https://[0::1]:8470/", "::1"},
        {"http://host:8470x", NULL},
        {"http://host:", NULL},
        {"http://", NULL},
        {"http:///path", NULL},
        {"http:host", NULL},
        {"HTTP://host", NULL},
        {"ftp://host", NULL},
        {"unix:/path", NULL},
        {"http://me@host", NULL},
        {"http://host/?q", NULL},
        {"http://host/#f", NULL},
        {"http://ho st/", NULL},
        {"http://a-host-with-more-letters-than-there-is-room-for/", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char host[32];
        bool is = address_url_host(rows[i].url, host, sizeof host);

        ck_assert_msg(is == (rows[i].host != NULL), "%s", rows[i].url);
        if (is)
            ck_assert_str_eq(host, rows[i].host);
    }
}
END_TEST

START_TEST(an_address_has_a_url_that_this_machine_reaches)
{
    static const struct {
        const char *text, *url;
        bool tls;
    } rows[] = {
        {"127.0.0.1:8470", "http://127.0.0.1:7", false},
        {"192.0.2.7:8470", "https://192.0.2.7:7", true},
        {"[::1]:8470", "http://[::1]:7", false},
        {"0.0.0.0:8470", "https://127.0.0.1:7", true},
        {"[::]:8470", "http://[::1]:7", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct address a;
        struct err e = {0};
        char *url;

        ck_assert_msg(address_read(&a, rows[i].text, &e) == 0, "%s", e.text);
        url = address_url(&a, 7, rows[i].tls);
        ck_assert_str_eq(url, rows[i].url);
        free(url);
    }
}
END_TEST

SUITE("face/address", addresses_are_ips_with_a_port,
      what_is_no_address_is_refused, hosts_are_written_in_one_way,
      a_url_names_a_host_and_nobody,
      an_address_has_a_url_that_this_machine_reaches)
