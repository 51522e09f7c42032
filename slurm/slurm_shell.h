/* The parts of a batch script that are the same for every job, for any POSIX
 * shell on Linux. On a node they need sh, and for several replicas mv, srun and
 * scontrol. They start no process that is not needed: a thousand short jobs
 * are a thousand of these. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_SHELL_H
#define TRIALS_SLURM_SHELL_H

/* After a line that sets ht_folder: everything that replicas call. A function
 * ht_replica_RANK for each follows. */
extern const char slurm_shell_begin[];

/* One program, run beside the batch script itself. */
extern const char slurm_shell_one[];

/* After slurm_shell_begin, and then in place of slurm_shell_one, where the
 * folder is the node's own: a courier sends on what the program reports, and
 * the script waits until all has arrived. */
extern const char slurm_shell_apart[];
extern const char slurm_shell_one_apart[];

/* Several, the tasks of one srun: what a task does, and what comes before
 * `srun ... task &`. Hosts and ports are in ht_host_RANK and ht_port_RANK. */
extern const char slurm_shell_tasks[];
extern const char slurm_shell_after_srun[];

#endif
