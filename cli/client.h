/* The service, as the command line asks it: JSON in, JSON out, errors as
 * sentences. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fault.h"
#include "base/text.h"
#include "cli/options.h"

struct json_t; /* jansson's */
struct client;

/* Looks up where the service is (cli/place.h); asks nothing yet. */
int client_open(struct client **out, const struct options *o, struct err *e);
/* The same for who only looks: if nobody listens on the state directory's
 * socket, a call starts a private service that answers what is stored, and
 * client_close ends it. A server that was named is never replaced. */
int client_look(struct client **out, const struct options *o, struct err *e);
void client_close(struct client *c);              /* NULL is fine */
const char *client_where(const struct client *c); /* its URL */
/* A server was named by --server or $HYPERTUNE_SERVER. */
bool client_told(const struct client *c);

/* "/api/studies/STUDY" and the formatted rest. Valid until the next call. */
const char *client_study(struct client *c, const char *study, const char *fmt,
                         ...) __attribute__((format(printf, 3, 4)));

/* Every call: *out (may be NULL) is a new reference. Errors have the code that
 * the service says; ERR_OUTSIDE if it cannot be reached or refuses us, ERR_BUSY
 * if client_abort_on's flag ended the call. */
int client_get(struct client *c, const char *path, struct json_t **out,
               struct err *e);
/* body is stolen; NULL = none. */
int client_post(struct client *c, const char *path, struct json_t *body,
                struct json_t **out, struct err *e);
int client_delete(struct client *c, const char *path, struct err *e);
/* Bytes as they are, which replace *out's. *ended: no more will come. */
int client_log(struct client *c, const char *path, struct text *out,
               int64_t *next_offset, bool *ended, struct err *e);
/* Sends a study file; its faults go to *f, and then e is ERR_INVALID too. */
int client_submit(struct client *c, const char *bytes, size_t n,
                  const char *file, const char *dir, struct json_t **out,
                  struct faults *f, struct err *e);

/* Puts ended trials into a study; faults of the bytes go to *f. source is
 * "imported" or "told". */
int client_give(struct client *c, const char *study, const char *source,
                const char *bytes, size_t n, struct json_t **out,
                struct faults *f, struct err *e);

/* The last call got no HTTP answer (nobody is there, or it hung up), or the
 * answer that it is ending or busy: another service may soon be there. */
bool client_lost(const struct client *c);
/* As fetch_abort_on. */
void client_abort_on(struct client *c, const volatile sig_atomic_t *flag);

#endif
