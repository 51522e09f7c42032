/* `token new NAME --role ROLE`, `token list`, `token delete NAME`: who else may
 * ask the service. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/listing.h"
#include "io/fetch.h"

static const struct listing_column columns[] = {
    {"name", "name", listing_plain, false},
    {"role", "role", listing_plain, false},
    {"created (UTC)", "created", listing_time, false},
    {"expires (UTC)", "expires", listing_time, false}};

/* The token alone goes to stdout, so that a script can keep it. */
static int make(struct client *c, const struct options *o, struct err *e)
{
    json_t *body, *answer = NULL;
    const char *token;

    if (!o->text[OPTION_ROLE])
        return err_set(e, ERR_INVALID,
                       "say what the token may do: --role reader, submitter "
                       "or admin");
    body = json_pack("{s:s, s:s}", "name", o->words[1], "role",
                     o->text[OPTION_ROLE]);
    if (!body)
        return err_set(e, ERR_INVALID, "the name must be plain text");
    if (o->number[OPTION_DAYS])
        json_object_set_new(body, "days", json_integer(o->number[OPTION_DAYS]));
    if (client_post(c, "/api/tokens", body, &answer, e))
        return -1;
    token = json_string_value(json_object_get(answer, "token"));
    (void)printf("%s\n", token ? token : "");
    (void)fprintf(stderr,
                  "hypertune: this token is not shown again; its holder sets "
                  "HYPERTUNE_TOKEN to it\n");
    json_decref(answer);
    return CMD_DONE;
}

static int list(struct client *c, const struct options *o, struct err *e)
{
    json_t *answer = NULL;
    const json_t *tokens;

    if (client_get(c, "/api/tokens", &answer, e))
        return -1;
    tokens = json_object_get(answer, "tokens");
    if (!json_array_size(tokens) && o->format == FORMAT_TABLE)
        (void)fprintf(stderr, "hypertune: there are no tokens but the "
                              "owner's: `hypertune token new NAME --role ROLE` "
                              "makes one\n");
    else
        listing_print(o->format, columns, sizeof columns / sizeof *columns,
                      tokens);
    json_decref(answer);
    return CMD_DONE;
}

static int drop(struct client *c, const struct options *o, struct err *e)
{
    char *name = fetch_escape(o->words[1]);
    char *path = mem_format("/api/tokens?name=%s", name);
    int rc = client_delete(c, path, e);

    free(path);
    free(name);
    return rc ? -1 : CMD_DONE;
}

static const struct {
    const char *name;
    size_t words;
    int (*run)(struct client *c, const struct options *o, struct err *e);
    bool looks; /* is answered without a service too */
} deeds[] = {{"new", 2, make, false},
             {"list", 1, list, true},
             {"delete", 2, drop, false}};
enum { DEEDS = sizeof deeds / sizeof deeds[0] };

int cmd_token(const struct options *o, struct err *e)
{
    struct client *c;
    size_t i = 0;
    int rc;

    while (i < DEEDS && strcmp(deeds[i].name, o->words[0]) != 0)
        i++;
    if (i == DEEDS || o->n_words != deeds[i].words)
        return err_set(e, ERR_INVALID,
                       "write hypertune token new NAME --role ROLE, hypertune "
                       "token list, or hypertune token delete NAME");
    if (deeds[i].looks ? client_look(&c, o, e) : client_open(&c, o, e))
        return -1;
    rc = deeds[i].run(c, o, e);
    client_close(c);
    return rc;
}
