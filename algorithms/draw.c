/* The counter-based generator and the numbers made of it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/draw.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { ROUNDS = 10 };

/* The finaliser of SplitMix64: spreads neighbouring seeds over all keys. */
static uint64_t spread(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void draw_philox(const uint32_t counter[4], const uint32_t key[2],
                 uint32_t out[4])
{
    uint32_t c[4], k0 = key[0], k1 = key[1];

    memcpy(c, counter, sizeof c);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = UINT64_C(0xd2511f53) * c[0];
        uint64_t b = UINT64_C(0xcd9e8d57) * c[2];

        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)a;
        k0 += UINT32_C(0x9e3779b9);
        k1 += UINT32_C(0xbb67ae85);
    }
    memcpy(out, c, sizeof c);
}

void draw_init(struct draw *d, uint64_t seed, enum draw_purpose purpose,
               uint64_t number)
{
    uint64_t key =
        spread(spread(seed + UINT64_C(0x9e3779b97f4a7c15)) + (uint64_t)purpose);

    memset(d, 0, sizeof *d);
    d->key[0] = (uint32_t)key;
    d->key[1] = (uint32_t)(key >> 32);
    d->number = number;
}

uint64_t draw_bits(struct draw *d)
{
    if (!d->n_ready) {
        uint32_t counter[4] = {(uint32_t)d->block, (uint32_t)(d->block >> 32),
                               (uint32_t)d->number,
                               (uint32_t)(d->number >> 32)};
        uint32_t out[4];

        draw_philox(counter, d->key, out);
        d->ready[1] = out[0] | (uint64_t)out[1] << 32;
        d->ready[0] = out[2] | (uint64_t)out[3] << 32;
        d->n_ready = 2;
        d->block++;
    }
    return d->ready[--d->n_ready];
}

double draw_unit(struct draw *d)
{
    return ((double)(draw_bits(d) >> 12) + 0.5) * 0x1p-52;
}

double draw_normal(struct draw *d)
{
    return gsl_cdf_ugaussian_Pinv(draw_unit(d));
}

uint64_t draw_below(struct draw *d, uint64_t n)
{
    assert(n >= 1);
    return (uint64_t)(((wide)draw_bits(d) * n) >> 64);
}
