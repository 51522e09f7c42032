/* What programs that watch services ask: is it there, is it ready, and the
 * figures as Prometheus reads them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_METRICS_H
#define FACE_API_METRICS_H

#include "face/call.h"

call_fn api_metrics;         /* /metrics */
call_fn api_metrics_healthz; /* /healthz: the loop turns */
call_fn api_metrics_readyz;  /* /readyz: new work is taken; else 503 */

#endif
