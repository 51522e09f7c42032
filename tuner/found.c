/* What the store says of one study or trial. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/found.h"

#include <stdlib.h>

#include "base/mem.h"

static bool see_study(void *ctx, const struct study_row *row)
{
    struct found *found = ctx;

    found->state = row->state;
    found->name = mem_copy_text(row->name);
    found->spec = mem_copy_text(row->spec);
    return false;
}

static bool see_trial(void *ctx, const struct trial_row *row)
{
    struct found *found = ctx;

    found->trial = row->state;
    found->given = row->given;
    return false;
}

int found_study(const struct board *b, int64_t study, struct found *out,
                struct err *e)
{
    *out = (struct found){0};
    return store_study_get(b->parts.store, study, see_study, out, e);
}

int found_trial(const struct board *b, int64_t study, int64_t number,
                struct found *out, struct err *e)
{
    *out = (struct found){0};
    return store_trial_get(b->parts.store, study, number, see_trial, out, e);
}

void found_clear(struct found *f)
{
    free(f->name);
    free(f->spec);
    *f = (struct found){0};
}
