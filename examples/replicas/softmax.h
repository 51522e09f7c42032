/* Softmax regression on the digits: scores that are linear in the pixels,
 * trained on their cross entropy. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXAMPLES_REPLICAS_SOFTMAX_H
#define EXAMPLES_REPLICAS_SOFTMAX_H

#include <stddef.h>

#include "../digits/data.h"

/* A weight for each pixel of each class, and a bias for each class. */
enum { SOFTMAX_WEIGHTS = (DATA_PIXELS + 1) * DATA_CLASSES };

/* Adds the digit's gradient, times factor. */
void softmax_gradient(const float *weights, const struct digit *digit,
                      float factor, float *gradient);

/* The part of the digits that it reads right, 0 to 1. */
double softmax_accuracy(const float *weights, const struct digit *digits,
                        size_t n);

#endif
