/* Clients that keep their connections: each sends its next request as soon as
 * the last one is answered. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_SERVICE_LOAD_H
#define BENCH_SERVICE_LOAD_H

#include <stdint.h>

#include "base/text.h"

/* Appends the n-th request (from 0) of a client; `answer` is the body of the
 * one before, "" at first. */
typedef void load_fn(void *ctx, int client, int64_t n, const char *answer,
                     struct text *request);

struct load {
    const char *socket;
    int clients;
    double seconds; /* how long requests are sent */
    int64_t most;   /* requests of each client; 0 = no limit */
    load_fn *make;
    void *ctx;
};

struct load_result {
    int64_t answers, refused; /* of those: with another status than 200 */
    double seconds;
    double p50_ms, p99_ms;
    char why[200]; /* the first refusal */
};

void load_run(const struct load *l, struct load_result *out);

/* A connection, or the end of the program. */
int load_connect(const char *socket);
/* `METHOD path` with a body (may be ""), to be kept alive. */
void load_request(struct text *out, const char *method, const char *path,
                  const char *body);
/* One request on a connection of its own; yours is the answer's body. */
char *load_ask(const char *socket, const char *method, const char *path,
               const char *body);

double load_now(void); /* seconds */

#endif
