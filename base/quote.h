/* Text and numbers as JSON writes them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include "base/text.h"

/* Appends the text as a JSON string, quotes included. Bytes that are not
 * UTF-8 become U+FFFD, so that any output of any program can be quoted. */
void quote_json(struct text *out, const char *s);

/* Appends a number that reads back as the same double; "nan", "inf" and
 * "-inf", in quotes, for those. */
void quote_number(struct text *out, double x);

#endif
