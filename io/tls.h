/* TLS for the TCP listeners: a certificate, its key, and connections that speak
 * TLS 1.2 or newer. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_TLS_H
#define IO_TLS_H

#include "base/err.h"

struct bufferevent; /* libevent's */
struct event_base;
struct tls;

/* Reads the certificate (PEM, with the chain after it) and its private key.
 * ERR_INVALID names the file and what is wrong with it. */
int tls_open(struct tls **out, const char *certificate, const char *key,
             struct err *e);
void tls_close(struct tls *t); /* NULL is fine */

/* The server's side of a new connection, whose socket is set later; NULL if
 * there is no memory. */
struct bufferevent *tls_accept(struct tls *t, struct event_base *base);

#endif
