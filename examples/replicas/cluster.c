/* Reads CLUSTER_SPEC. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cluster.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *pool, *chief;
} roles[CLUSTER_ROLES] = {
    [CLUSTER_MASTER] = {"master", "workerpool0", "chief"},
    [CLUSTER_WORKER] = {"worker", "workerpool1", NULL},
    [CLUSTER_PS] = {"ps", "workerpool2", NULL},
};

const char *cluster_role_name(enum cluster_role role)
{
    return roles[role].name;
}

static int wrong(const char *what, const char *name)
{
    fprintf(stderr, "train: CLUSTER_SPEC: %s%s\n", what, name);
    return -1;
}

/* The role of that name, or -1. */
static int find_role(const char *name)
{
    for (int i = 0; i < CLUSTER_ROLES; i++)
        if (strcmp(name, roles[i].name) == 0 ||
            strcmp(name, roles[i].pool) == 0 ||
            (roles[i].chief && strcmp(name, roles[i].chief) == 0))
            return i;
    return -1;
}

static int read_addresses(struct cluster *c, int role, const json_t *list)
{
    size_t n = json_array_size(list);

    if (n > CLUSTER_MOST)
        return wrong("too many of ", roles[role].name);
    for (size_t i = 0; i < n; i++) {
        const char *address = json_string_value(json_array_get(list, i));

        if (!address || strlen(address) >= CLUSTER_ADDRESS ||
            !strrchr(address, ':'))
            return wrong("no HOST:PORT in the list of ", roles[role].name);
        strncpy(c->address[role][i], address, CLUSTER_ADDRESS - 1);
    }
    c->n[role] = (int)n;
    return 0;
}

/* "task": {"type": "worker", "index": 0} */
static int read_self(struct cluster *c, const json_t *task)
{
    const char *type = json_string_value(json_object_get(task, "type"));
    const json_t *index = json_object_get(task, "index");
    int role = type ? find_role(type) : -1;

    if (role < 0)
        return wrong("this program has no part for the task ",
                     type ? type : "that is missing");
    c->role = (enum cluster_role)role;
    c->index = (int)json_integer_value(index);
    if (c->index < 0 || c->index >= c->n[role])
        return wrong("no address for our own index of ", type);
    return 0;
}

static int read_spec(struct cluster *c, json_t *spec)
{
    json_t *all = json_object_get(spec, "cluster"), *list;
    const char *name;

    json_object_foreach(all, name, list)
    {
        int role = find_role(name);

        if (role >= 0 && read_addresses(c, role, list) < 0)
            return -1;
    }
    if (read_self(c, json_object_get(spec, "task")) < 0)
        return -1;
    if (c->n[CLUSTER_MASTER] != 1)
        return wrong("there must be one master", "");
    if (!c->n[CLUSTER_WORKER] != !c->n[CLUSTER_PS])
        return wrong("workers and ps need each other: ask for both, or for "
                     "neither",
                     "");
    return 0;
}

int cluster_read(struct cluster *c, const char *text)
{
    json_error_t why;
    json_t *spec;
    int result;

    memset(c, 0, sizeof *c);
    c->n[CLUSTER_MASTER] = 1;
    if (!text || !*text)
        return 0;
    spec = json_loads(text, 0, &why);
    if (!spec)
        return wrong("no JSON: ", why.text);
    result = read_spec(c, spec);
    json_decref(spec);
    return result;
}
