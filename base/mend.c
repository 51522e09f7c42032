/* A document's bytes, looked at and made fit before libyaml reads them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mend.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the UTF-8 character at s (at most `left`), or 0 if it is none:
 * too short, overlong, a surrogate, or beyond U+10FFFF. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0},
                 {0xe0, 0xc0, 0x80},
                 {0xf0, 0xe0, 0x800},
                 {0xf8, 0xf0, 0x10000}};

    for (size_t n = 0; n < sizeof forms / sizeof forms[0]; n++) {
        uint32_t c;

        if ((s[0] & forms[n].mask) != forms[n].lead)
            continue;
        if (n + 1 > left)
            return 0;
        c = s[0] & (unsigned char)~forms[n].mask;
        for (size_t i = 1; i <= n; i++) {
            if ((s[i] & 0xc0) != 0x80)
                return 0;
            c = c << 6 | (s[i] & 0x3fU);
        }
        if (c < forms[n].least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
            return 0;
        return n + 1;
    }
    return 0;
}

/* The four hexadecimal digits of \uXXXX at s, or -1. */
static long code_unit(const char *s, const char *end)
{
    char digits[5] = {0};
    char *stop;
    long unit;

    if (end - s < 6 || s[0] != '\\' || s[1] != 'u')
        return -1;
    memcpy(digits, s + 2, 4);
    if (strspn(digits, "0123456789abcdefABCDEF") != 4)
        return -1;
    unit = strtol(digits, &stop, 16);
    return unit;
}

/* Characters that a JSON string may hold as they are, and YAML breaks lines at
 * or refuses; the escape that YAML has for each. */
static const struct {
    const char *bytes, *escape;
} awkward[] = {
    {"\x7f", "\\x7F"},     {"\u2028", "\\L"},     {"\u2029", "\\P"},
    {"\ufeff", "\\uFEFF"}, {"\ufffe", "\\uFFFE"}, {"\uffff", "\\uFFFF"},
};

/* One of the control characters U+0080 to U+009F. */
static bool is_c1(const char *s)
{
    return s[0] == '\xc2' && (unsigned char)s[1] < 0xa0;
}

/* Appends what stands for the character or escape at `from`; returns how many
 * bytes of it were taken. */
static size_t mend_one(const char *from, const char *end, struct text *out)
{
    long high = code_unit(from, end);
    long low = high >= 0 ? code_unit(from + 6, end) : -1;

    if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        text_addf(out, "\\U%08lX",
                  0x10000UL + ((unsigned long)(high - 0xd800) << 10) +
                      (unsigned long)(low - 0xdc00));
        return 12;
    }
    if (*from == '\\' && end - from > 1) { /* \\ begins no other escape */
        text_add_bytes(out, from, 2);
        return 2;
    }
    if (end - from > 1 && is_c1(from)) {
        text_addf(out, "\\x%02X", (unsigned char)from[1]);
        return 2;
    }
    for (size_t i = 0; i < sizeof awkward / sizeof awkward[0]; i++) {
        size_t n = strlen(awkward[i].bytes);

        if ((size_t)(end - from) < n || memcmp(from, awkward[i].bytes, n) != 0)
            continue;
        text_add(out, awkward[i].escape);
        return n;
    }
    text_add_bytes(out, from, 1);
    return 1;
}

int mend_check(const char *bytes, size_t n, struct faults *f)
{
    int line = 1, column = 1;

    for (size_t i = 0; i < n;) {
        size_t step = utf8_length((const unsigned char *)bytes + i, n - i);

        if (step == 0) {
            faults_add(f, line, column, "this is not UTF-8 text");
            return -1;
        }
        if (bytes[i] == '\0') {
            faults_add(f, line, column, "there is a NUL byte in the text");
            return -1;
        }
        column = bytes[i] == '\n' ? 1 : column + 1;
        line += bytes[i] == '\n';
        i += step;
    }
    return 0;
}

void mend_text(const char *text, size_t n, struct text *out)
{
    const char *end = text + n;

    text_add(out, "");
    while (text < end && strchr(" \t\r\n", *text)) {
        text_add_bytes(out, *text == '\t' ? " " : text, 1);
        text++;
    }
    if (text < end && (*text == '{' || *text == '['))
        while (text < end)
            text += mend_one(text, end, out);
    else
        text_add_bytes(out, text, (size_t)(end - text));
}
