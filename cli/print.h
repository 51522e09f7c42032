/* JSON values for people and programs: as text, JSON, YAML, CSV and short. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct json_t; /* jansson's */

/* All of these append to out. */

/* Pretty JSON without a newline at its end; the first line is not indented,
 * the others by `indent` and more. Numbers read back as the same double. */
void print_json(const struct json_t *value, int indent, struct text *out);

/* A YAML block that begins at the left edge, newline included. */
void print_yaml(const struct json_t *value, struct text *out);
/* The same as one item of a list ("- …"). */
void print_yaml_item(const struct json_t *value, struct text *out);

/* Plain text of a scalar: exact numbers, or (short) six digits; null is
 * nothing; a list or map is its JSON on one line. */
void print_plain(const struct json_t *value, bool exact, struct text *out);

/* One field of a CSV line, quoted where RFC 4180 wants it. */
void print_csv(const char *field, struct text *out);

/* The text with everything a terminal might obey (control bytes) replaced by
 * a blank or '?', so that a trial's words cannot move the cursor. */
void print_safe(const char *s, struct text *out);

/* At most `width` characters of a line of UTF-8; "…" at its end if cut. */
void print_cut(const char *line, size_t width, struct text *out);
size_t print_width(const char *s); /* characters of UTF-8 */

/* A word for a shell: as it is, or in single quotes. */
void print_shell(const char *word, struct text *out);

enum { PRINT_COLUMN = 12 };

/* How wide a column has to be for the names of a JSON map, PRINT_COLUMN at
 * least. */
int print_column(const struct json_t *map);

/* A line "name        what", the name in a column of its own, of the usual
 * width or another; what is made safe for terminals. */
void print_fact_at(struct text *out, int column, const char *name,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void print_fact(struct text *out, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* "0.4s", "12s", "3:07", "1:02:03", "3d 4h". */
void print_duration(int64_t ms, struct text *out);

#endif
