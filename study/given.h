/* Trials that were run elsewhere and have ended, as a file of them is read:
 * JSON, JSON lines or CSV, and so all that `export` writes but tables and YAML.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_GIVEN_H
#define STUDY_GIVEN_H

#include "base/fault.h"
#include "study/study.h"
#include "study/trial.h"

enum { GIVEN_MOST = 10000 }; /* trials in one file */

struct given_trial {
    struct trial trial; /* ended; its number is 0 */
    enum trial_reason reason;
    char *detail; /* one sentence, "" if none */
};

struct given {
    struct given_trial *trials; /* in the file's order */
    size_t n, cap;
    size_t unfinished; /* left out: the file says that they have not ended */
};

/* Reads a file that begins with { or [ as JSON (one trial, a list of trials,
 * {"trials": [...]}, or trials one after the other, such as JSON lines) and any
 * other as CSV whose first row names the columns.
 *
 * A trial has `params` (in CSV a column for each parameter, or params.NAME)
 * and `value`, which may also be called as the study's metric, with several
 * objectives a value for each, called as the metric or standing in a map
 * `values` (in CSV values.NAME); and it may have
 * `state`, `reason`, `detail` and `step`. Without a state a finite value means
 * SUCCEEDED, and one that is not finite INFEASIBLE. What else an export has
 * (number, attempt, created, ...) is passed over. Values are read as those of
 * a study file are, and must lie in the space.
 *
 * Returns 0, or -1 with every fault and its place; *out is empty then. On
 * success it is to be cleared. */
int given_read(const char *bytes, size_t n, const struct study *study,
               struct given *out, struct faults *f);
void given_clear(struct given *g);

#endif
