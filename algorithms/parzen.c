/* Building, drawing from and measuring a Parzen estimator. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/parzen.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "algorithms/slab.h"
#include "base/mem.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3") /* the loops over kernels */
#endif

static const double half_log_circle = 0.91893853320467274; /* ln(2 pi) / 2 */
/* Both measured: docs/algorithms/tpe.md. */
static const double tight = 0.8; /* a kernel's width as a share of the gap */
static const double astray = 3;  /* the weight of other words, times n */
static const double negligible = -40; /* ln of a share of the largest kernel */
enum { FINEST = 100 }; /* kernels are at least 1/100 of the range wide */

/* The share of a standard normal below x. */
static double below(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

static const struct encode_axis *axis(const struct parzen *p, size_t j)
{
    return &p->axes->encode->axes[p->axes->at[j]];
}

struct spot {
    double x;
    size_t kernel;
};

static int by_x(const void *a, const void *b)
{
    const struct spot *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->kernel > q->kernel) - (p->kernel < q->kernel);
}

/* The larger of the gaps to the neighbours on both sides. The ends of the
 * range are neighbours only while there are few kernels. */
static double gap(const struct spot *s, size_t n, size_t i)
{
    double left = i ? s[i].x - s[i - 1].x : s[i].x;
    double right = i + 1 < n ? s[i + 1].x - s[i].x : 1 - s[i].x;

    if (n >= 4 && i == 0)
        return right;
    if (n >= 4 && i + 1 == n)
        return left;
    return fmax(left, right);
}

/* One numeric axis: widths from the gaps, and the norms of the normals that
 * are cut off at 0 and 1. */
static void add_numeric(struct parzen *p, size_t j, struct spot *spots)
{
    const struct encode_axis *a = axis(p, j);
    double *centre = p->centre + j * p->n, *narrow = p->narrow + j * p->n;
    double least = 1 / fmin(FINEST, (double)p->n + 1);

    if (a->count <= ENCODE_FINE)
        least = fmax(least, 0.5 / (double)a->count);
    centre[p->n - 1] = 0.5;
    for (size_t k = 0; k < p->n; k++)
        spots[k] = (struct spot){centre[k], k};
    qsort(spots, p->n, sizeof *spots, by_x);
    for (size_t i = 0; i < p->n; i++)
        narrow[spots[i].kernel] =
            1 / fmin(1, tight * fmax(least, gap(spots, p->n, i)));
    narrow[p->n - 1] = 1;
    for (size_t k = 0; k < p->n; k++)
        p->height[k] += log(narrow[k]) - half_log_circle -
                        log(below((1 - centre[k]) * narrow[k]) -
                            below(-centre[k] * narrow[k]));
}

/* One axis of words: each kernel gives every word a little. The wide one is
 * even; it stands at no word. */
static void add_words(struct parzen *p, size_t j)
{
    double count = (double)axis(p, j)->count, little = astray / (double)p->n;
    double other = log(little / (1 + count * little));

    p->bonus[j] = log((1 + little) / little);
    for (size_t k = 0; k + 1 < p->n; k++)
        p->height[k] += other;
    p->height[p->n - 1] -= log(count);
    p->centre[j * p->n + p->n - 1] = ENCODE_NONE;
}

void parzen_init(struct parzen *p, const struct parzen_axes *axes,
                 const double *const *rows, const double *weights, size_t n)
{
    struct spot *spots = mem_new(n + 1, sizeof *spots);
    double sum = 0;

    *p = (struct parzen){.axes = axes, .n = n + 1};
    p->centre = slab_grid(axes->n, p->n);
    p->narrow = slab_grid(axes->n, p->n);
    p->bonus = slab_new(axes->n);
    p->height = slab_new(p->n);
    p->share = slab_new(p->n);
    for (size_t k = 0; k < p->n; k++)
        p->share[k] = sum += k < n ? weights[k] : 1;
    for (size_t k = 0; k < p->n; k++) {
        p->height[k] = log((k < n ? weights[k] : 1) / sum);
        p->share[k] /= sum;
    }
    for (size_t j = 0; j < axes->n; j++) {
        for (size_t k = 0; k < n; k++)
            p->centre[j * p->n + k] = rows[k][axes->at[j]];
        if (axis(p, j)->categorical)
            add_words(p, j);
        else
            add_numeric(p, j, spots);
    }
    free(spots);
}

void parzen_clear(struct parzen *p)
{
    free(p->centre);
    free(p->narrow);
    free(p->bonus);
    free(p->height);
    free(p->share);
    *p = (struct parzen){0};
}

static double draw_number(double centre, double narrow, double u)
{
    double low = below(-centre * narrow), high = below((1 - centre) * narrow);
    double x = centre + gsl_cdf_ugaussian_Pinv(low + u * (high - low)) / narrow;

    return fmin(1, fmax(0, x));
}

/* The kernel's word with its mass, else any word evenly. */
static double draw_word(double centre, double count, double little, double u)
{
    double own = 1 / (1 + count * little);

    if (centre >= 0 && u < own)
        return centre;
    if (centre >= 0)
        u = (u - own) / (1 - own);
    return fmin(count - 1, floor(u * count));
}

void parzen_draw(const struct parzen *p, struct draw *chance, double *row)
{
    double u = draw_unit(chance);
    size_t k = 0;

    while (k + 1 < p->n && p->share[k] < u)
        k++;
    for (size_t j = 0; j < p->axes->n; j++) {
        const struct encode_axis *a = axis(p, j);
        double centre = p->centre[j * p->n + k];

        u = draw_unit(chance);
        row[p->axes->at[j]] =
            a->categorical
                ? draw_word(centre, (double)a->count, astray / (double)p->n, u)
                : draw_number(centre, p->narrow[j * p->n + k], u);
    }
}

/* Adds what one numeric axis says of x to every kernel. */
static void numeric_log(const double *centre, const double *narrow, size_t n,
                        double x, double *out)
{
    for (size_t k = 0; k < n; k++) {
        double z = (x - centre[k]) * narrow[k];

        out[k] -= 0.5 * z * z;
    }
}

static void words_log(const double *centre, size_t n, double x, double bonus,
                      double *out)
{
    for (size_t k = 0; k < n; k++)
        out[k] += centre[k] == x ? bonus : 0;
}

double parzen_log(const struct parzen *p, const double *row, double *room)
{
    double most = -INFINITY, sum = 0;

    for (size_t k = 0; k < p->n; k++)
        room[k] = p->height[k];
    for (size_t j = 0; j < p->axes->n; j++) {
        const double *centre = p->centre + j * p->n;
        double x = row[p->axes->at[j]];

        if (axis(p, j)->categorical)
            words_log(centre, p->n, x, p->bonus[j], room);
        else
            numeric_log(centre, p->narrow + j * p->n, p->n, x, room);
    }
    for (size_t k = 0; k < p->n; k++)
        most = fmax(most, room[k]);
    for (size_t k = 0; k < p->n; k++)
        if (room[k] - most > negligible)
            sum += exp(room[k] - most);
    return most + log(sum);
}
