/* The BBOB functions and their instances. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/functions/bbob.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { TABLE = 32, WARM_UP = 40, OTHER_SEED = 1000000 };

/* n numbers between 0 and 1 from a seed: the Park-Miller generator with a
 * Bays-Durham shuffle, which COCO's instances are drawn with. */
static void uniform(long seed, size_t n, double *out)
{
    const long q = 127773, a = 16807, r = 2836, m = 2147483647;
    long now = seed > 1 ? seed : 1, table[TABLE], last = 0;

    for (int i = WARM_UP - 1; i >= 0; i--) {
        now = a * (now % q) - r * (now / q);
        now += now < 0 ? m : 0;
        if (i < TABLE)
            table[i] = now;
    }
    last = table[0];
    for (size_t i = 0; i < n; i++) {
        long slot = last / 67108865;

        now = a * (now % q) - r * (now / q);
        now += now < 0 ? m : 0;
        last = table[slot];
        table[slot] = now;
        out[i] = (double)last / 2.147483647e9;
        if (out[i] == 0)
            out[i] = 1e-99;
    }
}

static void normal(long seed, size_t n, double *out)
{
    double *u = mem_new(2 * n, sizeof *u);

    uniform(seed, 2 * n, u);
    for (size_t i = 0; i < n; i++) {
        out[i] = sqrt(-2 * log(u[i])) * cos(2 * M_PI * u[n + i]);
        if (out[i] == 0)
            out[i] = 1e-99;
    }
    free(u);
}

/* An orthogonal matrix: the columns of a random one, made so. */
static double *rotation(long seed, size_t d)
{
    double *g = mem_new(d * d, sizeof *g), *b = mem_new(d * d, sizeof *b);

    normal(seed, d * d, g);
    for (size_t i = 0; i < d; i++) {
        double *column = g + i * d, length = 0;

        for (size_t j = 0; j < i; j++) {
            double product = 0;

            for (size_t k = 0; k < d; k++)
                product += column[k] * g[j * d + k];
            for (size_t k = 0; k < d; k++)
                column[k] -= product * g[j * d + k];
        }
        for (size_t k = 0; k < d; k++)
            length += column[k] * column[k];
        for (size_t k = 0; k < d; k++) {
            column[k] /= sqrt(length);
            b[k * d + i] = column[k];
        }
    }
    free(g);
    return b;
}

static void times(const double *a, size_t d, const double *x, double *out)
{
    for (size_t i = 0; i < d; i++) {
        out[i] = 0;
        for (size_t k = 0; k < d; k++)
            out[i] += a[i * d + k] * x[k];
    }
}

/* 0 for the first of d axes, 1 for the last. */
static double along(size_t i, size_t d)
{
    return (double)i / (double)(d - 1);
}

/* z_i *= condition^(along / 2) */
static void stretch(double *z, size_t d, double condition)
{
    for (size_t i = 0; i < d; i++)
        z[i] *= pow(condition, along(i, d) / 2);
}

static double wobble(double x)
{
    double a = fabs(x) > 0 ? log(fabs(x)) : 0;
    double c1 = x > 0 ? 10 : 5.5, c2 = x > 0 ? 7.9 : 3.1;

    if (x == 0)
        return 0;
    return copysign(exp(a + 0.049 * (sin(c1 * a) + sin(c2 * a))), x);
}

static void wobble_all(double *z, size_t d)
{
    for (size_t i = 0; i < d; i++)
        z[i] = wobble(z[i]);
}

static void lean(double *z, size_t d, double beta)
{
    for (size_t i = 0; i < d; i++)
        if (z[i] > 0)
            z[i] = pow(z[i], 1 + beta * along(i, d) * sqrt(z[i]));
}

static double squares(const double *z, size_t d)
{
    double sum = 0;

    for (size_t i = 0; i < d; i++)
        sum += z[i] * z[i];
    return sum;
}

