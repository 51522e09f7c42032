/* The words of a trial's command, as a pure function of study and trial
 * (docs/study-file.md, "What a trial is given"). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_COMMAND_H
#define STUDY_COMMAND_H

#include "study/places.h"
#include "study/words.h"

/* argv of the replica. A word {args} is replaced by the arguments; inside a
 * longer word, by the arguments joined with blanks, each quoted for a shell.
 * {NAME} is replaced by the parameter's value, nothing where it does not exist.
 * Where neither stands, the arguments come after the command. In words of
 * Vertex files $(VARIABLE) is expanded, as in their environment. */
void command_argv(const struct study *s, const struct point *p,
                  const struct places *at, struct words *out);

#endif
