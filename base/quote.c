/* Text and numbers as JSON writes them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/quote.h"

#include <math.h>
#include <stdbool.h>

#include "base/number.h"

/* Length of the UTF-8 sequence at s, or 0 if there is none. */
static size_t sequence(const unsigned char *s)
{
    size_t n;
    unsigned long code;
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (s[0] < 0x80)
        return 1;
    n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    code = s[0] & (0xffU >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < least[n] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    return n;
}

static void add_escape(struct text *out, unsigned char c)
{
    static const struct {
        char c;
        const char *escape;
    } shorts[] = {{'"', "\\\""},
                  {'\\', "\\\\"},
                  {'\n', "\\n"},
                  {'\r', "\\r"},
                  {'\t', "\\t"}};

    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++)
        if (shorts[i].c == (char)c) {
            text_add(out, shorts[i].escape);
            return;
        }
    text_addf(out, "\\u%04x", c);
}

static bool stands_for_itself(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void quote_json(struct text *out, const char *s)
{
    const unsigned char *c = (const unsigned char *)s;

    text_add(out, "\"");
    while (*c) {
        size_t n = 0;

        while (stands_for_itself(c[n]))
            n++;
        if (n == 0 && *c >= 0x80)
            n = sequence(c);
        if (n)
            text_add_bytes(out, (const char *)c, n);
        else if (*c < 0x80)
            add_escape(out, *c);
        else
            text_add(out, "\xef\xbf\xbd");
        c += n ? n : 1;
    }
    text_add(out, "\"");
}

void quote_number(struct text *out, double x)
{
    char digits[NUMBER_TEXT];

    number_print(x, digits);
    text_addf(out, isfinite(x) ? "%s" : "\"%s\"", digits);
}
