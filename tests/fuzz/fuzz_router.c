/* Fuzzes the service's face: any bytes on a connection, before a real engine
 * and store. Whatever comes, an answer is HTTP, is no crash, and leaves the
 * service answering. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "algorithms/algorithms.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "face/api.h"
#include "google/google.h"
#include "io/loop.h"
#include "io/serve.h"
#include "io/work.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"
#include "trials/launcher.h"
#include "tuner/engine.h"

enum { QUIET_MS = 3, LIFE = 1500 };

#define CLOSE " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
#define STUDY "/api/studies/s"
#define POST(path, n, body)                                                    \
    "POST " path CLOSE "Content-Length: " #n "\r\n\r\n" body
#define GET(path) "GET " path CLOSE "\r\n"

const char *const fuzz_seeds[] = {
    POST("/api/studies?dir=/tmp&file=a", 64,
         "study: s\nminimize: l\nparams: {x: 0.0 .. 1.0}\nalgorithm: random\n"),
    POST(STUDY ":ask", 26, "{\"client\":\"me\",\"count\":2}\n"),
    POST(STUDY "/trials/1:report", 36,
         "{\"metric\":\"l\",\"value\":0.5,\"step\":1}\n"),
    POST(STUDY "/trials/1:tell", 12, "{\"value\": 1}"),
    POST(STUDY "/trials", 33, "[{\"params\":{\"x\":0.5},\"value\":1}]\n"),
    POST(STUDY ":pause", 18, "{\"interrupt\":true}"),
    POST("/api/tokens", 30, "{\"name\":\"t\",\"role\":\"reader\"}\n\n"),
    GET("/api/studies?limit=2&brief=1"),
    GET(STUDY "/trials?state=RUNNING,FAILED&changed_after=3&limit=0"),
    GET(STUDY "/best?count=2&page=fa8cde88980c8c452"),
    GET(STUDY "/trials/1/log?offset=-5&limit=10&stream=stderr"),
    GET(STUDY "/export?format=jsonl"),
    GET(STUDY "/importance"),
    GET(STUDY "/why?trial=1"),
    GET("/metrics"),
    GET("/api/studies/id:1/events?after=0"),
    "GET /api/events HTTP/1.1\r\nAccept: text/event-stream\r\n"
    "Last-Event-ID: 3\r\n\r\n",
    "POST " STUDY ":ask HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    "2\r\n{}\r\n0\r\n\r\n",
    "DELETE " STUDY CLOSE "\r\n",
    "GET /v1/projects/p/locations/l/studies" CLOSE "\r\n",
    "POST /v1/projects/p/locations/l/studies" CLOSE
    "Content-Length: 2\r\n\r\n{}",
    NULL};

const char *const fuzz_words[] = {"/",
                                  "//",
                                  "/../",
                                  "/./",
                                  "%2f",
                                  "%00",
                                  "%",
                                  "?",
                                  "&",
                                  "=",
                                  "#",
                                  ":",
                                  ":ask",
                                  "id:",
                                  "id:1",
                                  "last",
                                  "STUDY",
                                  "http://h/",
                                  "HTTP/1.0",
                                  "HTTP/2",
                                  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                  "\r\n",
                                  "\r\n\r\n",
                                  "\n",
                                  "HEAD ",
                                  "PUT ",
                                  "OPTIONS * ",
                                  "Content-Length: -1\r\n",
                                  "Content-Length: 99999999999\r\n",
                                  "Transfer-Encoding: chunked\r\n",
                                  "Expect: 100-continue\r\n",
                                  "Range: bytes=1-\r\n",
                                  "Accept: text/event-stream\r\n",
                                  "limit=0",
                                  "limit=-1",
                                  "page=",
                                  "&follow=1",
                                  "9223372036854775807",
                                  "-9223372036854775808",
                                  "1e99",
                                  "null",
                                  "[",
                                  "{",
                                  "\x16\x03\x01\x02\x00",
                                  "\xff\xfe",
                                  NULL};

/* Jobs are refused: requests may be anything, programs may not. */
static int refuse(struct launcher *l, const struct job *job, struct err *e)
{
    (void)l;
    return err_set(e, ERR_INVALID, "no job is begun here: %s", job->name);
}

static int forget(struct launcher *l, const char *job, const char *folder,
                  struct err *e)
{
    (void)l;
    (void)folder;
    return err_set(e, ERR_ABSENT, "%s never was", job);
}

static void stop_none(struct launcher *l, const char *job, bool kill_now)
{
    (void)l;
    (void)job;
    (void)kill_now;
}

static void close_none(struct launcher *l)
{
    (void)l;
}

static int nowhere(struct launcher *l, const char *job, size_t n,
                   char (*out)[LAUNCHER_ADDRESS], struct err *e)
{
    (void)l, (void)n, (void)out;
    return err_set(e, ERR_BUSY, "no job is begun here: %s", job);
}

static const struct launcher_type refuses = {"local", nowhere,   refuse,
                                             forget,  stop_none, close_none};
