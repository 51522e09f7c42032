/* The door: who asks? The Unix socket is for the owner of the state directory;
 * over TCP a request must name a host that is ours, come from no other page,
 * and carry a token. What is let in has its rank set (face/role.h). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_DOOR_H
#define FACE_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "io/serve.h"
#include "store/store.h"

struct door;

enum {
    DOOR_BAD_LOGINS = 10,   /* of one address; more are answered 429 */
    DOOR_FORGIVEN_MS = 6000 /* one of them is forgotten after this long */
};

/* All of it outlives the door, but for `owner` and `hosts`, which are copied.
 */
struct door_parts {
    struct store *store;
    const struct clock *clock;
    const char *owner; /* the owner's token; NULL = the Unix socket only */
    const char *const *hosts; /* that requests may name, beside localhost: names
                                 and IPs, small letters */
    size_t n_hosts;
    bool any_ip;    /* any IP is ours: we listen on all addresses */
    serve_fn *next; /* gets what is let in */
    void *ctx;
};

struct door *door_new(const struct door_parts *parts);
void door_free(struct door *d); /* NULL is fine */

/* A serve_fn; ctx is the door. Refusals: 400 no Host; 403 a Host or Origin that
 * is not ours; 401 no token, or one that is unknown, deleted or expired; 429
 * too many of those from one address (a good token is let in even then: it has
 * 256 random bits and was not guessed). /healthz and /readyz are for all. */
void door_serve(void *ctx, struct request *r);

/* The token of one attempt of a trial. It may do nothing but
 * POST /api/studies/STUDY/trials/NUMBER:report, and only while that attempt is
 * the trial's and has not ended. Made from the owner's, so that nothing of it
 * is stored and it is the same after a restart. Yours to free. */
char *door_report_token(const struct door *d, int64_t study, int64_t number,
                        int attempt);

#endif
