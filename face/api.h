/* The native HTTP interface: a table of routes over the engine and the store.
 * docs/api.md is the contract. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_H
#define FACE_API_H

#include <stdbool.h>
#include <stdint.h>

#include "io/loop.h"
#include "io/serve.h"
#include "store/store.h"
#include "tuner/engine.h"

struct api;
struct face_guest;
struct image_map;

/* All of it is handed in and outlives the api, except the engine, which is
 * closed first. */
struct api_parts {
    struct engine *engine;
    struct store *store;
    struct loop *loop;
    const char *state_dir;
    const struct image_map *images; /* NULL = containers are refused */
    int64_t least_free_bytes;       /* as the engine's; 0 = no guard */
    const struct timed *timed;      /* the engine's worker; may be NULL */
    const struct face_guest *guest; /* other routes (call.h); may be NULL */
    bool look_only; /* so is the engine: studies are as they were left */
};

struct api *api_new(const struct api_parts *parts);
/* Answers whoever still waits for something with 503. After engine_close,
 * before serve_close. NULL is fine. */
void api_free(struct api *a);

/* A serve_fn; ctx is the api. */
void api_serve(void *ctx, struct request *r);

/* Engine_parts' `changed`; ctx is the api. */
void api_changed(void *ctx, int64_t study);

/* How many answers wait for what was written to be on disk. */
int64_t api_unkept(const struct api *a);

/* The service is about to end: those who follow a study get what there is,
 * and new requests are refused as busy. */
void api_ending(struct api *a);

/* The routes as docs/api.md writes them: "GET", "/api/studies/STUDY", and one
 * sentence. NULL after the last one. */
struct api_line {
    const char *method, *pattern, *sentence;
};
const struct api_line *api_line(size_t i);

#endif
