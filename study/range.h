/* The short way to write a parameter: "log 1e-4 .. 1e-1 if optimizer = sgd". */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_RANGE_H
#define STUDY_RANGE_H

#include "study/reading.h"

/* Reads the scalar into the draft, or marks the draft broken and adds faults.
 *
 *   range     := {"log" | "revlog" | "int"} NUM ".." NUM
 *                ["step" NUM] ["default" NUM] ["if" condition]
 *   condition := NAME ("=" | "in") VALUE {"," VALUE} | NAME "in" "[" ... "]" */
void range_read(struct reading *r, const struct node *v, struct draft *d);

/* Reads a condition alone, as the long form's `when` may hold it. */
void range_read_when(struct reading *r, const struct node *v, struct draft *d);

#endif
