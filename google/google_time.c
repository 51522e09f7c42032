/* Times as Google's interfaces write them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_time.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

static const int64_t second = 1000000000;

/* Exactly n digits, and what must come after them ('\0': anything). */
static bool take(const char **at, int n, char after, int *out)
{
    int value = 0;

    for (int i = 0; i < n; i++) {
        if (!isdigit((unsigned char)**at))
            return false;
        value = 10 * value + (*(*at)++ - '0');
    }
    *out = value;
    if (!after)
        return true;
    return *(*at)++ == after;
}

static bool take_fraction(const char **at, int64_t *ns)
{
    int64_t unit = second;

    if (**at != '.')
        return true;
    for (++*at; isdigit((unsigned char)**at) && unit > 1; ++*at) {
        unit /= 10;
        *ns += unit * (**at - '0');
    }
    return unit < second;
}

static bool take_offset(const char **at, int64_t *seconds)
{
    int sign = **at == '-' ? -1 : 1;
    int hours, minutes;

    if (**at == 'Z' || **at == 'z') {
        ++*at;
        return true;
    }
    if (*(*at)++ != (sign < 0 ? '-' : '+') || !take(at, 2, ':', &hours) ||
        !take(at, 2, '\0', &minutes) || hours > 23 || minutes > 59)
        return false;
    *seconds = (int64_t)sign * (hours * 3600 + minutes * 60);
    return true;
}

static bool take_clock(const char **at, struct tm *tm, int64_t *ns,
                       int64_t *offset)
{
    if (!**at)
        return true;
    if (**at != 'T' && **at != 't' && **at != ' ')
        return false;
    ++*at;
    return take(at, 2, ':', &tm->tm_hour) && take(at, 2, ':', &tm->tm_min) &&
           take(at, 2, '\0', &tm->tm_sec) && tm->tm_hour < 24 &&
           tm->tm_min < 60 && tm->tm_sec < 61 && take_fraction(at, ns) &&
           take_offset(at, offset);
}

static bool in_month(const struct tm *tm)
{
    struct tm same = *tm;

    timegm(&same);
    return same.tm_mday == tm->tm_mday && same.tm_mon == tm->tm_mon;
}

bool google_time_read(const char *text, int64_t *ns)
{
    struct tm tm = {0};
    int64_t part = 0, offset = 0;

    if (!take(&text, 4, '-', &tm.tm_year) || !take(&text, 2, '-', &tm.tm_mon) ||
        !take(&text, 2, '\0', &tm.tm_mday) || tm.tm_year < 1678 ||
        tm.tm_year > 2261)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    if (!in_month(&tm) || !take_clock(&text, &tm, &part, &offset) || *text)
        return false;
    *ns = ((int64_t)timegm(&tm) - offset) * second + part;
    return true;
}

void google_time_write(int64_t ns, struct text *out)
{
    int64_t whole = ns / second, part = ns % second;
    time_t seconds;
    struct tm tm;

    if (part < 0) {
        part += second;
        whole--;
    }
    seconds = (time_t)whole;
    gmtime_r(&seconds, &tm);
    text_addf(out, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900,
              tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (part % 1000)
        text_addf(out, ".%09d", (int)part);
    else if (part % 1000000)
        text_addf(out, ".%06d", (int)(part / 1000));
    else if (part)
        text_addf(out, ".%03d", (int)(part / 1000000));
    text_add(out, "Z");
}
