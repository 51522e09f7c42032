/* The list of algorithms. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_ALGORITHMS_H
#define ALGORITHMS_ALGORITHMS_H

#include "algorithms/algorithm.h"

/* All of them; ends with NULL. */
extern const struct algorithm_type *const algorithms[];

/* By the name a study writes; NULL if this version has none of that name. */
const struct algorithm_type *algorithms_find(const char *name);

/* Once, before any other thread: one BLAS thread, GSL's aborting handler off.
 */
void algorithms_init(void);

#endif