static double ellipsoid(const double *z, size_t d, double condition)
{
    double sum = 0;

    for (size_t i = 0; i < d; i++)
        sum += pow(condition, along(i, d)) * z[i] * z[i];
    return sum;
}

static double rastrigin(const double *z, size_t d)
{
    double waves = 0;

    for (size_t i = 0; i < d; i++)
        waves += cos(2 * M_PI * z[i]);
    return 10 * ((double)d - waves) + squares(z, d);
}

static double rosenbrock(const double *z, size_t d)
{
    double sum = 0;

    for (size_t i = 0; i + 1 < d; i++) {
        double a = z[i] * z[i] - z[i + 1], b = z[i] - 1;

        sum += 100 * a * a + b * b;
    }
    return sum;
}

/* The functions proper. z is x - xopt on entry, x the point; work has d
 * numbers. */
struct at {
    const struct bbob *b;
    const double *x;
    double *z, *work;
    size_t d;
};

/* z = matrix z */
static void turn(struct at *p, const double *matrix)
{
    times(matrix, p->d, p->z, p->work);
    memcpy(p->z, p->work, p->d * sizeof *p->z);
}

static double f1(struct at *p)
{
    return squares(p->z, p->d);
}

static double f2(struct at *p)
{
    wobble_all(p->z, p->d);
    return ellipsoid(p->z, p->d, 1e6);
}

static double f3(struct at *p)
{
    wobble_all(p->z, p->d);
    lean(p->z, p->d, 0.2);
    stretch(p->z, p->d, 10);
    return rastrigin(p->z, p->d);
}

static double f4(struct at *p)
{
    wobble_all(p->z, p->d);
    for (size_t i = 0; i < p->d; i++)
        p->z[i] *=
            (p->z[i] > 0 && i % 2 == 0 ? 10 : 1) * pow(10, along(i, p->d) / 2);
    return rastrigin(p->z, p->d);
}

static double f5(struct at *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->d; i++) {
        double top = p->b->xopt[i];
        double slope = copysign(pow(10, along(i, p->d)), top);

        sum += 5 * fabs(slope) - slope * (p->x[i] * top < 25 ? p->x[i] : top);
    }
    return sum;
}

static double f6(struct at *p)
{
    double sum = 0;

    turn(p, p->b->q);
    stretch(p->z, p->d, 10);
    turn(p, p->b->r);
    for (size_t i = 0; i < p->d; i++) {
        double s = p->z[i] * p->b->xopt[i] > 0 ? 100 : 1;

        sum += s * s * p->z[i] * p->z[i];
    }
    return pow(wobble(sum), 0.9);
}

static double f7(struct at *p)
{
    double first = 0;

    turn(p, p->b->q);
    stretch(p->z, p->d, 10);
    first = fabs(p->z[0]) / 1e4;
    for (size_t i = 0; i < p->d; i++)
        p->z[i] = fabs(p->z[i]) > 0.5 ? floor(0.5 + p->z[i])
                                      : floor(0.5 + 10 * p->z[i]) / 10;
    turn(p, p->b->r);
    return 0.1 * fmax(first, ellipsoid(p->z, p->d, 100));
}

static double factor(size_t d)
{
    return fmax(1, sqrt((double)d) / 8);
}

static double f8(struct at *p)
{
    for (size_t i = 0; i < p->d; i++)
        p->z[i] = factor(p->d) * p->z[i] + 1;
    return rosenbrock(p->z, p->d);
}

/* z of the two functions that are turned about the centre. */
static void about_centre(struct at *p)
{
    times(p->b->r, p->d, p->x, p->z);
    for (size_t i = 0; i < p->d; i++)
        p->z[i] = factor(p->d) * p->z[i] + 0.5;
}

static double f9(struct at *p)
{
    about_centre(p);
    return rosenbrock(p->z, p->d);
}

static double f10(struct at *p)
{
    turn(p, p->b->r);
    wobble_all(p->z, p->d);
    return ellipsoid(p->z, p->d, 1e6);
}

