/* How a document becomes a study: maps are read through tables of keys, values
 * by the type that the key wants, and every fault is collected. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_READING_H
#define STUDY_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/node.h"
#include "study/draft.h"
#include "study/study.h"

/* The launchers that a study can name, all but lease. */
enum launching {
    LAUNCHING_LOCAL,
    LAUNCHING_CONTAINER,
    LAUNCHING_SLURM,
    LAUNCHING_KINDS
};

/* What our own dialect says of a role's replicas. */
struct role_form {
    const struct node *image, *entrypoint, *run, *env, *workdir;
    const struct node *cpus, *gpus, *memory;
    int count;    /* not of the master */
    bool inherit; /* what is not said is the master's; not of the master */
};

/* One document on its way to be a study. Borrowed pointers point into the
 * document's tree, which lives as long. */
struct reading {
    struct faults *f;
    struct study *s;
    struct drafts drafts; /* the parameters, in the order of the document */
    bool proto;           /* null is absent, and names may be snake_case */
    bool alone;           /* a job that tunes nothing: no goal, no parameters */
    bool vizier;          /* a Study of Vizier: nothing to run */
    const struct node *doc;

    const struct node *name;  /* what the document says the name is */
    const struct node *goal;  /* the first key that named a metric */
    const struct node *start; /* points to try first */
    bool too_many;            /* of them, and it was said */

    struct study_task *task; /* the role whose words are read (program.h) */
    size_t holes;            /* how often {args} stood in them so far */

    const struct node *command; /* AI Platform and Vertex: the job */

    /* Our own dialect: what the keys say. */
    struct role_form master;
    const struct node *replicas, *chief, *launcher;
    const struct node *options[LAUNCHING_KINDS]; /* by enum launching */
};

/* One key of a map: its reader, and what the reader needs to know. */
struct key {
    const char *name;
    void (*read)(struct reading *r, const struct key *k, const struct node *v,
                 void *into);
    size_t offset;     /* of the member of *into that is set */
    int64_t low, high; /* the range of a number; both 0 = none */
    const char *why;   /* refuse: the sentence; choices: the table's noun */
    const struct choice *choices;
};

struct choice {
    const char *name;
    int value;
    int number; /* in a protocol's JSON; -1 where there is none */
};

void reading_fault(struct reading *r, const struct node *at, const char *fmt,
                   ...) __attribute__((format(printf, 3, 4)));

/* Reads every entry of the map through the table, which ends with a NULL
 * name; unknown keys are faults with a hint. `what` names the map. A table's
 * member is found at (char *)into + offset. */
void reading_keys(struct reading *r, const struct node *map,
                  const struct key *keys, void *into, const char *what);

/* The scalar's text, or NULL with a fault that names the key. */
const char *reading_text(struct reading *r, const char *key,
                         const struct node *v);

/* 0, or -1 with a fault. */
int reading_whole(struct reading *r, const char *key, const struct node *v,
                  int64_t low, int64_t high, int64_t *out);
int reading_choice(struct reading *r, const char *key, const struct node *v,
                   const struct choice *choices, int *out);

/* A folder; gs:// is refused, file:// taken off. NULL with a fault. */
char *reading_folder(struct reading *r, const char *key, const struct node *v);

/* Readers for tables, by the type of the member. */
typedef void key_fn(struct reading *r, const struct key *k,
                    const struct node *v, void *into);
key_fn key_text;   /* char * */
key_fn key_folder; /* char * */
key_fn key_whole;  /* int64_t */
key_fn key_int;    /* int */
key_fn key_seed;   /* uint64_t */
key_fn key_real;   /* double */
key_fn key_flag;   /* bool */
key_fn key_ms;     /* int64_t: 90s, 2h, 1h30m, 500ms, or plain seconds */
key_fn key_bytes;  /* int64_t: 4G, 512M, 1GiB, or plain bytes */
key_fn key_choice; /* an enum or int */
key_fn key_node;   /* const struct node *: looked at later */
key_fn key_ignore; /* known, harmless, without effect */
key_fn key_refuse; /* known, and not to be had: why */

/* As key_refuse, but 0, false, "" and empty lists and maps are fine. */
key_fn key_refuse_set;

/* Sets the study's name: the text if it is one, else one made of `file`. */
void reading_name(struct reading *r, const char *file);

#endif
