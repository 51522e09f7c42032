/* Errors as values on the caller's stack. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
    va_list args;

    if (!e)
        return -1;
    e->code = code;
    va_start(args, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, args);
    va_end(args);
    return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
    va_list args;
    char inner[sizeof e->text];
    size_t used;

    if (!e)
        return -1;
    memcpy(inner, e->text, sizeof inner);
    va_start(args, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, args);
    va_end(args);
    used = strlen(e->text);
    snprintf(e->text + used, sizeof e->text - used, ": %s", inner);
    return -1;
}

static enum err_code code_of(int error_number)
{
    switch (error_number) {
    case ENOENT:
        return ERR_ABSENT;
    case EEXIST:
        return ERR_CONFLICT;
    case EAGAIN:
    case EBUSY:
        return ERR_BUSY;
    default:
        return ERR_IO;
    }
}

int err_errno(struct err *e, int error_number, const char *fmt, ...)
{
    va_list args;
    size_t used;

    if (!e)
        return -1;
    e->code = code_of(error_number);
    va_start(args, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, args);
    va_end(args);
    used = strlen(e->text);
    snprintf(e->text + used, sizeof e->text - used, ": %s",
             strerror(error_number));
    return -1;
}
