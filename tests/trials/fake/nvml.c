/* A pretended NVML: as many GPUs as PRETENDED_GPUS says, of which the one that
 * PRETENDED_BROKEN names has no handle. -1: the driver does not answer. The
 * file PRETENDED_USED has lines of a GPU's index and how many of its 141 GiB
 * are used; else it is one. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out);
int nvmlDeviceGetUUID(void *d, char *out, unsigned size);
int nvmlDeviceGetName(void *d, char *out, unsigned size);
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long *out);

static int devices[64];

static long number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : -1;
}

int nvmlInit_v2(void)
{
    for (int i = 0; i < 64; i++)
        devices[i] = i;
    return number("PRETENDED_GPUS") < 0 ? 18 : 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = (unsigned)number("PRETENDED_GPUS");
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out)
{
    *out = &devices[i];
    return number("PRETENDED_BROKEN") == (long)i ? 15 : 0;
}

int nvmlDeviceGetUUID(void *d, char *out, unsigned size)
{
    snprintf(out, size, "GPU-00000000-1111-2222-3333-%012d", *(int *)d);
    return 0;
}

int nvmlDeviceGetName(void *d, char *out, unsigned size)
{
    (void)d;
    snprintf(out, size, "Pretended H200");
    return 0;
}

/* How many GiB of GPU `device` the file PRETENDED_USED says are used. */
static unsigned long long used_gib(int device)
{
    const char *name = getenv("PRETENDED_USED");
    FILE *f = name ? fopen(name, "re") : NULL;
    char line[64];
    long used = 1;

    while (f && fgets(line, sizeof(line), f)) {
        char *rest;

        if (strtol(line, &rest, 10) == device)
            used = strtol(rest, NULL, 10);
    }
    if (f)
        fclose(f);
    return (unsigned long long)used;
}

int nvmlDeviceGetMemoryInfo(void *d, unsigned long long *out)
{
    unsigned long long used = used_gib(*(int *)d);

    out[0] = 141ULL << 30;
    out[1] = (141ULL - used) << 30;
    out[2] = used << 30;
    return 0;
}
