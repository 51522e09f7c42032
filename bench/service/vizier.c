/* Clients of Google's routes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/service/vizier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/service/load.h"

#define PARENT "/v1/projects/p/locations/l/studies"

void vizier_begin(struct vizier *v, const char *socket)
{
    static const char body[] =
        "{\"displayName\": \"load\", \"studySpec\": {\"algorithm\": "
        "\"RANDOM_SEARCH\", \"metrics\": [{\"metricId\": \"m\"}], "
        "\"parameters\": [{\"parameterId\": \"x\", \"doubleValueSpec\": "
        "{\"minValue\": 0, \"maxValue\": 1}}]}}";
    char *answer = load_ask(socket, "POST", PARENT, body);
    const char *name = strstr(answer, "\"projects/");

    *v = (struct vizier){.completed = 0};
    if (!name) {
        fprintf(stderr, "no study in %s\n", answer);
        exit(1);
    }
    name++;
    snprintf(v->study, sizeof v->study, "/v1/%.*s", (int)strcspn(name, "\""),
             name);
    free(answer);
}

/* The number of the trial that an operation's response holds, or 0. */
static int64_t trial_in(const char *answer)
{
    int64_t n = 0;

    while (!n && (answer = strstr(answer, "/trials/"))) {
        answer += strlen("/trials/");
        n = strtoll(answer, NULL, 10);
    }
    return n;
}

static void suggest(const struct vizier *v, int client, struct text *request)
{
    char path[300], body[100];

    snprintf(path, sizeof path, "%s/trials:suggest", v->study);
    snprintf(body, sizeof body,
             "{\"suggestionCount\": 1, \"clientId\": \"c%d\"}", client);
    load_request(request, "POST", path, body);
}

static void act(const struct vizier *v, int64_t trial, const char *verb,
                const char *body, struct text *request)
{
    char path[300];

    snprintf(path, sizeof path, "%s/trials/%lld:%s", v->study, (long long)trial,
             verb);
    load_request(request, "POST", path, body);
}

void vizier_make(void *ctx, int client, int64_t n, const char *answer,
                 struct text *request)
{
    struct vizier *v = ctx;
    int64_t *trial = &v->clients[client].trial;
    bool *measured = &v->clients[client].measured;

    (void)n;
    if (*trial && *measured) { /* that was the answer to its completion */
        v->completed++;
        *trial = 0;
        answer = "";
    }
    if (!*trial) {
        *trial = trial_in(answer);
        *measured = false;
        if (*trial)
            act(v, *trial, "addTrialMeasurement",
                "{\"measurement\": {\"stepCount\": \"1\", \"metrics\": "
                "[{\"metricId\": \"m\", \"value\": 0.5}]}}",
                request);
        else
            suggest(v, client, request);
        return;
    }
    *measured = true;
    act(v, *trial, "complete", "{}", request);
}
