/* What evhttp refuses by itself, before a request reaches anybody, it answers
 * with a page of HTML. Clients of ours read JSON. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_PLAINLY_H
#define IO_PLAINLY_H

struct bufferevent; /* libevent's */

/* From now on such pages leave this connection as {"error": {…}}. */
void plainly_watch(struct bufferevent *b);

#endif
