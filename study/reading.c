/* Documents read through tables of keys. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/reading.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "study/literal.h"

enum { LONGEST_NAME = 128 };

/* Where a study's name is asked for, this is the newest one. */
static const char newest[] = "last";

void reading_fault(struct reading *r, const struct node *at, const char *fmt,
                   ...)
{
    char sentence[600];
    va_list args;

    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    faults_add(r->f, at->line, at->column, "%s", sentence);
}

/* trial_count and trialCount are one name in a protocol's JSON. */
static bool same_proto(const char *snake, const char *camel)
{
    for (; *snake; snake++, camel++) {
        if (*snake == '_' && islower((unsigned char)snake[1])) {
            snake++;
            if (toupper((unsigned char)*snake) != *camel)
                return false;
        } else if (*snake != *camel) {
            return false;
        }
    }
    return *camel == '\0';
}

static const struct key *find_key(const struct reading *r,
                                  const struct key *keys, const char *name)
{
    for (; keys->name; keys++)
        if (strcmp(keys->name, name) == 0 ||
            (r->proto && same_proto(name, keys->name)))
            return keys;
    return NULL;
}

/* Our word for what other tuners call so, if this map has it; else NULL. */
static const char *translate(const char *word, const char *const *names,
                             size_t n)
{
    static const struct {
        const char *theirs, *ours;
    } words[] = {
        {"name", "study"},
        {"parameters", "params"},
        {"search_space", "params"},
        {"space", "params"},
        {"command", "run"},
        {"cmd", "run"},
        {"program", "run"},
        {"script", "run"},
        {"metric", "maximize"},
        {"objective", "maximize"},
        {"goal", "maximize"},
        {"direction", "maximize"},
        {"max_trials", "trials"},
        {"n_trials", "trials"},
        {"num_trials", "trials"},
        {"budget", "trials"},
        {"workers", "parallel"},
        {"n_jobs", "parallel"},
        {"concurrency", "parallel"},
        {"max_parallel", "parallel"},
        {"sampler", "algorithm"},
        {"method", "algorithm"},
        {"strategy", "algorithm"},
        {"pruner", "stop_early"},
        {"early_stopping", "stop_early"},
        {"timeout", "trial_limit"},
        {"max_time", "time_limit"},
        {"working_dir", "workdir"},
        {"cwd", "workdir"},
        {"environment", "env"},
        {"low", "min"},
        {"lower", "min"},
        {"high", "max"},
        {"upper", "max"},
        {"choices", "values"},
        {"options", "values"},
        {"distribution", "scale"},
        {"condition", "when"},
        {"if", "when"},
        {"initial", "default"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t j = 0; j < n && !strcmp(words[i].theirs, word); j++)
            if (!strcmp(words[i].ours, names[j]))
                return words[i].ours;
    return NULL;
}

static void refuse_key(struct reading *r, const struct node_item *item,
                       const struct key *keys, const char *what)
{
    const char *names[80], *near;
    size_t n = 0;

    for (; keys->name && n < sizeof names / sizeof names[0]; keys++)
        names[n++] = keys->name;
    near = fault_near(item->key, names, n);
    if (!near && !r->proto)
        near = translate(item->key, names, n);
    if (near)
        faults_add(r->f, item->line, item->column,
                   "there is no key \"%.60s\" in %s; did you mean %s?",
                   item->key, what, near);
    else
        faults_add(r->f, item->line, item->column,
                   "there is no key \"%.60s\" in %s", item->key, what);
}

void reading_keys(struct reading *r, const struct node *map,
                  const struct key *keys, void *into, const char *what)
{
    if (map->kind == NODE_NULL && r->proto)
        return;
    if (map->kind != NODE_MAP) {
        reading_fault(r, map, "%s must be a map of keys and values", what);
        return;
    }
    for (size_t i = 0; i < map->n; i++) {
        const struct node_item *item = &map->items[i];
        const struct key *k = find_key(r, keys, item->key);

        if (!k)
            refuse_key(r, item, keys, what);
        else if (item->value->kind != NODE_NULL)
            k->read(r, k, item->value, into);
        else if (!r->proto)
            faults_add(r->f, item->line, item->column,
                       "%s has no value; give it one, or take the key away",
                       item->key);
    }
}

const char *reading_text(struct reading *r, const char *key,
                         const struct node *v)
{
    if (v->kind == NODE_SCALAR)
        return v->text;
    reading_fault(r, v, "%s must be one value, not a %s", key,
                  v->kind == NODE_LIST  ? "list"
                  : v->kind == NODE_MAP ? "map"
                                        : "nothing");
    return NULL;
}

int reading_whole(struct reading *r, const char *key, const struct node *v,
                  int64_t low, int64_t high, int64_t *out)
{
    const char *text = reading_text(r, key, v);
    int64_t x = 0;
    bool fits;

    if (!text)
        return -1;
    fits = literal_read_whole(text, &x);
    if (!fits && !literal_is_digits(text)) {
        reading_fault(r, v, "%s must be an integer, not \"%.60s\"", key, text);
        return -1;
    }
    if (!fits || ((low || high) && (x < low || x > high))) {
        reading_fault(r, v,
                      "%s is %.60s, and must be from %" PRId64 " to %" PRId64,
                      key, text, low || high ? low : INT64_MIN,
                      low || high ? high : INT64_MAX);
        return -1;
    }
    *out = x;
    return 0;
}

/* Lists what may stand there, for a person: "a, b or c". */
static void list_choices(const struct choice *choices, struct text *out)
{
    for (const struct choice *c = choices; c->name; c++) {
        const char *between = !c[1].name ? " or " : ", ";

        text_addf(out, "%s%s", c == choices ? "" : between, c->name);
    }
}

static const struct choice *find_choice(const struct reading *r,
                                        const struct choice *choices,
                                        const char *text)
{
    int64_t number;
    bool numbered = r->proto && number_read_int(text, &number);

    for (const struct choice *c = choices; c->name; c++) {
        if (numbered && c->number >= 0 && c->number == number)
            return c;
        if (r->proto ? strcmp(c->name, text) == 0
                     : strcasecmp(c->name, text) == 0)
            return c;
    }
    return NULL;
}

int reading_choice(struct reading *r, const char *key, const struct node *v,
                   const struct choice *choices, int *out)
{
    const char *text = reading_text(r, key, v);
    const struct choice *c = text ? find_choice(r, choices, text) : NULL;
    struct text names;

    if (c) {
        *out = c->value;
        return 0;
    }
    if (!text)
        return -1;
    text_init(&names);
    list_choices(choices, &names);
    reading_fault(r, v, "%s must be %s, not \"%.60s\"", key, text_str(&names),
                  text);
    text_clear(&names);
    return -1;
}

char *reading_folder(struct reading *r, const char *key, const struct node *v)
{
    const char *text = reading_text(r, key, v);

    if (!text)
        return NULL;
    if (strncmp(text, "file://", 7) == 0)
        text += 7;
    if (strstr(text, "://")) {
        reading_fault(r, v,
                      "%s is %.100s, which this version cannot write to; "
                      "write a folder, such as out or file:///srv/out",
                      key, text);
        return NULL;
    }
    if (!*text) {
        reading_fault(r, v, "%s is empty; write a folder", key);
        return NULL;
    }
    return mem_copy_text(text);
}

static void *member(const struct key *k, void *into)
{
    return (char *)into + k->offset;
}

static void set_text(char **to, char *text)
{
    if (!text)
        return;
    free(*to);
    *to = text;
}

void key_text(struct reading *r, const struct key *k, const struct node *v,
              void *into)
{
    const char *text = reading_text(r, k->name, v);

    if (text && !*text && !r->proto) {
        reading_fault(r, v, "%s is empty", k->name);
        return;
    }
    set_text(member(k, into), mem_copy_text(text));
}

void key_folder(struct reading *r, const struct key *k, const struct node *v,
                void *into)
{
    if (r->proto && v->text && !*v->text)
        return; /* absent */
    set_text(member(k, into), reading_folder(r, k->name, v));
}

void key_whole(struct reading *r, const struct key *k, const struct node *v,
               void *into)
{
    reading_whole(r, k->name, v, k->low, k->high, member(k, into));
}

void key_int(struct reading *r, const struct key *k, const struct node *v,
             void *into)
{
    int64_t x;

    if (reading_whole(r, k->name, v, k->low, k->high, &x) == 0)
        *(int *)member(k, into) = (int)x;
}

void key_seed(struct reading *r, const struct key *k, const struct node *v,
              void *into)
{
    int64_t x;

    if (reading_whole(r, k->name, v, 0, INT64_MAX, &x) == 0)
        *(uint64_t *)member(k, into) = (uint64_t)x;
}

void key_real(struct reading *r, const struct key *k, const struct node *v,
              void *into)
{
    const char *text = reading_text(r, k->name, v);
    double x;

    if (!text)
        return;
    if (!number_read(text, &x) || !isfinite(x)) {
        reading_fault(r, v, "%s must be a finite number, not \"%.60s\"",
                      k->name, text);
        return;
    }
    if ((k->low || k->high) && (x < (double)k->low || x > (double)k->high)) {
        reading_fault(r, v,
                      "%s is %.60s, and must be from %" PRId64 " to %" PRId64,
                      k->name, text, k->low, k->high);
        return;
    }
    *(double *)member(k, into) = x;
}

static const struct choice flags[] = {
    {"true", 1, -1}, {"false", 0, -1}, {"yes", 1, -1}, {"no", 0, -1},
    {"on", 1, -1},   {"off", 0, -1},   {NULL, 0, 0},
};

void key_flag(struct reading *r, const struct key *k, const struct node *v,
              void *into)
{
    int on;

    if (reading_choice(r, k->name, v, flags, &on) == 0)
        *(bool *)member(k, into) = on != 0;
}

/* A number at *s that ends before any letter; false if there is none. */
static bool take_number(const char **s, double *out)
{
    char digits[64];
    size_t n = strspn(*s, "0123456789.");

    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, *s, n);
    digits[n] = '\0';
    *s += n;
    return number_read(digits, out);
}

