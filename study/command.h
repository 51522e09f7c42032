/* What a trial's process is given: its words and its environment, as pure
 * functions of study and trial (docs/study-file.md, "What a trial is given").
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_COMMAND_H
#define STUDY_COMMAND_H

#include <stdint.h>

#include "study/study.h"
#include "study/words.h"

/* One attempt of one trial, as its process is told of it. */
struct command_place {
    int64_t trial;
    int attempt;          /* from 1 */
    const char *folder;   /* the attempt's folder, absolute */
    const char *base_dir; /* relative workdir, job_dir, output_dir hang here */
    int rank;             /* which replica (study_replica); 0 = the master */
    const char *const *addresses; /* HOST:PORT of each replica, by rank */
};

/* The replica's own folder: the attempt's for the master, else below it, as
 * FOLDER/worker-0. Yours. */
char *command_folder(const struct study *s, const struct command_place *at);

/* The parameter whose {NAME} begins at `at`, or -1; *n is then how many bytes
 * {NAME} has. */
int command_named(const struct study *s, const char *at, size_t *n);

/* argv of the replica. A word {args} is replaced by the arguments;
 * inside a longer word, by the arguments joined with blanks, each quoted for a
 * shell. {NAME} is replaced by the parameter's value, nothing where it does not
 * exist. Where neither stands, the arguments come after the command. In words
 * of Vertex files $(VARIABLE) is expanded, as in their environment. */
void command_argv(const struct study *s, const struct point *p,
                  const struct command_place *at, struct words *out);

/* Sets on top of what *out already holds (say, the service's own environment)
 * every variable that the page names, for one replica. The report file is
 * `reports` in the replica's own folder (command_folder), the Python package's
 * `output.metrics` there; the stop file is `stop` in the attempt's, for all of
 * them. */
void command_environ(const struct study *s, const struct point *p,
                     const struct command_place *at, struct words *out);

/* The folder the replica starts in, absolute: workdir under base_dir; NULL for
 * an image that says it itself. Yours. */
char *command_workdir(const struct study *s, const struct command_place *at);

#endif
