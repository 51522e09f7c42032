/* The environment that a replica is given (docs/study-file.md, "What a trial is
 * given"). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_ENVIRON_H
#define STUDY_ENVIRON_H

#include "study/places.h"
#include "study/words.h"

/* Sets on top of what *out already holds (say, the service's own environment)
 * every variable that the page names, for one replica. The report file is
 * `reports` in the replica's own folder (places_folder), the Python package's
 * `output.metrics` there; the stop file is `stop` in the attempt's, for all of
 * them. */
void environ_set(const struct study *s, const struct point *p,
                 const struct places *at, struct words *out);

#endif
