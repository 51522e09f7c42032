/* Handwritten digits: 8x8 pixels each, and which digit it is. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXAMPLES_DIGITS_DATA_H
#define EXAMPLES_DIGITS_DATA_H

#include <stddef.h>

enum { DATA_PIXELS = 64, DATA_CLASSES = 10 };

struct digit {
    float pixels[DATA_PIXELS]; /* 0 to 2: their squares average about 1 */
    int class;
};

/* The rows of the file in two parts that are always the same: every fifth or
 * so, by a hash of its number, is held back for validation. */
struct data {
    struct digit *train, *valid;
    size_t n_train, n_valid;
};

/* Reads 65 numbers a line. Returns 0, or -1 after a sentence on stderr. */
int data_open(struct data *d, const char *path);
void data_close(struct data *d);

#endif
