/* Brackets and lines, nothing more. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/extract.h"

#include <string.h>

int extract_column(const struct extract *p)
{
    return (int)(p->at - p->line_began) + 1;
}

void extract_step(struct extract *p)
{
    if (*p->at++ != '\n')
        return;
    p->line++;
    p->line_began = p->at;
}

void extract_skip_blanks(struct extract *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at))
        extract_step(p);
}

bool extract_skip_object(struct extract *p)
{
    int depth = 0;
    bool quoted = false;

    do {
        char c = *p->at;

        if (quoted && c == '\\' && p->at + 1 < p->end)
            extract_step(p);
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && (c == '}' || c == ']'))
            depth--;
        extract_step(p);
    } while (p->at < p->end && depth > 0);
    return depth == 0;
}

void extract_shift(const struct extract *began, int *line, int *column)
{
    if (*line == 1)
        *column += extract_column(began) - 1;
    if (*line)
        *line += began->line - 1;
}
