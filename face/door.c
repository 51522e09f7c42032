/* The door: who asks? */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/door.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "face/address.h"
#include "face/reply.h"
#include "face/role.h"
#include "io/secret.h"
#include "store/store_token.h"
#include "study/trial.h"

#define REPORT_PREFIX "htr_"

enum {
    HOST_TEXT = 256,
    ADDRESSES = 256, /* whose bad logins are remembered */
    MOST_TOKEN = 300
};

/* Bad logins of one address. */
struct visitor {
    char address[INET6_ADDRSTRLEN];
    int64_t until_ms; /* when the last of them is forgotten */
};

struct door {
    struct door_parts parts;
    char *owner;
    char owner_hash[SECRET_TEXT];
    char **hosts;
    struct visitor visitors[ADDRESSES];
};

struct refusal {
    int status;
    int retry_s; /* 0 = does not say */
    char sentence[400];
};

/* ---- hosts: a page of another site must not reach us ---- */

/* Returns -1. */
__attribute__((format(printf, 3, 4))) static int
refuse(struct refusal *no, int status, const char *fmt, ...)
{
    va_list args;

    no->status = status;
    va_start(args, fmt);
    vsnprintf(no->sentence, sizeof no->sentence, fmt, args);
    va_end(args);
    return -1;
}

static bool is_ours(const struct door *d, const char *host)
{
    if (strcmp(host, "localhost") == 0 ||
        (d->parts.any_ip && address_is_ip(host)))
        return true;
    for (size_t i = 0; i < d->parts.n_hosts; i++)
        if (strcmp(d->hosts[i], host) == 0)
            return true;
    return false;
}

/* The name that a hostile page was given for our address is not ours. */
static int check_host(const struct door *d, const char *sent,
                      struct refusal *no)
{
    char host[HOST_TEXT];

    if (!sent)
        return refuse(no, 400, "the request names no Host");
    if (!address_host(sent, host, sizeof host))
        return refuse(no, 400, "\"%.100s\" cannot be a Host", sent);
    if (is_ours(d, host))
        return 0;
    return refuse(no, 403,
                  "the name %.100s is not known here: hypertuned must be "
                  "started with --allow-host %.100s",
                  host, host);
}

/* A browser says where the page came from that asks: it must be ours. */
static int check_origin(const struct request *r, const char *host,
                        struct refusal *no)
{
    const char *origin = request_header(r, "Origin");
    const char *from = origin ? strstr(origin, "://") : NULL;

    if (!origin || (from && strcasecmp(from + 3, host) == 0))
        return 0;
    return refuse(no, 403, "pages of %.100s may not ask this service", origin);
}

/* ---- bad logins ---- */

/* An IPv6 network has as many addresses as it likes: its first half counts. */
static void name_visitor(const char *peer, char out[INET6_ADDRSTRLEN])
{
    struct in6_addr a;

    snprintf(out, INET6_ADDRSTRLEN, "%s", peer);
    if (!strchr(peer, ':') || inet_pton(AF_INET6, peer, &a) != 1 ||
        IN6_IS_ADDR_V4MAPPED(&a))
        return;
    memset(a.s6_addr + 8, 0, 8);
    inet_ntop(AF_INET6, &a, out, INET6_ADDRSTRLEN);
}

/* The one of that address, or whoever is forgotten first. */
static struct visitor *visitor_of(struct door *d, const char *peer)
{
    struct visitor *v = d->visitors;
    char name[INET6_ADDRSTRLEN];

    name_visitor(peer, name);
    for (size_t i = 0; i < ADDRESSES; i++) {
        if (strcmp(d->visitors[i].address, name) == 0)
            return &d->visitors[i];
        if (d->visitors[i].until_ms < v->until_ms)
            v = &d->visitors[i];
    }
    snprintf(v->address, sizeof v->address, "%s", name);
    v->until_ms = 0;
    return v;
}

/* A wrong token: 401, or 429 when there were too many. */
static int bad_login(struct door *d, const struct request *r, const char *why,
                     struct refusal *no)
{
    const int64_t most_ms = (int64_t)DOOR_BAD_LOGINS * DOOR_FORGIVEN_MS;
    struct visitor *v = visitor_of(d, request_peer(r));
    int64_t now_ms = clock_steady_ms(d->parts.clock);
    int64_t until_ms =
        (v->until_ms > now_ms ? v->until_ms : now_ms) + DOOR_FORGIVEN_MS;

