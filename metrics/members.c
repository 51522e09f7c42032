/* One line, one flat object. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/members.h"

#include <string.h>

void members_init(struct members *m, const char *line, size_t n)
{
    *m = (struct members){.at = line, .end = line + n};
}

static void skip_blanks(struct members *m)
{
    while (m->at < m->end && strchr(" \t\r\n", *m->at) && *m->at)
        m->at++;
}

static bool take(struct members *m, char c)
{
    skip_blanks(m);
    if (m->at == m->end || *m->at != c)
        return false;
    m->at++;
    return true;
}

/* ---- strings ---- */

/* Where a string's characters go; those that do not fit are dropped, and all
 * after them. */
struct sink {
    char *out;
    size_t used, room; /* room for the NUL is not counted */
};

static void put(struct sink *s, unsigned c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = n; i-- > 1; c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(lead[n] | c);
    if (s->used + n > s->room) {
        s->room = 0;
        return;
    }
    memcpy(s->out + s->used, bytes, n);
    s->used += n;
}

/* One character of UTF-8 at m->at; bytes that are none are U+FFFD each. */
static unsigned take_utf8(struct members *m)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)m->at;
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned c = n == 1 ? s[0] : s[0] & (0xffU >> (n + 1));
    bool good = (s[0] < 0x80 || (s[0] >= 0xc2 && s[0] <= 0xf4)) &&
                n <= (size_t)(m->end - m->at);

    for (size_t i = 1; good && i < n; i++) {
        good = (s[i] & 0xc0) == 0x80;
        c = c << 6 | (s[i] & 0x3fU);
    }
    good = good && c >= least[n] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    m->at += good ? n : 1;
    return good ? c : 0xfffd;
}

static bool take_hex(struct members *m, unsigned *out)
{
    static const char digits[] = "0123456789abcdefABCDEF";

    *out = 0;
    if (m->end - m->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char *found = memchr(digits, *m->at++, sizeof digits - 1);

        if (!found)
            return false;
        *out = *out << 4 | (unsigned)(found - digits > 15 ? found - digits - 6
                                                          : found - digits);
    }
    return true;
}

/* After a backslash. Half a surrogate pair and \u0000 become U+FFFD. */
static bool take_escape(struct members *m, unsigned *out)
{
    static const char letter[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    unsigned low;
    const char *found;
    struct members ahead;

    if (m->at == m->end)
        return false;
    found = memchr(letter, *m->at, sizeof letter - 1);
    if (found) {
        *out = (unsigned char)meant[found - letter];
        m->at++;
        return true;
    }
    if (*m->at++ != 'u' || !take_hex(m, out))
        return false;
    ahead = *m;
    if (*out >= 0xd800 && *out < 0xdc00 && ahead.end - ahead.at >= 6 &&
        *ahead.at++ == '\\' && *ahead.at++ == 'u' && take_hex(&ahead, &low) &&
        low >= 0xdc00 && low <= 0xdfff) {
        *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
        m->at = ahead.at;
    } else if (*out == 0 || (*out >= 0xd800 && *out <= 0xdfff)) {
        *out = 0xfffd;
    }
    return true;
}

/* After the opening quote. */
static bool take_string(struct members *m, char *out, size_t size)
{
    struct sink s = {out, 0, size - 1};

    while (m->at < m->end && *m->at != '"') {
        unsigned c;

        if (*m->at == '\\') {
            m->at++;
            if (!take_escape(m, &c))
                return false;
        } else {
            c = take_utf8(m);
        }
        put(&s, c ? c : 0xfffd);
    }
    out[s.used] = '\0';
    return take(m, '"');
}

void members_copy_name(const char *s, size_t n, char out[REPORT_METRIC])
{
    struct members m;
    struct sink sink = {out, 0, REPORT_METRIC - 1};

    members_init(&m, s, n);
    while (m.at < m.end) {
        unsigned c = take_utf8(&m);

        put(&sink, c ? c : 0xfffd);
    }
    out[sink.used] = '\0';
}

/* ---- values ---- */

/* Passes over an object or a list: brackets must come in pairs, of any kind. */
static bool skip_nested(struct members *m)
{
    char nothing[8];
    size_t depth = 0;

    do {
        char c;

        if (m->at == m->end)
            return false;
        c = *m->at++;
        if (c == '"' && !take_string(m, nothing, sizeof nothing))
            return false;
        if (c == '{' || c == '[')
            depth++;
        if (c == '}' || c == ']')
            depth--;
    } while (depth > 0);
    return true;
}

static bool take_bare(struct members *m, char *out, size_t size)
{
    const char *start = m->at;
    size_t n;

    while (m->at < m->end && *m->at && !strchr(" \t\r\n,:{}[]\"", *m->at))
        m->at++;
    n = (size_t)(m->at - start);
    if (n > 0 && n < size) {
        memcpy(out, start, n);
        out[n] = '\0';
    }
    return n > 0;
}

static bool take_value(struct members *m, struct member *out)
{
    out->value[0] = '\0';
    out->quoted = take(m, '"');
    if (out->quoted)
        return take_string(m, out->value, sizeof out->value);
    if (m->at == m->end)
        return false;
    if (*m->at == '{' || *m->at == '[')
        return skip_nested(m);
    return take_bare(m, out->value, sizeof out->value);
}

static bool at_end(struct members *m)
{
    skip_blanks(m);
    return m->at == m->end;
}

int members_next(struct members *m, struct member *out)
{
    bool first = !m->begun;

    m->begun = true;
    if (first && !take(m, '{'))
        return -1;
    if (take(m, '}'))
        return at_end(m) ? 0 : -1;
    if (!first && !take(m, ','))
        return -1;
    if (!take(m, '"') || !take_string(m, out->key, sizeof out->key) ||
        !take(m, ':') || !take_value(m, out))
        return -1;
    return 1;
}
