/* Filters of lists match what Google's would. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_filter.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static const struct google_filter_of job = {
    .display_name = "digits one",
    .job_id = "census_3",
    .state = "JOB_STATE_RUNNING",
    .created_ms = 1767225600000, /* 2026-01-01T00:00:00Z */
    .labels = "{\"team\": \"vision\", \"n\": \"3\"}"};

START_TEST(a_filter_matches_by_its_fields)
{
    static const struct {
        const char *filter;
        bool match;
    } rows[] = {
        {"", true},
        {"  ", true},
        {"display_name=\"digits one\"", true},
        {"displayName = 'digits one'", true},
        {"display_name=digits", false},
        {"display_name!=digits", true},
        {"display_name:digits", true},
        {"display_name:\"dig*\"", true},
        {"display_name:*two", false},
        {"display_name=\"*i*s*o*\"", true},
        {"jobId:census*", true},
        {"jobId:rnn* AND state:FAILED", false},
        {"state=JOB_STATE_RUNNING", true},
        {"state=RUNNING", true},
        {"state!=\"JOB_STATE_RUNNING\"", false},
        {"create_time=\"2026-01-01T01:00:00.000+01:00\"", true},
        {"create_time>2025-12-31", true},
        {"create_time<=\"2025-12-31T23:59:59.999999999Z\"", false},
        {"labels.team=vision", true},
        {"labels.team:*", true},
        {"labels:team", true},
        {"labels.none:*", false},
        {"labels.none!=x", true},
        {"NOT labels.none:*", true},
        {"-labels.team=vision", false},
        {"NOT NOT state=RUNNING", true},
        {"state=FAILED OR state=RUNNING AND labels.n=4", false},
        {"labels.n=4 AND state=FAILED OR state=RUNNING", false},
        {"(labels.n=4 AND state=FAILED) OR state=RUNNING", true},
        {"labels.n=3 state=RUNNING", true},
        {"labels.n=3 (state=FAILED OR NOT (state=FAILED))", true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool match;
        struct err e;

        ck_assert_msg(!google_filter_match(rows[i].filter, &job, &match, &e),
                      "%s: %s", rows[i].filter, e.text);
        ck_assert_msg(match == rows[i].match, "%s", rows[i].filter);
    }
}
END_TEST

START_TEST(a_wrong_filter_is_refused_by_what_is_wrong)
{
    static const struct {
        const char *filter, *says;
    } rows[] = {
        {"state", "is missing"},
        {"state=", "a value is missing"},
        {"=x", "field's name is missing"},
        {"name=x", "no field \"name\""},
        {"state=x AND", "field's name is missing"},
        {"state=\"x", "quote is not closed"},
        {"(state=x", "bracket is not closed"},
        {"state=x)", "too much"},
        {"state<x", "compare texts"},
        {"labels.none<x", "compare texts"},
        {"create_time>yesterday", "is no time"},
        {"create_time>2026-02-30", "is no time"},
        {"create_time>2026-02-03T1:00:00Z", "is no time"},
        {"create_time>2026-02-03T10:00:00", "is no time"},
        {"create_time>2026-02-03T10:00:00.Z", "is no time"},
    };
    char *deep = mem_format("%01000d", 0);
    bool match;
    struct err e;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(google_filter_match(rows[i].filter, &job, &match, &e),
                         -1);
        ck_assert_msg(e.code == ERR_INVALID && strstr(e.text, rows[i].says),
                      "%s: %s", rows[i].filter, e.text);
    }
    memset(deep, '(', 1000);
    ck_assert_int_eq(google_filter_match(deep, &job, &match, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "too many brackets"));
    free(deep);
}
END_TEST

SUITE("google/google_filter", a_filter_matches_by_its_fields,
      a_wrong_filter_is_refused_by_what_is_wrong)