    if (until_ms - now_ms > most_ms) {
        no->retry_s = (int)((until_ms - now_ms - most_ms + 999) / 1000);
        return refuse(no, 429,
                      "too many wrong tokens came from %s: try again in %d "
                      "seconds",
                      v->address, no->retry_s);
    }
    v->until_ms = until_ms;
    log_write(LOG_LEVEL_WARN, "bad_login", "address=%s why=\"%s\"", v->address,
              why);
    return refuse(no, 401, "%s", why);
}

/* ---- tokens for reports ---- */

struct report_token {
    int64_t study, number, attempt;
};

static char *sign(const struct door *d, const struct report_token *t)
{
    char *text = mem_format(REPORT_PREFIX "%" PRId64 "_%" PRId64 "_%" PRId64,
                            t->study, t->number, t->attempt);
    char mark[SECRET_TEXT];
    char *all;

    secret_sign(d->owner, text, mark);
    all = mem_format("%s_%s", text, mark);
    free(text);
    return all;
}

/* Reads the next "DIGITS_" of *at. */
static bool read_part(const char **at, int64_t *out)
{
    char digits[NUMBER_TEXT];
    size_t n = strspn(*at, "0123456789");

    if (n == 0 || n >= sizeof digits || (*at)[n] != '_')
        return false;
    memcpy(digits, *at, n);
    digits[n] = 0;
    *at += n + 1;
    return number_read_int(digits, out);
}

static bool read_report_token(const struct door *d, const char *token,
                              struct report_token *out)
{
    const char *at = token + strlen(REPORT_PREFIX);
    char *right;
    bool is;

    if (!read_part(&at, &out->study) || !read_part(&at, &out->number) ||
        !read_part(&at, &out->attempt))
        return false;
    right = sign(d, out);
    is = secret_same(token, right);
    free(right);
    return is;
}

static bool keep_name(void *ctx, const struct study_row *row)
{
    *(char **)ctx = mem_copy_text(row->name);
    return false;
}

/* Whether r reports for that trial and does nothing else. */
static bool is_its_report(const struct door *d, const struct request *r,
                          const struct report_token *t)
{
    char *name = NULL, *by_name, *by_id;
    struct err e;
    bool is;

    if (request_method(r) != SERVE_POST ||
        store_study_get(d->parts.store, t->study, keep_name, &name, &e))
        return false;
    by_name = mem_format("/api/studies/%s/trials/%" PRId64 ":report", name,
                         t->number);
    by_id = mem_format("/api/studies/id:%" PRId64 "/trials/%" PRId64 ":report",
                       t->study, t->number);
    is = strcmp(request_path(r), by_name) == 0 ||
         strcmp(request_path(r), by_id) == 0;
    free(by_id);
    free(by_name);
    free(name);
    return is;
}

struct now {
    int attempt;
    bool ended;
};

static bool keep_now(void *ctx, const struct trial_row *row)
{
    /* PENDING: that attempt broke, and the next has not begun. */
    *(struct now *)ctx =
        (struct now){row->attempt, row->state == TRIAL_PENDING ||
                                       trial_state_ended(row->state)};
    return false;
}

static int check_report(struct door *d, struct request *r, const char *token,
                        struct refusal *no)
{
    struct report_token t;
    struct now now = {0};
    struct err e;

    if (!read_report_token(d, token, &t))
        return bad_login(d, r, "this token is not known here", no);
    if (!is_its_report(d, r, &t))
        return refuse(no, 403,
                      "this token can do nothing but report for trial %" PRId64
                      " of its study",
                      t.number);
    if (store_trial_get(d->parts.store, t.study, t.number, keep_now, &now,
                        &e) &&
        e.code != ERR_ABSENT) /* it may be sent again */
        return refuse(no, 507, "%s", e.text);
    if (now.attempt != t.attempt || now.ended)
        return refuse(no, 401,
                      "this token has expired: attempt %" PRId64
                      " of trial %" PRId64 " is over",
                      t.attempt, t.number);
    request_rank_set(r, ROLE_SUBMITTER);
    return 0;
}

/* ---- tokens of people ---- */

struct search {
    const char *hash;
    int64_t now_ms;
    enum role role; /* what was found, if anything */
    bool expired;
    char name[HOST_TEXT];
};

static bool found(void *ctx, const struct token_row *row)
{
    struct search *s = ctx;

    if (!secret_same(row->hash, s->hash))
        return false;
    s->role = role_read(row->role);
    s->expired = row->expires_ms && row->expires_ms <= s->now_ms;
    snprintf(s->name, sizeof s->name, "%s", row->name);
    return false;
}

static int check_named(struct door *d, struct request *r, const char *hash,
                       struct refusal *no)
{
    struct search s = {.hash = hash, .now_ms = clock_wall_ms(d->parts.clock)};
    struct err e;

