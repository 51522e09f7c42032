/* A forecast: what the model expects of one point, in the user's own units. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_FORECAST_H
#define ALGORITHMS_FORECAST_H

#include "algorithms/algorithm.h"
#include "algorithms/gp.h"
#include "algorithms/history.h"

/* Sets out->foreseen, mean, low, high and improvement for out->point. The
 * model lives in warped units (warp.h); its normal forecast is brought back
 * through the pairs of raw and warped results, straight lines between them:
 * mean is the middle of the forecast, low and high its 16 % and 84 % points
 * (not the same distance away: the warp is steep among bad results),
 * improvement the mean of what lies above the best
 * result, over 64 quantiles. `truth` is factorised and has no running ones; its
 * results were warped with that `least`. */
void forecast_point(const struct gp *truth, const struct history *h,
                    double least, struct suggestion *out);

#endif