static double f11(struct at *p)
{
    turn(p, p->b->r);
    wobble_all(p->z, p->d);
    return 1e6 * p->z[0] * p->z[0] + squares(p->z + 1, p->d - 1);
}

static double f12(struct at *p)
{
    turn(p, p->b->r);
    lean(p->z, p->d, 0.5);
    turn(p, p->b->r);
    return p->z[0] * p->z[0] + 1e6 * squares(p->z + 1, p->d - 1);
}

static double f13(struct at *p)
{
    turn(p, p->b->q);
    stretch(p->z, p->d, 10);
    turn(p, p->b->r);
    return p->z[0] * p->z[0] + 100 * sqrt(squares(p->z + 1, p->d - 1));
}

static double f14(struct at *p)
{
    double sum = 0;

    turn(p, p->b->r);
    for (size_t i = 0; i < p->d; i++)
        sum += pow(fabs(p->z[i]), 2 + 4 * along(i, p->d));
    return sqrt(sum);
}

static double f15(struct at *p)
{
    turn(p, p->b->r);
    wobble_all(p->z, p->d);
    lean(p->z, p->d, 0.2);
    turn(p, p->b->q);
    stretch(p->z, p->d, 10);
    turn(p, p->b->r);
    return rastrigin(p->z, p->d);
}

static double f16(struct at *p)
{
    double sum = 0, least = 0, mean = 0;

    turn(p, p->b->r);
    wobble_all(p->z, p->d);
    turn(p, p->b->q);
    stretch(p->z, p->d, 1e-2);
    turn(p, p->b->r);
    for (int k = 0; k < 12; k++) {
        double a = pow(0.5, k), b = 2 * M_PI * pow(3, k);

        least += a * cos(b / 2);
        for (size_t i = 0; i < p->d; i++)
            sum += a * cos(b * (p->z[i] + 0.5));
    }
    mean = sum / (double)p->d - least;
    return 10 * mean * mean * mean;
}

static double schaffer(struct at *p, double condition)
{
    double sum = 0;

    turn(p, p->b->r);
    lean(p->z, p->d, 0.5);
    turn(p, p->b->q);
    stretch(p->z, p->d, condition);
    for (size_t i = 0; i + 1 < p->d; i++) {
        double s = squares(p->z + i, 2), wave = sin(50 * pow(s, 0.1));

        sum += pow(s, 0.25) * (1 + wave * wave);
    }
    sum /= (double)(p->d - 1);
    return sum * sum;
}

static double f17(struct at *p)
{
    return schaffer(p, 10);
}

static double f18(struct at *p)
{
    return schaffer(p, 1000);
}

static double f19(struct at *p)
{
    double sum = 0;

    about_centre(p);
    for (size_t i = 0; i + 1 < p->d; i++) {
        double s = rosenbrock(p->z + i, 2);

        sum += s / 4000 - cos(s);
    }
    return 10 + 10 * sum / (double)(p->d - 1);
}

static double f20(struct at *p)
{
    double sum = 0, outside = 0, before = 0;

    for (size_t i = 0; i < p->d; i++) {
        double top = p->b->xopt[i], m = 2 * fabs(top);
        double now = 2 * copysign(1, top) * p->x[i], z = now;

        z += i ? 0.25 * (before - 2 * fabs(p->b->xopt[i - 1])) : 0;
        before = now;
        z = 100 * (pow(10, along(i, p->d) / 2) * (z - m) + m);
        sum += z * sin(sqrt(fabs(z)));
        outside += pow(fmax(0, fabs(z / 100) - 5), 2);
    }
    return 4.189828872724339 - 0.01 * sum / (double)p->d + 100 * outside;
}

static double f21(struct at *p)
{
    const struct bbob *b = p->b;
    double most = 0, value = 0;

    times(b->r, p->d, p->x, p->z);
    for (size_t k = 0; k < b->n_peaks; k++) {
        double sum = 0;

        for (size_t i = 0; i < p->d; i++) {
            double gap = p->z[i] - b->peaks[k * p->d + i];

            sum += b->scales[k * p->d + i] * gap * gap;
        }
        most = fmax(most, b->heights[k] * exp(-sum / (double)(2 * p->d)));
    }
    value = wobble(10 - most);
    return value * value;
}

