/* Reads digits.csv. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 100000 };

/* The number that begins at *text, up to `most`, and the comma or line end
 * after it; -1 if there is none. */
static int take_number(char **text, int most)
{
    char *end;
    long n = strtol(*text, &end, 10);

    if (end == *text || n < 0 || n > most ||
        (*end != ',' && *end != '\n' && *end != '\r' && *end))
        return -1;
    *text = end + (*end == ',');
    return (int)n;
}

static int read_digit(char *line, struct digit *out)
{
    for (int i = 0; i < DATA_PIXELS; i++) {
        int ink = take_number(&line, 16);

        if (ink < 0)
            return -1;
        out->pixels[i] = (float)ink / 8;
    }
    out->class = take_number(&line, DATA_CLASSES - 1);
    return out->class < 0 ? -1 : 0;
}

static int held_back(size_t row)
{
    return ((uint32_t)(row + 1) * 2654435761U >> 20) % 5 == 0;
}

static int add(struct data *d, const struct digit *digit, size_t row)
{
    struct digit **part = held_back(row) ? &d->valid : &d->train;
    size_t *n = held_back(row) ? &d->n_valid : &d->n_train;

    if (*n % 1024 == 0) {
        struct digit *more = realloc(*part, (*n + 1024) * sizeof **part);

        if (!more)
            return -1;
        *part = more;
    }
    (*part)[(*n)++] = *digit;
    return 0;
}

static int read_rows(struct data *d, FILE *in, const char *path)
{
    char line[1024];
    struct digit digit;
    size_t row = 0;

    for (; row < ROWS_MOST && fgets(line, sizeof line, in); row++) {
        if (read_digit(line, &digit) < 0) {
            fprintf(stderr,
                    "train: %s:%zu: want 64 numbers from 0 to 16 and a digit\n",
                    path, row + 1);
            return -1;
        }
        if (add(d, &digit, row) < 0) {
            fprintf(stderr, "train: no memory for %s\n", path);
            return -1;
        }
    }
    if (d->n_train == 0 || d->n_valid == 0) {
        fprintf(stderr, "train: %s holds too few rows\n", path);
        return -1;
    }
    return 0;
}

int data_open(struct data *d, const char *path)
{
    FILE *in = fopen(path, "r");
    int result;

    *d = (struct data){0};
    if (!in) {
        fprintf(stderr, "train: %s: %s; name the file with --data=FILE\n", path,
                strerror(errno));
        return -1;
    }
    result = read_rows(d, in, path);
    fclose(in);
    if (result < 0)
        data_close(d);
    return result;
}

void data_close(struct data *d)
{
    free(d->train);
    free(d->valid);
    *d = (struct data){0};
}
