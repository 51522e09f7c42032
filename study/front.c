/* Who beats whom. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/front.h"

size_t front_objectives(const struct study *s)
{
    return 1 + s->n_others;
}

double front_value(const struct study *s, const struct trial *t, size_t k)
{
    double value = k ? t->others[k - 1] : t->value;

    return (k ? s->others[k - 1].maximize : s->maximize) ? value : -value;
}

bool front_beats(const struct study *s, const struct trial *a,
                 const struct trial *b)
{
    bool better = false;

    for (size_t k = 0; k < front_objectives(s); k++) {
        double x = front_value(s, a, k), y = front_value(s, b, k);

        if (x < y)
            return false;
        better = better || x > y;
    }
    return better;
}

static bool counts(const struct trial *t)
{
    return t->state == TRIAL_SUCCEEDED && t->has_value;
}

size_t front_of(const struct study *s, const struct trial *trials, size_t n,
                bool *on)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        on[i] = counts(&trials[i]);
        for (size_t k = 0; on[i] && k < n; k++)
            if (counts(&trials[k]) && front_beats(s, &trials[k], &trials[i]))
                on[i] = false;
        count += on[i];
    }
    return count;
}
