/* Addresses to listen on, as people write them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

enum { MOST_PORT = 65535 };

/* Splits "HOST:PORT" or "[HOST]:PORT"; *port is NULL without one. */
static bool split(const char *text, const char **host, size_t *n,
                  const char **port)
{
    const char *rest;

    if (*text == '[') {
        *host = text + 1;
        *n = strcspn(*host, "]");
        rest = *host + *n;
        if (*rest++ != ']')
            return false;
    } else {
        *host = text;
        *n = strcspn(text, ":");
        rest = text + *n;
    }
    *port = *rest == ':' ? rest + 1 : NULL;
    return *n > 0 && (!*rest || *rest == ':');
}

/* The IP in its usual writing, else the text as it is. */
static void straighten(char *host, unsigned size)
{
    struct in6_addr a;
    char usual[INET6_ADDRSTRLEN];
    int family = strchr(host, ':') ? AF_INET6 : AF_INET;

    if (inet_pton(family, host, &a) == 1 &&
        inet_ntop(family, &a, usual, sizeof usual))
        snprintf(host, size, "%s", usual);
}

bool address_host(const char *text, char *out, unsigned size)
{
    const char *host, *port;
    size_t n;

    if (!split(text, &host, &n, &port) || n >= size)
        return false;
    if (port && port[strspn(port, "0123456789")])
        return false;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)tolower((unsigned char)host[i]);
    out[n] = 0;
    straighten(out, size);
    return true;
}

bool address_is_ip(const char *host)
{
    struct in6_addr a;

    return inet_pton(AF_INET, host, &a) == 1 ||
           inet_pton(AF_INET6, host, &a) == 1;
}

static void classify(struct address *a)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (inet_pton(AF_INET, a->host, &v4) == 1) {
        a->loopback = ntohl(v4.s_addr) >> 24 == 127;
        a->any = v4.s_addr == INADDR_ANY;
    } else if (inet_pton(AF_INET6, a->host, &v6) == 1) {
        a->loopback = IN6_IS_ADDR_LOOPBACK(&v6);
        a->any = IN6_IS_ADDR_UNSPECIFIED(&v6);
    }
}

int address_read(struct address *out, const char *text, struct err *e)
{
    const char *host, *port;
    int64_t number = 0;
    size_t n;

    *out = (struct address){.port = 0};
    if (!split(text, &host, &n, &port) || !port ||
        !number_read_int(port, &number) || number < 0 || number > MOST_PORT ||
        !address_host(text, out->host, sizeof out->host))
        return err_set(e, ERR_INVALID,
                       "\"%.100s\" is no address and port: write it as "
                       "127.0.0.1:8470 or [::1]:8470",
                       text);
    if (strcmp(out->host, "localhost") == 0)
        snprintf(out->host, sizeof out->host, "127.0.0.1");
    if (!address_is_ip(out->host))
        return err_set(e, ERR_INVALID,
                       "\"%.100s\" is a name: write the IP address to listen "
                       "on, such as 127.0.0.1:8470; 0.0.0.0 is all of them",
                       out->host);
    out->port = (int)number;
    classify(out);
    return 0;
}

bool address_url_host(const char *url, char *out, unsigned size)
{
    static const char *const schemes[] = {"http://", "https://"};
    char authority[ADDRESS_TEXT * 4 + 16];
    const char *at = NULL;
    size_t n;

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
            at = url + strlen(schemes[i]);
    if (!at || strpbrk(at, "@?# \t\r\n\\\"'"))
        return false;
    n = strcspn(at, "/");
    if (n >= sizeof authority)
        return false;
    memcpy(authority, at, n);
    authority[n] = 0;
    return authority[n - (n > 0)] != ':' && address_host(authority, out, size);
}

char *address_url(const struct address *a, int port, bool tls)
{
    bool v6 = strchr(a->host, ':') != NULL;
    const char *host = a->host;

    if (a->any)
        host = v6 ? "::1" : "127.0.0.1";
    return mem_format("%s://%s%s%s:%d", tls ? "https" : "http", v6 ? "[" : "",
                      host, v6 ? "]" : "", port);
}
