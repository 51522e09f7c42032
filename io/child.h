/* A program run without blocking the loop: words and standard input in, what
 * it printed and how it ended out. For short commands; jobs have launchers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_CHILD_H
#define IO_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/loop.h"

struct child; /* one program that runs */

struct child_end {
    int exit_code;     /* 0..255, or -1 if it died of a signal */
    int signal_number; /* that signal, or 0 */
    bool timed_out;    /* it was killed for its limit */
    const char *out;   /* what it wrote; NUL-terminated, never NULL; during */
    const char *err;   /* the callback only */
    size_t n_out, n_err;
    bool cut; /* it wrote more than was kept: the first bytes are there */
};

/* Called once, from the loop; the child is gone when it is called. */
typedef void child_fn(void *ctx, const struct child_end *end);

/* What to run; copied as far as it is needed after child_start. */
struct child_order {
    char *const *argv;     /* NULL-terminated; argv[0] is looked up on our PATH
                              if it has no slash */
    char *const *environ_; /* complete, NULL-terminated */
    const char *input;     /* its standard input; NULL = none */
    size_t n_input;
    int64_t limit_ms;   /* then it is killed with its group; 0 = never */
    size_t most_bytes;  /* of each output that are kept; 0 = 1 MiB */
    uint64_t most_open; /* its soft limit on open files; 0 = ours */
    child_fn *fn;
    void *ctx;
};

/* Runs it in a session of its own, with every signal as usual. It is waited for
 * by its pid; other children are left alone. Output that its descendants write
 * after its end is not read. *out is good until fn is called. ERR_ABSENT: there
 * is no such program. */
int child_start(struct child **out, struct loop *l,
                const struct child_order *order, struct err *e);

/* Kills it and its group; fn is not called any more. NULL is fine. */
void child_free(struct child *c);

#endif
