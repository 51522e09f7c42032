/* Ctrl-C and its kin. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/interrupt.h"

#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t count, flag;

static void on_signal(int number)
{
    (void)number;
    if (count < 100)
        count = count + 1;
    flag = 1;
}

void interrupt_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction act = {0}, before;

    count = 0;
    flag = 0;
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        act.sa_handler = on_signal;
        if (numbers[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) &&
            before.sa_handler == SIG_IGN)
            continue;
        (void)sigaction(numbers[i], &act, NULL);
    }
    act.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &act, NULL);
}

int interrupt_count(void)
{
    return count;
}

void interrupt_raise(void)
{
    on_signal(0);
}

const volatile sig_atomic_t *interrupt_flag(void)
{
    return &flag;
}

void interrupt_calm(void)
{
    flag = 0;
}

void interrupt_sleep(int ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000,
                                   .tv_nsec = ms % 1000 * 1000000L};

    (void)nanosleep(&pause, NULL);
}
