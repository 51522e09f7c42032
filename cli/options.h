/* The words after `hypertune VERB`: options by one table, and the rest. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum option {
    OPTION_HELP,
    OPTION_SERVER,
    OPTION_STATE,
    OPTION_FORMAT,
    OPTION_PRINT,
    OPTION_ARGV,
    OPTION_ONLY,
    OPTION_COUNT,
    OPTION_ASK_COUNT,
    OPTION_CLIENT,
    OPTION_INFEASIBLE,
    OPTION_PARAMS,
    OPTION_FOLLOW,
    OPTION_STDERR,
    OPTION_ATTEMPT,
    OPTION_FAILED,
    OPTION_YES,
    OPTION_STEP,
    OPTION_QUIET,
    OPTION_CA,
    OPTION_ROLE,
    OPTION_DAYS,
    OPTION_FOR,
    OPTION_REPLICA,
    OPTION_EVERY,
    OPTION_PATTERN,
    OPTION_LINES,
    OPTIONS
};

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_YAML };

struct options {
    const char *verb;
    const char *text[OPTIONS]; /* as given; "" for a flag; NULL = not given */
    int64_t number[OPTIONS];   /* of those that take a whole number; 0 = not
                                  given */
    enum format format;        /* TABLE if not given */
    const char **words;        /* what is no option, in order */
    size_t n_words;
};

/* A set of options, for `allowed`. */
#define OPTION_SET(o) (1U << (o))

/* Reads the n words of argv, which outlive *out. Only `allowed` options and
 * --help are known. ERR_INVALID names the word and what was meant. *out is to
 * be cleared, on failure too. */
int options_read(struct options *out, const char *verb, unsigned allowed,
                 char *const *argv, size_t n, struct err *e);
void options_clear(struct options *o);

/* A time that was given with an option: 60s, 5m or 2h; plain seconds too. */
int options_ms(const struct options *o, enum option which, int64_t *out,
               struct err *e);

/* Appends one line for each allowed option, for `hypertune help VERB`. */
void options_explain(unsigned allowed, struct text *out);

#endif
