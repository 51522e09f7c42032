/* The kernel's inner loop, in a shape that compilers turn into vector code:
 * no branches, no calls, and our own exponential. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/matern.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#endif

/* exp(-a) for a >= 0: 2^m times a Taylor series of the remainder, which is at
 * most ln 2 / 2 and so exact to the last bit or two at degree 12. Below
 * exp(-700) it stays there. */
static inline __attribute__((always_inline)) double exp_minus(double a)
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

enum { BLOCK = 64 }; /* pairs whose sums stay near the processor */

static inline __attribute__((always_inline)) void
fill_block(const double *r2, size_t n, double variance, double *k, double *c)
{
    double a[BLOCK], e[BLOCK];

    for (size_t i = 0; i < n; i++)
        a[i] = sqrt(5 * r2[i]);
    for (size_t i = 0; i < n; i++)
        e[i] = exp_minus(a[i]);
    for (size_t i = 0; c && i < n; i++)
        c[i] = variance * (5.0 / 3) * (1 + a[i]) * e[i];
    for (size_t i = 0; i < n; i++)
        k[i] = variance * (1 + a[i] * (1 + a[i] / 3)) * e[i];
}

static inline __attribute__((always_inline)) void
fill(const double *r2, size_t n, double variance, double *k, double *c)
{
    for (size_t i = 0; i < n; i += BLOCK)
        fill_block(r2 + i, n - i < BLOCK ? n - i : BLOCK, variance, k + i,
                   c ? c + i : NULL);
}

#if defined __x86_64__ && defined __GNUC__
/* The same sums, four at a time; without fused products, so that a processor
 * that has them gives the same bits as one that has not. */
__attribute__((target("avx2"))) static void
fill_wide(const double *r2, size_t n, double variance, double *k, double *c)
{
    fill(r2, n, variance, k, c);
}

static bool wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define fill_wide fill

static bool wide(void)
{
    return false;
}
#endif

void matern_fill(const double *r2, size_t n, double variance, double *k,
                 double *c)
{
    if (wide())
        fill_wide(r2, n, variance, k, c);
    else
        fill(r2, n, variance, k, c);
}
