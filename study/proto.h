/* JSON as Google's interfaces write it: what a client sent, said back the way
 * their servers say it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_PROTO_H
#define STUDY_PROTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/node.h"
#include "base/text.h"

/* Called for every member of a map before it is written; key is in
 * lowerCamelCase. True: the hook wrote another member in its place (proto_key,
 * then a value), or nothing. */
struct proto_writer;
typedef bool proto_hook(void *ctx, struct proto_writer *w, const char *key,
                        const struct node *value);

struct proto_writer {
    struct text *out;
    bool begun; /* a member of the innermost map was written */
    proto_hook *hook;
    void *ctx;
};

/* Writes the tree: snake_case names become lowerCamelCase, numbers of enums
 * their names, 64-bit integers text; null members are left out. What a user
 * named himself (labels, the variables of a processSpec) stays as it is. hook
 * may be NULL. */
void proto_write(const struct node *node, struct text *out, proto_hook *hook,
                 void *ctx);

/* For hooks: the next member's name and ": ", and a value by the rules above
 * (key tells which rules). */
void proto_key(struct proto_writer *w, const char *key);
void proto_value(struct proto_writer *w, const char *key,
                 const struct node *value);

/* The member of a map by its lowerCamelCase name, whichever way it is
 * written; NULL if it is not there or null. */
const struct node *proto_get(const struct node *map, const char *name);

/* The names of enums, each by its number; "" is a number without a name, and
 * NULL ends them. */
extern const char *const proto_goals[],
    *const proto_scales[], *const proto_algorithms[],
                               *const proto_noises[], *const proto_selections[];

/* name in lowerCamelCase: max_trial_count is maxTrialCount. Yours to free. */
char *proto_camel(const char *name);

#endif
