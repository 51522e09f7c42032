/* Memory of the trials that run on this machine, as /proc shows it from time
 * to time. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_PEAK_H
#define CLI_PEAK_H

#include <stddef.h>
#include <stdint.h>

/* Looks at every process whose environment names a file below FOLDER/N/, N
 * from 1 to n, and adds up the peaks (VmHWM) of those with the same N. Raises
 * peaks[N - 1], in bytes, to what it finds. Processes that have ended, or that
 * belong to another user, are not seen; memory that several share is counted
 * for each of them. */
void peak_look(const char *folder, int64_t *peaks, size_t n);

#endif
