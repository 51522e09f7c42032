/* What the replicas of one role run, word by word, out of a document. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_PROGRAM_H
#define STUDY_PROGRAM_H

#include "study/reading.h"

/* What follows is that role's: its words, variables and folder. */
void program_begin(struct reading *r, struct study_task *task);

/* Adds the words that `v` lists, or one that was made of it: {args} may stand
 * in all of a role's words once. */
void program_words(struct reading *r, const char *key, const struct node *v);
void program_word(struct reading *r, const char *key, const struct node *v,
                  const char *word);

/* The words so far stand for an image's entrypoint: {args} may stand in one,
 * but not be one. */
void program_entry(struct reading *r, const char *key, const struct node *v);

/* Words there is no program in are a fault at `v`, unless there are some
 * already since `before`. */
void program_check(struct reading *r, const char *key, const struct node *v,
                   size_t before);

/* Sets NAME=value in the role's environment, over an earlier one. */
void program_env(struct reading *r, const struct node *at, const char *name,
                 const char *value);

/* The image's name; faults if it cannot be one. */
void program_image(struct reading *r, const char *key, const struct node *v);

/* The folder in which it starts, where there is an image: absolute. */
void program_check_workdir(struct reading *r, const char *key,
                           const struct node *v);

#endif
