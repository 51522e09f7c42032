/* Times of Google's interfaces are read and written exactly. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_time.h"

#include <check.h>

#include "tests/lib/suite.h"

START_TEST(a_time_is_read_with_any_offset_and_fraction)
{
    static const struct {
        const char *text;
        int64_t ns;
        const char *again;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"},
        {"1970-01-01", 0, "1970-01-01T00:00:00Z"},
        {"1970-01-01T01:00:00+01:00", 0, "1970-01-01T00:00:00Z"},
        {"1969-12-31T18:30:00-05:30", 0, "1970-01-01T00:00:00Z"},
        {"1970-01-01t00:00:01.5z", 1500000000, "1970-01-01T00:00:01.500Z"},
        {"1970-01-01T00:00:00.000001Z", 1000, "1970-01-01T00:00:00.000001Z"},
        {"1970-01-01T00:00:00.123456789Z", 123456789,
         "1970-01-01T00:00:00.123456789Z"},
        {"1969-12-31T23:59:59.999Z", -1000000, "1969-12-31T23:59:59.999Z"},
        {"2024-02-29T00:00:00Z", 1709164800000000000, "2024-02-29T00:00:00Z"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text again;
        int64_t ns = -7;

        text_init(&again);
        ck_assert_msg(google_time_read(rows[i].text, &ns), "%s", rows[i].text);
        ck_assert_int_eq(ns, rows[i].ns);
        google_time_write(ns, &again);
        ck_assert_str_eq(text_str(&again), rows[i].again);
        text_clear(&again);
    }
}
END_TEST

START_TEST(what_is_no_time_is_left_alone)
{
    static const char *const rows[] = {
        "",
        "now",
        "2026",
        "2026-13-01",
        "2026-02-29",
        "2026-01-00",
        "1600-01-01",
        "2026-01-01T",
        "2026-01-01T10:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T10:00:00",
        "2026-01-01T10:00:00.Z",
        "2026-01-01T10:00:00.1234567890Z",
        "2026-01-01T10:00:00+1:00",
        "2026-01-01T10:00:00+24:00",
        "2026-01-01T10:00:00Zulu",
        "2026-01-01x10:00:00Z",
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ns = -7;

        ck_assert_msg(!google_time_read(rows[i], &ns), "%s", rows[i]);
        ck_assert_int_eq(ns, -7);
    }
}
END_TEST

SUITE("google/google_time", a_time_is_read_with_any_offset_and_fraction,
      what_is_no_time_is_left_alone)
