/* Who is who among a trial's replicas: CLUSTER_SPEC and TF_CONFIG. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_CLUSTER_H
#define STUDY_CLUSTER_H

#include "base/text.h"
#include "study/places.h"

/* Appends what the formats call the job, an object: CLOUD_ML_JOB. */
void cluster_job(const struct study *s, struct text *out);

/* Appends CLUSTER_SPEC as that replica reads it. */
void cluster_spec(const struct study *s, const struct places *at,
                  struct text *out);

/* Appends TF_CONFIG. False: the replica is to have none. */
bool cluster_tf_config(const struct study *s, const struct places *at,
                       struct text *out);

#endif
