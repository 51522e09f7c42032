/* The replicas of a job as Google's logs call them, tasks, and where each has
 * its output. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_TASK_H
#define GOOGLE_TASK_H

#include <stdbool.h>
#include <stddef.h>

/* A replica is a number from 0, the master, to below GOOGLE_TASK_END: its role
 * and its index in it. */
enum { GOOGLE_TASK_NAME = 40, GOOGLE_TASK_END = 100000, GOOGLE_TASKS = 1000 };

/* "worker-replica-2" on AI Platform, "workerpool1-2" on Vertex AI. */
void google_task_name(bool platform, int replica, char out[GOOGLE_TASK_NAME]);

/* Those that have an output in an attempt's folder, an open one, by their
 * numbers; the master always is the first. Returns how many, at most
 * GOOGLE_TASKS. */
size_t google_task_list(int folder, int out[GOOGLE_TASKS]);

/* Opens a file of the replica for reading; -1 if it has none. The job owns what
 * is in its folders: no link of its making is followed. */
int google_task_open(int folder, int replica, const char *file);

#endif
