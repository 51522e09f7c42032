/* Parzen estimators: a density made of one kernel for each of some rows, and
 * a wide one for what is not known.
 *
 * After Bergstra, Bardenet, Bengio, Kegl, "Algorithms for Hyper-Parameter
 * Optimization", NIPS 2011, with a product kernel over all axes as in Falkner,
 * Klein, Hutter, "BOHB: Robust and Efficient Hyperparameter Optimization at
 * Scale", ICML 2018. Numeric axes run from 0 to 1 and have normal kernels cut
 * off there; categorical ones give most of their mass to the kernel's word. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_PARZEN_H
#define ALGORITHMS_PARZEN_H

#include <stddef.h>

#include "algorithms/draw.h"
#include "algorithms/encode.h"

/* A few axes of a space. */
struct parzen_axes {
    const struct encode *encode; /* borrowed */
    size_t *at;                  /* indices of its axes, in order */
    size_t n;
};

struct parzen {
    const struct parzen_axes *axes; /* borrowed */
    size_t n;                       /* kernels; the last is the wide one */
    double *centre;                 /* an axis after the other, n each */
    double *narrow; /* 1 / standard deviation, likewise; 0 for words */
    double *bonus;  /* for each axis of words: ln of how much likelier the
                       kernel's own word is than another */
    double *height; /* for each kernel: ln of its weight and its norm */
    double *share;  /* the sum of the weights up to and with each, of 1 */
};

/* Kernels at n rows (each of all features of the encoding; active on these
 * axes) of the given weights, which are above 0; the wide kernel weighs 1.
 * The rows are not needed afterwards. */
void parzen_init(struct parzen *p, const struct parzen_axes *axes,
                 const double *const *rows, const double *weights, size_t n);
void parzen_clear(struct parzen *p);

/* Draws the features of its axes into the row and leaves the others alone. */
void parzen_draw(const struct parzen *p, struct draw *chance, double *row);

/* ln of the density at a row; `room` is scratch for p->n numbers. */
double parzen_log(const struct parzen *p, const double *row, double *room);

#endif
