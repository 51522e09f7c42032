/* Roles: who may do what. The door (face/door.h) finds out who asks; each
 * route says what it wants. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_ROLE_H
#define FACE_ROLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "io/serve.h"

/* Each may do what those above it may. */
enum role {
    ROLE_UNSAID,    /* of a route: as if it wanted ROLE_ADMIN */
    ROLE_ANYONE,    /* no token at all: is the service there? */
    ROLE_READER,    /* looks */
    ROLE_SUBMITTER, /* runs studies, and so programs on this machine */
    ROLE_ADMIN      /* deletes, and gives tokens to others */
};

/* "reader", "submitter" or "admin". */
const char *role_name(enum role role);
/* ROLE_UNSAID if it is the name of none of the three. */
enum role role_read(const char *name);

/* Whether whoever sent r may do what wants that role. Whoever comes over the
 * Unix socket owns the state directory, and may do all. */
bool role_allows(const struct request *r, enum role wanted);

/* Appends the refusal of a request that role_allows refused, in the words of
 * the API that its path belongs to. Returns its HTTP status. */
int role_refuse(const struct request *r, enum role wanted, struct text *out);

/* The sentence alone: what they are, and what is wanted. */
void role_sentence(const struct request *r, enum role wanted, char *out,
                   size_t size);

/* The same for any refusal of the door, with a sentence of its own. */
void role_complain(const struct request *r, int status, const char *sentence,
                   struct text *out);

#endif
