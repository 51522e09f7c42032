/* A courier: the reports of a trial's folder as numbered batches, of which each
 * stays the same until the service has it. What was not yet acknowledged is in
 * FOLDER/courier, so that a courier that was killed goes on where it was, and
 * nothing counts twice. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_COURIER_H
#define CLI_COURIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct courier;

enum { COURIER_OUTPUT = 60 * 1024 }; /* of each output, at most */

/* Copied. The folders of other replicas that lie in `folder` are followed too,
 * once they are there; the pattern and the file are the first one's. */
struct courier_spec {
    const char *folder;
    const char *replica;    /* whose folder that is; NULL = master-0 */
    const char *metric;     /* the goal; NULL = not known */
    const char *pattern;    /* metrics/scrape.h; NULL = none */
    const char *lines_file; /* absolute; NULL = none */
};

/* ERR_INVALID: the pattern is none. ERR_ABSENT: there is no such folder. A
 * spool that cannot be read is as good as none: all is sent again, and the
 * service passes over what it has. */
int courier_open(struct courier **out, const struct courier_spec *spec,
                 struct err *e);
void courier_close(struct courier *c); /* NULL is fine */

/* The body of the next request: the batch that waits, else (*more) what is new;
 * 0 reports if nothing is. `last`: the programs have ended. -1: the spool
 * cannot be written, so that nothing may be sent. */
int courier_next(struct courier *c, bool last, struct text *body, bool *more,
                 struct err *e);

/* Every batch has been acknowledged: the last outputs of the nth replica, from
 * 0. False: there is no such replica. */
bool courier_output(struct courier *c, size_t nth, struct text *body);

/* The service has so many of that body's sender. False: those of the body are
 * not all among them, and are to be sent again after a while; if it lacks some
 * that were sent before, everything is. */
bool courier_known(struct courier *c, int64_t next);

#endif
