/* HTTP on one easy handle of libcurl, which keeps the connection. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/fetch.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/number.h"
#include "io/sockpath.h"

struct fetch {
    CURL *curl;
    char *where; /* as given, for sentences */
    char *base;  /* scheme and host, no slash at the end */
    char *ca;    /* a file of certificates, or NULL */
    char *login; /* "Authorization: Bearer …", or NULL */
    bool local;  /* by a Unix socket */
    struct sockpath socket;
    const volatile sig_atomic_t *abort_flag;
    int64_t most_ms;
};

/* ---- opening ---- */

static int starts(const char *text, const char *with)
{
    return strncasecmp(text, with, strlen(with)) == 0;
}

static int find_socket(struct fetch *f, struct err *e)
{
    return sockpath_init(&f->socket, f->where + strlen("unix:"), e);
}

static int read_where(struct fetch *f, const char *where, struct err *e)
{
    size_t n = strlen(where);
    struct err why;

    f->where = mem_copy_text(where);
    if (starts(where, "unix:")) {
        f->local = true;
        f->base = mem_copy_text("http://localhost");
        /* The folder of a long path may be made before we ask. */
        if (find_socket(f, &why) && why.code == ERR_INVALID)
            return err_set(e, ERR_INVALID, "%s", why.text);
        return 0;
    }
    if (!starts(where, "http://") && !starts(where, "https://"))
        return err_set(e, ERR_INVALID,
                       "%s is no server: write unix:/path/of.sock, "
                       "http://host:port or https://host:port",
                       where);
    if (!where[strcspn(where, "/") + 2] ||
        strchr("/:?#", where[strcspn(where, "/") + 2]))
        return err_set(e, ERR_INVALID,
                       "%s names no host: write http://host:port", where);
    while (n > 0 && where[n - 1] == '/')
        n--;
    f->base = mem_copy_bytes(where, n);
    return 0;
}

int fetch_open(struct fetch **out, const char *where, const char *token,
               struct err *e)
{
    struct fetch *f = mem_new(1, sizeof *f);

    *out = NULL;
    f->socket.folder = -1;
    if (read_where(f, where, e)) {
        fetch_close(f);
        return -1;
    }
    /* OpenSSL sets itself up when the first https connection needs it. */
    curl_global_init(CURL_GLOBAL_NOTHING);
    f->curl = curl_easy_init();
    if (!f->curl) {
        fetch_close(f);
        return err_set(e, ERR_IO, "libcurl does not start");
    }
    if (token)
        f->login = mem_format("Authorization: Bearer %s", token);
    *out = f;
    return 0;
}

void fetch_close(struct fetch *f)
{
    if (!f)
        return;
    if (f->curl) {
        curl_easy_cleanup(f->curl);
        curl_global_cleanup();
    }
    sockpath_clear(&f->socket);
    free(f->where);
    free(f->base);
    free(f->ca);
    free(f->login);
    free(f);
}

void fetch_answer_init(struct fetch_answer *a)
{
    *a = (struct fetch_answer){.next_offset = -1};
    text_init(&a->body);
}

void fetch_answer_clear(struct fetch_answer *a)
{
    text_clear(&a->body);
}

/* ---- what curl calls ---- */

static size_t on_body(char *bytes, size_t size, size_t n, void *ctx)
{
    struct fetch_answer *out = ctx;

    text_add_bytes(&out->body, bytes, size * n);
    return size * n;
}

/* The value of the header line if it is of that name, or NULL. */
static char *value_of(const char *line, size_t n, const char *name)
{
    size_t from = strlen(name);

    if (n <= from || strncasecmp(line, name, from) != 0 || line[from] != ':')
        return NULL;
    for (from++; from < n && line[from] == ' ';)
        from++;
    while (n > from && strchr("\r\n ", line[n - 1]))
        n--;
    return mem_copy_bytes(line + from, n - from);
}

static size_t on_header(char *line, size_t size, size_t n, void *ctx)
{
    struct fetch_answer *out = ctx;
    char *offset = value_of(line, size * n, "X-Next-Offset");
    char *ended = value_of(line, size * n, "X-Ended");

    if (offset)
        number_read_int(offset, &out->next_offset);
    if (ended)
        out->ended = strcmp(ended, "1") == 0;
    free(offset);
    free(ended);
    return size * n;
}

static bool aborted(const struct fetch *f)
{
    return f->abort_flag && *f->abort_flag;
}

static int on_progress(void *ctx, curl_off_t down_total, curl_off_t down,
                       curl_off_t up_total, curl_off_t up)
{
    (void)down_total;
    (void)down;
    (void)up_total;
    (void)up;
    return aborted(ctx);
}

/* ---- one request ---- */

