/* Who the replicas of a trial are, where they are, and which of them we are:
 * what CLUSTER_SPEC says. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXAMPLES_REPLICAS_CLUSTER_H
#define EXAMPLES_REPLICAS_CLUSTER_H

#include <stddef.h>

enum cluster_role { CLUSTER_MASTER, CLUSTER_WORKER, CLUSTER_PS, CLUSTER_ROLES };

enum { CLUSTER_MOST = 64, CLUSTER_ADDRESS = 256 };

struct cluster {
    enum cluster_role role; /* ours */
    int index;
    int n[CLUSTER_ROLES];
    char address[CLUSTER_ROLES][CLUSTER_MOST][CLUSTER_ADDRESS]; /* HOST:PORT */
};

/* "worker" */
const char *cluster_role_name(enum cluster_role role);

/* Reads the text of CLUSTER_SPEC; NULL or "" is a master alone. Names of roles
 * (master, worker, ps) and of Vertex's pools (workerpool0, 1, 2) are known.
 * Returns 0, or -1 after a sentence on stderr. */
int cluster_read(struct cluster *c, const char *text);

#endif
