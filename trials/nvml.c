/* Loads NVML. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

bool nvml_open(struct nvml *n, const char *path)
{
    const struct {
        const char *name;
        void *to; /* a function pointer */
    } wanted[] = {
        {"nvmlInit_v2", &n->init},
        {"nvmlShutdown", &n->shutdown},
        {"nvmlDeviceGetCount_v2", &n->count},
        {"nvmlDeviceGetHandleByIndex_v2", &n->by_index},
        {"nvmlDeviceGetUUID", &n->uuid},
        {"nvmlDeviceGetName", &n->name},
        {"nvmlDeviceGetMemoryInfo", &n->memory},
    };
    bool whole = true;

    n->library = dlopen(path ? path : "libnvidia-ml.so.1", RTLD_NOW);
    if (!n->library)
        return false;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void *found = dlsym(n->library, wanted[i].name);

        whole = whole && found;
        memcpy(wanted[i].to, &found, sizeof found);
    }
    if (whole && n->init() == 0)
        return true;
    dlclose(n->library);
    return false;
}

void nvml_close(struct nvml *n)
{
    n->shutdown();
    dlclose(n->library);
}
