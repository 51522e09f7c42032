/* JSON as Google's interfaces write it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/proto.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/quote.h"

/* ---- names ---- */

char *proto_camel(const char *name)
{
    char *out = mem_copy_text(name);
    char *to = out;

    for (const char *from = name; *from; from++)
        if (*from == '_' && to > out && islower((unsigned char)from[1]))
            *to++ = (char)toupper((unsigned char)*++from);
        else
            *to++ = *from;
    *to = '\0';
    return out;
}

const struct node *proto_get(const struct node *map, const char *name)
{
    if (!map || map->kind != NODE_MAP)
        return NULL;
    for (size_t i = 0; i < map->n; i++) {
        char *key = proto_camel(map->items[i].key);
        bool same = strcmp(key, name) == 0;

        free(key);
        if (same && map->items[i].value->kind != NODE_NULL)
            return map->items[i].value;
    }
    return NULL;
}

/* ---- what a member's value is ---- */

const char *const proto_goals[] = {"GOAL_TYPE_UNSPECIFIED", "MAXIMIZE",
                                   "MINIMIZE", NULL};
const char *const proto_scales[] = {"SCALE_TYPE_UNSPECIFIED",
                                    "UNIT_LINEAR_SCALE", "UNIT_LOG_SCALE",
                                    "UNIT_REVERSE_LOG_SCALE", NULL};
const char *const proto_algorithms[] = {"ALGORITHM_UNSPECIFIED", "",
                                        "GRID_SEARCH", "RANDOM_SEARCH", NULL};
const char *const proto_noises[] = {"OBSERVATION_NOISE_UNSPECIFIED", "LOW",
                                    "HIGH", NULL};
const char *const proto_selections[] = {
    "MEASUREMENT_SELECTION_TYPE_UNSPECIFIED", "LAST_MEASUREMENT",
    "BEST_MEASUREMENT", NULL};
static const char *const strategies[] = {
    "STRATEGY_UNSPECIFIED", "ON_DEMAND", "LOW_COST", "STANDARD", "SPOT", "",
    "FLEX_START",           NULL};
static const char *const accelerators[] = {"ACCELERATOR_TYPE_UNSPECIFIED",
                                           "NVIDIA_TESLA_K80",
                                           "NVIDIA_TESLA_P100",
                                           "NVIDIA_TESLA_V100",
                                           "NVIDIA_TESLA_P4",
                                           "NVIDIA_TESLA_T4",
                                           "TPU_V2",
                                           "TPU_V3",
                                           "NVIDIA_TESLA_A100",
                                           "NVIDIA_A100_80GB",
                                           "TPU_V4_POD",
                                           "NVIDIA_L4",
                                           "TPU_V5_LITEPOD",
                                           "NVIDIA_H100_80GB",
                                           "NVIDIA_H100_MEGA_80GB",
                                           "NVIDIA_H200_141GB",
                                           "NVIDIA_B200",
                                           "NVIDIA_GB200",
                                           "NVIDIA_RTX_PRO_6000",
                                           NULL};

/* Enums by the number that clients send for them. */
static const struct {
    const char *key;
    const char *const *names;
} enums[] = {
    {"goal", proto_goals},
    {"scaleType", proto_scales},
    {"algorithm", proto_algorithms},
    {"observationNoise", proto_noises},
    {"measurementSelectionType", proto_selections},
    {"strategy", strategies},
    {"acceleratorType", accelerators},
};
enum { ENUMS = sizeof enums / sizeof enums[0] };

/* Members that are 64-bit integers, in which message; NULL is any. */
static const struct {
    const char *in, *key;
} longs[] = {
    {NULL, "replicaCount"},
    {NULL, "stepCount"},
    {NULL, "workerCount"},
    {NULL, "parameterServerCount"},
    {NULL, "evaluatorCount"},
    {"acceleratorConfig", "count"},
    {"integerValueSpec", "minValue"},
    {"integerValueSpec", "maxValue"},
    {"integerValueSpec", "defaultValue"},
    {"parentIntValues", "values"},
    {"convexAutomatedStoppingSpec", "maxStepCount"},
    {"convexAutomatedStoppingSpec", "minStepCount"},
    {"convexAutomatedStoppingSpec", "minMeasurementCount"},
};
enum { LONGS = sizeof longs / sizeof longs[0] };

