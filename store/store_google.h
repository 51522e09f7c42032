/* What Google's interfaces know of a study and its trials besides what the
 * study itself says: whose it is, how it was sent, what was measured; and the
 * long-running operations. The rules of store/store.h hold here too. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_STORE_GOOGLE_H
#define STORE_STORE_GOOGLE_H

#include "store/store.h"

/* A resource is a study that came in through one of Google's interfaces; its
 * id there is the study's. It goes when the study is deleted. */
struct google_row {
    int64_t study_id;
    const char *kind; /* "studies", "hyperparameterTuningJobs", ... */
    const char *project, *location; /* location "" if it has none */
    const char *display_name;
    const char *body;   /* JSON, as it was sent, in Google's own spelling */
    const char *labels; /* JSON object; "" if none */
};
typedef bool store_google_fn(void *ctx, const struct google_row *row);

/* ERR_CONFLICT if the study is a resource already, ERR_ABSENT if there is no
 * such study. */
int store_google_add(struct store *s, const struct google_row *row,
                     struct err *e);
int store_google_get(struct store *s, int64_t study_id, store_google_fn *fn,
                     void *ctx, struct err *e);
/* Those of one kind, project and location, newest first, ids below `before`
 * (0 = from the newest), at most `limit` (0 = all). */
int store_google_list(struct store *s, const struct google_row *of,
                      int64_t before, int limit, store_google_fn *fn, void *ctx,
                      struct err *e);
/* The newest of that kind, project, location and display_name. ERR_ABSENT if
 * there is none. */
int store_google_find(struct store *s, const struct google_row *of,
                      int64_t *study_id, struct err *e);
int store_google_labels(struct store *s, int64_t study_id, const char *labels,
                        struct err *e);

/* ---- trials ---- */

/* The number of the next trial will not be the turn of one that the study
 * itself asks for: somebody else chose its point. */
int store_google_chosen(struct store *s, int64_t study_id, struct err *e);
/* Who the trial was given to. */
int store_google_client(struct store *s, int64_t study_id, int64_t number,
                        const char *client, struct err *e);
/* Everything of one trial; counts and the best are set right. The trial's
 * number is never used again. */
int store_google_forget(struct store *s, int64_t study_id, int64_t number,
                        struct err *e);

/* Appends a measurement, JSON; *n (may be NULL) is how many there are now. */
int store_google_measure(struct store *s, int64_t study_id, int64_t number,
                         const char *body, int64_t *n, struct err *e);
/* How many there are, and the last one in *body, "" if there is none; yours to
 * free. */
int store_google_last(struct store *s, int64_t study_id, int64_t number,
                      int64_t *n, char **body, struct err *e);
/* What the trial ended with, JSON, and why it is infeasible. */
int store_google_final(struct store *s, int64_t study_id, int64_t number,
                       const char *body, const char *why, struct err *e);

/* fn is called with each measurement in order; with the final one after them
 * (final true; body and why may be ""), if there is one. */
typedef bool store_google_measured_fn(void *ctx, const char *body, bool final,
                                      const char *why);
int store_google_measured(struct store *s, int64_t study_id, int64_t number,
                          store_google_measured_fn *fn, void *ctx,
                          struct err *e);

/* ---- operations ---- */

enum { STORE_GOOGLE_OPERATIONS = 100000 }; /* the newest are kept */

struct google_operation_row {
    int64_t id;
    const char *parent; /* "projects/p/locations/l/studies/7" */
    bool done;
    const char *body; /* JSON: metadata, and response or error */
};
typedef bool store_google_operation_fn(void *ctx,
                                       const struct google_operation_row *row);

int store_google_operation_add(struct store *s, const char *parent, bool done,
                               const char *body, int64_t *id, struct err *e);
int store_google_operation_end(struct store *s, int64_t id, const char *body,
                               struct err *e);
/* ERR_ABSENT unless it is there under that parent. */
int store_google_operation_get(struct store *s, const char *parent, int64_t id,
                               store_google_operation_fn *fn, void *ctx,
                               struct err *e);
/* Newest first, as store_google_list. */
int store_google_operation_list(struct store *s, const char *parent,
                                int64_t before, int limit,
                                store_google_operation_fn *fn, void *ctx,
                                struct err *e);
int store_google_operation_delete(struct store *s, int64_t id, struct err *e);

#endif
