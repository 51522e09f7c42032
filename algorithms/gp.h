/* A Gaussian process: what results to expect at rows not yet tried, and how
 * surely. Matern-5/2 kernel with one length for each axis, Hamming distance on
 * categorical axes, zero mean (Rasmussen and Williams, "Gaussian Processes for
 * Machine Learning", 2006, chapters 2, 4.2 and 5.4). Knows rows of numbers and
 * no study. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_GP_H
#define ALGORITHMS_GP_H

#include <stdbool.h>
#include <stddef.h>

/* What is believed before any result: normal in the logarithms. */
struct gp_prior {
    double length_mean;          /* of ln length of a numeric axis; sd 1 */
    double word_mean;            /* and of a categorical one */
    double noise_mean, noise_sd; /* of ln noise variance; ln variance: 0, 2 */
    double noise_floor;          /* no less noise than this */
};

struct gp {
    size_t n, d, n_numeric; /* rows; axes; how many of them, the first, are
                               numeric */
    double *x;              /* n rows of d features */
    double *words;          /* the categorical ones again, axis by axis */
    double *y;              /* n results */
    double *noisier;        /* n factors on the noise; 1 for most */
    double *unsure;         /* n variances beside the noise; NULL = all 0 */
    struct gp_prior prior;
    double *theta; /* d ln lengths, ln variance, ln noise variance */

    /* Of gp_factor: */
    double variance, noise;
    double jitter;   /* added to each row's noise; tiny but in need */
    double *scaled;  /* n rows: numeric features from 0.5, over the lengths */
    double *norms;   /* squared lengths of those rows */
    double *inverse; /* of the covariance; row-major, lower triangle */
    double *factor;  /* its Cholesky factor, likewise */
    double *weights; /* inverse times y */
};

/* Copies the rows and results. theta is the prior's middle. */
void gp_init(struct gp *g, size_t n, size_t d, size_t n_numeric,
             const double *x, const double *y, const double *noisier,
             const struct gp_prior *prior);
/* Row i < n is unsure by variances[i] more; the rows after n by nothing. */
void gp_doubt(struct gp *g, const double *variances, size_t n);
void gp_clear(struct gp *g); /* may be called twice */

/* The middle of a prior over d axes, n_numeric of them numeric: d + 2
 * numbers. */
void gp_middle(const struct gp_prior *p, size_t d, size_t n_numeric,
               double *theta);

/* Half the negative log posterior of theta, up to a constant, and its
 * gradient; infinity where the covariance cannot be factorised. */
double gp_objective(const struct gp *g, const double *theta, double *gradient);

/* Sets theta to the best that L-BFGS finds from each of the n starts (rows of
 * d + 2) in at most `most` evaluations each. Returns gp_objective there. */
double gp_fit(struct gp *g, const double *starts, size_t n, int most);

/* Factorises at theta, with more jitter and then more noise if need be.
 * Returns -1 if even that fails. */
int gp_factor(struct gp *g);

/* Whether it takes some of its results for noise. */
bool gp_noisy(const struct gp *g);

/* The means that are expected at its own rows, where results were y. */
void gp_known(const struct gp *g, double *means);

/* The means that are expected at n rows. */
void gp_expect(const struct gp *g, const double *rows, size_t n, double *means);

/* inverse times `count` columns of right-hand sides, both row-major n x
 * count. */
void gp_solve(const struct gp *g, const double *right, size_t count,
              double *out);

/* The squared distance of two rows in units of the lengths at theta. */
double gp_distance(const double *theta, size_t d, size_t n_numeric,
                   const double *a, const double *b);

/* What is known about a batch of rows; gp is borrowed and factorised. */
struct gp_batch {
    const struct gp *gp;
    size_t most, n;
    double *scaled;    /* n rows of n_numeric */
    double *k, *c, *v; /* n rows of gp->n: covariance with each known row,
                          its slope, inverse times covariance */
    double *variance;  /* n posterior variances, noise not counted */
};

void gp_batch_init(struct gp_batch *b, const struct gp *g, size_t most);
void gp_batch_clear(struct gp_batch *b);

/* Fills b for n <= most rows of gp->d features. */
void gp_batch_set(struct gp_batch *b, const double *rows, size_t n);

/* The gradient, over the numeric features of row i, of sum_j w[j] k(row, x_j):
 * n_numeric numbers. `work` holds gp->n numbers. */
void gp_batch_slope(const struct gp_batch *b, size_t i, const double *w,
                    double *work, double *out);

#endif
