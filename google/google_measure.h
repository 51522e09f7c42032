/* What happens to one trial of VizierService: it is measured, asked about,
 * stopped and completed. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_MEASURE_H
#define GOOGLE_MEASURE_H

#include "google/google_body.h"

enum { GOOGLE_MEASURE_MOST = 10000 }; /* measurements of one trial */

extern const struct google_route google_measure_routes[];

/* The fields of a Measurement. */
extern const struct google_message google_measure_fields[];

/* A Measurement that was read: every metric has a name, once. `field` is what
 * it was sent as. */
int google_measure_check(struct google_call *g, const json_t *measurement,
                         const char *field, struct err *e);
/* The value of that metric in it; false if it is not there. */
bool google_measure_value(const json_t *measurement, const char *metric,
                          double *out);
/* One that ends a trial: it has all metrics of the studySpec; the value of the
 * first, the goal, is *out. */
int google_measure_final(struct google_call *g, const json_t *measurement,
                         const char *field, const json_t *spec, double *out,
                         struct err *e);

#endif
