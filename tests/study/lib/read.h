/* Study files as texts, for tests. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_STUDY_LIB_READ_H
#define TESTS_STUDY_LIB_READ_H

#include "study/study.h"

/* Decodes the text, which must be without faults. *s is to be cleared. What
 * was accepted is read again as the store would keep it. */
void read_good(const char *text, struct study *s);

/* What the store would keep of the study must decode to the same again. */
void read_again(const struct study *s);

/* The faults of a text, one a line as LINE:COLUMN: text; "" if there are none.
 * Yours to free. */
char *read_faults(const char *text);

/* The long forms of a study. Yours to free. */
char *write_json(const struct study *s);
char *write_yaml(const struct study *s);

/* Reads the text, and compares each role of a trial with its line,
 *     COUNT IMAGE <ENTRY>[WORD] NAME=VALUE FOLDER CPUS GPUS MEMORY
 * NULL means that the role is not there. */
void check_roles(const char *text, const char *const *lines);

/* The whole file, whose path is relative to the source folder. Yours to
 * free. */
char *read_source(const char *path);

#endif
