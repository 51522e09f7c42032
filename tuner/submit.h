/* Submitting: a new study is stored; the same one again goes on, with new
 * limits if it has any. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_SUBMIT_H
#define TUNER_SUBMIT_H

#include "tuner/board.h"

/* spec: the study in canonical JSON; source: the file as it was submitted.
 * ERR_CONFLICT if another study has that name. */
int submit_study(struct board *b, const struct study *study, const char *spec,
                 const char *source, const char *base_dir,
                 struct engine_submitted *out, struct err *e);

#endif