static double f23(struct at *p)
{
    double product = 1, d = (double)p->d;

    turn(p, p->b->q);
    stretch(p->z, p->d, 100);
    turn(p, p->b->r);
    for (size_t i = 0; i < p->d; i++) {
        double sum = 0;

        for (int k = 1; k <= 32; k++) {
            double x = ldexp(p->z[i], k);

            sum += fabs(x - floor(x + 0.5)) / ldexp(1, k);
        }
        product *= pow(1 + (double)(i + 1) * sum, 10 / pow(d, 1.2));
    }
    return 10 / d / d * (product - 1);
}

static double f24(struct at *p)
{
    const double m0 = 2.5;
    double d = (double)p->d, s = 1 - 1 / (2 * sqrt(d + 20) - 8.2);
    double m1 = -sqrt((m0 * m0 - 1) / s), one = 0, two = 0, waves = 0;

    for (size_t i = 0; i < p->d; i++) {
        double x = 2 * copysign(1, p->b->xopt[i]) * p->x[i];

        one += (x - m0) * (x - m0);
        two += (x - m1) * (x - m1);
        p->z[i] = x - m0;
    }
    turn(p, p->b->q);
    stretch(p->z, p->d, 100);
    turn(p, p->b->r);
    for (size_t i = 0; i < p->d; i++)
        waves += cos(2 * M_PI * p->z[i]);
    return fmin(one, d + s * two) + 10 * (d - waves);
}

static double (*const functions[])(struct at *p) = {
    f1,  f2,  f3,  f4,  f5,  f6,  f7,  f8,  f9,  f10, f11, f12,
    f13, f14, f15, f16, f17, f18, f19, f20, f21, f21, f23, f24};

/* What the optimum's value is: a Cauchy number, cut at a thousand. */
static double height(long seed)
{
    double a = 0, b = 0;

    normal(seed, 1, &a);
    normal(seed + 1, 1, &b);
    return fmin(1000, fmax(-1000, floor(1e4 * a / b + 0.5) / 100));
}

static void uniform_signs(struct bbob *b, long seed, double size)
{
    uniform(seed, b->d, b->xopt);
    for (size_t i = 0; i < b->d; i++)
        b->xopt[i] = b->xopt[i] - 0.5 < 0 ? -size : size;
}

static void normal_signs(struct bbob *b, long seed, double size)
{
    normal(seed, b->d, b->xopt);
    for (size_t i = 0; i < b->d; i++)
        b->xopt[i] = b->xopt[i] < 0 ? -size : size;
}

static void place_optimum(struct bbob *b, long seed)
{
    uniform(seed, b->d, b->xopt);
    for (size_t i = 0; i < b->d; i++) {
        b->xopt[i] = 8 * floor(1e4 * b->xopt[i]) / 1e4 - 4;
        if (b->xopt[i] == 0)
            b->xopt[i] = -1e-5;
    }
}

/* Where a function puts its optimum otherwise than anywhere in [-4, 4]. */
static void adjust_optimum(struct bbob *b, long seed)
{
    for (size_t i = 0; i < b->d; i++) {
        double *x = &b->xopt[i], sum = 0;

        switch (b->function) {
        case 4:
            *x = i % 2 == 0 ? fabs(*x) : *x;
            break;
        case 5:
            *x = copysign(5, *x);
            break;
        case 8:
            *x *= 0.75;
            break;
        case 9:
        case 19:
            for (size_t k = 0; k < b->d; k++)
                sum += b->r[k * b->d + i];
            *x = 0.5 * sum / factor(b->d);
            break;
        default:
            break;
        }
    }
    if (b->function == 20)
        uniform_signs(b, seed, 4.2096874637 / 2);
    if (b->function == 24)
        normal_signs(b, seed, 2.5 / 2);
}

