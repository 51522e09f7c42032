/* The members of one JSON object on one line, read leniently: NaN, Infinity,
 * 1e400 and integers of any length are numbers, as Python writes them. Nothing
 * is allocated; nested values are passed over. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef METRICS_MEMBERS_H
#define METRICS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/report.h"

enum { MEMBER_VALUE = 64 };

struct member {
    char key[REPORT_METRIC];  /* UTF-8; cut between characters */
    bool quoted;              /* a string */
    char value[MEMBER_VALUE]; /* as written, without quotes; "" if it is an
                                 object or a list, or too long for a number */
};

struct members {
    const char *at, *end;
    bool begun;
};

/* line: n bytes, which outlive the members. */
void members_init(struct members *m, const char *line, size_t n);

/* 1 and *out is the next member, 0 after the last one, -1 if the line is not
 * one whole object (what was read before is then worth nothing). */
int members_next(struct members *m, struct member *out);

/* Copies n bytes as a metric's name: UTF-8, cut between characters. */
void members_copy_name(const char *s, size_t n, char out[REPORT_METRIC]);

#endif
