/* What we need of NVML, NVIDIA's library, declared ourselves: it is loaded at
 * run time, so that Hypertune is built and runs where there is none. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_NVML_H
#define TRIALS_NVML_H

#include <stdbool.h>

enum { NVML_TEXT = 96 };

typedef struct nvmlDevice_st *nvml_device;

struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

struct nvml {
    void *library;
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *n);
    int (*by_index)(unsigned i, nvml_device *out);
    int (*uuid)(nvml_device d, char *out, unsigned size);
    int (*name)(nvml_device d, char *out, unsigned size);
    int (*memory)(nvml_device d, struct nvml_memory *out);
};

/* path: NULL for libnvidia-ml.so.1. False: it is not there, or its driver does
 * not answer. Its calls may take seconds where the driver was asleep, and all
 * of them return 0 if all is well. */
bool nvml_open(struct nvml *n, const char *path);
void nvml_close(struct nvml *n); /* once, after it was opened */

#endif
