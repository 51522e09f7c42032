/* Hands out ports that nobody listens on, and remembers who has them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/ports.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

enum { LOWEST = 10000, HIGHEST = 32767, FEWEST = 2000 };

struct ports {
    char **owners; /* of each port from `first` on; NULL = free */
    int first, n, next;
};

/* Where the ports of outgoing connections begin. */
static int outgoing(void)
{
    FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    char line[64];
    long low = HIGHEST + 1;

    if (f && fgets(line, sizeof line, f))
        low = strtol(line, NULL, 10);
    if (f)
        (void)fclose(f);
    return low > HIGHEST || low < LOWEST + FEWEST ? HIGHEST + 1 : (int)low;
}

struct ports *ports_new(void)
{
    struct ports *p = mem_new(1, sizeof *p);
    unsigned dice = 0;

    p->first = LOWEST;
    p->n = outgoing() - LOWEST;
    p->owners = mem_new((size_t)p->n, sizeof *p->owners);
    if (getrandom(&dice, sizeof dice, 0) < 0)
        dice = (unsigned)getpid();
    p->next = (int)(dice % (unsigned)p->n);
    return p;
}

void ports_free(struct ports *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n; i++)
        free(p->owners[i]);
    free(p->owners);
    free(p);
}

static bool is_free(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool bound = fd >= 0 && !bind(fd, (struct sockaddr *)&at, sizeof at);

    if (fd >= 0)
        close(fd);
    return bound;
}

void ports_give_back(struct ports *p, const char *owner)
{
    for (int i = 0; i < p->n; i++) {
        if (!p->owners[i] || strcmp(p->owners[i], owner) != 0)
            continue;
        free(p->owners[i]);
        p->owners[i] = NULL;
    }
}

int ports_take(struct ports *p, const char *owner, size_t n, int *out,
               struct err *e)
{
    size_t got = 0;

    ports_give_back(p, owner);
    for (int tried = 0; tried < p->n && got < n; tried++) {
        int i = p->next;

        p->next = (p->next + 1) % p->n;
        if (p->owners[i] || !is_free(p->first + i))
            continue;
        p->owners[i] = mem_copy_text(owner);
        out[got++] = p->first + i;
    }
    if (got == n)
        return 0;
    ports_give_back(p, owner);
    return err_set(e, ERR_BUSY,
                   "this machine has no %zu free ports between %d and %d", n,
                   p->first, p->first + p->n - 1);
}
