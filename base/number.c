/* Numbers and text. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *copy(char out[NUMBER_TEXT], const char *word)
{
    snprintf(out, NUMBER_TEXT, "%s", word);
    return out;
}

const char *number_print(double x, char out[NUMBER_TEXT])
{
    if (isnan(x))
        return copy(out, "nan");
    if (isinf(x))
        return copy(out, x > 0 ? "inf" : "-inf");
    if (x == 0.0) /* -0 too */
        return copy(out, "0");
    if (fabs(x) < 1e15 && x == floor(x)) {
        snprintf(out, NUMBER_TEXT, "%.0f", x);
        return out;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, NUMBER_TEXT, "%.*g", digits, x);
        if (strtod(out, NULL) == x)
            break;
    }
    return out;
}

bool number_read(const char *text, double *out)
{
    char *end;
    double x;

    if (!*text || isspace((unsigned char)*text) || strpbrk(text, "xXpP("))
        return false;
    x = strtod(text, &end);
    if (*end)
        return false;
    *out = x;
    return true;
}

bool number_read_int(const char *text, int64_t *out)
{
    char *end;
    long long x;

    if (!isdigit((unsigned char)text[0]) &&
        !((text[0] == '-' || text[0] == '+') &&
          isdigit((unsigned char)text[1])))
        return false;
    errno = 0;
    x = strtoll(text, &end, 10);
    if (*end || errno)
        return false;
    *out = x;
    return true;
}
