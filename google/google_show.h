/* Studies and trials as VizierService writes them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_SHOW_H
#define GOOGLE_SHOW_H

#include <jansson.h>

#include "store/store.h"
#include "store/store_google.h"

/* A study's state and a trial's in Vertex AI's words. */
const char *google_show_study_state(enum study_state s);
const char *google_show_trial_state(const struct trial_row *row);

/* The Study; NULL with *e. */
json_t *google_show_study(struct store *s, const struct google_row *row,
                          struct err *e);

/* The Trial of that study, which is named `on`
 * ("projects/p/locations/l/studies/7"); NULL with *e. */
json_t *google_show_trial(struct store *s, const char *on, int64_t study,
                          int64_t number, struct err *e);
/* The same of a row that was read. */
json_t *google_show_row(struct store *s, const char *on,
                        const struct trial_row *row, struct err *e);

/* [{"metricId": …, "value": …}] of a trial: its value of the metric, or all
 * that `objectives` holds (store.h). */
json_t *google_show_metrics(const char *metric, double value,
                            const char *objectives);

/* [{"parameterId": …, "value": …}] of a point as it is stored. */
json_t *google_show_point(const char *point);

#endif
