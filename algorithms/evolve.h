/* CMA-ES, the sums: a normal distribution that moves with what was found.
 *
 * Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772 (2016),
 * with its default constants and active (negative) weights. Results that the
 * present distribution did not make are taken in as in Hansen, "Injecting
 * External Solutions Into CMA-ES", INRIA RR-7748 (2011): a step is never
 * longer than a drawn one would be. Axes with few values keep a margin:
 * Hamano, Saito, Nomura, Shirakawa, "CMA-ES with Margin", GECCO 2022. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_EVOLVE_H
#define ALGORITHMS_EVOLVE_H

#include <stdbool.h>
#include <stddef.h>

struct evolve {
    size_t n;       /* axes; at least 1 */
    size_t lambda;  /* results of a generation */
    size_t mu;      /* of them, the better ones, which pull */
    bool separable; /* many axes: variances alone, no covariances */
    double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi;
    double *weights;    /* of the ranks, best first; negative after mu */
    double *mean;       /* n */
    double *stretch;    /* n; how far margins widen an axis, from 1 on */
    double *covariance; /* n * n, the lower triangle, columns together */
    double *base;       /* n * n, its eigenvectors as columns */
    double *widths;     /* n, the roots of its eigenvalues */
    double *path_sigma, *path_c;
    double sigma;
    size_t generations;
};

/* How many results a generation has by default. */
size_t evolve_lambda(size_t n);

/* A round distribution of that standard deviation, 0 < sigma. */
void evolve_init(struct evolve *v, size_t n, size_t lambda, const double *mean,
                 double sigma);
void evolve_clear(struct evolve *v);

/* Turns n standard normal numbers into a draw x. */
void evolve_draw(const struct evolve *v, const double *normals, double *x);

/* The standard deviation of a draw on one axis. */
double evolve_width(const struct evolve *v, size_t axis);

/* A generation: lambda rows of n numbers, best first. */
void evolve_learn(struct evolve *v, const double *const *rows);

/* Sees to it that draws leave the cell low .. high of the mean on that axis
 * with probability alpha at least, 0 < alpha < 0.5. A cell at an end of the
 * axis is left on its other side alone. */
void evolve_margin(struct evolve *v, size_t axis, double low, double high,
                   bool first, bool last, double alpha);

/* Whether it has shrunk to nothing or lost its shape. */
bool evolve_spent(const struct evolve *v);

#endif