    if (store_token_find(d->parts.store, hash, found, &s, &e))
        return refuse(no, reply_status(e.code), "%s", e.text);
    if (s.role == ROLE_UNSAID)
        return bad_login(d, r, "this token is not known here", no);
    if (s.expired)
        return refuse(no, 401,
                      "the token %s has expired: `hypertune token new` makes "
                      "another",
                      s.name);
    request_rank_set(r, (int)s.role);
    return 0;
}

/* What stands behind "Bearer", or NULL. */
static const char *bearer(const struct request *r)
{
    const char *sent = request_header(r, "Authorization");
    size_t n = strlen("Bearer");

    if (!sent || strncasecmp(sent, "Bearer", n) != 0 || sent[n] != ' ')
        return NULL;
    return sent + n + strspn(sent + n, " ");
}

static int check_token(struct door *d, struct request *r, struct refusal *no)
{
    const char *token = bearer(r);
    char hash[SECRET_TEXT];

    if (!token || !*token || !d->owner)
        return refuse(no, 401,
                      "a token is wanted: send the header Authorization: "
                      "Bearer TOKEN; the owner's is in the file `token` of the "
                      "state directory");
    if (strlen(token) > MOST_TOKEN)
        return bad_login(d, r, "this token is not known here", no);
    if (strncmp(token, REPORT_PREFIX, strlen(REPORT_PREFIX)) == 0)
        return check_report(d, r, token, no);
    secret_hash(token, hash);
    if (!secret_same(hash, d->owner_hash))
        return check_named(d, r, hash, no);
    request_rank_set(r, ROLE_ADMIN);
    return 0;
}

/* Every table of routes asks for a role too. This is here so that one that
 * forgot to ask lets no reader change a thing. */
static int check_method(const struct request *r, struct refusal *no)
{
    if (request_method(r) == SERVE_GET || role_allows(r, ROLE_SUBMITTER))
        return 0;
    no->status = 403;
    role_sentence(r, ROLE_SUBMITTER, no->sentence, sizeof no->sentence);
    return -1;
}

/* ---- what the header offers ---- */

static bool is_public(const struct request *r)
{
    const char *path = request_path(r);

    return request_method(r) == SERVE_GET &&
           (strcmp(path, "/healthz") == 0 || strcmp(path, "/readyz") == 0);
}

static int check(struct door *d, struct request *r, struct refusal *no)
{
    char *host;
    int rc;

    if (request_is_local(r))
        return 0;
    if (is_public(r)) {
        request_rank_set(r, ROLE_ANYONE);
        return 0;
    }
    host = request_host(r);
    rc = check_host(d, host, no);
    if (!rc)
        rc = check_origin(r, host, no);
    free(host);
    if (rc)
        return -1;
    return check_token(d, r, no) || check_method(r, no) ? -1 : 0;
}

static void turn_away(struct request *r, const struct refusal *no)
{
    struct text body;
    char seconds[NUMBER_TEXT];

    if (no->status == 401)
        request_header_add(r, "WWW-Authenticate", "Bearer realm=\"hypertune\"");
    if (no->retry_s) {
        snprintf(seconds, sizeof seconds, "%d", no->retry_s);
        request_header_add(r, "Retry-After", seconds);
    }
    text_init(&body);
    role_complain(r, no->status, no->sentence, &body);
    request_answer(r, no->status, "application/json", body.data, body.len);
    text_clear(&body);
}

void door_serve(void *ctx, struct request *r)
{
    struct door *d = ctx;
    struct refusal no = {0};

    if (check(d, r, &no))
        turn_away(r, &no);
    else
        d->parts.next(d->parts.ctx, r);
}

struct door *door_new(const struct door_parts *parts)
{
    struct door *d = mem_new(1, sizeof *d);

    d->parts = *parts;
    d->owner = mem_copy_text(parts->owner);
    if (d->owner)
        secret_hash(d->owner, d->owner_hash);
    d->hosts = mem_new(parts->n_hosts, sizeof *d->hosts);
    for (size_t i = 0; i < parts->n_hosts; i++)
        d->hosts[i] = mem_copy_text(parts->hosts[i]);
    return d;
}

void door_free(struct door *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->parts.n_hosts; i++)
        free(d->hosts[i]);
    free(d->hosts);
    free(d->owner);
    free(d);
}

char *door_report_token(const struct door *d, int64_t study, int64_t number,
                        int attempt)
{
    return sign(d, &(struct report_token){study, number, attempt});
}
