/* The Sobol sequence's direction numbers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_SOBOL_TABLE_H
#define ALGORITHMS_SOBOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* For each dimension from the second on: its primitive polynomial, and as many
 * initial numbers as that has degrees. */
extern const uint16_t sobol_table[];
extern const size_t sobol_table_length;

#endif
