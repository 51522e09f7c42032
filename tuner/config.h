/* How hypertuned is set up: one table of settings, from which flags,
 * environment, --help and --print-config come. Flags go over environment over
 * defaults. Read once, const from then on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_CONFIG_H
#define TUNER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/text.h"

struct config {
    char *state; /* the state directory, absolute */
    char *shim;  /* path of hypertune-shim */
    enum log_level log_level;
    int64_t processors; /* trials at once where a study does not say; 1.. */
    int64_t gpus;       /* the same for trials that ask for GPUs; 0.. */
    int64_t
        least_free; /* bytes; below that nothing is launched; 0 = no guard */
    int64_t private_for; /* process id; the service ends after it; 0 = none */
    bool look_only;      /* answers what is stored, and runs nothing */
};

/* What a command line asks for. */
enum config_wish {
    CONFIG_RUN,
    CONFIG_HELP,
    CONFIG_VERSION,
    CONFIG_PRINT /* --print-config */
};

/* Reads argv[1..argc-1] and the process's environment. On success *out is
 * complete and to be cleared. ERR_INVALID names the setting and the way out;
 * nothing is to be cleared then. Looks at the machine for defaults (processors,
 * GPUs, where the program lies) but opens and makes nothing. */
int config_read(struct config *out, int argc, char *const *argv,
                enum config_wish *wish, struct err *e);
void config_clear(struct config *c);

/* Appends a line for each setting, as flags' names and values. */
void config_print(const struct config *c, struct text *out);
/* Appends usage and every flag with its sentence. */
void config_help(struct text *out);

#endif
