/* Why: what a study or a trial waits for, or why it ended, for a person. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_WHY_H
#define TUNER_WHY_H

#include "tuner/board.h"

/* Appends one sentence a line; number 0 means the study itself. */
int why_explain(const struct board *b, int64_t study, int64_t number,
                struct text *out, struct err *e);

#endif
