/* From a replica to the JSON that makes its container. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

#define CDI_SINCE 5.004 /* podman: GPUs by way of this interface */

/* ---- options ---- */

struct reading {
    struct container_options *out;
};

static int read_network(struct reading *r, const char *value, struct err *e)
{
    if (!*value)
        return err_set(e, ERR_INVALID,
                       "container: network must be host, none or the name of "
                       "a network");
    r->out->network = value;
    return 0;
}

static int read_user(struct reading *r, const char *value, struct err *e)
{
    if (!*value)
        return err_set(e, ERR_INVALID,
                       "container: user must be NAME or UID[:GID]");
    r->out->user = value;
    return 0;
}

static int read_size(struct reading *r, const char *value, struct err *e)
{
    static const char units[] = "kmgt";
    size_t digits = strspn(value, "0123456789");
    const char *unit = value + digits;
    const char *found =
        *unit ? strchr(units, tolower((unsigned char)*unit)) : NULL;
    char number[NUMBER_TEXT];
    int shift = found ? 10 * (int)(found - units + 1) : 0;
    int64_t n = 0;

    if (found)
        unit += unit[1] == 'i' && unit[2] == 'B'   ? 3
                : unit[1] == 'B' || unit[1] == 'i' ? 2
                                                   : 1;
    snprintf(number, sizeof number, "%.*s", (int)digits, value);
    if (*unit || digits >= sizeof number || !number_read_int(number, &n) ||
        n < 1 || n > INT64_MAX >> shift)
        return err_set(e, ERR_INVALID,
                       "container: shm_size must be a size such as 8G, not "
                       "\"%.100s\"",
                       value);
    r->out->shm_size = n * ((int64_t)1 << shift);
    return 0;
}

static int read_pull(struct reading *r, const char *value, struct err *e)
{
    r->out->pull = strcmp(value, "missing") == 0;
    if (!r->out->pull && strcmp(value, "never") != 0)
        return err_set(e, ERR_INVALID,
                       "container: pull must be never or missing, not "
                       "\"%.100s\"",
                       value);
    return 0;
}

static int read_runtime(struct reading *r, const char *value, struct err *e)
{
    if (!*value)
        return err_set(e, ERR_INVALID,
                       "container: runtime must be the name of a runtime that "
                       "the engine knows");
    r->out->runtime = value;
    return 0;
}

static void add_bind(struct container_options *o, char *bind)
{
    o->binds = mem_resize(o->binds, o->n_binds + 1, sizeof *o->binds);
    o->binds[o->n_binds++] = bind;
}

/* HOST:CONTAINER[:MODE]. A HOST without a slash is a volume of the engine's. */
static int read_volume(struct reading *r, const char *value, struct err *e)
{
    size_t n = strcspn(value, ":");
    const char *slash = memchr(value, '/', n);

    if (n == 0 || value[n] != ':' || value[n + 1] != '/' ||
        (slash && slash != value))
        return err_set(e, ERR_INVALID,
                       "container: volumes must be HOST:CONTAINER or "
                       "HOST:CONTAINER:ro, where HOST is an absolute path or "
                       "a volume's name, not \"%.200s\"",
                       value);
    add_bind(r->out, mem_copy_text(value));
    return 0;
}

static const struct {
    const char *name;
    int (*read)(struct reading *r, const char *value, struct err *e);
} options[] = {{"network", read_network}, {"user", read_user},
               {"shm_size", read_size},   {"pull", read_pull},
               {"runtime", read_runtime}, {"volumes", read_volume}};
enum { OPTIONS = sizeof options / sizeof options[0] };

static int read_option(struct reading *r, const struct job_option *o,
                       struct err *e)
{
    const char *names[OPTIONS];
    const char *near;

    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(o->name, options[i].name) == 0)
            return options[i].read(r, o->value ? o->value : "", e);
        names[i] = options[i].name;
    }
    near = fault_near(o->name, names, OPTIONS);
    return err_set(e, ERR_INVALID, "container: there is no option %.100s%s%s%s",
                   o->name, near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "");
}

/* As much as the machine's own /dev/shm, for it costs nothing until used:
 * loaders of training data pass batches through it. */
static int64_t usual_shm(void)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES);
    int64_t page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? pages * page / 2 : (int64_t)1 << 30;
}

static int check_replicas(const struct container_options *o,
                          const struct job *job, struct err *e)
{
    if (job->n_replicas == 1)
        return 0;
    if (strcmp(o->network, "none") == 0 || strcmp(o->network, "bridge") == 0)
        return err_set(e, ERR_INVALID,
                       "container: in network %s replicas cannot find each "
                       "other; use host, or a network of your own",
                       o->network);
    return 0;
}

int container_options_read(struct container_options *out, const struct job *job,
                           struct err *e)
{
    struct reading r = {.out = out};

    *out =
        (struct container_options){.network = "host", .shm_size = usual_shm()};
    for (size_t i = 0; i < job->n_options; i++)
        if (read_option(&r, &job->options[i], e)) {
            container_options_clear(out);
            return -1;
        }
    if (check_replicas(out, job, e) == 0)
        return 0;
    container_options_clear(out);
    return -1;
}

