/* Retrying: ended trials that did not succeed get another attempt, with the
 * same number and point. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_RETRY_H
#define TUNER_RETRY_H

#include "tuner/board.h"

/* Number 0 means every FAILED trial of the study; *n_retried may be NULL.
 * ERR_CONFLICT if the trial is in another state or the study is over. */
int retry_trials(struct board *b, int64_t study, int64_t number,
                 int64_t *n_retried, struct err *e);

#endif
