/* Programs that come with the service, for the trials that it starts. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_PATH_H
#define SERVICE_PATH_H

/* The text of a PATH (NULL or empty: none is set) with the folder at its end,
 * or NULL if the folder stands in it already. Yours. */
char *path_with(const char *path, const char *folder);

/* Puts the folder of our own program at the end of our PATH, if `hypertune` is
 * in it: scripts of trials report by that name. Before threads begin. */
void path_offer(void);

#endif
