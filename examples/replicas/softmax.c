/* Softmax regression. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "softmax.h"

#include <math.h>

static void scores_of(const float *weights, const struct digit *digit,
                      float scores[DATA_CLASSES])
{
    for (int k = 0; k < DATA_CLASSES; k++) {
        const float *row = weights + (ptrdiff_t)k * (DATA_PIXELS + 1);

        scores[k] = row[DATA_PIXELS];
        for (int i = 0; i < DATA_PIXELS; i++)
            scores[k] += row[i] * digit->pixels[i];
    }
}

static int best_of(const float scores[DATA_CLASSES])
{
    int best = 0;

    for (int k = 1; k < DATA_CLASSES; k++)
        if (scores[k] > scores[best])
            best = k;
    return best;
}

void softmax_gradient(const float *weights, const struct digit *digit,
                      float factor, float *gradient)
{
    float scores[DATA_CLASSES], most, sum = 0;

    scores_of(weights, digit, scores);
    most = scores[best_of(scores)];
    for (int k = 0; k < DATA_CLASSES; k++)
        sum += scores[k] = expf(scores[k] - most);
    for (int k = 0; k < DATA_CLASSES; k++) {
        float *row = gradient + (ptrdiff_t)k * (DATA_PIXELS + 1);
        float slope =
            factor * (scores[k] / sum - (k == digit->class ? 1.0F : 0.0F));

        for (int i = 0; i < DATA_PIXELS; i++)
            row[i] += slope * digit->pixels[i];
        row[DATA_PIXELS] += slope;
    }
}

double softmax_accuracy(const float *weights, const struct digit *digits,
                        size_t n)
{
    size_t right = 0;

    for (size_t i = 0; i < n; i++) {
        float scores[DATA_CLASSES];

        scores_of(weights, &digits[i], scores);
        right += best_of(scores) == digits[i].class;
    }
    return (double)right / (double)n;
}