static void set_body(CURL *c, const char *method, const char *body, size_t n)
{
    if (body || strcmp(method, "POST") == 0) {
        curl_easy_setopt(c, CURLOPT_POST, 1L);
        curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
        curl_easy_setopt(c, CURLOPT_POSTFIELDS, body ? body : "");
    } else {
        curl_easy_setopt(c, CURLOPT_HTTPGET, 1L);
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "POST") != 0)
        curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, method);
}

static struct curl_slist *headers_new(const struct fetch *f,
                                      const char *content_type, bool body)
{
    char *type = body ? mem_format("Content-Type: %s",
                                   content_type ? content_type
                                                : "application/octet-stream")
                      : NULL;
    struct curl_slist *list = curl_slist_append(NULL, "Expect:");

    if (f->login)
        list = curl_slist_append(list, f->login);
    if (type)
        list = curl_slist_append(list, type);
    free(type);
    return list;
}

static void set_route(struct fetch *f, const char *url)
{
    CURL *c = f->curl;

    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    if (f->local) {
        curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH,
                         f->socket.address.sun_path);
        curl_easy_setopt(c, CURLOPT_PROXY, "");
    }
    if (f->ca) {
        curl_easy_setopt(c, CURLOPT_CAINFO, f->ca);
        curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
    }
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, 20000L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)f->most_ms);
}

static void set_ears(struct fetch *f, struct fetch_answer *out, char *said)
{
    CURL *c = f->curl;

    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, out);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, out);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, f);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, said);
}

/* One sentence for what curl could not do. */
static int explain(const struct fetch *f, CURLcode code, const char *said,
                   struct err *e)
{
    const char *where = f->where;
    long why = 0;

    curl_easy_getinfo(f->curl, CURLINFO_OS_ERRNO, &why);
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return err_set(e, ERR_BUSY, "interrupted");
    if (code == CURLE_OPERATION_TIMEDOUT)
        return err_set(e, ERR_OUTSIDE, "no answer in time from %s", where);
    if (code != CURLE_COULDNT_CONNECT)
        return err_set(e, ERR_OUTSIDE, "no answer from %s: %s", where,
                       *said ? said : curl_easy_strerror(code));
    if (why == ENOENT || why == ENOTDIR)
        return err_set(e, ERR_ABSENT, "no service at %s: no socket is there",
                       where);
    if (why == ECONNREFUSED)
        return err_set(e, ERR_ABSENT, "no service at %s: nobody listens there",
                       where);
    return err_set(e, ERR_OUTSIDE, "cannot reach %s: %s", where,
                   why ? strerror((int)why) : said);
}

/* The socket of a long path, if its folder was not there at first. */
static int look_again(struct fetch *f, struct err *e)
{
    if (!f->local || *f->socket.address.sun_path || !find_socket(f, e))
        return 0;
    if (e->code == ERR_ABSENT)
        return err_set(e, ERR_ABSENT, "no service at %s: no socket is there",
                       f->where);
    e->code = ERR_OUTSIDE;
    return -1;
}

int fetch_do(struct fetch *f, const char *method, const char *path,
             const char *body, size_t n, const char *content_type,
             struct fetch_answer *out, struct err *e)
{
    char said[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers;
    char *url;
    CURLcode code;
    long status = 0;

    if (aborted(f))
        return explain(f, CURLE_ABORTED_BY_CALLBACK, said, e);
    if (look_again(f, e))
        return -1;
    text_reset(&out->body);
    out->next_offset = -1;
    out->ended = false;
    curl_easy_reset(f->curl);
    url = mem_format("%s%s", f->base, path);
    headers = headers_new(f, content_type, body != NULL);
    set_route(f, url);
    set_body(f->curl, method, body, n);
    set_ears(f, out, said);
    curl_easy_setopt(f->curl, CURLOPT_HTTPHEADER, headers);
    code = curl_easy_perform(f->curl);
    curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, &status);
    out->status = (int)status;
    curl_slist_free_all(headers);
    free(url);
    return code == CURLE_OK ? 0 : explain(f, code, said, e);
}

void fetch_abort_on(struct fetch *f, const volatile sig_atomic_t *flag)
{
    f->abort_flag = flag;
}

void fetch_trust(struct fetch *f, const char *ca_file)
{
    free(f->ca);
    f->ca = mem_copy_text(ca_file);
}

void fetch_limit(struct fetch *f, int64_t most_ms)
{
    f->most_ms = most_ms;
}

char *fetch_escape(const char *text)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789-._~";
    struct text out;

    text_init(&out);
    for (; *text; text++) {
        if (strchr(safe, *text))
            text_add_bytes(&out, text, 1);
        else
            text_addf(&out, "%%%02X", (unsigned)(unsigned char)*text);
    }
    return text_take(&out);
}
