/* Reads where we are among the cgroups, and finds the nearest place in which
 * others may be made. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"

enum { TEXT = 64 << 10, MOVES = 10 };

/* What a controller is called, and the file that shows that it works. */
struct controller {
    const char *name, *v1, *v2;
};

static const struct controller controllers[] = {
    {"memory", "memory.limit_in_bytes", "memory.max"},
    {"cpu", "cpu.cfs_quota_us", "cpu.max"},
};

/* ---- where we are ---- */

struct here {
    char *cgroups, *mounts; /* the two files */
    bool systemd;
};

/* The whole file, as far as TEXT goes: /proc gives some of it at a time. */
static char *read_text(const char *folder, const char *name)
{
    char *path = mem_format("%s/%s", folder, name);
    char *text = mem_new(TEXT, 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got;

    while (fd >= 0 && n < TEXT - 1 &&
           (got = read(fd, text + n, TEXT - 1 - n)) > 0)
        n += (size_t)got;
    if (fd >= 0)
        close(fd);
    free(path);
    return text;
}

/* Whether one of the words, with commas between them, is that one. */
static bool has_word(const char *words, size_t n, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = words; at < words + n;) {
        size_t to = strcspn(at, ",: \n");

        if (to == len && strncmp(at, word, len) == 0)
            return true;
        at += to + 1;
    }
    return false;
}

/* Our path in the hierarchy of that controller; NULL = version 2. Yours, or
 * NULL. */
static char *own_path(const struct here *h, const char *controller)
{
    const char *line = h->cgroups;

    while (line && *line) {
        const char *names = strchr(line, ':');
        const char *path = names ? strchr(names + 1, ':') : NULL;
        size_t n;

        if (!path)
            return NULL;
        n = (size_t)(path - names) - 1;
        if (controller ? has_word(names + 1, n, controller)
                       : strncmp(line, "0::", 3) == 0)
            return mem_copy_bytes(path + 1, strcspn(path + 1, "\n"));
        line = strchr(line, '\n');
        line += line ? 1 : 0;
    }
    return NULL;
}

struct mount {
    char root[CAGE_PATH], at[CAGE_PATH];
};

/* Where that hierarchy is mounted; NULL = version 2. */
static bool find_mount(const struct here *h, const char *controller,
                       struct mount *out)
{
    const char *line = h->mounts;

    while (line && *line) {
        const char *next = strchr(line, '\n');
        const char *type = strstr(line, " - ");
        char options[256] = "";
        char kind[32] = "";

        if (!next || !type)
            return false;
        if (type < next &&
            sscanf(line, "%*s %*s %*s %511s %511s", out->root, out->at) == 2 &&
            sscanf(type, " - %31s %*s %255s", kind, options) == 2 &&
            (controller ? strcmp(kind, "cgroup") == 0 &&
                              has_word(options, strlen(options), controller)
                        : strcmp(kind, "cgroup2") == 0))
            return true;
        line = next + 1;
    }
    return false;
}

/* Our own cgroup as a folder. Yours, or NULL. *top: the mount's root. */
static char *own_folder(const struct here *h, const char *controller,
                        size_t *top)
{
    char *path = own_path(h, controller);
    char *folder = NULL;
    struct mount m;

    if (path && find_mount(h, controller, &m)) {
        size_t root = strcmp(m.root, "/") == 0 ? 0 : strlen(m.root);
        const char *rest = path;

        if (root && strncmp(path, m.root, root) == 0)
            rest = path + root;
        if (strcmp(rest, "/") == 0)
            rest = "";
        folder = mem_format("%s%s", m.at, rest);
        *top = strlen(m.at);
        if (access(folder, F_OK)) { /* a mount that shows another part */
            free(folder);
            folder = mem_copy_text(m.at);
        }
    }
    free(path);
    return folder;
}

/* ---- trying a place ---- */

static bool may(const char *folder, const char *file)
{
    char *path = mem_format("%s/%s", folder, file);
    bool yes = !access(path, W_OK);

    free(path);
    return yes;
}

static bool put(const char *folder, const char *file, const char *text)
{
    char *path = mem_format("%s/%s", folder, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) > 0;

    if (fd >= 0)
        close(fd);
    free(path);
    return done;
}

