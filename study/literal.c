/* Numbers as documents write them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/literal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

static const char *digits(const char *s)
{
    while (isdigit((unsigned char)*s))
        s++;
    return s;
}

bool literal_is_json(const char *text)
{
    const char *s = text + (*text == '-');
    const char *end = *s == '0' ? s + 1 : digits(s);

    if (end == s)
        return false;
    if (*end == '.') {
        s = end + 1;
        end = digits(s);
        if (end == s)
            return false;
    }
    if (*end == 'e' || *end == 'E') {
        s = end + 1;
        s += *s == '+' || *s == '-';
        end = digits(s);
        if (end == s)
            return false;
    }
    return *end == '\0';
}

bool literal_is_digits(const char *text)
{
    const char *s = text + (*text == '-' || *text == '+');

    return *s && *digits(s) == '\0';
}

bool literal_read_whole(const char *text, int64_t *out)
{
    double x;

    if (number_read_int(text, out))
        return true;
    if (!strpbrk(text, ".eE") || !number_read(text, &x))
        return false;
    if (x != floor(x) || fabs(x) >= 0x1p63)
        return false;
    *out = (int64_t)x;
    return true;
}
