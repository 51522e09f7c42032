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

/* $HYPERTUNE_TOKEN, else the first line of STATE/token; NULL if there is
 * neither. Yours to free. */
char *place_token(const struct options *o);

#endif
