/* A study that its clients drive, and looking into the answers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/service/lib/driven.h"

#include <check.h>

struct served service;

const char driven[] = "study: driven\nminimize: loss\nparams:\n"
                      "  x: 0.0 .. 1.0\nalgorithm: random\ntrials: 5\n";

json_t *ask(int status, const char *method, const char *path, const char *body)
{
    return served_ask(&service, status, method, path, body);
}

void just(const char *method, const char *path, const char *body)
{
    json_decref(ask(200, method, path, body));
}

const json_t *member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    ck_assert_msg(value != NULL, "no member %s", name);
    return value;
}

json_int_t whole(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_integer(member(object, name)), "%s", name);
    return json_integer_value(member(object, name));
}

double number(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_number(member(object, name)), "%s", name);
    return json_number_value(member(object, name));
}

const char *text(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_string(member(object, name)), "%s", name);
    return json_string_value(member(object, name));
}

void submit_driven(void)
{
    just("POST", "/api/studies?file=driven.yaml&dir=/tmp", driven);
}

void tell_trials(void)
{
    just("POST", "/api/studies/driven:ask", "{\"count\": 4}");
    just("POST", "/api/studies/driven/trials/1:tell", "{\"value\": 3}");
    just("POST", "/api/studies/driven/trials/2:tell", "{\"value\": 1}");
    just("POST", "/api/studies/driven/trials/3:tell",
         "{\"infeasible\": \"does not fit\"}");
}