struct ranked {
    double key;
    size_t at;
};

static int by_key(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

/* The order in which n random numbers rise. */
static void permutation(long seed, size_t n, size_t *out)
{
    struct ranked *r = mem_new(n, sizeof *r);
    double *u = mem_new(n, sizeof *u);

    uniform(seed, n, u);
    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){u[i], i};
    qsort(r, n, sizeof *r, by_key);
    for (size_t i = 0; i < n; i++)
        out[i] = r[i].at;
    free(u);
    free(r);
}

/* Peak k's squared widths: a condition between 1 and 1000, of all peaks
 * another, along axes in random order. */
static void widen(struct bbob *b, long seed, size_t k, double condition)
{
    size_t *order = mem_new(b->d, sizeof *order);

    permutation(seed + (long)(1000 * k), b->d, order);
    for (size_t i = 0; i < b->d; i++)
        b->scales[k * b->d + i] = pow(condition, along(order[i], b->d) - 0.5);
    free(order);
}

static void raise_peaks(struct bbob *b, long seed)
{
    bool few = b->function == 22;
    size_t n = few ? 21 : 101, d = b->d;
    double wide = few ? 9.8 : 10, low = few ? 4.9 : 5;
    double *u = mem_new(n * d, sizeof *u), *place = mem_new(d, sizeof *place);
    size_t *order = mem_new(n - 1, sizeof *order);

    b->n_peaks = n;
    b->peaks = mem_new(n * d, sizeof *b->peaks);
    b->scales = mem_new(n * d, sizeof *b->scales);
    b->heights = mem_new(n, sizeof *b->heights);
    permutation(seed, n - 1, order);
    uniform(seed, n * d, u);
    for (size_t k = 0; k < n; k++) {
        double share = k ? (double)order[k - 1] / (double)(n - 2) : 0;

        b->heights[k] = k ? 1.1 + 8 * (double)(k - 1) / (double)(n - 2) : 10;
        widen(b, seed, k, k ? pow(1000, share) : few ? 1e3 : sqrt(1e3));
        for (size_t i = 0; i < d; i++) {
            place[i] = wide * u[k * d + i] - low;
            place[i] *= k ? 1 : 0.8;
            if (k == 0)
                b->xopt[i] = place[i];
        }
        times(b->r, d, place, b->peaks + k * d);
    }
    free(u);
    free(place);
    free(order);
}

void bbob_init(struct bbob *b, int function, size_t d, int instance)
{
    int like = function == 4 ? 3 : function == 18 ? 17 : function;
    long seed = like + 10000L * instance;

    assert(function >= 1 && function <= BBOB_FUNCTIONS && d >= 2);
    *b = (struct bbob){.function = function, .d = d, .fopt = height(seed)};
    b->xopt = mem_new(d, sizeof *b->xopt);
    b->r = rotation(seed + OTHER_SEED, d);
    b->q = rotation(seed, d);
    if (function == 9 || function == 19 || function == 21 || function == 22) {
        double *r = b->r;

        b->r = b->q;
        b->q = r;
    }
    place_optimum(b, function == 12 ? seed + OTHER_SEED : seed);
    adjust_optimum(b, seed);
    if (function == 21 || function == 22)
        raise_peaks(b, seed);
}

void bbob_clear(struct bbob *b)
{
    free(b->xopt);
    free(b->r);
    free(b->q);
    free(b->peaks);
    free(b->scales);
    free(b->heights);
    *b = (struct bbob){0};
}

double bbob_value(const struct bbob *b, const double *x)
{
    double *z = mem_new(2 * b->d, sizeof *z), value = 0;
    struct at p = {.b = b, .x = x, .z = z, .work = z + b->d, .d = b->d};

    for (size_t i = 0; i < b->d; i++)
        z[i] = x[i] - b->xopt[i];
    value = b->fopt + functions[b->function - 1](&p);
    free(z);
    return value;
}
