/* The one decoder: a study from any of the three dialects, and back to the
 * long form. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_CODEC_H
#define STUDY_CODEC_H

#include "base/fault.h"
#include "base/text.h"
#include "study/study.h"

/* Decodes the bytes of a study file, whichever dialect its top keys say.
 * Returns 0 and fills *out (to be cleared), or -1 with every fault found.
 * A name that the file leaves open (Vertex displayName with other characters,
 * AI Platform's missing jobId) is made from `file`, the file's base name,
 * whose ending does not count. */
int codec_decode(const char *bytes, size_t n, const char *file,
                 struct study *out, struct faults *f);

/* The same for a job of one trial that tunes nothing: trialJobSpec without
 * studySpec, or trainingInput without hyperparameters. The study has no
 * parameters and one trial, of one attempt; its metric is the one that AI
 * Platform takes where none is named. codec_decode reads it in long form
 * only, so that nobody forgets his parameters unnoticed. */
int codec_decode_job(const char *bytes, size_t n, const char *file,
                     struct study *out, struct faults *f);

/* The same for a Study of Vertex AI's Vizier: displayName and studySpec, and
 * nothing to run. */
int codec_decode_vizier(const char *bytes, size_t n, const char *file,
                        struct study *out, struct faults *f);

/* Whether a study file of our own dialect may have that key at its top. */
bool codec_knows_key(const char *key);

/* Appends the study in canonical long form, JSON, one document in our own
 * dialect's long form that codec_decode reads back to an equal study. This is
 * what the store keeps. Dialect is kept as the key "dialect". */
void codec_write_json(const struct study *s, struct text *out);

/* The same as YAML for people (`hypertune validate --print`). */
void codec_write_yaml(const struct study *s, struct text *out);

#endif
