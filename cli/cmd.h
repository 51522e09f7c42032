/* Every command of `hypertune`, one function each: the program's table
 * (main.c) says how often which word may stand and which options are known.
 *
 * They print to stdout, return an exit code, or -1 with a sentence in *e. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "base/err.h"
#include "cli/options.h"

enum cmd_exit {
    CMD_DONE,        /* for run and watch: with a successful trial */
    CMD_NOTHING,     /* ended without one, or what was asked for is not there */
    CMD_WRONG,       /* the command line or the file is wrong */
    CMD_INTERRUPTED, /* cancelled or interrupted */
    CMD_REFUSED      /* the service cannot be reached, or refused */
};

typedef int cmd_fn(const struct options *o, struct err *e);

cmd_fn cmd_run, cmd_try, cmd_serve, cmd_submit, cmd_validate, cmd_list,
    cmd_show, cmd_trials, cmd_trial, cmd_best, cmd_watch, cmd_logs, cmd_act,
    cmd_stop, cmd_retry, cmd_delete, cmd_ask, cmd_tell, cmd_report, cmd_why,
    cmd_export, cmd_import, cmd_token, cmd_courier;

/* A word that must be a trial's number. */
int cmd_number(const char *word, int64_t *out, struct err *e);
/* METRIC=VALUE; nan and inf are values. *metric is yours to free. */
int cmd_metric(const char *word, char **metric, double *value, struct err *e);

#endif
