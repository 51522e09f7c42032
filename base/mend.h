/* A document's bytes before libyaml reads them: what nobody could read is
 * refused with its place, and JSON is written as YAML knows it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_MEND_H
#define BASE_MEND_H

#include <stddef.h>

#include "base/fault.h"
#include "base/text.h"

/* 0 if it is UTF-8 text without a NUL, else -1 with a fault. (libyaml says
 * neither line nor column of a byte that it cannot read.) */
int mend_check(const char *bytes, size_t n, struct faults *f);

/* Appends the text, made fit for a YAML reader if it is JSON: that writes a
 * character beyond U+FFFF as two \u escapes, which YAML does not know, allows
 * tabs before the opening brace, which YAML forbids, and holds characters as
 * they are that YAML breaks lines at or refuses. */
void mend_text(const char *text, size_t n, struct text *out);

#endif
