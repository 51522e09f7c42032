/* What a request asks for, read strictly: the fields of its JSON body and the
 * numbers of its query. Every fault names the field. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_BODY_H
#define FACE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What a field is read into: given stays false if the body lacks it (null
 * counts as lacking). */
struct body_bool {
    bool given, value;
};
struct body_whole {
    bool given;
    int64_t value;
};
struct body_number {
    bool given;
    double
        value; /* nan and the infinities may be sent as "nan", "inf", "-inf" */
};
struct body_text {
    bool given;
    char *value; /* UTF-8 without NUL; freed by body_clear */
};

enum body_kind { BODY_BOOL, BODY_WHOLE, BODY_NUMBER, BODY_TEXT };

struct body_field {
    const char *name;
    enum body_kind kind;
    bool required;
    size_t offset; /* of the struct body_… within *out */
};

/* Reads one JSON object; no bytes at all are an empty one. *out is zeroed by
 * the caller and must be cleared after, on failure too. ERR_INVALID: no JSON,
 * no object, a field that is unknown, given twice, missing or of another type,
 * a number too large. */
int body_read(const char *bytes, size_t n, const struct body_field *fields,
              size_t n_fields, void *out, struct err *e);
void body_clear(const struct body_field *fields, size_t n_fields, void *out);

/* A whole number from a query: *out is left alone if text is NULL.
 * ERR_INVALID naming the field if it is none, or outside least..most. */
int body_query(const char *name, const char *text, int64_t least, int64_t most,
               int64_t *out, struct err *e);

#endif
