/* Reading how hypertuned is set up: flags go over environment over file over
 * defaults. Read once, const from then on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CONFIG_H
#define SERVICE_CONFIG_H

#include "base/err.h"
#include "base/text.h"
#include "service/settings.h"
#include "trials/gpus.h"

/* What a command line asks for. */
enum config_wish {
    CONFIG_RUN,
    CONFIG_HELP,
    CONFIG_VERSION,
    CONFIG_PRINT /* --print-config */
};

/* Reads argv[1..argc-1], the process's environment and the file that one of
 * them names: YAML, a setting a line. On success *out is
 * complete and to be cleared. ERR_INVALID names the setting and the way out;
 * nothing is to be cleared then. Looks at the machine for defaults (processors,
 * GPUs, where the program lies) but makes nothing, and opens that file only. */
int config_read(struct config *out, int argc, char *const *argv,
                enum config_wish *wish, struct err *e);
void config_clear(struct config *c);

/* The GPUs that are written, to be cleared; none where none are. ERR_INVALID
 * cannot come after config_read. */
int config_gpus(const struct config *c, struct gpus *out, struct err *e);

/* Appends a line for each setting, as flags' names and values. */
void config_print(const struct config *c, struct text *out);
/* Appends usage and every flag with its sentence. */
void config_help(struct text *out);

#endif