struct unit {
    const char *name;
    double size;
};

/* The unit at *s, all letters of it, or NULL. */
static const struct unit *take_unit(const char **s, const struct unit *units,
                                    size_t n)
{
    size_t len = 0;

    while (isalpha((unsigned char)(*s)[len]))
        len++;
    for (size_t i = 0; i < n; i++) {
        if (strlen(units[i].name) != len ||
            strncasecmp(units[i].name, *s, len) != 0)
            continue;
        *s += len;
        return &units[i];
    }
    return NULL;
}

/* Adds up "1h30m"; a number alone counts in `plain`. */
static bool read_amount(const char *text, const struct unit *units, size_t n,
                        double plain, double *out)
{
    double sum = 0, x;
    const struct unit *u;

    if (number_read(text, &x)) {
        *out = x * plain;
        return isfinite(*out) && x >= 0;
    }
    if (!*text)
        return false;
    while (*text) {
        if (!take_number(&text, &x))
            return false;
        text += strspn(text, " ");
        u = take_unit(&text, units, n);
        if (!u)
            return false;
        sum += x * u->size;
        text += strspn(text, " ");
    }
    *out = sum;
    return isfinite(sum);
}

void key_ms(struct reading *r, const struct key *k, const struct node *v,
            void *into)
{
    static const struct unit units[] = {
        {"ms", 1},     {"s", 1e3},    {"m", 60e3},
        {"min", 60e3}, {"h", 3600e3}, {"d", 86400e3},
    };
    const char *text = reading_text(r, k->name, v);
    double ms;

    if (!text)
        return;
    if (!read_amount(text, units, sizeof units / sizeof units[0], 1e3, &ms) ||
        ms > 0x1p53) {
        reading_fault(r, v,
                      "%s must be a time such as 90s, 2h or 1h30m, not "
                      "\"%.60s\"",
                      k->name, text);
        return;
    }
    *(int64_t *)member(k, into) = (int64_t)ceil(ms);
}

