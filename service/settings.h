/* What hypertuned is set up with: one table of settings, from which flags,
 * environment, the file, --help and --print-config come, and how the text of
 * each is read. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_SETTINGS_H
#define SERVICE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/log.h"
#include "base/text.h"

struct settings_list {
    char **items;
    size_t n;
};

struct config {
    char *state;                 /* the state directory, absolute */
    char *config;                /* the file that was read; NULL = none */
    struct settings_list listen; /* addresses, as address_read reads them */
    struct settings_list allow_hosts; /* names that requests may give us */
    char *tls_certificate, *tls_key;  /* both or neither */
    bool insecure_plain_http;         /* other machines may ask without TLS */
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
    struct settings_list gpus; /* as gpus_read reads them; empty = those that
                                are there */
    int64_t
        least_free; /* bytes; below that nothing is launched; 0 = no guard */
    int64_t private_for; /* process id; the service ends after it; 0 = none */
    bool look_only;      /* answers what is stored, and runs nothing */
};

void settings_list_clear(struct settings_list *list);

enum {
    SETTINGS_MOST = 64,         /* rows that the table may have */
    SETTINGS_MOST_PLACES = 1024 /* trials at once that may be asked for */
};

enum setting_kind {
    SETTING_PATH,  /* made absolute */
    SETTING_FILE,  /* the same; may be empty */
    SETTING_TEXT,  /* as it is; may be empty */
    SETTING_WHOLE, /* from least to most */
    SETTING_BYTES, /* a whole number, perhaps with K, M, G or T */
    SETTING_TIME,  /* milliseconds; read with its unit: 90s, 30m, 2h, 7d */
    SETTING_LEVEL, /* of the log */
    SETTING_FLAG,  /* stands alone; =yes or =no */
    SETTING_LIST   /* with commas, or given again and again */
};

struct setting {
    const char *name;     /* --name; HYPERTUNE_NAME in the environment */
    const char *value;    /* what --help calls it */
    const char *fallback; /* NULL: found by looking at the machine */
    const char *sentence;
    size_t offset; /* in struct config */
    int64_t least, most;
    enum setting_kind kind;
    bool flag_only; /* not read from the environment */
};

/* The ith row; NULL behind the last. */
const struct setting *settings_row(size_t i);

/* One place that settings come from; zeroed but for the first two. */
struct settings_source {
    struct config *out;
    const char *folder; /* relative paths hang on it; NULL = where we are */
    bool listed[SETTINGS_MOST]; /* lists that it has begun anew */
};

/* Reads value into its place of from->out; NULL is for a SETTING_FLAG that
 * stands alone. Of a list the first value of a source takes the place of what
 * was listed before it. ERR_INVALID names the setting and what it wants. */
int settings_set(struct settings_source *from, const struct setting *s,
                 const char *value, struct err *e);
/* Appends the value as it is read. */
void settings_print(const struct config *c, const struct setting *s,
                    struct text *out);

#endif
