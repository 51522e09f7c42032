/* Another program as an algorithm: it answers requests in JSON lines on its
 * standard input, as bench/optimizer does (bench/README.md). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_QUALITY_PEER_H
#define BENCH_QUALITY_PEER_H

#include "algorithms/algorithm.h"

/* The program that peer_algorithm starts at its first open, as one would write
 * it in a shell. It serves one study after the other. Borrowed. */
void peer_use(const char *command);

/* The study's parameters must be without steps. */
extern const struct algorithm_type peer_algorithm;

/* The processor time that the program has spent between its answer to `init`
 * and the end of the study, over all of its studies, in milliseconds. */
double peer_ms(void);

/* Ends the program, if it was started. */
void peer_end(void);

#endif
