/* Between words and numbers: a point of a space as a row of the GP's features,
 * and back.
 *
 * Each parameter that can vary is one axis. Numeric ones come first and run
 * from 0 to 1 on their scale; finite ones sit on the middles of equal cells. A
 * categorical axis holds the index of the word; its distance is Hamming's. An
 * inactive child is 0.5 or -1: two inactive children are equal, whatever they
 * were before. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_ENCODE_H
#define ALGORITHMS_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/point.h"
#include "study/space.h"

enum {
    ENCODE_FINE = 1000, /* more values than this count as a continuum */
    ENCODE_NONE = -1    /* a categorical feature of an inactive parameter */
};

struct encode_axis {
    size_t param; /* index in the space */
    const struct param *p;
    bool categorical;
    bool parent;    /* other parameters hang on its value */
    uint64_t count; /* of values; UINT64_MAX for a plain double */
    enum param_scale scale;
    double low, high; /* the native values of 0 and 1: outer ends of cells */
    double *at;       /* DISCRETE: the feature of each value; else NULL */
};

/* `space` is borrowed. */
struct encode {
    const struct space *space;
    struct encode_axis *axes; /* numeric ones first, else in order */
    size_t n, n_numeric;
    int *axis_of;     /* for each parameter: its axis, or -1 (one value) */
    bool conditional; /* some parameter hangs on another */
    bool rounded;     /* some axis has finitely many values */
};

void encode_init(struct encode *e, const struct space *space);
void encode_clear(struct encode *e);

/* One axis: the feature of an active value, and the value nearest to a
 * feature (always one that the parameter holds). */
double encode_feature(const struct encode_axis *a, const struct value *v);
struct value encode_value(const struct encode_axis *a, double feature);

/* The value that cuts off the share u, 0 < u < 1, of a parameter's range: even
 * over the values of a list or a linear range, even in ln x over a log one. */
struct value encode_share(const struct encode *e, size_t param, double u);

/* The features of a point, e->n of them. */
void encode_row(const struct encode *e, const struct point *p, double *row);

/* The point of a row; what exists is decided by the values themselves, so that
 * the result lies in the space whatever the row. *out is initialised. */
void encode_point(const struct encode *e, const double *row, struct point *out);

/* Rows may be `latent`: hold a value for every axis, inactive or not. These
 * turn every feature of a latent row into that of a real value (snap), and a
 * latent row into the row that the GP sees (mask; axes that do not exist are
 * false in `active`, which may be NULL). */
void encode_snap(const struct encode *e, double *latent);
void encode_mask(const struct encode *e, const double *latent, double *row,
                 bool *active);

/* The declared default of each parameter, else its middle or first word. *out
 * is initialised. */
void encode_middle(const struct encode *e, struct point *out);

#endif
