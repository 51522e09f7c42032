/* What a study is to make best, what its trials were given, and what they
 * reached: one metric, or several objectives. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stdbool.h>

#include "base/text.h"

struct json_t; /* jansson's */

/* Whether the study has several objectives. */
bool values_several(const struct json_t *study);

/* "maximize accuracy, minimize latency" */
void values_goals(const struct json_t *study, struct text *out);

/* "accuracy=0.97 latency=12" of a trial or of an event's body, with six digits;
 * nothing if it has no value. */
void values_print(const struct json_t *study, const struct json_t *trial,
                  struct text *out);

/* "learning_rate=0.0123 hidden=64 note='a b'" with six digits; words are quoted
 * as for a shell. */
void values_params(const struct json_t *params, struct text *out);

/* A line for each of the first few of the front's trials: number, values,
 * parameters. */
void values_front(const struct json_t *study, const struct json_t *trials,
                  const char *indent, struct text *out);

#endif
