/* Chance that needs no memory: numbers drawn from (seed, purpose, number).
 *
 * Philox 4x32-10, a counter-based generator: Salmon, Moraes, Dror, Shaw,
 * "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011. The k-th number of a
 * stream depends on nothing but the stream's name and k. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_DRAW_H
#define ALGORITHMS_DRAW_H

#include <stdint.h>

/* Streams of different purposes are independent. The values are part of what
 * makes a study replay: never renumber them. */
enum draw_purpose {
    DRAW_RANDOM = 1,    /* points of random search */
    DRAW_SOBOL = 2,     /* scrambles of the quasi-random sequence */
    DRAW_JITTER = 3,    /* the bits below a Sobol point's resolution */
    DRAW_FIT = 4,       /* starts of a fit */
    DRAW_SEARCH = 5,    /* the acquisition's candidates */
    DRAW_FANTASY = 6,   /* imagined results of running trials */
    DRAW_ELSEWHERE = 7, /* another point when one is taken already */
    DRAW_FRONT = 8      /* which of the front's trials to search near */
};

struct draw {
    uint32_t key[2];
    uint64_t number, block;
    uint64_t ready[2]; /* numbers of the current block not yet handed out */
    int n_ready;
};

/* Begins the stream (seed, purpose, number). */
void draw_init(struct draw *d, uint64_t seed, enum draw_purpose purpose,
               uint64_t number);

uint64_t draw_bits(struct draw *d);
double draw_unit(struct draw *d);                /* 0 < u < 1, 53 bits */
double draw_normal(struct draw *d);              /* N(0, 1) */
uint64_t draw_below(struct draw *d, uint64_t n); /* 0 .. n - 1; n >= 1 */

/* One block of the generator, for those who test it. */
void draw_philox(const uint32_t counter[4], const uint32_t key[2],
                 uint32_t out[4]);

#endif
