/* Numbers as documents write them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_LITERAL_H
#define STUDY_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the text is a number as JSON writes it. */
bool literal_is_json(const char *text);

/* An integer of 64 bits in any spelling of a number: 12, 1e3, 16.0. Returns
 * false, and leaves *out alone, for what is no integer or does not fit. */
bool literal_read_whole(const char *text, int64_t *out);

/* Whether the text is digits with perhaps a sign: if literal_read_whole
 * refuses it, it is too large. */
bool literal_is_digits(const char *text);

#endif
