/* Routes about tokens. A token is said once, in the answer that makes it; what
 * is stored is its hash. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_tokens.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/quote.h"
#include "face/body.h"
#include "face/owner.h"
#include "face/role.h"
#include "io/secret.h"
#include "store/store_token.h"

enum { MOST_NAME = 64, MOST_DAYS = 36500 };

static const int64_t day_ms = 86400000;

struct wish {
    struct body_text name, role;
    struct body_whole days;
};

static const struct body_field fields[] = {
    {"name", BODY_TEXT, true, offsetof(struct wish, name)},
    {"role", BODY_TEXT, true, offsetof(struct wish, role)},
    {"days", BODY_WHOLE, false, offsetof(struct wish, days)},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* ---- answers ---- */

static void show(struct text *out, const struct token_row *row)
{
    text_add(out, "{\"name\": ");
    quote_json(out, row->name);
    text_add(out, ", \"role\": ");
    quote_json(out, row->role);
    text_addf(out, ", \"created\": %" PRId64 ", \"expires\": %" PRId64,
              row->created_ms, row->expires_ms);
}

/* ---- a new one ---- */

static int check_name(const char *name, struct err *e)
{
    size_t n = strlen(name);
    bool good = n > 0 && n <= MOST_NAME && isalpha((unsigned char)name[0]);

    for (size_t i = 0; i < n; i++)
        good = good && (isalnum((unsigned char)name[i]) ||
                        strchr("_.-", name[i]) != NULL);
    if (good)
        return 0;
    return err_set(e, ERR_INVALID,
                   "name: \"%.100s\" is no name for a token: a letter, then "
                   "letters, digits, '_', '.' and '-', %d at most",
                   name, MOST_NAME);
}

static int check(const struct wish *w, struct err *e)
{
    if (check_name(w->name.value, e))
        return -1;
    if (role_read(w->role.value) == ROLE_UNSAID)
        return err_set(e, ERR_INVALID,
                       "role: must be reader, submitter or admin, not "
                       "\"%.100s\"",
                       w->role.value);
    if (w->days.given && (w->days.value < 1 || w->days.value > MOST_DAYS))
        return err_set(e, ERR_INVALID,
                       "days: must be from 1 to %d; without it the token does "
                       "not expire",
                       MOST_DAYS);
    return 0;
}

static int add(struct call *c, const struct wish *w, struct err *e)
{
    int64_t now_ms = clock_wall_ms(&clock_real);
    char secret[SECRET_TEXT], hash[SECRET_TEXT];
    struct token_row row = {
        .name = w->name.value,
        .role = w->role.value,
        .hash = hash,
        .created_ms = now_ms,
        .expires_ms = w->days.given ? now_ms + w->days.value * day_ms : 0};
    char *token;
    int rc = -1;

    if (secret_make(secret, e))
        return -1;
    token = mem_format(OWNER_PREFIX "%s", secret);
    secret_hash(token, hash);
    if (!store_begin(c->face->store, e))
        rc = store_token_add(c->face->store, &row, e);
    if (!rc) {
        log_write(LOG_LEVEL_INFO, "token_new", "name=%s role=%s", row.name,
                  row.role);
        show(&c->out, &row);
        text_addf(&c->out, ", \"token\": \"%s\"}", token);
    }
    free(token);
    return rc;
}

/* ---- what the header offers ---- */

static int may_write(const struct call *c, struct err *e)
{
    if (!c->face->look_only)
        return 0;
    return err_set(e, ERR_BUSY,
                   "this service only looks: start one that runs studies with "
                   "`hypertune serve`");
}

int api_tokens_new(struct call *c, struct err *e)
{
    struct wish w = {0};
    size_t n;
    const char *bytes = request_body(c->request, &n);
    int rc = may_write(c, e);

    if (!rc)
        rc = body_read(bytes, n, fields, FIELDS, &w, e);
    if (!rc)
        rc = check(&w, e);
    if (!rc)
        rc = add(c, &w, e);
    body_clear(fields, FIELDS, &w);
    return rc;
}

static bool list(void *ctx, const struct token_row *row)
{
    struct text *out = ctx;

    if (out->data[out->len - 1] != '[')
        text_add(out, ", ");
    show(out, row);
    text_add(out, "}");
    return true;
}

int api_tokens_list(struct call *c, struct err *e)
{
    text_add(&c->out, "{\"tokens\": [");
    if (store_token_list(c->face->store, list, &c->out, e))
        return -1;
    text_add(&c->out, "]}");
    return 0;
}

int api_tokens_delete(struct call *c, struct err *e)
{
    const char *name = request_query(c->request, "name");

    if (!name || !*name)
        return err_set(e, ERR_INVALID,
                       "name: say in the query which token, as in "
                       "/api/tokens?name=ci");
    if (may_write(c, e) || store_begin(c->face->store, e) ||
        store_token_delete(c->face->store, name, e))
        return -1;
    log_write(LOG_LEVEL_INFO, "token_deleted", "name=\"%s\"", name);
    text_add(&c->out, "{}");
    return 0;
}
