/* Studies and trials by their names in Google's paths. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_named.h"

#include <stdio.h>
#include <string.h>

#include "google/google_body.h"
#include "google/google_show.h"
#include "store/store_google.h"

int google_named_study(struct google_call *g, struct google_named *out,
                       struct err *e)
{
    char parent[2 * GOOGLE_NAME + 32];

    *out = (struct google_named){.study = google_resource(g, "studies", e)};
    if (!out->study)
        return -1;
    snprintf(out->on, sizeof out->on, "%s/studies/%lld",
             google_parent(g, parent), (long long)out->study);
    return 0;
}

static bool see_trial(void *ctx, const struct trial_row *row)
{
    struct google_named *out = ctx;

    out->number = row->number;
    out->state = row->state;
    out->created_ms = row->created_ms;
    out->started_ms = row->started_ms;
    snprintf(out->client, sizeof out->client, "%s", row->client);
    return false;
}

int google_named_trial(struct google_call *g, struct google_named *out,
                       struct err *e)
{
    int64_t number = google_id(g, 1);

    if (google_named_study(g, out, e))
        return -1;
    if (number &&
        store_trial_get(g->call->face->store, out->study, number, see_trial,
                        out, e) &&
        e->code != ERR_ABSENT)
        return -1;
    if (out->number)
        return 0;
    return google_err(g, GOOGLE_ABSENT, e, "there is no %.300s/trials/%.60s",
                      out->on, g->ids[1]);
}

static bool take_spec(void *ctx, const struct google_row *row)
{
    *(json_t **)ctx = json_loads(row->body, 0, NULL);
    return false;
}

json_t *google_named_spec(struct google_call *g, int64_t study, struct err *e)
{
    json_t *spec = NULL;

    if (store_google_get(g->call->face->store, study, take_spec, &spec, e))
        return NULL;
    if (!spec)
        err_set(e, ERR_IO, "the study_spec of study %lld cannot be read",
                (long long)study);
    return spec;
}

const char *google_named_goal(const json_t *spec)
{
    return google_text(json_array_get(json_object_get(spec, "metrics"), 0),
                       "metricId");
}

bool google_named_maximizes(const json_t *metric)
{
    return strcmp(google_text(metric, "goal"), "MINIMIZE") != 0;
}

int google_named_answer(struct google_call *g, const struct google_named *named,
                        struct err *e)
{
    json_t *out = google_show_trial(g->call->face->store, named->on,
                                    named->study, named->number, e);

    if (!out)
        return -1;
    google_answer(g, out);
    return 0;
}
