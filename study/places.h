/* Where the folders of a trial are. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_PLACES_H
#define STUDY_PLACES_H

#include "study/command.h"

/* A path as written, NULL for none, made absolute under the base folder.
 * Yours. */
char *places_absolute(const char *path, const struct command_place *at);

/* DIR/TRIAL of a folder that each trial has a part of, and DIR of a job that
 * tunes nothing. Yours. */
char *places_of_trial(const struct study *s, const char *dir,
                      const struct command_place *at);

/* The folder above, or the path itself if there is none. Yours. */
char *places_above(const char *path);

#endif
