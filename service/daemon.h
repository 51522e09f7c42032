/* The service as a whole: opens every part, runs the loop, closes all again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_DAEMON_H
#define SERVICE_DAEMON_H

#include "base/err.h"
#include "service/config.h"

/* Serves DIR/hypertuned.sock until SIGTERM, SIGINT or SIGHUP (unless ignored
 * when the program began), or until the process of private_for has ended; then
 * whoever waits is answered, running jobs go on, and 0 is returned. -1 if the
 * service could not begin: the state directory is held by another
 * (ERR_CONFLICT) or cannot be used, or a part of it cannot be opened. Once per
 * process at a time. */
int daemon_run(const struct config *config, struct err *e);

#endif
