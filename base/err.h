/* Errors: a code that says what the asker should do, and one sentence. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
    ERR_NONE,
    ERR_INVALID,  /* the request is wrong: change it */
    ERR_ABSENT,   /* no such thing */
    ERR_CONFLICT, /* not in this state */
    ERR_BUSY,     /* later, perhaps */
    ERR_IO,       /* this machine: disk, memory, permissions */
    ERR_OUTSIDE   /* another program or machine failed us */
};

/* Lives on the caller's stack, is never allocated, and is touched on failure
 * only. The sentence is one line without a full stop. */
struct err {
    enum err_code code;
    char text[512];
};

/* Sets *e (which may be NULL). Returns -1, so that a failing function can end
 * in `return err_set(e, ...)`. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "fmt...: " before the sentence that *e holds. Returns -1. */
int err_wrap(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends ": " and strerror(error_number) to the sentence. Returns -1. */
int err_errno(struct err *e, int error_number, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
