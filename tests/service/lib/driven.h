/* A service with a study that its clients drive: it launches nothing, and asks
 * and tells are the test's. And looking into the answers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_SERVICE_LIB_DRIVEN_H
#define TESTS_SERVICE_LIB_DRIVEN_H

#include <jansson.h>

#include "tests/service/lib/served.h"

extern struct served service;

extern const char driven[]; /* the study's file: five random trials */
void submit_driven(void);
/* Of its trials 1 to 4 the second becomes the best, the third is infeasible,
 * and the fourth runs on. */
void tell_trials(void);

/* The answer, which must have that status; to be json_decref'ed. */
json_t *ask(int status, const char *method, const char *path, const char *body);
/* It must be a good one. */
void just(const char *method, const char *path, const char *body);

/* The object's member of that name, which must be there and be such. */
const json_t *member(const json_t *object, const char *name);
json_int_t whole(const json_t *object, const char *name);
double number(const json_t *object, const char *name);
const char *text(const json_t *object, const char *name);

#endif
