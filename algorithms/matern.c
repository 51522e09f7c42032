/* The kernel's inner loop, in a shape that compilers turn into vector code:
 * no branches, no calls, and our own exponential. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/matern.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#endif

/* exp(-a) for a >= 0: 2^m times a Taylor series of the remainder, which is at
 * most ln 2 / 2 and so exact to the last bit or two at degree 12. Below
 * exp(-700) it stays there. */
static inline double exp_minus(double a)
{
    const double round = 0x1.8p52; /* adding it leaves m in the low bits */
    double x = a > 700 ? -700 : -a;
    double shifted = x * 0x1.71547652b82fep0 + round;
    double m = shifted - round;
    double r = (x - m * 0x1.62e42fefa39efp-1) - m * 0x1.abc9e3b39803fp-56;
    double p = 1.0 / 479001600, power = 0;
    uint64_t bits = 0;

    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

void matern_fill(const double *r2, size_t n, double variance, double *k,
                 double *c)
{
    for (size_t i = 0; c && i < n; i++) {
        double a = sqrt(5 * r2[i]);

        c[i] = variance * (5.0 / 3) * (1 + a) * exp_minus(a);
    }
    for (size_t i = 0; i < n; i++) {
        double a = sqrt(5 * r2[i]);

        k[i] = variance * (1 + a * (1 + a / 3)) * exp_minus(a);
    }
}
