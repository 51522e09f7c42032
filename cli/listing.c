/* A listing: columns are data, rows are the service's JSON. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/listing.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/print.h"

void listing_plain(const struct json_t *row, const char *key, bool exact,
                   struct text *out)
{
    print_plain(json_object_get(row, key), exact, out);
}

void listing_param(const struct json_t *row, const char *key, bool exact,
                   struct text *out)
{
    print_plain(json_object_get(json_object_get(row, "params"), key), exact,
                out);
}

void listing_value(const struct json_t *row, const char *key, bool exact,
                   struct text *out)
{
    print_plain(json_object_get(json_object_get(row, "values"), key), exact,
                out);
}

/* Names that a person gave stay as they are. */
static bool is_given(const struct listing_column *c)
{
    return c->cell == listing_param || c->cell == listing_value;
}

void listing_time(const struct json_t *row, const char *key, bool exact,
                  struct text *out)
{
    int64_t ms = json_integer_value(json_object_get(row, key));
    char text[CLOCK_TEXT];

    if (!ms)
        return;
    clock_print(ms, text);
    if (!exact) { /* "2026-11-21 10:00:00" */
        text[10] = ' ';
        text[19] = 0;
    }
    text_add(out, text);
}

static void flush(struct listing *l)
{
    if (l->out.len)
        (void)fwrite(l->out.data, 1, l->out.len, stdout);
    text_reset(&l->out);
}

static void csv_titles(struct listing *l)
{
    for (size_t i = 0; i < l->n_columns; i++) {
        text_add(&l->out, i ? "," : "");
        print_csv(l->columns[i].title, &l->out);
    }
    text_add(&l->out, "\n");
}

static void add_cell(struct listing *l, const char *raw)
{
    struct text safe;

    text_init(&safe);
    print_safe(raw, &safe);
    mem_grow((void **)&l->cells, &l->cap_cells, l->n_cells + 1,
             sizeof *l->cells);
    l->cells[l->n_cells++] = mem_copy_text(text_str(&safe));
    text_clear(&safe);
}

static void table_titles(struct listing *l)
{
    for (size_t i = 0; i < l->n_columns; i++) {
        char *title = mem_copy_text(l->columns[i].title);

        for (char *c = title; *c && !is_given(&l->columns[i]); c++)
            *c = (char)toupper((unsigned char)*c);
        add_cell(l, title);
        free(title);
    }
}

static void csv_row(struct listing *l, const json_t *row)
{
    struct text cell;

    text_init(&cell);
    for (size_t i = 0; i < l->n_columns; i++) {
        text_reset(&cell);
        l->columns[i].cell(row, l->columns[i].key, true, &cell);
        text_add(&l->out, i ? "," : "");
        print_csv(text_str(&cell), &l->out);
    }
    text_add(&l->out, "\n");
    text_clear(&cell);
}

static void table_row(struct listing *l, const json_t *row)
{
    struct text cell;

    text_init(&cell);
    for (size_t i = 0; i < l->n_columns; i++) {
        text_reset(&cell);
        l->columns[i].cell(row, l->columns[i].key, false, &cell);
        add_cell(l, text_str(&cell));
    }
    text_clear(&cell);
}

static void table_line(struct listing *l, char *const *cells,
                       const size_t *widths)
{
    for (size_t i = 0; i < l->n_columns; i++) {
        int gap = (int)(widths[i] - print_width(cells[i]));
        bool last = i + 1 == l->n_columns;

        text_addf(&l->out, "%*s%s%*s%s", l->columns[i].right ? gap : 0, "",
                  cells[i], l->columns[i].right || last ? 0 : gap, "",
                  last ? "\n" : "  ");
    }
}

static void table_print(struct listing *l)
{
    size_t n = l->n_columns;
    size_t *widths = mem_new(n, sizeof *widths);

    for (size_t i = 0; i < l->n_cells; i++) {
        size_t width = print_width(l->cells[i]);

        if (width > widths[i % n])
            widths[i % n] = width;
    }
    for (size_t i = 0; i + n <= l->n_cells; i += n)
        table_line(l, &l->cells[i], widths);
    free(widths);
}

void listing_begin(struct listing *l, enum format format,
                   const struct listing_column *columns, size_t n_columns)
{
    *l = (struct listing){
        .format = format, .columns = columns, .n_columns = n_columns};
    text_init(&l->out);
    if (format == FORMAT_CSV)
        csv_titles(l);
    else if (format == FORMAT_TABLE)
        table_titles(l);
}

void listing_row(struct listing *l, const struct json_t *row)
{
    switch (l->format) {
    case FORMAT_TABLE:
        table_row(l, row);
        break;
    case FORMAT_CSV:
        csv_row(l, row);
        break;
    case FORMAT_JSON:
        text_add(&l->out, l->n_rows ? ",\n  " : "[\n  ");
        print_json(row, 2, &l->out);
        break;
    case FORMAT_YAML:
        print_yaml_item(row, &l->out);
        break;
    }
    l->n_rows++;
    flush(l);
}

void listing_drop(struct listing *l)
{
    for (size_t i = 0; i < l->n_cells; i++)
        free(l->cells[i]);
    free(l->cells);
    l->cells = NULL;
    l->n_cells = 0;
    text_clear(&l->out);
}

void listing_end(struct listing *l)
{
    if (l->format == FORMAT_TABLE)
        table_print(l);
    else if (l->format == FORMAT_JSON)
        text_add(&l->out, l->n_rows ? "\n]\n" : "[]\n");
    else if (l->format == FORMAT_YAML && !l->n_rows)
        text_add(&l->out, "[]\n");
    flush(l);
    listing_drop(l);
}

void listing_print(enum format format, const struct listing_column *columns,
                   size_t n_columns, const struct json_t *rows)
{
    struct listing l;

    listing_begin(&l, format, columns, n_columns);
    for (size_t i = 0; i < json_array_size(rows); i++)
        listing_row(&l, json_array_get(rows, i));
    listing_end(&l);
}
