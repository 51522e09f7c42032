/* `list`: the studies, newest first. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/listing.h"
#include "cli/print.h"
#include "cli/view.h"

enum { USUAL = 1000, PAGE = 1000 };

static void done_cell(const json_t *row, const char *key, bool exact,
                      struct text *out)
{
    (void)key, (void)exact;
    view_done(row, out);
}

static void count_cell(const json_t *row, const char *key, bool exact,
                       struct text *out)
{
    (void)exact;
    text_addf(out, "%lld",
              (long long)json_integer_value(
                  json_object_get(json_object_get(row, "counts"), key)));
}

static void best_cell(const json_t *row, const char *key, bool exact,
                      struct text *out)
{
    print_plain(json_object_get(json_object_get(row, "best"), key), exact, out);
}

static const struct listing_column table[] = {
    {"study", "name", listing_plain, false},
    {"state", "state", listing_plain, false},
    {"trials", "trials", done_cell, true},
    {"running", "RUNNING", count_cell, true},
    {"failed", "FAILED", count_cell, true},
    {"metric", "metric", listing_plain, false},
    {"best", "value", best_cell, true},
    {"created (UTC)", "created", listing_time, false}};

static const struct listing_column csv[] = {
    {"id", "id", listing_plain, true},
    {"name", "name", listing_plain, false},
    {"state", "state", listing_plain, false},
    {"reason", "reason", listing_plain, false},
    {"metric", "metric", listing_plain, false},
    {"goal", "goal", listing_plain, false},
    {"algorithm", "algorithm", listing_plain, false},
    {"trials", "trials", listing_plain, true},
    {"pending", "PENDING", count_cell, true},
    {"launching", "LAUNCHING", count_cell, true},
    {"running", "RUNNING", count_cell, true},
    {"stopping", "STOPPING", count_cell, true},
    {"succeeded", "SUCCEEDED", count_cell, true},
    {"stopped", "STOPPED", count_cell, true},
    {"infeasible", "INFEASIBLE", count_cell, true},
    {"failed", "FAILED", count_cell, true},
    {"best_number", "number", best_cell, true},
    {"best_value", "value", best_cell, true},
    {"created", "created", listing_time, false},
    {"ended", "ended", listing_time, false}};

/* One page; *before is where the next begins, 0 after the last. */
static int page(struct client *c, long long limit, bool brief,
                long long *before, struct listing *l, struct err *e)
{
    const json_t *studies;
    json_t *answer;
    char path[96];

    (void)snprintf(path, sizeof path,
                   "/api/studies?limit=%lld&brief=%d&before=%lld", limit, brief,
                   *before);
    if (client_get(c, path, &answer, e))
        return -1;
    studies = json_object_get(answer, "studies");
    for (size_t i = 0; i < json_array_size(studies); i++)
        listing_row(l, json_array_get(studies, i));
    *before = json_integer_value(json_object_get(answer, "next"));
    json_decref(answer);
    return 0;
}

int cmd_list(const struct options *o, struct err *e)
{
    bool is_csv = o->format == FORMAT_CSV;
    long long left = o->number[OPTION_COUNT] ? o->number[OPTION_COUNT] : USUAL;
    long long before = 0;
    const char *none =
        "there are no studies yet: begin with `hypertune run FILE`";
    struct listing l;
    struct client *c;
    int rc;

    if (client_look(&c, o, e))
        return -1;
    listing_begin(&l, o->format, is_csv ? csv : table,
                  is_csv ? sizeof csv / sizeof *csv
                         : sizeof table / sizeof *table);
    do {
        long long limit = left < PAGE ? left : PAGE;

        rc = page(c, limit, o->format == FORMAT_TABLE, &before, &l, e);
        left -= limit;
    } while (!rc && before && left > 0);
    if (rc && e->code == ERR_ABSENT && client_lost(c)) {
        none = e->text; /* nothing is stored here: an empty list */
        rc = 0;
    }
    if (!rc && !l.n_rows && o->format == FORMAT_TABLE)
        (void)fprintf(stderr, "hypertune: %s\n", none);
    if (rc) {
        listing_drop(&l);
    } else {
        listing_end(&l);
        if (before)
            (void)fprintf(stderr,
                          "hypertune: older studies are left out; --count K "
                          "lists more\n");
    }
    client_close(c);
    return rc ? -1 : CMD_DONE;
}
