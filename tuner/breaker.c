/* The breaker of a study. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/breaker.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/run.h"

enum {
    ALIKE_FIRST = 3, /* alike ends in a row before any success */
    ALIKE_LATER = 10 /* and after one */
};

void breaker_calm(struct live_study *s)
{
    free(s->breaker.look);
    free(s->breaker.node);
    free(s->breaker.why);
    s->breaker = (struct breaker){0};
}

static void trip(struct live_study *s, const char *said)
{
    struct text why;

    text_init(&why);
    text_addf(&why, "%d trials in a row ended the same way: %s",
              s->breaker.in_a_row, s->breaker.look);
    if (s->breaker.node)
        text_addf(&why, ", all of them on %s", s->breaker.node);
    if (*said)
        text_addf(&why, "; the last one wrote: %s", said);
    s->breaker.why = text_take(&why);
}

static void remember_node(struct breaker *k, const char *node)
{
    if (k->in_a_row == 0 && node)
        k->node = mem_copy_text(node);
    if (!k->node || (node && strcmp(k->node, node) == 0))
        return;
    free(k->node);
    k->node = NULL;
}

void breaker_see(struct live_study *s, const char *look, const char *said,
                 const char *node)
{
    int most = s->counts[TRIAL_SUCCEEDED] ? ALIKE_LATER : ALIKE_FIRST;

    if (!look) {
        breaker_calm(s);
        return;
    }
    if (s->state != STUDY_ACTIVE || s->breaker.why)
        return; /* those still on their way when it tripped */
    if (!s->breaker.look || strcmp(s->breaker.look, look) != 0) {
        breaker_calm(s);
        s->breaker.look = mem_copy_text(look);
    }
    remember_node(&s->breaker, node);
    if (++s->breaker.in_a_row >= most)
        trip(s, said);
}

bool breaker_trips(struct board *b, struct live_study *s)
{
    struct text why;

    if (!s->breaker.why)
        return false;
    text_init(&why);
    text_addf(&why, "%s; mend it, then resume the study", s->breaker.why);
    run_study(b, s, STUDY_PAUSED, text_str(&why), false);
    text_clear(&why);
    breaker_calm(s);
    return true;
}
