/* Alike: errors that differ only in numbers are the same error. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_ALIKE_H
#define TUNER_ALIKE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The sentence with every run of digits as one '#'. Yours. */
char *alike_key(const char *sentence);

/* Sentences, grouped. Zeroed to begin with. */
struct alike {
    struct alike_group {
        char *key, *sentence; /* of the first */
        int64_t n, first;
    } * groups;
    size_t n, cap;
};
void alike_add(struct alike *a, int64_t number, const char *sentence);
void alike_clear(struct alike *a);

/* "7 trials: SENTENCE; first trial 3", a line each, the largest groups first,
 * at most `most`; then how many are left out. */
void alike_write(struct alike *a, size_t most, struct text *out);

#endif
