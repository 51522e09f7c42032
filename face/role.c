/* Roles: who may do what. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/role.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"

static const char *const names[] = {
    [ROLE_UNSAID] = "",       [ROLE_ANYONE] = "",
    [ROLE_READER] = "reader", [ROLE_SUBMITTER] = "submitter",
    [ROLE_ADMIN] = "admin",
};

/* How our own API and Google's call a refusal. */
static const struct {
    int status;
    const char *ours, *theirs;
} words[] = {
    {400, "invalid", "INVALID_ARGUMENT"},
    {401, "unauthenticated", "UNAUTHENTICATED"},
    {403, "forbidden", "PERMISSION_DENIED"},
    {429, "throttled", "RESOURCE_EXHAUSTED"},
    {503, "busy", "UNAVAILABLE"},
    {507, "io", "INTERNAL"}, /* and all others */
};
enum { WORDS = sizeof words / sizeof words[0] };

const char *role_name(enum role role)
{
    return names[role];
}

enum role role_read(const char *name)
{
    for (enum role role = ROLE_READER; role <= ROLE_ADMIN; role++)
        if (strcmp(name, names[role]) == 0)
            return role;
    return ROLE_UNSAID;
}

bool role_allows(const struct request *r, enum role wanted)
{
    if (wanted == ROLE_UNSAID)
        wanted = ROLE_ADMIN;
    return request_is_local(r) || request_rank(r) >= (int)wanted;
}

void role_complain(const struct request *r, int status, const char *sentence,
                   struct text *out)
{
    const char *path = request_path(r);
    size_t i = 0;

    while (i + 1 < WORDS && words[i].status != status)
        i++;
    if (strncmp(path, "/v", 2) == 0)
        text_addf(out, "{\"error\": {\"code\": %d, \"status\": \"%s\"", status,
                  words[i].theirs);
    else
        text_addf(out, "{\"error\": {\"code\": \"%s\"", words[i].ours);
    text_add(out, ", \"message\": ");
    quote_json(out, sentence);
    text_add(out, "}}");
}

void role_sentence(const struct request *r, enum role wanted, char *out,
                   size_t size)
{
    enum role has = (enum role)request_rank(r);

    if (wanted == ROLE_UNSAID)
        wanted = ROLE_ADMIN;
    snprintf(out, size,
             "this token is a %s's, and this wants %s %s's: `hypertune token "
             "new NAME --role %s` makes one",
             names[has], wanted == ROLE_ADMIN ? "an" : "a", names[wanted],
             names[wanted]);
}

int role_refuse(const struct request *r, enum role wanted, struct text *out)
{
    char sentence[200];

    role_sentence(r, wanted, sentence, sizeof sentence);
    role_complain(r, 403, sentence, out);
    return 403;
}
