/* The GPUs of this machine: found by NVML, or read as they are written. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/gpus.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "trials/nvml.h"

/* ---- finding ---- */

static void add(struct gpus *g, const char *id, const char *name,
                int64_t memory)
{
    g->items = mem_resize(g->items, g->n + 1, sizeof *g->items);
    g->items[g->n++] = (struct gpu){
        .id = mem_copy_text(id), .name = mem_copy_text(name), .memory = memory};
}

/* One that is broken, or not ours to use, has no handle or no UUID. */
static void add_device(struct gpus *g, const struct nvml *n, unsigned i)
{
    char uuid[NVML_TEXT] = "", name[NVML_TEXT] = "";
    struct nvml_memory memory = {0};
    nvml_device d;

    if (n->by_index(i, &d) || n->uuid(d, uuid, sizeof uuid) || !*uuid) {
        log_write(LOG_LEVEL_WARN, "gpu_unusable", "index=%u", i);
        return;
    }
    if (n->name(d, name, sizeof name))
        *name = '\0';
    if (n->memory(d, &memory))
        memory.total = 0;
    add(g, uuid, name, (int64_t)memory.total);
}

static void find_devices(struct gpus *out)
{
    glob_t found = {0};

    if (glob("/dev/nvidia[0-9]*", 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && out->n < GPUS_MOST; i++) {
            const char *index = found.gl_pathv[i] + strlen("/dev/nvidia");

            if (gpus_is_index(index))
                add(out, index, "", 0);
        }
    globfree(&found);
}

void gpus_find(struct gpus *out, const char *library)
{
    struct nvml n = {0};
    unsigned count = 0;

    *out = (struct gpus){0};
    if (!nvml_open(&n, library)) {
        find_devices(out);
        return;
    }
    if (n.count(&count) == 0)
        for (unsigned i = 0; i < count && i < GPUS_MOST; i++)
            add_device(out, &n, i);
    nvml_close(&n);
}

/* ---- reading ---- */

bool gpus_is_index(const char *id)
{
    size_t n = strspn(id, "0123456789");

    return n > 0 && n <= 4 && !id[n];
}

static bool is_id(const char *word)
{
    if (gpus_is_index(word))
        return true;
    if (strncmp(word, "GPU-", 4) != 0 && strncmp(word, "MIG-", 4) != 0)
        return false;
    word += 4;
    return *word &&
           !word[strspn(word, "0123456789abcdefABCDEF-/GPUMIGgpumig")] &&
           strlen(word) < NVML_TEXT;
}

static int add_word(struct gpus *out, const char *word, struct err *e)
{
    if (!is_id(word))
        return err_set(e, ERR_INVALID,
                       "\"%.100s\" is no GPU: give indices (0,1), UUIDs "
                       "(GPU-…, MIG-…), or none",
                       word);
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->items[i].id, word) == 0)
            return err_set(e, ERR_INVALID, "GPU %.100s stands there twice",
                           word);
    if (out->n == GPUS_MOST)
        return err_set(e, ERR_INVALID, "at most %d GPUs", GPUS_MOST);
    add(out, word, "", 0);
    return 0;
}

int gpus_read(struct gpus *out, const char *text, struct err *e)
{
    char *copy, *at, *word;
    int rc = 0;

    *out = (struct gpus){0};
    if (strcmp(text, "none") == 0)
        return 0;
    copy = mem_copy_text(text);
    at = copy;
    while (rc == 0 && (word = strsep(&at, ",")))
        rc = add_word(out, word + strspn(word, " "), e);
    free(copy);
    if (rc)
        gpus_clear(out);
    return rc;
}

void gpus_clear(struct gpus *g)
{
    for (size_t i = 0; i < g->n; i++) {
        free(g->items[i].id);
        free(g->items[i].name);
    }
    free(g->items);
    *g = (struct gpus){0};
}