void container_options_clear(struct container_options *o)
{
    for (size_t i = 0; i < o->n_binds; i++)
        free(o->binds[i]);
    free(o->binds);
    *o = (struct container_options){0};
}

/* ---- words ---- */

static bool is_own_network(const struct container_options *o)
{
    return strcmp(o->network, "host") != 0 && strcmp(o->network, "none") != 0;
}

static char *replaced(char *text, const char *what, const char *with)
{
    size_t n = strlen(what);
    struct text out;
    const char *at = text, *found;

    if (!strstr(text, what))
        return text;
    text_init(&out);
    while ((found = strstr(at, what))) {
        text_add_bytes(&out, at, (size_t)(found - at));
        /* 127.0.0.1:200 stands in 127.0.0.1:2000 too */
        text_add(&out, isdigit((unsigned char)found[n]) ? what : with);
        at = found + n;
    }
    text_add(&out, at);
    free(text);
    return text_take(&out);
}

/* A word with the addresses that hold where the container will be; yours. */
static char *moved(const struct container_frame *f, const char *word)
{
    char *text = mem_copy_text(word);

    if (!is_own_network(f->options) || f->job->n_replicas == 1)
        return text;
    if (strcmp(word, "MASTER_ADDR=127.0.0.1") == 0)
        return replaced(text, "127.0.0.1", f->names[0]);
    for (size_t i = 0; i < f->job->n_replicas; i++) {
        char *here = mem_format("127.0.0.1:%d", f->ports[i]);
        char *there = mem_format("%s:%d", f->names[i], f->ports[i]);

        text = replaced(text, here, there);
        free(here);
        free(there);
    }
    return text;
}

static json_t *text_json(const char *text)
{
    json_t *out = json_string(text);

    return out ? out : json_string("");
}

static json_t *words_json(const struct container_frame *f, char *const *words,
                          size_t from, size_t to)
{
    json_t *out = json_array();

    for (size_t i = from; i < to; i++) {
        char *word = moved(f, words[i]);

        json_array_append_new(out, text_json(word));
        free(word);
    }
    return out;
}

static size_t count(char *const *words)
{
    size_t n = 0;

    while (words && words[n])
        n++;
    return n;
}

/* Kubernetes' rules: a command alone leaves out the image's own arguments;
 * arguments alone go to the image's own command. */
static void add_command(const struct container_frame *f,
                        const struct job_replica *r, json_t *spec)
{
    size_t n = count(r->argv);
    size_t entry = r->n_entry < n ? r->n_entry : n;

    if (entry > 0)
        json_object_set_new(spec, "Entrypoint",
                            words_json(f, r->argv, 0, entry));
    if (n > 0)
        json_object_set_new(spec, "Cmd", words_json(f, r->argv, entry, n));
}

/* ---- the environment ---- */

static bool is_uuids(const char *ids)
{
    return ids &&
           (strncmp(ids, "GPU-", 4) == 0 || strncmp(ids, "MIG-", 4) == 0);
}

/* Inside, the GPUs that it was given are counted from 0; their UUIDs stay. */
static char *visible_devices(const struct job_replica *r)
{
    struct text out;

    text_init(&out);
    text_add(&out, "CUDA_VISIBLE_DEVICES=");
    for (int i = 0; i < r->gpus; i++)
        text_addf(&out, "%s%d", i ? "," : "", i);
    return text_take(&out);
}

static json_t *environ_json(const struct container_frame *f,
                            const struct job_replica *r)
{
    static const char visible[] = "CUDA_VISIBLE_DEVICES=";
    json_t *out = json_array();

    for (size_t i = 0; r->environ_ && r->environ_[i]; i++) {
        bool renamed = r->gpu_ids && !is_uuids(r->gpu_ids) &&
                       strncmp(r->environ_[i], visible, strlen(visible)) == 0;
        char *word = renamed ? visible_devices(r) : moved(f, r->environ_[i]);

        json_array_append_new(out, text_json(word));
        free(word);
    }
    return out;
}

/* ---- the host's part ---- */

static void add_mount(json_t *binds, const char *folder)
{
    char *bind = mem_format("%s:%s:z", folder, folder);

    json_array_append_new(binds, text_json(bind));
    free(bind);
}

/* The trial's folder, in which the attempt's is, and checkpoints are; what the
 * job was told to write to; and what the study asks for. */
static json_t *binds_json(const struct container_frame *f)
{
    const struct job *job = f->job;
    const char *slash = strrchr(job->folder, '/');
    char *trial = mem_copy_bytes(job->folder, (size_t)(slash - job->folder));
    size_t n = strlen(trial);
    json_t *out = json_array();

    add_mount(out, trial);
    for (size_t i = 0; job->outputs && job->outputs[i]; i++)
        if (strncmp(job->outputs[i], trial, n) != 0 ||
            (job->outputs[i][n] != '/' && job->outputs[i][n] != '\0'))
            add_mount(out, job->outputs[i]);
    for (size_t i = 0; i < f->options->n_binds; i++)
        json_array_append_new(out, text_json(f->options->binds[i]));
    free(trial);
    return out;
}

