/* Messages between replicas. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SILENCE_S = 600, PAUSE_MS = 50, BACKLOG = 128 };

struct head {
    uint32_t word, number, n; /* in network order */
};

static int failed(const char *what, const char *whom)
{
    fprintf(stderr, "train: %s%s: %s\n", what, whom, strerror(errno));
    return -1;
}

/* ---- connections ---- */

/* HOST:PORT, as addresses; NULL after a sentence. */
static struct addrinfo *look_up(const char *address, int flags)
{
    const struct addrinfo want = {.ai_flags = flags | AI_NUMERICSERV,
                                  .ai_family = AF_INET,
                                  .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(address, ':');
    struct addrinfo *found = NULL;
    char host[256];
    int why;

    snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
    why =
        getaddrinfo(flags & AI_PASSIVE ? NULL : host, colon + 1, &want, &found);
    if (why) {
        fprintf(stderr, "train: %s: %s\n", address, gai_strerror(why));
        return NULL;
    }
    return found;
}

/* Small messages at once, dead machines noticed, nobody waited for for ever. */
static void tame(int fd)
{
    const struct timeval silence = {.tv_sec = SILENCE_S};
    const int yes = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence);
}

int wire_listen(const char *address)
{
    struct addrinfo *at = look_up(address, AI_PASSIVE);
    const int yes = 1;
    int fd;

    if (!at)
        return -1;
    fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) < 0 ||
        listen(fd, BACKLOG) < 0) {
        failed("cannot listen on ", address);
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(at);
    return fd;
}

int wire_accept(int listener)
{
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    int n = poll(&ready, 1, WIRE_WAIT_S * 1000), fd;

    if (n == 0)
        errno = ETIMEDOUT;
    fd = n == 1 ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (fd < 0)
        return failed("another replica did not connect", "");
    tame(fd);
    return fd;
}

static int connect_once(const struct addrinfo *at)
{
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) < 0) {
        int kept = errno;

        close(fd);
        errno = kept;
        return -1;
    }
    return fd;
}

int wire_connect(const char *address)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    struct addrinfo *at = look_up(address, 0);
    int fd = -1;

    if (!at)
        return -1;
    for (int ms = 0; ms < WIRE_WAIT_S * 1000; ms += PAUSE_MS) {
        fd = connect_once(at);
        if (fd >= 0 || (errno != ECONNREFUSED && errno != EHOSTUNREACH))
            break;
        nanosleep(&pause, NULL);
    }
    freeaddrinfo(at);
    if (fd < 0)
        return failed("cannot connect to ", address);
    tame(fd);
    return fd;
}

/* ---- messages ---- */

static int send_all(int fd, const void *bytes, size_t n, int flags)
{
    const char *at = bytes;

    while (n > 0) {
        ssize_t sent = send(fd, at, n, flags | MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return failed("another replica is gone", "");
        at += sent;
        n -= (size_t)sent;
    }
    return 0;
}

static int receive_all(int fd, void *bytes, size_t n)
{
    char *at = bytes;

    while (n > 0) {
        ssize_t got = recv(fd, at, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = ECONNRESET;
        if (got <= 0)
            return failed("another replica is gone", "");
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

int wire_send(int fd, enum wire_word word, uint32_t number, const float *floats,
              size_t n)
{
    const struct head head = {htonl((uint32_t)word), htonl(number),
                              htonl((uint32_t)n)};

    if (send_all(fd, &head, sizeof head, n ? MSG_MORE : 0) < 0)
        return -1;
    return send_all(fd, floats, n * sizeof *floats, 0);
}

int wire_receive(int fd, enum wire_word *word, uint32_t *number, float *floats,
                 size_t n)
{
    struct head head;
    size_t has;

    if (receive_all(fd, &head, sizeof head) < 0)
        return -1;
    *word = (enum wire_word)ntohl(head.word);
    *number = ntohl(head.number);
    has = ntohl(head.n);
    if (has != 0 && has != n) {
        errno = EPROTO;
        return failed("a message of another length", "");
    }
    return receive_all(fd, floats, has * sizeof *floats);
}

int wire_expect(int fd, enum wire_word word, uint32_t *number, float *floats,
                size_t n)
{
    enum wire_word got;

    if (wire_receive(fd, &got, number, floats, n) < 0)
        return -1;
    if (got == word)
        return 0;
    errno = EPROTO;
    return failed("another message than was waited for", "");
}
