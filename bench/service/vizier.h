/* Clients of Google's routes: each asks for a suggestion, adds a measurement
 * and completes the trial, over and over. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_SERVICE_VIZIER_H
#define BENCH_SERVICE_VIZIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { VIZIER_CLIENTS = 64 };

struct vizier {
    char study[200]; /* "/v1/projects/p/locations/l/studies/1" */
    struct {
        int64_t trial; /* that it holds; 0 = none */
        bool measured;
    } clients[VIZIER_CLIENTS];
    int64_t completed;
};

/* Makes the study on the service at the socket. */
void vizier_begin(struct vizier *v, const char *socket);
/* A load_fn; ctx is the struct vizier. */
void vizier_make(void *ctx, int client, int64_t n, const char *answer,
                 struct text *request);

#endif