static struct launcher launcher = {&refuses};
static struct launcher *const launchers[] = {&launcher, NULL};

static char dir[64];
static struct store *store;
static struct engine *engine;
static struct loop *loop;
static struct serve *serve;
static struct api *api;
static char path[400];
static int life; /* inputs left to this service */

static void broken(const char *promise, const char *text)
{
    fprintf(stderr, "broken: %s\n%.2000s\n", promise, text);
    abort();
}

/* ---- the service ---- */

static int open_all(struct err *e)
{
    static char *const none[] = {NULL};
    const struct engine_parts parts = {.store = store,
                                       .launchers = launchers,
                                       .clock = &clock_real,
                                       .worker = &work_at_once,
                                       .state_dir = dir,
                                       .environ_ = none,
                                       .processors = 2};
    struct api_parts face = {0};

    if (engine_open(&engine, &parts, e) || engine_recover(engine, e))
        return -1;
    face.engine = engine;
    face.store = store;
    face.loop = loop;
    face.state_dir = dir;
    face.guest = &google_guest;
    api = api_new(&face);
    snprintf(path, sizeof path, "%s/fuzz.sock", dir);
    return serve_open(&serve, loop, api_serve, api, e) ||
                   serve_unix(serve, path, e)
               ? -1
               : 0;
}

static void begin(void)
{
    struct err e;

    algorithms_init();
    log_limit(LOG_LEVEL_ERROR);
    snprintf(dir, sizeof dir, "/tmp/ht-fuzz.XXXXXX");
    if (!mkdtemp(dir) || loop_open(&loop, &e) ||
        store_open(&store, ":memory:", &e) || open_all(&e))
        broken("the service begins", dir);
    life = LIFE;
}

static int drop(const char *name, const struct stat *st, int kind,
                struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(name);
}

static void end(void)
{
    api_ending(api);
    engine_close(engine);
    api_free(api);
    serve_close(serve);
    store_close(store);
    loop_close(loop);
    nftw(dir, drop, 16, FTW_DEPTH | FTW_PHYS);
    life = 0;
}

/* ---- a client on the same loop ---- */

static struct {
    int fd;
    const uint8_t *data;
    size_t left;
    struct text got;
    struct loop_watch *readable, *quiet;
    bool over;
} client;

static void stop(void)
{
    client.over = true;
    loop_stop(loop);
}

static void quiet(void *ctx)
{
    (void)ctx;
    client.quiet = NULL;
    stop();
}

static void send_more(void)
{
    ssize_t n = client.left ? send(client.fd, client.data, client.left,
                                   MSG_NOSIGNAL | MSG_DONTWAIT)
                            : 0;

    if (n > 0) {
        client.data += n;
        client.left -= (size_t)n;
    }
}

static void arrived(void *ctx)
{
    char piece[8192];
    ssize_t n = recv(client.fd, piece, sizeof piece, MSG_DONTWAIT);

    (void)ctx;
    send_more();
    if (n > 0)
        text_add_bytes(&client.got, piece, (size_t)n);
    else if (n == 0 || errno != EAGAIN)
        stop();
}

static void turned(void *ctx)
{
    (void)ctx;
    send_more();
    engine_turn(engine);
}

/* What is answered to the bytes; until it is closed, or nothing comes. */
static const char *ask(const uint8_t *data, size_t n)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};

    snprintf(to.sun_path, sizeof to.sun_path, "%.100s", path);
    text_reset(&client.got);
    client.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client.fd < 0 ||
        connect(client.fd, (const struct sockaddr *)&to, sizeof to))
        broken("the service takes connections", strerror(errno));
    client.data = data;
    client.left = n;
    client.over = false;
    client.readable = loop_readable(loop, client.fd, arrived, NULL);
    client.quiet = loop_after(loop, QUIET_MS, quiet, NULL);
    send_more();
    loop_run(loop, turned, NULL);
    loop_forget(client.readable);
    loop_forget(client.quiet);
    client.quiet = NULL;
    close(client.fd);
    return text_str(&client.got);
}

static void check_alive(void)
{
    static const char healthz[] = GET("/healthz");

    for (int tries = 0; tries < 1000; tries++)
        if (strstr(ask((const uint8_t *)healthz, sizeof healthz - 1), "200 OK"))
            return;
    broken("the service still answers", text_str(&client.got));
}

static void leave(void)
{
    if (life)
        end();
    text_clear(&client.got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool begun;
    const char *got;

    if (!begun)
        atexit(leave); /* the last service's folder too */
    begun = true;
    if (life == 0)
        begin();
    got = ask(data, size);
    if (*got && strncmp(got, "HTTP/", 5) != 0)
        broken("an answer is HTTP", got);
    if (strncmp(got, "HTTP/1.1 500", 12) == 0)
        broken("no request is our fault", got);
    if (--life % 100 == 0)
        check_alive();
    if (life == 0)
        end();
    return 0;
}