/* Maps whose names are the user's own. */
static const char *const free_maps[] = {"labels", "env"};
enum { FREE_MAPS = sizeof free_maps / sizeof free_maps[0] };

static const char *enum_name(const char *key, const char *text)
{
    int64_t number = 0;

    if (!key || !number_read_int(text, &number) || number < 0)
        return NULL;
    for (size_t i = 0; i < ENUMS; i++) {
        if (strcmp(enums[i].key, key) != 0)
            continue;
        for (int64_t n = 0; enums[i].names[n]; n++)
            if (n == number && *enums[i].names[n])
                return enums[i].names[n];
    }
    return NULL;
}

static bool is_long(const char *in, const char *key)
{
    for (size_t i = 0; key && i < LONGS; i++)
        if (strcmp(longs[i].key, key) == 0 &&
            (!longs[i].in || (in && strcmp(longs[i].in, in) == 0)))
            return true;
    return false;
}

static bool is_free(const char *key)
{
    for (size_t i = 0; key && i < FREE_MAPS; i++)
        if (strcmp(free_maps[i], key) == 0)
            return true;
    return false;
}

/* What JSON takes without quotes. */
static bool is_literal(const char *text)
{
    double x = 0;

    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return true;
    return (isdigit((unsigned char)*text) || *text == '-') &&
           isdigit((unsigned char)text[strlen(text) - 1]) &&
           !(text[0] == '0' && isdigit((unsigned char)text[1])) &&
           number_read(text, &x);
}

/* ---- writing ---- */

static void put(struct proto_writer *w, const char *in, const char *key,
                const struct node *node);

static void put_scalar(struct proto_writer *w, const char *in, const char *key,
                       const struct node *node)
{
    const char *name = node->quoted ? NULL : enum_name(key, node->text);

    if (name)
        quote_json(w->out, name);
    else if (node->quoted || is_long(in, key) || !is_literal(node->text))
        quote_json(w->out, node->text);
    else
        text_add(w->out, node->text);
}

void proto_key(struct proto_writer *w, const char *key)
{
    text_add(w->out, w->begun ? ", " : "");
    w->begun = true;
    quote_json(w->out, key);
    text_add(w->out, ": ");
}

static void put_member(struct proto_writer *w, const char *in,
                       const struct node_item *item)
{
    char *key;

    if (item->value->kind == NODE_NULL)
        return;
    key = is_free(in) ? mem_copy_text(item->key) : proto_camel(item->key);
    if (is_free(in) || !w->hook || !w->hook(w->ctx, w, key, item->value)) {
        proto_key(w, key);
        put(w, in, key, item->value);
    }
    free(key);
}

static void put_map(struct proto_writer *w, const char *key,
                    const struct node *node)
{
    bool begun = w->begun;

    text_add(w->out, "{");
    w->begun = false;
    for (size_t i = 0; i < node->n; i++)
        put_member(w, key, &node->items[i]);
    text_add(w->out, "}");
    w->begun = begun;
}

static void put(struct proto_writer *w, const char *in, const char *key,
                const struct node *node)
{
    switch (node->kind) {
    case NODE_NULL:
        text_add(w->out, "null");
        return;
    case NODE_SCALAR:
        put_scalar(w, in, key, node);
        return;
    case NODE_LIST:
        text_add(w->out, "[");
        for (size_t i = 0; i < node->n; i++) {
            text_add(w->out, i ? ", " : "");
            put(w, in, key, node->items[i].value);
        }
        text_add(w->out, "]");
        return;
    case NODE_MAP:
        put_map(w, key, node);
        return;
    }
}

void proto_value(struct proto_writer *w, const char *key,
                 const struct node *value)
{
    put(w, NULL, key, value);
}

void proto_write(const struct node *node, struct text *out, proto_hook *hook,
                 void *ctx)
{
    struct proto_writer w = {.out = out, .hook = hook, .ctx = ctx};

    put(&w, NULL, NULL, node);
}