/* Makes a cgroup there and looks whether it has that file. */
static bool works(const char *folder, const char *file)
{
    char *probe = mem_format("%s/hypertune-probe-%d", folder, (int)getpid());
    bool there = !mkdir(probe, 0755) || errno == EEXIST;
    bool good = there && may(probe, file);

    rmdir(probe);
    free(probe);
    return good;
}

static bool take(struct cage_place *out, enum cage_how how, const char *folder)
{
    if (strlen(folder) >= sizeof out->folder)
        return false;
    out->how = how;
    snprintf(out->folder, sizeof out->folder, "%s", folder);
    return true;
}

/* ---- version 2 ---- */

static bool is_delegated(const char *folder)
{
    char value[8] = "";

    return (getxattr(folder, "user.delegate", value, sizeof value - 1) > 0 ||
            getxattr(folder, "trusted.delegate", value, sizeof value - 1) >
                0) &&
           value[0] == '1';
}

/* Whether that file of controllers names it. */
static bool names(const char *folder, const char *file, const char *controller)
{
    char *text = read_text(folder, file);
    bool yes = has_word(text, strlen(text), controller);

    free(text);
    return yes;
}

static bool is_enabled(const char *folder, const char *controller)
{
    return names(folder, "cgroup.subtree_control", controller);
}

/* Whether cgroups below it have, or now get, that controller. */
static bool enable(const char *folder, const char *controller)
{
    char word[32];

    if (is_enabled(folder, controller))
        return true;
    snprintf(word, sizeof word, "+%s", controller);
    return put(folder, "cgroup.subtree_control", word);
}

static bool serves(const char *folder, const struct controller *c)
{
    return names(folder, "cgroup.controllers", c->name) &&
           may(folder, "cgroup.procs") && enable(folder, c->name) &&
           works(folder, c->v2);
}

/* In a container that has a hierarchy of its own, everybody sits at its root,
 * below which controllers then cannot be had: they are moved one down. */
static void make_room(const char *folder)
{
    char *down = mem_format("%s/hypertune-service", folder);
    char *procs;

    if (!mkdir(down, 0755) || errno == EEXIST) {
        for (int i = 0; i < MOVES; i++) {
            char *rest = procs = read_text(folder, "cgroup.procs");
            int moved = 0;

            for (char *pid = strsep(&rest, "\n"); pid && *pid;
                 pid = strsep(&rest, "\n"))
                moved += put(down, "cgroup.procs", pid);
            free(procs);
            if (!moved)
                break;
        }
    }
    free(down);
}

/* The mount's root is that of the whole machine if it has no type. */
static bool is_real_root(const char *folder)
{
    char *path = mem_format("%s/cgroup.type", folder);
    bool root = access(path, F_OK) != 0;

    free(path);
    return root;
}

static bool find_v2(struct cage_place *out, const struct here *h,
                    const struct controller *c)
{
    size_t top = 0;
    char *at = own_folder(h, NULL, &top);
    bool found = false;

    if (at && strlen(at) == top && !h->systemd &&
        may(at, "cgroup.subtree_control")) {
        if (!is_real_root(at) && names(at, "cgroup.controllers", c->name) &&
            !is_enabled(at, c->name))
            make_room(at);
        found = serves(at, c) && take(out, CAGE_V2, at);
    }
    while (at && !found && strlen(at) > top) {
        *strrchr(at, '/') = '\0';
        if (!h->systemd || is_delegated(at))
            found = serves(at, c) && take(out, CAGE_V2, at);
    }
    free(at);
    return found;
}

/* ---- version 1, and the whole ---- */

static bool find_v1(struct cage_place *out, const struct here *h,
                    const struct controller *c)
{
    size_t top;
    char *at = own_folder(h, c->name, &top);
    bool found = at && works(at, c->v1) && take(out, CAGE_V1, at);

    free(at);
    return found;
}

void limits_find(struct cage_places *out, const char *proc, bool systemd)
{
    struct here h = {.cgroups = read_text(proc, "cgroup"),
                     .mounts = read_text(proc, "mountinfo"),
                     .systemd = systemd};
    struct cage_place *places[] = {&out->memory, &out->cpus};

    *out = (struct cage_places){.memory = {.how = CAGE_PROCESS}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (!find_v2(places[i], &h, &controllers[i]))
            find_v1(places[i], &h, &controllers[i]);
    free(h.cgroups);
    free(h.mounts);
}

bool limits_systemd(void)
{
    return !access("/run/systemd/system", F_OK);
}
