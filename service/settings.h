/* The table of hypertuned's settings, and how the text of each is read. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_SETTINGS_H
#define SERVICE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "service/config.h"

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
