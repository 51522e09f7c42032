/* A store with a study in it, in memory or in a folder of its own. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_STORE_SHELF_H
#define TESTS_STORE_SHELF_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"

/* Fails the test with the sentence. */
#define MUST(call)                                                             \
    do {                                                                       \
        int must_rc = (call);                                                  \
        ck_assert_msg(must_rc == 0, "%s: %s", #call, e.text);                  \
    } while (0)

#define MUST_FAIL(call, wanted)                                                \
    do {                                                                       \
        e = (struct err){0};                                                   \
        ck_assert_int_eq((call), -1);                                          \
        ck_assert_msg(e.code == (wanted), "%s: %s", #call, e.text);            \
    } while (0)

enum { SHELF_PATH = 96 };

struct shelf {
    char folder[SHELF_PATH / 2]; /* "" = in memory */
    char path[SHELF_PATH];
    struct store *store;
    int64_t study;
};

static inline int64_t shelf_add_study(struct store *s, const char *name,
                                      bool maximize)
{
    const struct study_row row = {.name = name,
                                  .spec = "{}",
                                  .source = "study: x\n",
                                  .base_dir = "/tmp",
                                  .maximize = maximize,
                                  .created_ms = 1000};
    struct err e;
    int64_t id = 0;

    MUST(store_study_add(s, &row, &id, &e));
    return id;
}

/* Opens it with the study "one" (maximize), committed, and begins again. */
static inline void shelf_fill(struct shelf *h)
{
    struct err e;

    MUST(store_open(&h->store, h->path, &e));
    MUST(store_begin(h->store, &e));
    h->study = shelf_add_study(h->store, "one", true);
    MUST(store_commit(h->store, &e));
    MUST(store_begin(h->store, &e));
}

static inline void shelf_open(struct shelf *h)
{
    *h = (struct shelf){.path = ":memory:"};
    shelf_fill(h);
}

static inline void shelf_open_on_disk(struct shelf *h)
{
    *h = (struct shelf){.folder = "/tmp/hypertune-store-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(h->folder));
    snprintf(h->path, sizeof h->path, "%s/hypertune.db", h->folder);
    shelf_fill(h);
}

static inline void shelf_close(struct shelf *h)
{
    static const char *const files[] = {"hypertune.db", "hypertune.db-wal",
                                        "hypertune.db-shm", "lock"};
    char path[SHELF_PATH];

    store_close(h->store);
    if (!*h->folder)
        return;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", h->folder, files[i]);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(h->folder), 0);
}

static inline int64_t shelf_add_trial(struct shelf *h)
{
    const struct trial_row row = {.study_id = h->study,
                                  .point = "{\"x\": 0.5}",
                                  .source = "random",
                                  .client = "",
                                  .created_ms = 2000};
    struct err e;
    int64_t number = 0;

    MUST(store_trial_add(h->store, &row, &number, &e));
    return number;
}

static inline void shelf_move(struct shelf *h, int64_t number,
                              enum trial_state from, enum trial_state to,
                              const double *value)
{
    const struct trial_change c = {.study_id = h->study,
                                   .number = number,
                                   .from = from,
                                   .to = to,
                                   .detail = "",
                                   .attempt = 1,
                                   .has_value = value,
                                   .value = value ? *value : 0,
                                   .step = 3,
                                   .now_ms = 3000};
    struct err e;

    MUST(store_trial_move(h->store, &c, &e));
}

/* A new trial, carried to its success. */
static inline int64_t shelf_succeed(struct shelf *h, double value)
{
    int64_t number = shelf_add_trial(h);

    shelf_move(h, number, TRIAL_PENDING, TRIAL_LAUNCHING, NULL);
    shelf_move(h, number, TRIAL_LAUNCHING, TRIAL_RUNNING, NULL);
    shelf_move(h, number, TRIAL_RUNNING, TRIAL_SUCCEEDED, &value);
    return number;
}

static inline bool shelf_keep_study(void *ctx, const struct study_row *row)
{
    *(struct study_row *)ctx = *row; /* its texts are gone after the call */
    return true;
}

static inline struct study_row shelf_study(struct shelf *h)
{
    struct study_row row = {0};
    struct err e;

    MUST(store_study_get(h->store, h->study, shelf_keep_study, &row, &e));
    return row;
}

static inline bool shelf_keep_trial(void *ctx, const struct trial_row *row)
{
    *(struct trial_row *)ctx = *row;
    return true;
}

static inline struct trial_row shelf_trial(struct shelf *h, int64_t number)
{
    struct trial_row row = {0};
    struct err e;

    MUST(store_trial_get(h->store, h->study, number, shelf_keep_trial, &row,
                         &e));
    return row;
}

/* The numbers that a listing gives, in its order. */
struct shelf_numbers {
    int64_t items[512];
    size_t n;
};

static inline bool shelf_note_number(void *ctx, const struct trial_row *row)
{
    struct shelf_numbers *numbers = ctx;

    ck_assert_uint_lt(numbers->n, 512);
    numbers->items[numbers->n++] = row->number;
    return true;
}

#endif
