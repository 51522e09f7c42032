/* Several objectives: which trials no other beats (the Pareto front). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_FRONT_H
#define STUDY_FRONT_H

#include "base/text.h"
#include "study/study.h"
#include "study/trial.h"

/* The goal and the others. */
size_t front_objectives(const struct study *s);

/* Of objective k: 0 is the goal, then come the others in order. */
const char *front_name(const struct study *s, size_t k);
bool front_maximizes(const struct study *s, size_t k);

/* The value of objective k of a trial that has one, turned so that larger is
 * better. */
double front_value(const struct study *s, const struct trial *t, size_t k);

/* Whether a is at least as good as b in every objective and better in one.
 * Both have values. */
bool front_beats(const struct study *s, const struct trial *a,
                 const struct trial *b);

/* {"name": value, ...} of all objectives, where there are several; nothing
 * else. Appends to out. */
void front_write_values(const struct study *s, double goal,
                        const double *others, struct text *out);

/* Reads the others of such a map into t->others; false if it lacks one, as it
 * does where it is "" and the study has several. */
bool front_read_values(const struct study *s, const char *json,
                       struct trial *t);

/* Says for each of n trials whether it is on the front: SUCCEEDED, with a
 * value, and beaten by no other such. With one objective these are the best.
 * Returns how many are. */
size_t front_of(const struct study *s, const struct trial *trials, size_t n,
                bool *on);

#endif
