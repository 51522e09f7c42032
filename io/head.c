/* What a request's headers must not leave open. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/head.h"

#include <event2/keyvalq_struct.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>

enum { LENGTH, HOST, LOGIN, ONCE };

/* Headers of a kind may come once, all of them together. */
static const struct {
    const char *name;
    int kind;
} names[] = {
    {"Content-Length", LENGTH},
    {"Transfer-Encoding", LENGTH},
    {"Host", HOST},
    {"Authorization", LOGIN},
};
enum { NAMES = sizeof names / sizeof names[0] };

static const char *const twice[ONCE] = {
    [LENGTH] = "the length of the request's body is said more than once",
    [HOST] = "the request names its Host more than once",
    [LOGIN] = "the request has more than one header Authorization",
};

/* Of one header alone. */
static const char *fault_of(const struct evkeyval *h)
{
    if (!*h->key || strpbrk(h->key, " \t"))
        return "the name of a header is empty or holds a blank";
    if (strcasecmp(h->key, "Content-Length") == 0 &&
        (!*h->value || h->value[strspn(h->value, "0123456789")]))
        return "the length of the request's body is no number";
    if (strcasecmp(h->key, "Transfer-Encoding") == 0 &&
        strcasecmp(h->value, "chunked") != 0)
        return "the request's body can come as it is or chunked, and in no "
               "other Transfer-Encoding";
    return NULL;
}

const char *head_fault(const struct evkeyvalq *headers)
{
    const struct evkeyval *h;
    int said[ONCE] = {0};

    TAILQ_FOREACH(h, headers, next)
    {
        const char *fault = fault_of(h);

        if (fault)
            return fault;
        for (size_t i = 0; i < NAMES; i++)
            if (strcasecmp(h->key, names[i].name) == 0 &&
                ++said[names[i].kind] > 1)
                return twice[names[i].kind];
    }
    return NULL;
}
