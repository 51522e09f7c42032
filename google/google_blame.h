/* Why a job of one trial broke, as Google's services say it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_BLAME_H
#define GOOGLE_BLAME_H

#include "google/google_job.h"

/* "The replica master 0 exited with a non-zero status of 1." and what it wrote
 * last, or how else it ended; platform: in AI Platform's names of replicas,
 * else in Vertex's. Yours to free. */
char *google_blame(const struct google_job_trial *t, bool platform);

#endif
