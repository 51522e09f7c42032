/* The GPUs of this machine, as programs are told of them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_GPUS_H
#define TRIALS_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { GPUS_MOST = 1024 };

struct gpu {
    char *id;       /* as CUDA_VISIBLE_DEVICES wants it: a UUID or an index */
    char *name;     /* "NVIDIA A100-SXM4-80GB"; "" if it is not known */
    int64_t memory; /* bytes; 0 = not known */
    int64_t used;   /* bytes of it, by whomever, at the last look */
};

struct gpus {
    struct gpu *items;
    size_t n;
    int64_t looked; /* steady, ms: the beginning of the last look at what is
                       used (trials/gpu_watch.h); 0 = there was none */
};

/* Looks for NVIDIA's: library is what NVML is loaded from, NULL for
 * libnvidia-ml.so.1; where it is not, GPUs are known by the index of their
 * device /dev/nvidia<N>. That there are none is no error. */
void gpus_find(struct gpus *out, const char *library);

/* Those that are written: "0,1" or "GPU-5f…,MIG-0a…", or "none". ERR_INVALID
 * if a word is neither, or stands there twice. */
int gpus_read(struct gpus *out, const char *text, struct err *e);

void gpus_clear(struct gpus *g); /* may be called twice */

/* True if the id is an index: its meaning hangs on the order of devices. */
bool gpus_is_index(const char *id);

#endif
