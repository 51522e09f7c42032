/* JSON values for people and programs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/print.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/quote.h"

static void pad(int n, struct text *out)
{
    text_addf(out, "%*s", n, "");
}

static void json_inner(const json_t *value, int indent, bool lines,
                       struct text *out);

/* What stands between two items, or at the ends of a list or map. */
static void gap(int indent, bool lines, struct text *out)
{
    if (!lines)
        return;
    text_add(out, "\n");
    pad(indent, out);
}

static void json_list(const json_t *list, int indent, bool lines,
                      struct text *out)
{
    size_t n = json_array_size(list);

    text_add(out, "[");
    for (size_t i = 0; i < n; i++) {
        gap(indent + 2, lines, out);
        json_inner(json_array_get(list, i), indent + 2, lines, out);
        text_add(out, i + 1 < n ? (lines ? "," : ", ") : "");
    }
    if (n)
        gap(indent, lines, out);
    text_add(out, "]");
}

static void json_map(const json_t *map, int indent, bool lines,
                     struct text *out)
{
    size_t left = json_object_size(map);
    const char *key;
    json_t *item;
    json_t *all = (json_t *)(uintptr_t)map;
    bool some = left > 0;

    text_add(out, "{");
    json_object_foreach(all, key, item)
    {
        gap(indent + 2, lines, out);
        quote_json(out, key);
        text_add(out, ": ");
        json_inner(item, indent + 2, lines, out);
        text_add(out, --left ? (lines ? "," : ", ") : "");
    }
    if (some)
        gap(indent, lines, out);
    text_add(out, "}");
}

/* Recursive: documents are at most 64 deep. */
static void json_inner(const json_t *value, int indent, bool lines,
                       struct text *out)
{
    char number[NUMBER_TEXT];

    switch (json_typeof(value)) {
    case JSON_OBJECT:
        json_map(value, indent, lines, out);
        break;
    case JSON_ARRAY:
        json_list(value, indent, lines, out);
        break;
    case JSON_STRING:
        quote_json(out, json_string_value(value));
        break;
    case JSON_INTEGER:
        text_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        text_add(out, number_print(json_real_value(value), number));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        text_add(out, json_is_true(value) ? "true" : "false");
        break;
    case JSON_NULL:
        text_add(out, "null");
        break;
    }
}

void print_json(const struct json_t *value, int indent, struct text *out)
{
    json_inner(value, indent, true, out);
}

/* Whether YAML would read the plain text as something else than this text. */
static bool yaml_needs_quotes(const char *s)
{
    static const char *const words[] = {"null", "true", "false", "yes",
                                        "no",   "on",   "off",   "nan",
                                        "inf",  "y",    "n"};
    double number;

    if (!*s || number_read(s, &number) || strchr("-?:~ .+0123456789", *s) ||
        s[strlen(s) - 1] == ' ')
        return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcasecmp(s, words[i]))
            return true;
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || (unsigned char)*s >= 127 ||
            strchr(":#,[]{}&*!|>'\"%@`\\", *s))
            return true;
    return false;
}

static void yaml_text(const char *s, struct text *out)
{
    if (yaml_needs_quotes(s))
        quote_json(out, s);
    else
        text_add(out, s);
}

/* A list or map that has items, and so takes lines of its own. */
static bool is_block(const json_t *value)
{
    return json_array_size(value) || json_object_size(value);
}

static void yaml_scalar(const json_t *value, struct text *out)
{
    if (json_is_string(value))
        yaml_text(json_string_value(value), out);
    else
        json_inner(value, 0, false, out);
}

/* Writes the block; the first line is indented already. */
static void yaml_block(const json_t *value, int indent, struct text *out)
{
    const char *key, *lead = "";
    json_t *item;
    json_t *all = (json_t *)(uintptr_t)value;

    for (size_t i = 0; i < json_array_size(value); i++) {
        item = json_array_get(value, i);
        pad(i ? indent : 0, out);
        text_add(out, "- ");
        if (is_block(item)) {
            yaml_block(item, indent + 2, out);
            continue;
        }
        yaml_scalar(item, out);
        text_add(out, "\n");
    }
    if (!json_is_object(value))
        return;
    json_object_foreach(all, key, item)
    {
        pad(*lead ? indent : 0, out);
        lead = "\n";
        yaml_text(key, out);
        text_add(out, ":");
        if (is_block(item)) {
            text_add(out, lead);
            pad(indent + 2, out);
            yaml_block(item, indent + 2, out);
            continue;
        }
        text_add(out, " ");
        yaml_scalar(item, out);
        text_add(out, "\n");
    }
}

