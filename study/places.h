/* Where one replica of one attempt of a trial is: its folders and addresses. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_PLACES_H
#define STUDY_PLACES_H

#include <stdint.h>

#include "base/err.h"
#include "study/study.h"

struct places {
    int64_t trial;
    int attempt;          /* from 1 */
    const char *folder;   /* the attempt's folder, absolute */
    const char *base_dir; /* relative workdir, job_dir, output_dir hang here */
    int rank;             /* which replica (study_replica); 0 = the master */
    const char *const *addresses; /* HOST:PORT of each replica, by rank */
};

/* A path as written, NULL for none, made absolute under the base folder.
 * Yours. */
char *places_absolute(const char *path, const struct places *at);

/* DIR/TRIAL of a folder that each trial has a part of, and DIR of a job that
 * tunes nothing. Yours. */
char *places_of_trial(const struct study *s, const char *dir,
                      const struct places *at);

/* The folder above, or the path itself if there is none. Yours. */
char *places_above(const char *path);

/* The folder the replica starts in, absolute: workdir under base_dir; NULL for
 * an image that says it itself. Yours. */
char *places_workdir(const struct study *s, const struct places *at);

/* The file of JSON lines that the master writes, as the study names it, with
 * the trial's number for {trial}; NULL if it names none. Yours. */
char *places_lines(const struct study *s, const struct places *at);

/* Whether each trial that may run beside another has such a file of its own;
 * ERR_INVALID says what to write. */
int places_check_lines(const struct study *s, struct err *e);

/* The replica's own folder: the attempt's for the master, else below it, as
 * FOLDER/worker-0. Yours. */
char *places_folder(const struct study *s, const struct places *at);

#endif
