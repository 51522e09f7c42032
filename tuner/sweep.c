/* Sweeping: the folders of studies that are no more. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

enum { OLD_MOST = 1000 }; /* folders of one name put aside in one millisecond */

#define OLD ".old-" /* no study's name begins so */

/* A folder that nobody wants, and that is being removed. */
struct swept_folder {
    struct swept_folder *next;
    struct board *board;
    char *path;
};

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_tree(void *task)
{
    const struct swept_folder *r = task;

    if (nftw(r->path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
        log_write(LOG_LEVEL_WARN, "folder_left", "folder=%s text=\"%s\"",
                  r->path, strerror(errno));
}

static void removed(void *task)
{
    struct swept_folder *r = task;
    struct swept_folder **at = &r->board->swept;

    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    free(r->path);
    free(r);
}

/* Removes a folder by and by; takes the path. */
static void remove_later(struct board *b, char *path)
{
    struct worker *w = b->parts.worker;
    struct swept_folder *r = mem_new(1, sizeof *r);

    r->next = b->swept;
    r->board = b;
    r->path = path;
    b->swept = r;
    w->give(w, remove_tree, removed, r);
}

int sweep_folder(struct board *b, const char *name, struct err *e)
{
    char *folder = board_folder(b, name, 0);
    char *aside = NULL;
    int rc = -1;

    for (int i = 0; rc && i < OLD_MOST; i++) {
        free(aside);
        aside = mem_format("%s/trials/" OLD "%s-%lld-%d", b->parts.state_dir,
                           name, (long long)board_now(b), i);
        rc = rename(folder, aside);
        if (rc && errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    if (rc == 0) {
        remove_later(b, aside);
        aside = NULL;
    } else if (errno == ENOENT) {
        rc = 0; /* there is none */
    } else {
        err_errno(e, errno, "cannot move %s, left by an older study, away",
                  folder);
    }
    free(aside);
    free(folder);
    return rc;
}

void sweep_old(struct board *b)
{
    char *trials = board_folder(b, "", 0);
    DIR *all = opendir(trials);
    const struct dirent *one;

    while (all && (one = readdir(all)))
        if (strncmp(one->d_name, OLD, sizeof OLD - 1) == 0)
            remove_later(b, mem_format("%s%s", trials, one->d_name));
    if (all)
        closedir(all);
    free(trials);
}

/* The folder goes only once the deletion is on disk. */
struct sweeping {
    struct board *board;
    char *name;
};

static void swept(void *ctx, bool ok)
{
    struct sweeping *sweeping = ctx;
    struct err e;

    if (ok && sweep_folder(sweeping->board, sweeping->name, &e))
        log_write(LOG_LEVEL_WARN, "folder_left", "study=%s text=\"%s\"",
                  sweeping->name, e.text);
    free(sweeping->name);
    free(sweeping);
}

void sweep_when_kept(struct board *b, const char *name)
{
    struct sweeping *sweeping = mem_new(1, sizeof *sweeping);
    struct deed deed = {.kind = DEED_KEPT, .kept = swept, .ctx = sweeping};

    sweeping->board = b;
    sweeping->name = mem_copy_text(name);
    board_deed(b, &deed);
}

void sweep_close(struct board *b)
{
    while (b->swept) {
        struct swept_folder *r = b->swept;

        b->swept = r->next;
        free(r->path);
        free(r);
    }
}
