/* The three dialects of study files, each a reader of one tree. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_DIALECTS_H
#define STUDY_DIALECTS_H

#include "study/reading.h"

/* Fill r->s and r->drafts from r->doc; every fault is added to r->f. What all
 * dialects need (the space, the start points, what must not be missing) is
 * done by the caller after. */
void short_read(struct reading *r);
void platform_read(struct reading *r); /* trainingInput */
void vertex_read(struct reading *r);   /* HyperparameterTuningJob */

/* Every top key of our own dialect; ends with a NULL name. */
extern const struct key short_keys[];
key_fn short_params; /* the reader of params */

void roles_settle(struct reading *r); /* what run, image, replicas ... say */

key_fn pools_job; /* the reader of trialJobSpec */

/* What AI Platform and Vertex share: how a job says what it runs. Sets the
 * role's words, environment and folder from {command, args, env, workdir}. */
void process_read(struct reading *r, const struct node *v);

/* The same of Vertex's containerSpec: {imageUri, command, args, env}. */
void process_container(struct reading *r, const struct node *v);

/* Sets the role's words to run in its image: NULL is not said. */
void process_image_words(struct reading *r, const char *command_key,
                         const struct node *command, const char *args_key,
                         const struct node *args);

/* One of k->choices, which count study_algorithms from its begin. */
key_fn dialect_algorithm;

/* The study's goal, or, if it has one, a further objective. */
void goals_add(struct reading *r, const struct node *at, const char *metric,
               bool maximize);

/* What a study of several objectives cannot have, once all is read. */
void goals_check(struct reading *r);

/* MAXIMIZE 1, MINIMIZE 0. */
extern const struct choice dialect_goals[];

/* scaleType, which may be NULL, into the draft. */
void dialect_scale(struct reading *r, const struct node *v, struct draft *d);

/* A bound: the text of v, or 0 where it is absent, as protocols leave out
 * zeros. */
void dialect_number(struct reading *r, const char *key, const struct node *v,
                    const struct draft *d, struct word *out);

/* The texts of a list; numbers are printed anew, since their writers say 32.0
 * where a program wants 32. */
void dialect_values(struct reading *r, const char *key, const struct node *v,
                    bool numbers, struct word_list *out);

/* Whether a type of accelerator, by name or number, is none of the GPUs; NULL
 * is not said. */
bool dialect_is_tpu(struct reading *r, const struct node *type);

/* maxFailedTrials: 0 leaves it to the service, N ends with the N-th. */
void dialect_failed(struct reading *r, int64_t failed);

#endif
