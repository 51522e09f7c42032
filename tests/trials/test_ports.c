/* Ports for replicas: free, distinct, and given back. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/ports.h"

#include <check.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/suite.h"

static int listen_on(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_ge(fd, 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 1)) {
        close(fd);
        return -1;
    }
    return fd;
}

START_TEST(ports_of_live_jobs_differ_and_can_be_listened_on)
{
    struct ports *p = ports_new();
    struct err e;
    int got[60];

    for (int job = 0; job < 3; job++) {
        char owner[] = {'a', (char)('0' + job), '\0'};

        ck_assert_int_eq(ports_take(p, owner, 20, got + 20 * job, &e), 0);
    }
    for (int i = 0; i < 60; i++) {
        int fd = listen_on(got[i]);

        ck_assert_int_ge(fd, 0);
        close(fd);
        for (int k = 0; k < i; k++)
            ck_assert_int_ne(got[k], got[i]);
    }
    ports_free(p);
}
END_TEST

START_TEST(a_port_that_somebody_listens_on_is_passed_over)
{
    struct ports *p = ports_new();
    struct err e;
    int first, next, fd;

    ck_assert_int_eq(ports_take(p, "a", 1, &first, &e), 0);
    fd = -1;
    while (fd < 0) /* the next one that we can take ourselves */
        fd = listen_on(++first);
    ck_assert_int_eq(ports_take(p, "b", 1, &next, &e), 0);
    ck_assert_int_ne(next, first);
    close(fd);
    ports_free(p);
}
END_TEST

START_TEST(all_can_be_taken_once_and_again_when_they_are_back)
{
    struct ports *p = ports_new();
    static int got[40000];
    struct err e;

    ck_assert_int_eq(ports_take(p, "greedy", 40000, got, &e), -1);
    ck_assert_int_eq(e.code, ERR_BUSY);
    ck_assert_int_eq(ports_take(p, "modest", 1000, got, &e), 0);
    ck_assert_int_eq(ports_take(p, "modest", 1000, got, &e), 0);
    ports_give_back(p, "modest");
    ports_give_back(p, "nobody");
    ck_assert_int_eq(ports_take(p, "other", 1000, got, &e), 0);
    ports_free(p);
}
END_TEST

SUITE("trials/ports", ports_of_live_jobs_differ_and_can_be_listened_on,
      a_port_that_somebody_listens_on_is_passed_over,
      all_can_be_taken_once_and_again_when_they_are_back)
