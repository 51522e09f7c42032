/* hypertune.h - report metrics from a training program.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A training program that is run as a trial of a study opens the library once,
 * reports its metrics as often as it likes, and asks now and then whether it
 * should stop:
 *
 *     hypertune *h;
 *     hypertune_open(&h);
 *     for (int i = 1; i <= epochs && !hypertune_should_stop(h); i++)
 *         hypertune_report(h, "accuracy", train_one(), i);
 *     hypertune_close(h);
 *
 * Outside a trial every call is a quiet no-op, so that the same program runs
 * by hand. The library never ends, blocks, signals, prints in or changes the
 * training run. All functions take h = NULL and do nothing then.
 * Safe from several threads, after fork and from several processes that share
 * the environment (MPI ranks): each report is one line, written by one write.
 */
#ifndef HYPERTUNE_H
#define HYPERTUNE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HYPERTUNE_API __attribute__((visibility("default")))
#else
#define HYPERTUNE_API
#endif

typedef struct hypertune hypertune;

/* Reads everything from the environment and sets *out. Returns 0, also outside
 * a trial; or -1 (and *out = NULL, which every function accepts) if memory is
 * short or the report file cannot be opened. */
HYPERTUNE_API int hypertune_open(hypertune **out);

/* Appends one report. metric NULL or "" means "training/hptuning/metric"; of a
 * longer name 255 bytes are kept.
 * value may be nan or infinite: it is kept but never counts as a result.
 * step is what the caller counts by (epochs, batches); 0 or more.
 * Returns 0, or -1 if the line could not be written (training goes on). */
HYPERTUNE_API int hypertune_report(hypertune *h, const char *metric,
                                   double value, int64_t step);

/* 1 once the service wants this trial to stop (its stop file is there), else
 * 0. One access(2); cheap enough for every batch. */
HYPERTUNE_API int hypertune_should_stop(const hypertune *h);

/* The trial's ID, "1", "2", ...; "" outside a trial. Valid until close. */
HYPERTUNE_API const char *hypertune_trial_id(const hypertune *h);

/* From CLUSTER_SPEC: "master", "worker", ...; "master" outside a trial. */
HYPERTUNE_API const char *hypertune_task_type(const hypertune *h);
HYPERTUNE_API int hypertune_task_index(const hypertune *h);

/* A folder that stays the same for every attempt of the trial (ends with '/'),
 * made if it is not there: save checkpoints there and look there first. ""
 * outside a trial. */
HYPERTUNE_API const char *hypertune_checkpoint_dir(const hypertune *h);

HYPERTUNE_API void hypertune_close(hypertune *h);

#ifdef __cplusplus
}
#endif
#endif
