/* Jobs of Google's interfaces made runnable here: containers that the image map
 * knows become processes, gs:// folders of results become folders of this
 * machine, and the job gets a name that no other study has. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_RUNNABLE_H
#define STUDY_RUNNABLE_H

#include "base/fault.h"
#include "base/node.h"
#include "base/text.h"
#include "study/image_map.h"

enum runnable_kind {
    RUNNABLE_TUNING,  /* a HyperparameterTuningJob */
    RUNNABLE_CUSTOM,  /* a CustomJob */
    RUNNABLE_PLATFORM /* an AI Platform job, tuning or not */
};

struct runnable {
    enum runnable_kind kind;
    const char *name;               /* the study's */
    const struct image_map *images; /* or NULL; what it does not know
                                       stays a container */
    const char *bucket_root;        /* absolute folder; gs://B/x is its B/x */
};

/* Appends the document that study/codec.h reads: codec_decode, or
 * codec_decode_job of a job that tunes nothing. -1 if a fault was added. Only
 * what it changes is looked at; the decoder sees to the rest. */
int runnable_write(const struct runnable *with, const struct node *job,
                   struct text *out, struct faults *f);

/* A study's name made of what a person called the job: letters, digits, '_'
 * and '-', beginning with a letter, at most 100 bytes. Yours to free. */
char *runnable_name(const char *display_name);

#endif
