/* A private hypertuned: started for one command, and ended after it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_SERVICE_H
#define CLI_SERVICE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct service {
    pid_t pid;      /* 0 = none of ours runs */
    bool held;      /* the last one ended because another holds the state
                       directory, perhaps one that is ending */
    char *state;    /* the state directory */
    char *log;      /* STATE/hypertuned.log */
    off_t log_from; /* where this one's lines begin */
    bool look_only; /* set it before service_start: it answers what is stored
                       and runs nothing, on a socket of its own */
};

void service_init(struct service *s, const char *state_dir);
void service_clear(struct service *s); /* leaves a running one alone */

/* "unix:" and where it listens. Yours. */
char *service_where(const struct service *s);

/* Starts hypertuned (found beside our own executable, else on PATH) in a
 * session of its own, so that a Ctrl-C meant for us does not reach it. It
 * ends by itself should we die. Does not wait until it answers. */
int service_start(struct service *s, struct err *e);

/* Our one has ended (its pid is 0 after this), or there is none. */
bool service_gone(struct service *s);

/* Ends ours in order and, with `wait`, waits until it is gone. */
void service_stop(struct service *s, bool wait);

/* Sets *e to "hypertuned did not start: " and the last line it logged. */
int service_explain(const struct service *s, struct err *e);

/* The program's path, or "hypertuned" if it is not beside ours. Yours. */
char *service_program(void);

#endif
