/* What a fuzz target is: one function that takes any bytes, and examples of
 * what it is made for. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's name for it. Ends the program if a promise is broken; returns 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs to begin with, and words to put into them; NULL after the last. */
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];

#endif
