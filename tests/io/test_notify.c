/* Who started us hears of us, and our jobs do not hear of them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/notify.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/suite.h"

static int listen_at(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

START_TEST(what_is_said_arrives_and_the_environment_is_clean)
{
    char folder[] = "/tmp/ht-notify.XXXXXX";
    char path[64], said[64] = "";
    int fd;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s", folder);
    fd = listen_at(path);
    setenv("NOTIFY_SOCKET", path, 1);
    notify_begin();
    ck_assert_ptr_null(getenv("NOTIFY_SOCKET"));
    notify("READY=1");
    ck_assert_int_eq(recv(fd, said, sizeof said - 1, MSG_DONTWAIT), 7);
    ck_assert_str_eq(said, "READY=1");
    close(fd);
    notify("STOPPING=1"); /* nobody hears it */
    unlink(path);
    rmdir(folder);
}
END_TEST

START_TEST(without_a_socket_or_with_a_bad_one_nothing_happens)
{
    static const char *const bad[] = {"", "x", "relative/path", "/"};

    unsetenv("NOTIFY_SOCKET");
    notify_begin();
    notify("READY=1");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("NOTIFY_SOCKET", bad[i], 1);
        notify_begin();
        ck_assert_ptr_null(getenv("NOTIFY_SOCKET"));
        notify("READY=1");
    }
}
END_TEST

SUITE("io/notify", what_is_said_arrives_and_the_environment_is_clean,
      without_a_socket_or_with_a_bad_one_nothing_happens)
