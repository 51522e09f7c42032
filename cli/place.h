/* Where things are: the state directory and the service. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "base/err.h"
#include "cli/options.h"

/* --state, else $HYPERTUNE_STATE, else ${XDG_STATE_HOME:-~/.local/state}/
 * hypertune; absolute. It need not exist. Yours to free. */
int place_state(const struct options *o, char **out, struct err *e);

/* --server, else $HYPERTUNE_SERVER, else "unix:" and the state directory's
 * socket. *told (may be NULL): a server was named, so starting one of our own
 * on the state directory would be wrong. Yours to free. */
int place_server(const struct options *o, char **out, int *told, struct err *e);

/* The token for that server: $HYPERTUNE_TOKEN, else, if the server is on this
 * machine (localhost, 127.0.0.1 or [::1]), the first line of STATE/token: the
 * owner's is not sent to whatever host was named. NULL if there is neither.
 * Yours to free. */
char *place_token(const struct options *o, const char *server);

/* --ca, else $HYPERTUNE_CA: a file of certificates to trust in place of
 * the system's; NULL if there is neither. Borrowed. */
const char *place_ca(const struct options *o);

#endif
