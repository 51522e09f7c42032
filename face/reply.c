/* Errors as HTTP answers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/reply.h"

#include <assert.h>
#include <stdbool.h>

#include "base/quote.h"

static const struct {
    const char *name;
    int status;
} codes[] = {
    [ERR_INVALID] = {"invalid", 400},
    [ERR_ABSENT] = {"absent", 404},
    [ERR_CONFLICT] = {"conflict", 409},
    [ERR_BUSY] = {"busy", 503},
    [ERR_IO] = {"io", 507},
    [ERR_OUTSIDE] = {"outside", 502},
};

const char *reply_code(enum err_code code)
{
    assert(code > ERR_NONE && code <= ERR_OUTSIDE);
    return codes[code].name;
}

int reply_status(enum err_code code)
{
    assert(code > ERR_NONE && code <= ERR_OUTSIDE);
    return codes[code].status;
}

static void add_faults(struct text *out, const struct faults *f)
{
    text_add(out, ", \"faults\": [");
    for (size_t i = 0; i < f->n; i++) {
        const struct fault *fault = &f->items[i];

        text_addf(out,
                  "%s{\"line\": %d, \"column\": %d, \"text\": ", i ? ", " : "",
                  fault->line, fault->column);
        quote_json(out, fault->text);
        text_add(out, "}");
    }
    text_add(out, "]");
}

void reply_error(struct text *out, const struct err *e, const struct faults *f)
{
    bool faulty = f && f->n > 0;

    text_addf(out, "{\"error\": {\"code\": \"%s\", \"message\": ",
              reply_code(faulty ? ERR_INVALID : e->code));
    quote_json(out, faulty ? f->items[0].text : e->text);
    if (faulty)
        add_faults(out, f);
    text_add(out, "}}");
}