void key_bytes(struct reading *r, const struct key *k, const struct node *v,
               void *into)
{
    static const struct unit units[] = {
        {"b", 1},        {"k", 0x1p10},   {"ki", 0x1p10},  {"kib", 0x1p10},
        {"m", 0x1p20},   {"mi", 0x1p20},  {"mib", 0x1p20}, {"g", 0x1p30},
        {"gi", 0x1p30},  {"gib", 0x1p30}, {"t", 0x1p40},   {"ti", 0x1p40},
        {"tib", 0x1p40}, {"kb", 1e3},     {"mb", 1e6},     {"gb", 1e9},
        {"tb", 1e12},
    };
    const char *text = reading_text(r, k->name, v);
    double bytes;

    if (!text)
        return;
    if (!read_amount(text, units, sizeof units / sizeof units[0], 1, &bytes) ||
        bytes > 0x1p62) {
        reading_fault(r, v,
                      "%s must be a size such as 512M or 4G, not \"%.60s\"",
                      k->name, text);
        return;
    }
    *(int64_t *)member(k, into) = (int64_t)ceil(bytes);
}

void key_choice(struct reading *r, const struct key *k, const struct node *v,
                void *into)
{
    int value;

    if (reading_choice(r, k->name, v, k->choices, &value) == 0)
        *(int *)member(k, into) = value;
}

