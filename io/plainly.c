/* evhttp's own refusals, in our words. evhttp has no place to hook in; but all
 * of an answer is in the connection's output buffer before any of it is sent.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/plainly.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 128 };

static const struct {
    const char *status, *code, *sentence;
} refusals[] = {
    {" 413", "invalid",
     "the request is too large, or its body does not have the length that it "
     "says: a body may have 8 MiB, and the headers 64 KiB"},
    {" 417", "invalid",
     "the header Expect can ask for 100-continue and for nothing else"},
    {" 400", "invalid", "this is no HTTP request that can be understood"},
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

/* The first line of a page that is complete, or false. This is asked several
 * times of every answer, and most are told by their tenth byte. */
static bool read_line(struct evbuffer *out, char line[LINE])
{
    static const char page[] = "\r\n\r\n<HTML><HEAD>\n<TITLE>";
    const size_t few = strlen("HTTP/1.1 4");
    ev_ssize_t n = evbuffer_copyout(out, line, few);

    if (n < (ev_ssize_t)few || line[few - 1] != '4')
        return false;
    n = evbuffer_copyout(out, line, LINE - 1);
    line[n > 0 ? n : 0] = 0;
    line[strcspn(line, "\r\n")] = 0;
    return evbuffer_search(out, page, strlen(page), NULL).pos >= 0;
}

static void replace(struct evbuffer *out, const char *line, size_t i)
{
    char body[512];
    int n = snprintf(body, sizeof body,
                     "{\"error\": {\"code\": \"%s\", \"message\": \"%s\"}}",
                     refusals[i].code, refusals[i].sentence);

    /* Its front is frozen against all but the one who sends it. */
    evbuffer_unfreeze(out, 1);
    evbuffer_drain(out, evbuffer_get_length(out));
    evbuffer_add_printf(out,
                        "%s\r\nContent-Type: application/json\r\n"
                        "Connection: close\r\nContent-Length: %d\r\n\r\n%s",
                        line, n, body);
    evbuffer_freeze(out, 1);
}

static void on_output(struct evbuffer *out, const struct evbuffer_cb_info *info,
                      void *ctx)
{
    char line[LINE];

    (void)ctx;
    if (info->n_added == 0 || !read_line(out, line))
        return;
    for (size_t i = 0; i < REFUSALS; i++)
        if (strstr(line, refusals[i].status)) {
            replace(out, line, i); /* what it adds is no page: no circle */
            return;
        }
}

void plainly_watch(struct bufferevent *b)
{
    evbuffer_add_cb(bufferevent_get_output(b), on_output, NULL);
}