void print_yaml(const struct json_t *value, struct text *out)
{
    if (is_block(value)) {
        yaml_block(value, 0, out);
        return;
    }
    yaml_scalar(value, out);
    text_add(out, "\n");
}

void print_yaml_item(const struct json_t *value, struct text *out)
{
    text_add(out, "- ");
    if (is_block(value)) {
        yaml_block(value, 2, out);
        return;
    }
    yaml_scalar(value, out);
    text_add(out, "\n");
}

void print_plain(const struct json_t *value, bool exact, struct text *out)
{
    if (!value || json_is_null(value))
        return;
    if (json_is_string(value))
        text_add(out, json_string_value(value));
    else if (json_is_real(value) && !exact)
        text_addf(out, "%.6g", json_real_value(value));
    else
        json_inner(value, 0, false, out);
}

void print_csv(const char *field, struct text *out)
{
    size_t n = strlen(field);

    if (!field[strcspn(field, ",\"\r\n")] &&
        (!n || (field[0] != ' ' && field[n - 1] != ' '))) {
        text_add(out, field);
        return;
    }
    text_add(out, "\"");
    for (; *field; field++) {
        if (*field == '"')
            text_add(out, "\"");
        text_add_bytes(out, field, 1);
    }
    text_add(out, "\"");
}

void print_safe(const char *s, struct text *out)
{
    for (; *s; s++) {
        unsigned char byte = (unsigned char)*s;

        if (byte == '\n' || byte == '\t' || byte == '\r')
            text_add(out, " ");
        else if (byte < ' ' || byte == 127 ||
                 (byte == 0xc2 && (unsigned char)s[1] >= 0x80 &&
                  (unsigned char)s[1] < 0xa0)) {
            text_add(out, "?");
            s += byte == 0xc2;
        } else
            text_add_bytes(out, s, 1);
    }
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t print_width(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += begins_character(*s);
    return n;
}

void print_cut(const char *line, size_t width, struct text *out)
{
    size_t kept = 0, at = 0;

    if (print_width(line) <= width) {
        text_add(out, line);
        return;
    }
    if (!width)
        return;
    for (; line[at]; at++)
        if (begins_character(line[at]) && ++kept == width)
            break;
    text_add_bytes(out, line, at);
    text_add(out, "…");
}

void print_shell(const char *word, struct text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%^";

    if (*word && !word[strspn(word, plain)]) {
        text_add(out, word);
        return;
    }
    text_add(out, "'");
    for (; *word; word++) {
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_bytes(out, word, 1);
    }
    text_add(out, "'");
}

int print_column(const struct json_t *map)
{
    json_t *all = (json_t *)(uintptr_t)map, *value;
    size_t widest = PRINT_COLUMN;
    const char *name;

    json_object_foreach(all, name, value) if (print_width(name) > widest)
        widest = print_width(name);
    return (int)widest;
}

static void add_fact(struct text *out, int column, const char *name,
                     const char *fmt, va_list args)
{
    size_t used = print_width(name);
    char *what = NULL;

    if (vasprintf(&what, fmt, args) < 0)
        what = NULL;
    text_addf(out, "%s%*s ", name,
              used < (size_t)column ? column - (int)used : 0, "");
    print_safe(what ? what : "", out);
    text_add(out, "\n");
    free(what);
}

void print_fact_at(struct text *out, int column, const char *name,
                   const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_fact(out, column, name, fmt, args);
    va_end(args);
}

void print_fact(struct text *out, const char *name, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_fact(out, PRINT_COLUMN, name, fmt, args);
    va_end(args);
}

void print_duration(int64_t ms, struct text *out)
{
    long long s = (long long)(ms < 0 ? 0 : ms) / 1000;

    if (ms < 10000)
        text_addf(out, "%.1fs", (double)(ms < 0 ? 0 : ms) / 1000);
    else if (s < 60)
        text_addf(out, "%llds", s);
    else if (s < 3600)
        text_addf(out, "%lld:%02lld", s / 60, s % 60);
    else if (s < 48LL * 3600)
        text_addf(out, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else
        text_addf(out, "%lldd %lldh", s / 86400, s / 3600 % 24);
}
