/* The Sobol sequence, its direction numbers and its scrambling. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/sobol.h"

#include <assert.h>
#include <pthread.h>

#include "algorithms/draw.h"
#include "algorithms/sobol_table.h"

enum { BITS = 32 };

static uint32_t directions[SOBOL_DIMENSIONS][BITS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Fills v from the polynomial and its initial numbers by Sobol's recurrence. */
static void direct(uint32_t v[BITS], uint32_t polynomial, int degree,
                   const uint16_t *m)
{
    for (int i = 0; i < BITS; i++) {
        if (i < degree) {
            v[i] = (uint32_t)m[i] << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (int k = 1; k < degree; k++)
            if (polynomial >> (degree - k) & 1)
                v[i] ^= v[i - k];
    }
}

static void unpack(void)
{
    const uint16_t *at = sobol_table;

    for (int i = 0; i < BITS; i++)
        directions[0][i] = UINT32_C(1) << (BITS - 1 - i);
    for (size_t dim = 1; dim < SOBOL_DIMENSIONS; dim++) {
        int degree = BITS - 1 - __builtin_clz(*at);

        direct(directions[dim], *at, degree, at + 1);
        at += 1 + degree;
    }
    assert(at == sobol_table + sobol_table_length);
}

static uint32_t reverse(uint32_t x)
{
    x = (x >> 1 & UINT32_C(0x55555555)) | (x & UINT32_C(0x55555555)) << 1;
    x = (x >> 2 & UINT32_C(0x33333333)) | (x & UINT32_C(0x33333333)) << 2;
    x = (x >> 4 & UINT32_C(0x0f0f0f0f)) | (x & UINT32_C(0x0f0f0f0f)) << 4;
    return __builtin_bswap32(x);
}

/* A random permutation of the binary tree of x's bits, first bit on top. */
static uint32_t scramble(uint32_t x, uint32_t seed)
{
    x = reverse(x);
    x ^= x * UINT32_C(0x3d20adea);
    x += seed;
    x *= (seed >> 16) | 1;
    x ^= x * UINT32_C(0x05526c56);
    x ^= x * UINT32_C(0x53a22864);
    return reverse(x);
}

uint32_t sobol_plain(uint32_t index, size_t dim)
{
    uint32_t x = 0;

    assert(dim < SOBOL_DIMENSIONS);
    pthread_once(&once, unpack);
    for (int i = 0; index; i++, index >>= 1)
        if (index & 1)
            x ^= directions[dim][i];
    return x;
}

void sobol_point(uint64_t seed, uint64_t index, size_t n, double *out)
{
    struct draw scrambles, below;
    uint32_t at = (uint32_t)index;

    draw_init(&scrambles, seed, DRAW_SOBOL, 0);
    draw_init(&below, seed, DRAW_JITTER, index);
    for (size_t k = 0; k < n; k++) {
        uint64_t seeds = draw_bits(&scrambles);
        uint32_t x = 0;

        if (k && k % SOBOL_DIMENSIONS == 0)
            at = scramble((uint32_t)index, (uint32_t)(seeds >> 32));
        x = scramble(sobol_plain(at, k % SOBOL_DIMENSIONS), (uint32_t)seeds);
        out[k] = ((double)x + draw_unit(&below)) * 0x1p-32;
        if (out[k] >= 1)
            out[k] = 1 - 0x1p-53;
    }
}
