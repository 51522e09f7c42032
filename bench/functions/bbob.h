/* The 24 noiseless functions of the BBOB suite on [-5, 5]^d, with instances as
 * COCO numbers them: shifts, rotations and values of the optimum drawn from
 * (function, instance).
 *
 * Hansen, Finck, Ros, Auger, "Real-Parameter Black-Box Optimization
 * Benchmarking 2009: Noiseless Functions Definitions", INRIA RR-6829; Hansen
 * et al., "COCO: A Platform for Comparing Continuous Optimizers in a Black-Box
 * Setting", 2021. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_FUNCTIONS_BBOB_H
#define BENCH_FUNCTIONS_BBOB_H

#include <stddef.h>

enum { BBOB_FUNCTIONS = 24 };

struct bbob {
    int function;    /* 1 .. 24 */
    size_t d;        /* at least 2 */
    double *xopt;    /* where the optimum lies */
    double fopt;     /* its value */
    double *r, *q;   /* two rotations, row-major d x d */
    size_t n_peaks;  /* of the functions made of peaks */
    double *peaks;   /* n_peaks rows: their places, rotated */
    double *scales;  /* n_peaks rows: their widths, squared */
    double *heights; /* n_peaks */
};

void bbob_init(struct bbob *b, int function, size_t d, int instance);
void bbob_clear(struct bbob *b);

/* The value at d numbers in [-5, 5]. */
double bbob_value(const struct bbob *b, const double *x);

#endif
