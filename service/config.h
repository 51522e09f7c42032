/* How hypertuned is set up: one table of settings, from which flags,
 * environment, the file, --help and --print-config come. Flags go over
 * environment over file over defaults. Read once, const from then on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CONFIG_H
#define SERVICE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/text.h"
#include "trials/gpus.h"

struct config_list {
    char **items;
    size_t n;
};

struct config {
    char *state;                     /* the state directory, absolute */
    char *config;                    /* the file that was read; NULL = none */
    struct config_list listen;       /* addresses, as address_read reads them */
    struct config_list allow_hosts;  /* names that requests may give us */
    char *tls_certificate, *tls_key; /* both or neither */
    bool insecure_plain_http;        /* other machines may ask without TLS */
    char *report_url;         /* http(s)://HOST…, no '/' at its end; NULL = of
                                 the first listener */
    int64_t lease_ms;         /* engine_parts.lease_ms */
    int64_t most_connections; /* of each TCP listener */
    char *image_map;          /* a file (study/image_map.h); NULL = none */
    char *container_host;     /* trials/container.h; NULL = looked for */
    char *shim;               /* path of hypertune-shim */
    enum log_level log_level;
    int64_t processors; /* trials at once where a study does not say; 1.. */
    int64_t memory;     /* bytes for trials that ask for some; 0 = no limit */
    struct config_list gpus; /* as gpus_read reads them; empty = those that are
                                there */
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
void config_list_clear(struct config_list *list);

/* Appends a line for each setting, as flags' names and values. */
void config_print(const struct config *c, struct text *out);
/* Appends usage and every flag with its sentence. */
void config_help(struct text *out);

#endif