void key_node(struct reading *r, const struct key *k, const struct node *v,
              void *into)
{
    (void)r;
    *(const struct node **)member(k, into) = v;
}

void key_ignore(struct reading *r, const struct key *k, const struct node *v,
                void *into)
{
    (void)r, (void)k, (void)v, (void)into;
}

void key_refuse(struct reading *r, const struct key *k, const struct node *v,
                void *into)
{
    (void)into;
    reading_fault(r, v, "%s: %s", k->name, k->why);
}

static bool says_nothing(const struct node *v)
{
    double x;

    if (v->kind != NODE_SCALAR)
        return v->n == 0;
    return !*v->text || strcasecmp(v->text, "false") == 0 ||
           (number_read(v->text, &x) && x == 0);
}

void key_refuse_set(struct reading *r, const struct key *k,
                    const struct node *v, void *into)
{
    if (!says_nothing(v))
        key_refuse(r, k, v, into);
}

static bool is_name(const char *s)
{
    if (!isalpha((unsigned char)*s) || strlen(s) > LONGEST_NAME)
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-')
            return false;
    return true;
}

/* A name made of a file's, without its ending: other characters become '-'. */
static char *name_from(const char *file)
{
    const char *end = file ? strrchr(file, '.') : NULL;
    char *name;
    int n;

    if (!file || !*file)
        return mem_copy_text("study");
    n = end && end > file ? (int)(end - file) : (int)strlen(file);
    name = mem_format("%s%.*s", isalpha((unsigned char)*file) ? "" : "study-",
                      n, file);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '-';
    if (strlen(name) > LONGEST_NAME)
        name[LONGEST_NAME] = '\0';
    if (strcmp(name, newest) == 0) {
        free(name);
        return mem_format("study-%s", newest);
    }
    return name;
}

static void refuse_name(struct reading *r, const char *key, const char *text)
{
    if (strcmp(text, newest) == 0)
        reading_fault(r, r->name,
                      "%s: \"%s\" is what the newest study is called by; give "
                      "this one another name",
                      key, newest);
    else
        reading_fault(r, r->name,
                      "%s: \"%.60s\" is no name; it begins with a letter, and "
                      "letters, digits, _ and - follow, at most %d in all",
                      key, text, LONGEST_NAME);
}

void reading_name(struct reading *r, const char *file)
{
    const char *key = !r->proto                         ? "study"
                      : r->s->dialect == DIALECT_VERTEX ? "displayName"
                                                        : "jobId";
    const char *text = r->name ? reading_text(r, key, r->name) : NULL;

    if (text && is_name(text) && strcmp(text, newest) != 0) {
        set_text(&r->s->name, mem_copy_text(text));
        return;
    }
    if (text && !(r->proto && r->s->dialect == DIALECT_VERTEX))
        refuse_name(r, key, text);
    set_text(&r->s->name, name_from(file));
}
