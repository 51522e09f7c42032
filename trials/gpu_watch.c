/* One look after the other at the memory of GPUs, by NVML. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/gpu_watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/work.h"
#include "trials/nvml.h"

enum { HANGS_MS = 5000 }; /* a driver that takes so long may do so for ever */

/* While a look is under way its fields are the thread's. */
struct gpu_watch {
    struct gpus *gpus;
    struct worker *worker;
    bool looking, again; /* again: somebody asked meanwhile */
    int64_t began;       /* steady */
    char *library;
    bool opened, failed;
    struct nvml nvml;
    char **ids;
    int64_t *used;
    size_t n;
};

static void note(struct gpu_watch *w, const char *id, int64_t used)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->ids[i], id) == 0)
            w->used[i] = used;
}

/* On the thread. What cannot be looked at counts as not used. */
static void look(void *task)
{
    struct gpu_watch *w = task;
    unsigned count = 0;

    memset(w->used, 0, w->n * sizeof *w->used);
    w->opened = w->opened || nvml_open(&w->nvml, w->library);
    w->failed = !w->opened || w->nvml.count(&count);
    for (unsigned i = 0; i < count && i < GPUS_MOST; i++) {
        char id[NVML_TEXT] = "";
        struct nvml_memory memory;
        nvml_device d;

        if (w->nvml.by_index(i, &d) == 0 &&
            w->nvml.uuid(d, id, sizeof id) == 0 &&
            w->nvml.memory(d, &memory) == 0)
            note(w, id, (int64_t)(memory.total - memory.free));
    }
}

static void looked(void *task);

static void begin(struct gpu_watch *w)
{
    w->looking = true;
    w->again = false;
    w->began = clock_steady_ms(&clock_real);
    w->worker->give(w->worker, look, looked, w);
}

static void looked(void *task)
{
    struct gpu_watch *w = task;

    w->looking = false;
    if (w->failed)
        log_write(LOG_LEVEL_WARN, "gpus_unseen", "n=%zu", w->n);
    for (size_t i = 0; i < w->n && i < w->gpus->n; i++)
        w->gpus->items[i].used = w->used[i];
    w->gpus->looked = w->began;
    if (w->again)
        begin(w);
}

static bool any_memory(const struct gpus *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->items[i].memory > 0)
            return true;
    return false;
}

int gpu_watch_open(struct gpu_watch **out, struct loop *l, struct gpus *g,
                   const char *library, struct err *e)
{
    struct gpu_watch *w;

    *out = NULL;
    if (!any_memory(g))
        return 0;
    w = mem_new(1, sizeof *w);
    if (work_open(&w->worker, l, e)) {
        free(w);
        return -1;
    }
    w->gpus = g;
    w->library = mem_copy_text(library);
    w->n = g->n;
    w->ids = mem_new(w->n, sizeof *w->ids);
    w->used = mem_new(w->n, sizeof *w->used);
    for (size_t i = 0; i < w->n; i++)
        w->ids[i] = mem_copy_text(g->items[i].id);
    *out = w;
    return 0;
}

void gpu_watch_ask(struct gpu_watch *w)
{
    w->again = true;
    if (!w->looking)
        begin(w);
}

void gpu_watch_close(struct gpu_watch *w)
{
    if (!w)
        return;
    if (w->looking && clock_steady_ms(&clock_real) - w->began > HANGS_MS)
        return; /* its thread cannot be ended, and goes with the process */
    w->again = false;
    work_close(w->worker);
    if (w->opened)
        nvml_close(&w->nvml);
    for (size_t i = 0; i < w->n; i++)
        free(w->ids[i]);
    free(w->ids);
    free(w->used);
    free(w->library);
    free(w);
}
