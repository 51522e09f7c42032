/* What clients send is said back the way Google's servers say it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/proto.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"

static void says(const char *from, const char *to)
{
    struct faults f;
    struct node *doc;
    struct text out;

    faults_init(&f);
    text_init(&out);
    ck_assert_int_eq(node_parse(from, strlen(from), &doc, &f), 0);
    proto_write(doc, &out, NULL, NULL);
    ck_assert_str_eq(text_str(&out), to);
    node_free(doc);
    text_clear(&out);
    faults_clear(&f);
}

START_TEST(names_are_camel_case_and_enums_are_names)
{
    says("{\"max_trial_count\": 3, \"study_spec\": {\"algorithm\": 3, "
         "\"metrics\": [{\"metric_id\": \"a_b\", \"goal\": 2}]}}",
         "{\"maxTrialCount\": 3, \"studySpec\": {\"algorithm\": "
         "\"RANDOM_SEARCH\", \"metrics\": [{\"metricId\": \"a_b\", \"goal\": "
         "\"MINIMIZE\"}]}}");
    says("{\"algorithm\": 1, \"goal\": 99, \"scaleType\": \"2\"}",
         "{\"algorithm\": 1, \"goal\": 99, \"scaleType\": \"2\"}");
}
END_TEST

START_TEST(long_integers_are_text_and_doubles_are_not)
{
    says("{\"integerValueSpec\": {\"minValue\": 1}, \"doubleValueSpec\": "
         "{\"minValue\": 1.5}, \"replicaCount\": 1, \"diskGb\": 100}",
         "{\"integerValueSpec\": {\"minValue\": \"1\"}, \"doubleValueSpec\": "
         "{\"minValue\": 1.5}, \"replicaCount\": \"1\", \"diskGb\": 100}");
    says("{\"parentIntValues\": {\"values\": [1, 2]}, "
         "\"parentDiscreteValues\": {\"values\": [1, 2]}}",
         "{\"parentIntValues\": {\"values\": [\"1\", \"2\"]}, "
         "\"parentDiscreteValues\": {\"values\": [1, 2]}}");
}
END_TEST

START_TEST(what_a_user_named_stays_as_it_is)
{
    says("{\"labels\": {\"my_team\": \"x\"}, \"processSpec\": {\"env\": "
         "{\"my_var\": \"1\"}}}",
         "{\"labels\": {\"my_team\": \"x\"}, \"processSpec\": {\"env\": "
         "{\"my_var\": \"1\"}}}");
}
END_TEST

START_TEST(null_is_absent_and_the_empty_message_is_there)
{
    says("{\"a\": null, \"b\": {}, \"c\": [], \"d\": true}",
         "{\"b\": {}, \"c\": [], \"d\": true}");
    says("{\"v\": [yes, 1e5, 010, 0x10, -1.]}",
         "{\"v\": [\"yes\", 1e5, \"010\", \"0x10\", \"-1.\"]}");
}
END_TEST

SUITE("study/proto", names_are_camel_case_and_enums_are_names,
      long_integers_are_text_and_doubles_are_not,
      what_a_user_named_stays_as_it_is,
      null_is_absent_and_the_empty_message_is_there)
