/* hypertuned: the service. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "service/config.h"
#include "service/daemon.h"

enum { EXIT_WRONG = 2, EXIT_REFUSED = 4, EXIT_HELD = 5 };

static int complain(const struct err *e, int status)
{
    fprintf(stderr, "hypertuned: %s\n", e->text);
    return status;
}

static void say(const struct config *config, enum config_wish wish)
{
    struct text out;

    text_init(&out);
    if (wish == CONFIG_HELP)
        config_help(&out);
    else if (wish == CONFIG_VERSION)
        text_add(&out, "hypertuned " HYPERTUNE_VERSION "\n");
    else
        config_print(config, &out);
    fputs(text_str(&out), stdout);
    text_clear(&out);
}

int main(int argc, char **argv)
{
    struct config config;
    enum config_wish wish;
    struct err e;
    int status = 0;

    if (config_read(&config, argc, argv, &wish, &e))
        return complain(&e, EXIT_WRONG);
    if (wish != CONFIG_RUN)
        say(&config, wish);
    else if (daemon_run(&config, &e))
        status =
            complain(&e, e.code == ERR_CONFLICT ? EXIT_HELD : EXIT_REFUSED);
    config_clear(&config);
    return status;
}