static json_t *host_json(const struct container_frame *f,
                         const struct job_replica *r)
{
    json_t *out = json_object();

    json_object_set_new(out, "NetworkMode", text_json(f->options->network));
    json_object_set_new(out, "Binds", binds_json(f));
    json_object_set_new(
        out, "ShmSize",
        json_integer(r->memory && r->memory < f->options->shm_size
                         ? r->memory
                         : f->options->shm_size));
    if (f->options->runtime)
        json_object_set_new(out, "Runtime", text_json(f->options->runtime));
    json_object_set_new(out, "RestartPolicy", json_pack("{s:s}", "Name", "no"));
    if (r->memory > 0) {
        json_object_set_new(out, "Memory", json_integer(r->memory));
        json_object_set_new(out, "MemorySwap", json_integer(r->memory));
    }
    if (r->cpus > 0)
        json_object_set_new(out, "NanoCpus",
                            json_integer((json_int_t)(r->cpus * 1e9)));
    return out;
}

static json_t *labels_json(const struct container_frame *f, size_t replica)
{
    json_t *out = json_object();

    json_object_set_new(out, CONTAINER_LABEL,
                        json_string(CONTAINER_LABEL_VALUE));
    json_object_set_new(out, "hypertune.job", text_json(f->job->name));
    json_object_set_new(out, "hypertune.folder", text_json(f->job->folder));
    json_object_set_new(out, "hypertune.replica",
                        text_json(f->job->replicas[replica].name));
    return out;
}

json_t *container_spec_new(const struct container_frame *f, size_t replica)
{
    const struct job_replica *r = &f->job->replicas[replica];
    json_t *out = json_object();

    json_object_set_new(out, "Image", text_json(r->image));
    json_object_set_new(out, "Env", environ_json(f, r));
    json_object_set_new(out, "Labels", labels_json(f, replica));
    json_object_set_new(out, "Tty", json_false());
    if (r->workdir)
        json_object_set_new(out, "WorkingDir", text_json(r->workdir));
    if (f->options->user)
        json_object_set_new(out, "User", text_json(f->options->user));
    add_command(f, r, out);
    json_object_set_new(out, "HostConfig", host_json(f, r));
    return out;
}

/* ---- what depends on the engine ---- */

static json_t *ids_json(const char *ids, const char *before)
{
    json_t *out = json_array();

    while (*ids) {
        size_t n = strcspn(ids, ", ");
        char *id = mem_format("%s%.*s", before, (int)n, ids);

        if (n > 0)
            json_array_append_new(out, text_json(id));
        free(id);
        ids += n + strspn(ids + n, ", ");
    }
    return out;
}

/* podman knows GPUs by the names that nvidia-ctk gives them, Docker asks
 * NVIDIA's runtime. */
static int add_gpus(json_t *host, const struct container_host *h, int gpus,
                    const char *ids, struct err *e)
{
    json_t *ask = json_object();

    if (container_host_is_podman(h) && container_host_version(h) < CDI_SINCE) {
        json_decref(ask);
        return err_set(e, ERR_INVALID,
                       "this podman gives containers no GPUs over its socket: "
                       "that wants podman 5.4 or newer, or Docker");
    }
    if (container_host_is_podman(h)) {
        json_object_set_new(ask, "Driver", json_string("cdi"));
        json_object_set_new(ask, "DeviceIDs",
                            ids ? ids_json(ids, "nvidia.com/gpu=")
                                : json_pack("[s]", "nvidia.com/gpu=all"));
    } else {
        json_object_set_new(ask, "Driver", json_string("nvidia"));
        if (ids)
            json_object_set_new(ask, "DeviceIDs", ids_json(ids, ""));
        else
            json_object_set_new(ask, "Count", json_integer(gpus));
        json_object_set_new(ask, "Capabilities", json_pack("[[s]]", "gpu"));
    }
    json_object_set_new(host, "DeviceRequests", json_pack("[o]", ask));
    return 0;
}

char *container_spec_print(json_t *spec, const struct container_host *h,
                           bool init, int gpus, const char *gpu_ids,
                           struct err *e)
{
    json_t *host = json_object_get(spec, "HostConfig");
    json_t *kept = json_object();
    char *text, *out;

    if (gpus > 0 && add_gpus(host, h, gpus, gpu_ids, e)) {
        json_decref(kept);
        return NULL;
    }
    /* All of the output is read again after a restart of ours. */
    if (!container_host_is_podman(h)) {
        json_object_set_new(kept, "max-size", json_string("1000g"));
        json_object_set_new(kept, "max-file", json_string("1"));
    }
    json_object_set_new(
        host, "LogConfig",
        json_pack("{s:s, s:o}", "Type", "json-file", "Config", kept));
    json_object_set_new(host, "Init", json_boolean(init));
    text = json_dumps(spec, JSON_COMPACT);
    out = mem_copy_text(text ? text : "{}");
    free(text);
    return out;
}
