/* A whole service in a process of its own, and a client of it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_SERVICE_LIB_SERVED_H
#define TESTS_SERVICE_LIB_SERVED_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "io/fetch.h"

struct served {
    char dir[64], socket[96];
    pid_t pid;
    struct fetch *client;
};

/* On a state directory of its own; the test fails if it does not begin. */
void served_begin(struct served *s);
/* Ends it in order, which must succeed, and removes the directory. */
void served_end(struct served *s);

/* The parts of those: the directory; the service on it, which ends after its
 * owner (0 = nobody); waiting for an end in order, and the directory is
 * removed; an end without notice, after which it may start again. */
void served_make(struct served *s);
void served_start(struct served *s, pid_t owner);
void served_wait(struct served *s);
void served_kill(struct served *s);
/* A service in this very process, up to its end. */
int served_run(const char *dir, pid_t owner, struct err *e);

/* *a is to be cleared. body may be NULL. */
void served_fetch(struct served *s, const char *method, const char *path,
                  const char *body, size_t n, struct fetch_answer *a);
/* Its answer must be JSON with that status (0 = any). To be json_decref'ed. */
json_t *served_ask(struct served *s, int status, const char *method,
                   const char *path, const char *body);
/* Another client, of a connection of its own, to be fetch_close'd. */
struct fetch *served_client(const struct served *s);
/* A connected socket of its own, for what no client would send. */
int served_connect(const struct served *s);
/* Sends a request of its own and does not wait: the socket, for
 * served_status. */
int served_send(const struct served *s, const char *method, const char *path,
                const char *body);
/* The status of what comes, up to the end; closes the socket. */
int served_status(int fd);
/* Sends the bytes and reads until the service hangs up, or for wait_ms. Yours
 * to free, NUL-terminated. */
char *served_raw(const struct served *s, const char *bytes, size_t n,
                 int wait_ms);

#endif
