/* The machine: how many processors and how much memory jobs may have together,
 * as far as affinity and control groups allow. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_MACHINE_H
#define TRIALS_MACHINE_H

#include <stdint.h>

/* root: what stands before /proc and /sys, "" but in tests. */
int machine_processors(const char *root); /* at least 1 */
int64_t machine_memory(const char *root); /* bytes; at least 1 */

#endif
