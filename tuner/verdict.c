/* What an attempt came to, in words. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "tuner/listen.h"
#include "tuner/nodes.h"

void verdict_init(struct verdict *v)
{
    memset(v, 0, sizeof *v);
    text_init(&v->detail);
    text_init(&v->said);
    text_init(&v->look_text);
}

void verdict_clear(struct verdict *v)
{
    text_clear(&v->detail);
    text_clear(&v->said);
    text_clear(&v->look_text);
}

/* ---- it ended well ---- */

static void explain_no_metric(const struct live_trial *t, const char *metric,
                              struct verdict *v)
{
    const char **names;
    const char *near;

    text_addf(&v->detail, "ended well but never reported %s", metric);
    if (!t->n_curves) {
        text_add(&v->detail, ", nor anything else");
        return;
    }
    names = mem_new(t->n_curves, sizeof *names);
    for (size_t i = 0; i < t->n_curves; i++)
        names[i] = t->curves[i].metric;
    text_add(&v->detail, "; it reported ");
    listen_names(t, &v->detail);
    near = fault_near(metric, names, t->n_curves);
    if (near)
        text_addf(&v->detail, "; did you mean %s?", near);
    free(names);
}

void verdict_value(const struct live_trial *t, struct verdict *v)
{
    const char *metric;
    enum listen_value found = listen_values(t, &v->cause.value, v->cause.others,
                                            &v->cause.step, &metric);

    if (found != LISTEN_VALUE && !study_tunes(&t->study->study)) {
        v->to = TRIAL_SUCCEEDED;
        text_add(&v->detail, "ended well");
        return;
    }
    switch (found) {
    case LISTEN_VALUE:
        v->to = TRIAL_SUCCEEDED;
        v->cause.reason = REASON_VALUE;
        v->cause.has_value = true;
        return;
    case LISTEN_NOT_FINITE:
        v->to = TRIAL_INFEASIBLE;
        v->cause.reason = REASON_NOT_FINITE;
        text_addf(&v->detail, "%s was not a finite number", metric);
        return;
    case LISTEN_NO_METRIC:
        break;
    }
    v->to = TRIAL_INFEASIBLE;
    v->cause.reason = REASON_NO_METRIC;
    explain_no_metric(t, metric, v);
    text_addf(&v->look_text, "never reported %s", metric);
    v->look = text_str(&v->look_text);
}

/* ---- it was stopped ---- */

/* Its time was up, and for nothing: many such trials look alike. */
static void blame_silence(const char *metric, struct verdict *v)
{
    text_addf(&v->detail, "; it never reported %s", metric);
    text_reset(&v->look_text);
    text_addf(&v->look_text, "never reported %s before their time was up",
              metric);
    v->look = text_str(&v->look_text);
}

void verdict_stopped(const struct live_trial *t, enum trial_reason reason,
                     const char *detail, struct verdict *v)
{
    const char *metric;
    enum listen_value found = listen_values(t, &v->cause.value, v->cause.others,
                                            &v->cause.step, &metric);

    v->to = TRIAL_STOPPED;
    v->cause.reason = reason;
    if (!v->detail.len)
        text_add(&v->detail, detail);
    v->cause.has_value = found == LISTEN_VALUE;
    if (reason == REASON_DEADLINE && found == LISTEN_NO_METRIC &&
        study_tunes(&t->study->study))
        blame_silence(metric, v);
}

/* ---- it broke ---- */

static bool says_any(const char *said, const char *const *words)
{
    while (*words && !strstr(said, *words))
        words++;
    return *words != NULL;
}

/* Programs that notice the want of memory themselves end with an error of their
 * own: by what they write. */
static void look_for_memory(struct verdict *v)
{
    static const char *const gpu[] = {
        "CUDA out of memory",         "CUDA_ERROR_OUT_OF_MEMORY",
        "HIP out of memory",          "RESOURCE_EXHAUSTED: Out of memory",
        "OOM when allocating tensor", NULL};
    static const char *const host[] = {
        "MemoryError", "std::bad_alloc", "Cannot allocate memory",
        "DefaultCPUAllocator: not enough memory", NULL};
    const char *said = text_str(&v->said);

    v->gpu_memory = says_any(said, gpu);
    if (v->gpu_memory || says_any(said, host))
        v->blame = POLICY_MEMORY;
}

static void hear_last_words(const struct live_trial *t, struct verdict *v)
{
    char *folder = t->replica ? mem_format("%s/%s", t->folder, t->replica)
                              : mem_copy_text(t->folder);

    listen_tail(folder, "stderr.log", &v->said);
    free(folder);
}

static void add_end(const struct launcher_news *end, struct text *out)
{
    if (end->signal_number)
        text_addf(out, "signal %d (%s)", end->signal_number,
                  strsignal(end->signal_number));
    else
        text_addf(out, "exit %d", end->exit_code);
}

/* "worker-1: exit 3 on n2: the last lines" */
static void explain(const struct live_trial *t, struct verdict *v)
{
    const struct policy *p = policy_of(v->blame);
    const char *more = v->said.len ? text_str(&v->said) : t->said;

    if (!p->says && t->end.word != LAUNCHER_ENDED) { /* it never began */
        text_add(&v->look_text, t->said ? t->said : "it could not be started");
        text_add(&v->detail, text_str(&v->look_text));
        return;
    }
    if (p->says)
        text_add(&v->look_text, p->says);
    else
        add_end(&t->end, &v->look_text);
    if (t->replica)
        text_addf(&v->detail, "%s: ", t->replica);
    text_add(&v->detail, text_str(&v->look_text));
    if (t->node)
        text_addf(&v->detail, " on %s", t->node);
    if (more && *more)
        text_addf(&v->detail, ": %s", more);
}

void verdict_broken(const struct live_trial *t, struct verdict *v)
{
    const struct launcher_news *end = &t->end;
    const struct policy *p;

    v->broke = true;
    v->blame = policy_class_of(end);
    if (v->blame == POLICY_OWN || v->blame == POLICY_MEMORY)
        hear_last_words(t, v);
    if (v->blame == POLICY_OWN)
        look_for_memory(v);
    p = policy_of(v->blame);
    v->to = p->ends;
    v->cause.reason = p->reason;
    if (p->reason == REASON_EXIT && end->signal_number)
        v->cause.reason = REASON_SIGNAL;
    explain(t, v);
    if (p->ends == TRIAL_STOPPED)
        verdict_stopped(t, p->reason, "", v);
    if (p->alike ||
        (end->word == LAUNCHER_ENDED && end->ran_ms < NODES_AT_ONCE_MS))
        v->look = text_str(&v->look_text);
}
