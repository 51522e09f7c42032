/* Four files of one attempt, and where each of them was left. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "metrics/scrape.h"
#include "metrics/tail.h"
#include "metrics/window.h"

/* The growing files. */
enum grown { GROWN_REPORTS, GROWN_LINES, GROWN_OUTPUT, GROWN };

enum { POLL_BYTES = 4 << 20, POLL_REPORTS = 4096 };

struct follow {
    struct tail tails[GROWN]; /* path NULL: not followed */
    struct window window;
    struct scrape *scrape; /* NULL = none */
    char *metric;
    struct text marks;
    follow_fn *fn; /* during a poll */
    void *ctx;
};

/* ---- marks: "1", then three numbers a tail, then the window's four ---- */

static void write_marks(struct follow *f)
{
    text_reset(&f->marks);
    text_add(&f->marks, "1");
    for (int i = 0; i < GROWN; i++)
        text_addf(&f->marks, " %lld %lld %d", (long long)f->tails[i].offset,
                  (long long)f->tails[i].inode, f->tails[i].skipping);
    text_addf(&f->marks, " %lld %d %.17g %llu", (long long)f->window.from,
              f->window.has_mark, f->window.mark_time,
              (unsigned long long)f->window.mark);
}

static long long next_int(const char **at)
{
    char *end;
    long long x = strtoll(*at, &end, 10);

    if (end == *at)
        errno = EINVAL;
    *at = end;
    return x;
}

static double next_double(const char **at)
{
    char *end;
    double x = strtod(*at, &end);

    if (end == *at)
        errno = EINVAL;
    *at = end;
    return x;
}

static uint64_t next_hash(const char **at)
{
    char *end;
    uint64_t x = strtoull(*at, &end, 10);

    if (end == *at)
        errno = EINVAL;
    *at = end;
    return x;
}

static int read_marks(struct follow *f, const char *marks, struct err *e)
{
    const char *at = marks;
    long long version;

    errno = 0;
    version = next_int(&at);
    for (int i = 0; i < GROWN; i++) {
        f->tails[i].offset = next_int(&at);
        f->tails[i].inode = next_int(&at);
        f->tails[i].skipping = next_int(&at) != 0;
        if (f->tails[i].offset < 0)
            errno = EINVAL;
    }
    f->window.from = next_int(&at);
    f->window.has_mark = next_int(&at) != 0;
    f->window.mark_time = next_double(&at);
    f->window.mark = next_hash(&at);
    if (errno || version != 1 || *at || f->window.from < 0)
        return err_set(e, ERR_INVALID,
                       "the marks of a report file cannot be read: \"%.40s\"",
                       marks);
    return 0;
}

/* ---- opening ---- */

int follow_check_pattern(const char *pattern, struct err *e)
{
    struct scrape *s;

    if (scrape_open(&s, pattern, e) < 0)
        return -1;
    scrape_close(s);
    return 0;
}

static int prepare(struct follow *f, const struct follow_spec *spec,
                   const char *marks, struct err *e)
{
    char *reports = mem_format("%s/reports", spec->folder);
    char *output = mem_format("%s/stdout.log", spec->folder);
    char *window = mem_format("%s/output.metrics", spec->folder);

    f->metric = mem_copy_text(spec->metric);
    tail_init(&f->tails[GROWN_REPORTS], reports, false);
    tail_init(&f->tails[GROWN_LINES], spec->lines_file, false);
    tail_init(&f->tails[GROWN_OUTPUT], spec->pattern ? output : NULL, true);
    window_init(&f->window, window);
    free(reports);
    free(output);
    free(window);
    text_init(&f->marks);
    if (spec->pattern && scrape_open(&f->scrape, spec->pattern, e) < 0)
        return -1;
    if (marks && *marks && read_marks(f, marks, e) < 0)
        return -1;
    write_marks(f);
    return 0;
}

int follow_open(struct follow **out, const struct follow_spec *spec,
                const char *marks, struct err *e)
{
    struct follow *f = mem_new(1, sizeof *f);
    int result = prepare(f, spec, marks, e);

    if (result < 0) {
        follow_close(f);
        f = NULL;
    }
    *out = f;
    return result;
}

void follow_close(struct follow *f)
{
    if (!f)
        return;
    for (int i = 0; i < GROWN; i++)
        tail_clear(&f->tails[i]);
    window_clear(&f->window);
    scrape_close(f->scrape);
    text_clear(&f->marks);
    free(f->metric);
    free(f);
}

/* ---- polling ---- */

static void hear(void *ctx, const struct report *r)
{
    struct follow *f = ctx;

    f->fn(f->ctx, r);
}

static int report_line(void *ctx, const char *line, size_t n)
{
    struct follow *f = ctx;
    struct report r;

    if (report_read_line(line, n, f->metric, &r, NULL) < 0)
        return 0;
    hear(f, &r);
    return 1;
}

static int metrics_line(void *ctx, const char *line, size_t n)
{
    return report_read_all(line, n, hear, ctx);
}

static int printed_line(void *ctx, const char *line, size_t n)
{
    struct follow *f = ctx;

    (void)n;
    return scrape_line(f->scrape, line, f->metric, hear, f);
}

static tail_line_fn *const readers[GROWN] = {
    [GROWN_REPORTS] = report_line,
    [GROWN_LINES] = metrics_line,
    [GROWN_OUTPUT] = printed_line,
};

bool follow_poll(struct follow *f, bool last, follow_fn *fn, void *ctx)
{
    struct tail_allowance left = {POLL_BYTES, POLL_REPORTS};
    bool more = false;

    f->fn = fn;
    f->ctx = ctx;
    for (int i = 0; i < GROWN; i++)
        if (f->tails[i].path)
            more = tail_poll(&f->tails[i], last, &left, readers[i], f) || more;
    if (left.bytes > 0 && left.reports > 0)
        more = window_poll(&f->window, last, f->metric, &left, hear, f) || more;
    else
        more = true;
    write_marks(f);
    return more;
}

const char *follow_marks(const struct follow *f)
{
    return text_str(&f->marks);
}

int64_t follow_skipped(const struct follow *f)
{
    return f->tails[GROWN_REPORTS].skipped + f->tails[GROWN_LINES].skipped;
}
