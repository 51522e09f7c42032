/* The smallest trainer: reports one number and ends. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <hypertune.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    double x = 0;
    hypertune *h;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--x=", 4) == 0)
            x = strtod(argv[i] + 4, NULL);
    }
    if (hypertune_open(&h))
        return 1;
    int failed = hypertune_report(h, "score", 1 - (x - 0.3) * (x - 0.3), 1);
    hypertune_close(h);
    return failed ? 1 : 0;
}
