/* Submitting: a new study, or the same one again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/submit.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "study/codec.h"
#include "study/places.h"
#include "tuner/fill.h"
#include "tuner/found.h"
#include "tuner/hold.h"
#include "tuner/recover.h"
#include "tuner/run.h"
#include "tuner/sweep.h"

static void take_limits(struct study *to, const struct study *from)
{
    to->trials = from->trials;
    to->parallel = from->parallel;
    to->max_failed = from->max_failed;
    to->retries = from->retries;
    to->patience = from->patience;
    to->stop = from->stop;
    to->stop_after = from->stop_after;
    to->has_target = from->has_target;
    to->target = from->target;
    to->trial_limit_ms = from->trial_limit_ms;
    to->time_limit_ms = from->time_limit_ms;
    to->grace_ms = from->grace_ms;
}

/* Whether two specs differ in nothing but how long and how wide to search. */
static bool same_but_limits(const char *stored, const struct study *now)
{
    struct study then;
    struct faults faults;
    struct text a, b;
    bool same = false;

    faults_init(&faults);
    text_init(&a);
    text_init(&b);
    if (codec_decode(stored, strlen(stored), now->name, &then, &faults) == 0) {
        take_limits(&then, now);
        codec_write_json(&then, &a);
        codec_write_json(now, &b);
        same = strcmp(text_str(&a), text_str(&b)) == 0;
        study_clear(&then);
    }
    faults_clear(&faults);
    text_clear(&a);
    text_clear(&b);
    return same;
}

static int add_study(struct board *b, const struct study *study,
                     const char *spec, const char *source, const char *base_dir,
                     int64_t *id, struct err *e)
{
    struct study_row row = {.name = study->name,
                            .reason = "",
                            .spec = spec,
                            .source = source,
                            .base_dir = base_dir,
                            .maximize = study->maximize,
                            .created_ms = board_now(b)};
    struct live_study *s;

    if (hold_check(b, study, e) || fill_check(spec, e) ||
        (study->job.pattern && follow_check_pattern(study->job.pattern, e)))
        return -1;
    if (sweep_folder(b, study->name, e))
        return -1;
    if (store_study_add(b->parts.store, &row, id, e) ||
        recover_study(b, *id, &s, e)) {
        board_fail(b, e);
        return -1;
    }
    log_write(LOG_LEVEL_INFO, "study_added", "study=%s id=%lld", study->name,
              (long long)*id);
    board_touch(b, *id);
    return 0;
}

/* The same study again: new limits are taken over, and it goes on. */
static int go_on(struct board *b, int64_t id, const struct study *study,
                 const char *spec, const char *source, struct err *e)
{
    struct live_study *s = board_study(b, id);
    bool widened;
    int rc = 0;

    if (!s && recover_study(b, id, &s, e))
        return -1;
    widened = strcmp(s->spec, spec) != 0;
    if (widened) {
        if (store_study_respec(b->parts.store, id, spec, source, e))
            return board_fail(b, e);
        take_limits(&s->study, study);
        free(s->spec);
        s->spec = mem_copy_text(spec);
        board_forget_mind(s);
    }
    if (s->state == STUDY_PAUSED ||
        (widened && s->state != STUDY_ACTIVE && !s->cancelled))
        rc = run_study(b, s, STUDY_ACTIVE, "", false);
    s->dirty = true;
    if (!rc)
        board_drop_ended(b, s);
    return board_outcome(b, rc, e);
}

int submit_study(struct board *b, const struct study *study, const char *spec,
                 const char *source, const char *base_dir,
                 struct engine_submitted *out, struct err *e)
{
    struct found found;
    struct err missing;
    int rc;

    if (places_check_lines(study, e))
        return -1;
    if (store_study_find(b->parts.store, study->name, &out->id, &missing)) {
        if (missing.code == ERR_ABSENT)
            return add_study(b, study, spec, source, base_dir, &out->id, e);
        *e = missing;
        return -1;
    }
    if (found_study(b, out->id, &found, e))
        return -1;
    out->resumed = true;
    if (same_but_limits(found.spec, study))
        rc = go_on(b, out->id, study, spec, source, e);
    else
        rc = err_set(e, ERR_CONFLICT,
                     "a study named %s is there already with other parameters, "
                     "goal or command; give this one another name, or delete "
                     "that one (hypertune delete %s)",
                     study->name, study->name);
    found_clear(&found);
    return rc;
}
