/* Asking the engine for images. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_pull.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "io/fetch.h"

struct pull {
    struct container_pulls *all;
    char *image;
    struct hub_call *call;
    struct pull *next;
};

struct container_pulls {
    struct container_host *host;
    container_pull_fn *fn;
    void *ctx;
    struct pull *first;
};

static void pull_free(struct pull *p)
{
    struct pull **at = &p->all->first;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    hub_cancel(p->call);
    free(p->image);
    free(p);
}

/* Progress, a line of JSON each; what failed is the last "error" among them. */
static void read_failure(const char *body, char *out, size_t size)
{
    const char *end;

    for (; *body; body = *end ? end + 1 : end) {
        json_t *line;
        const char *text;

        end = body + strcspn(body, "\n");
        line = json_loadb(body, (size_t)(end - body), 0, NULL);
        text = json_string_value(json_object_get(line, "error"));
        if (text) {
            struct hub_answer a = {.body = text, .n = strlen(text)};

            container_host_said(&a, out, size);
        }
        json_decref(line);
    }
}

static void pulled(void *ctx, const struct hub_answer *a)
{
    struct pull *p = ctx;
    struct container_pulls *all = p->all;
    char said[400] = "";
    char *image;

    p->call = NULL;
    if (a->status == 0) {
        container_host_lost(all->host, &a->err);
        return;
    }
    if (a->status == 200)
        read_failure(a->body, said, sizeof said);
    else
        container_host_said(a, said, sizeof said);
    image = mem_copy_text(p->image);
    log_write(LOG_LEVEL_INFO, "image_pulled", "image=\"%s\" text=\"%s\"", image,
              said);
    pull_free(p);
    all->fn(all->ctx, image, said);
    free(image);
}

/* Without a tag Docker would fetch all that there are. */
static char *full_name(const char *image)
{
    const char *slash = strrchr(image, '/');
    const char *name = slash ? slash + 1 : image;

    if (strpbrk(name, ":@"))
        return mem_copy_text(image);
    return mem_format("%s:latest", image);
}

void container_pulls_want(struct container_pulls *all, const char *image)
{
    struct pull *p = all->first;
    struct hub_request r = {.method = "POST", .done = pulled};
    char *full, *escaped, *path;

    while (p && strcmp(p->image, image) != 0)
        p = p->next;
    if (p)
        return;
    p = mem_new(1, sizeof *p);
    p->all = all;
    p->image = mem_copy_text(image);
    p->next = all->first;
    all->first = p;
    full = full_name(image);
    escaped = fetch_escape(full);
    path = mem_format("/images/create?fromImage=%s", escaped);
    r.path = path;
    r.ctx = p;
    p->call = container_host_send(all->host, &r);
    free(path);
    free(escaped);
    free(full);
}

void container_pulls_away(struct container_pulls *all)
{
    for (struct pull *p = all->first, *next; p; p = next) {
        next = p->next;
        pull_free(p);
    }
}

struct container_pulls *container_pulls_new(struct container_host *h,
                                            container_pull_fn *fn, void *ctx)
{
    struct container_pulls *all = mem_new(1, sizeof *all);

    all->host = h;
    all->fn = fn;
    all->ctx = ctx;
    return all;
}

void container_pulls_free(struct container_pulls *all)
{
    if (!all)
        return;
    container_pulls_away(all);
    free(all);
}
