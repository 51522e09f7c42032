/* Found: what the store says of one study or trial that may not be live. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_FOUND_H
#define TUNER_FOUND_H

#include "tuner/board.h"

struct found {
    enum study_state state; /* of a study, with its name and spec */
    char *name, *spec;
    enum trial_state trial; /* of a trial */
    bool given;
};

/* ERR_ABSENT if there is none. *out is to be cleared on success. */
int found_study(const struct board *b, int64_t study, struct found *out,
                struct err *e);
int found_trial(const struct board *b, int64_t study, int64_t number,
                struct found *out, struct err *e);
void found_clear(struct found *f);

#endif
