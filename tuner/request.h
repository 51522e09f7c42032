/* Requests: trials at points that a client wants tried, of studies that launch
 * nothing. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_REQUEST_H
#define TUNER_REQUEST_H

#include "tuner/board.h"

/* A PENDING trial at the point (point_read_json). It takes nobody's turn: what
 * the algorithm would have tried next it still will. */
int request_trial(struct board *b, struct live_study *s, const char *point,
                  int64_t *number, struct err *e);

/* The trial is that client's from now on. On -1 the board is broken. */
int request_assign(struct board *b, struct live_trial *t, const char *client);

#endif
