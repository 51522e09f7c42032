/* The turn: what follows from the events of a round is settled, stored, and
 * only then acted upon. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_TURN_H
#define TUNER_TURN_H

#include "tuner/board.h"

struct turn {
    bool stuck;        /* the store failed; the board is empty until it works */
    int64_t try_again; /* steady */
};

/* Settles, commits, acts, tells the waiting (engine_turn). If the store fails,
 * nothing of the round is true: the board is emptied, and t is stuck. */
void turn_do(struct turn *t, struct board *b);

/* Of one that is stuck, once its time has come: reads everything again. */
void turn_come_back(struct turn *t, struct board *b);

/* Empties the board; those who wait are told of b->trouble. */
void turn_forget_all(struct board *b);

#endif
