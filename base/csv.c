/* Comma-separated values, row by row. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void csv_init(struct csv *c, const char *bytes, size_t n)
{
    static const char mark[] = "\xEF\xBB\xBF";

    *c = (struct csv){.at = bytes, .end = bytes + n, .next_line = 1};
    if (n >= 3 && !memcmp(bytes, mark, 3))
        c->at += 3;
}

static void forget_row(struct csv *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->cells[i]);
    c->n = 0;
}

void csv_clear(struct csv *c)
{
    forget_row(c);
    free(c->cells);
    *c = (struct csv){0};
}

/* How many bytes end a line here. */
static size_t break_at(const struct csv *c)
{
    if (c->at < c->end && *c->at == '\n')
        return 1;
    return c->end - c->at >= 2 && !memcmp(c->at, "\r\n", 2) ? 2 : 0;
}

static bool cell_ends(const struct csv *c)
{
    return c->at == c->end || *c->at == ',' || break_at(c);
}

static int read_quoted(struct csv *c, struct text *cell, struct err *e)
{
    for (c->at++; c->at < c->end; c->at++) {
        if (*c->at == '"' && (++c->at == c->end || *c->at != '"')) {
            if (cell_ends(c))
                return 0;
            return err_set(e, ERR_INVALID,
                           "after a closing quote a comma or the end of the "
                           "line is wanted; a quote within quotes is doubled");
        }
        c->next_line += *c->at == '\n';
        text_add_bytes(cell, c->at, 1);
    }
    return err_set(e, ERR_INVALID, "a quote is opened here and never closed");
}

static int read_cell(struct csv *c, struct err *e)
{
    struct text cell;
    void *cells = c->cells;
    int rc = 0;

    text_init(&cell);
    text_add(&cell, "");
    if (c->at < c->end && *c->at == '"')
        rc = read_quoted(c, &cell, e);
    else
        for (; !cell_ends(c); c->at++)
            text_add_bytes(&cell, c->at, 1);
    mem_grow(&cells, &c->cap, c->n + 1, sizeof *c->cells);
    c->cells = cells;
    c->cells[c->n++] = text_take(&cell);
    return rc;
}

static void skip_breaks(struct csv *c)
{
    for (size_t n; (n = break_at(c)); c->at += n)
        c->next_line++;
}

int csv_next(struct csv *c, struct err *e)
{
    forget_row(c);
    skip_breaks(c);
    c->line = c->next_line;
    if (c->at == c->end)
        return 0;
    for (;;) {
        if (read_cell(c, e))
            return -1;
        if (c->at == c->end || *c->at != ',')
            break;
        c->at++;
    }
    skip_breaks(c);
    return 1;
}
