/* One trial of a file of ended trials, before it is understood and after:
 * fields by name, as JSON and CSV both have them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_RECORD_H
#define STUDY_RECORD_H

#include "base/node.h"
#include "study/given.h"

enum { RECORD_MOST_FAULTS = 100 }; /* then the rest is not looked at */

/* Fields. RECORD_VALUE + k is of objective k (study/front.h). */
enum {
    RECORD_STATE,
    RECORD_REASON,
    RECORD_DETAIL,
    RECORD_STEP,
    RECORD_VALUE,
    RECORD_NAMED,
    RECORD_FIELDS = RECORD_NAMED + TRIAL_OTHERS
};

/* What the file says; all of it is borrowed. */
struct record {
    int line, column;
    const char *fields[RECORD_FIELDS]; /* NULL if not there */
    const struct node *params;         /* a map, or NULL */
};

/* Whose trials are read, and where they and their faults go. */
struct record_reading {
    const struct study *study;
    struct given *out;
    struct faults *f;
};

/* The field of that name, or RECORD_FIELDS. */
size_t record_field_of(const struct study *s, const char *name);
/* The field of the objective of that name, or RECORD_FIELDS. */
size_t record_objective_of(const struct study *s, const char *name);
/* Whether an export has it and an import no use for it. */
bool record_passes_over(const char *name);
/* Adds the fault that there is no such name; with_params: parameters stand
 * beside the fields. */
void record_refuse_name(const struct record_reading *r, int line, int column,
                        const char *name, bool with_params);

/* Takes one trial in: adds it, or what is wrong with it. Returns false once
 * nothing more need be read. */
bool record_take(const struct record_reading *r, const struct record *at);

/* Releases what one of given.trials holds. */
void record_clear_trial(struct given_trial *t);

#endif
