/* Addresses to listen on, as people write them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_ADDRESS_H
#define FACE_ADDRESS_H

#include <stdbool.h>

#include "base/err.h"

enum { ADDRESS_TEXT = 64 };

struct address {
    char host[ADDRESS_TEXT]; /* an IP in its usual writing, without brackets */
    int port;                /* 0 = the system chooses */
    bool loopback;           /* only programs of this machine reach it */
    bool any;                /* every address of this machine */
};

/* "127.0.0.1:8470", "[::1]:8470", "localhost:8470", "0.0.0.0:8470". Names are
 * refused but for localhost: what they mean may change. ERR_INVALID. */
int address_read(struct address *out, const char *text, struct err *e);

/* The host of "HOST:PORT", "[IP]:PORT" or either without a port, in small
 * letters and without brackets; an IP in its usual writing. False if it is none
 * of these. */
bool address_host(const char *text, char *out, unsigned size);
/* Whether such a host is an IP. */
bool address_is_ip(const char *host);

/* The host of "http://HOST", with a port and a path if one likes, or of
 * https://; as address_host gives it. False if it is no such URL, or has a
 * user, a query or a fragment. */
bool address_url_host(const char *url, char *out, unsigned size);
/* "http://HOST:PORT" by which programs of this machine reach what listens
 * there on that port. Yours to free. */
char *address_url(const struct address *a, int port, bool tls);

#endif
