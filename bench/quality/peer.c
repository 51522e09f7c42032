/* A child process that suggests. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/quality/peer.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/optimizer/wire.h"

enum { PATIENCE_S = 900 }; /* for one answer */

/* The program, which outlives studies since it may take seconds to start. */
static struct {
    const char *command;
    pid_t pid; /* 0 if it does not run */
    int socket;
    FILE *in;
    clockid_t clock;
    double since, used; /* processor time; ms */
} child;

/* One study. */
struct peer {
    const struct study *study;
    struct wire wire;
    json_int_t *ids; /* the program's own, by our number less 1 */
    bool failed;
    struct err e;
};

void peer_use(const char *command)
{
    child.command = command;
}

double peer_ms(void)
{
    return child.used;
}

static double spent(void)
{
    struct timespec t = {0};

    clock_gettime(child.clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void peer_end(void)
{
    if (!child.pid)
        return;
    fclose(child.in);
    kill(child.pid, SIGTERM);
    waitpid(child.pid, NULL, 0);
    child.pid = 0;
}

/* In the new process. */
static void become(int socket, const char *words)
{
    if (dup2(socket, STDIN_FILENO) >= 0 && dup2(socket, STDOUT_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", words, (char *)NULL);
    _exit(127);
}

static int start(struct err *e)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    char *words = mem_format("exec %s", child.command);
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(words);
        return err_set(e, ERR_IO, "no socket for the program");
    }
    fflush(stdout);
    child.pid = fork();
    if (child.pid == 0)
        become(ends[1], words);
    free(words);
    close(ends[1]);
    child.socket = ends[0];
    child.in = child.pid > 0 ? fdopen(ends[0], "r") : NULL;
    if (!child.in) {
        close(ends[0]);
        child.pid = 0;
        return err_set(e, ERR_IO, "the program cannot be started");
    }
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    clock_getcpuclockid(child.pid, &child.clock);
    return 0;
}

static int put(const char *text, struct err *e)
{
    size_t n = strlen(text);

    while (n) {
        ssize_t sent = send(child.socket, text, n, MSG_NOSIGNAL);

        if (sent < 0)
            return err_set(e, ERR_OUTSIDE, "the program ended");
        text += sent;
        n -= (size_t)sent;
    }
    return 0;
}

static json_t *get(struct err *e)
{
    char *line = NULL;
    size_t cap = 0;
    json_t *reply = NULL;
    json_error_t where;
    const char *error = NULL;

    if (getline(&line, &cap, child.in) <= 0) {
        peer_end(); /* what it may still say would answer the wrong request */
        free(line);
        err_set(e, ERR_OUTSIDE, "the program ended or said nothing for %d s",
                PATIENCE_S);
        return NULL;
    }
    reply = json_loads(line, 0, &where);
    error = json_string_value(json_object_get(reply, "error"));
    if (!reply || error) {
        err_set(e, ERR_OUTSIDE, "the program answered: %.300s",
                error ? error : line);
        json_decref(reply);
        reply = NULL;
    }
    free(line);
    return reply;
}

/* The answer to a request, which is taken; NULL if there is none. */
static json_t *exchange(json_t *request, struct err *e)
{
    char *line = json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(17));
    int rc = -1;

    assert(line);
    if (!child.pid)
        err_set(e, ERR_OUTSIDE, "the program has ended");
    else
        rc = put(line, e) == 0 ? put("\n", e) : -1;
    free(line);
    json_decref(request);
    return rc == 0 ? get(e) : NULL;
}

static json_t *value_of(const struct param *p, const struct value *v)
{
    switch (p->kind) {
    case PARAM_INTEGER:
        return json_integer(v->whole);
    case PARAM_DISCRETE:
        return json_real(p->numbers[v->choice]);
    case PARAM_CATEGORICAL:
        return json_string(p->words[v->choice]);
    case PARAM_DOUBLE:
        break;
    }
    return json_real(v->real);
}

static json_t *values_of(const struct param *p)
{
    json_t *list = json_array();

    for (size_t i = 0; i < p->n_values; i++) {
        struct value v = {.active = true, .choice = i};

        json_array_append_new(list, value_of(p, &v));
    }
    return list;
}

static json_t *param_of(const struct space *s, const struct param *p)
{
    static const char *const types[] = {[PARAM_DOUBLE] = "float",
                                        [PARAM_INTEGER] = "int",
                                        [PARAM_DISCRETE] = "ordinal",
                                        [PARAM_CATEGORICAL] = "categorical"};
    json_t *item =
        json_pack("{ss ss}", "name", p->name, "type", types[p->kind]);

    if (p->kind == PARAM_DOUBLE)
        json_object_update_new(item,
                               json_pack("{sf sf sb}", "low", p->min, "high",
                                         p->max, "log", p->scale == SCALE_LOG));
    else if (p->kind == PARAM_INTEGER)
        json_object_update_new(
            item, json_pack("{sI sI sb}", "low", (json_int_t)p->low, "high",
                            (json_int_t)p->high, "log", p->scale == SCALE_LOG));
    else
        json_object_set_new(item, "values", values_of(p));
    if (p->parent >= 0) {
        const struct param *parent = &s->params[p->parent];
        json_t *in = json_array();

        for (size_t i = 0; i < p->n_when; i++)
            json_array_append_new(in, value_of(parent, &p->when[i]));
        json_object_set_new(
            item, "when",
            json_pack("{ss so}", "param", parent->name, "in", in));
    }
    return item;
}

static json_t *space_of(const struct space *s)
{
    json_t *list = json_array();

    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(list, param_of(s, &s->params[i]));
    return list;
}

static void forget(struct peer *p)
{
    wire_clear(&p->wire);
    free(p->ids);
}

static int peer_open(void *state, const struct study *study, struct err *e)
{
    struct peer *p = state;
    json_t *reply = NULL;

    if (!child.pid && start(e) != 0)
        return -1;
    *p = (struct peer){.study = study};
    p->wire.list = space_of(&study->space);
    p->ids = mem_new((size_t)study->trials, sizeof *p->ids);
    reply = exchange(
        json_pack("{ss sO ss sI sI si si}", "op", "init", "space", p->wire.list,
                  "goal", study->maximize ? "maximize" : "minimize", "seed",
                  (json_int_t)study->seed, "budget", (json_int_t)study->trials,
                  "parallel", study->parallel, "steps", 0),
        e);
    if (!reply) {
        forget(p);
        peer_end();
        return -1;
    }
    json_decref(reply);
    child.since = spent();
    return 0;
}

static void peer_tell(void *state, const struct trial *ended)
{
    struct peer *p = state;
    json_int_t id = p->ids[ended->number - 1];
    bool told = ended->has_value && isfinite(ended->value);
    json_t *reply =
        exchange(told ? json_pack("{ss sI sf}", "op", "complete", "id", id,
                                  "value", ended->value)
                      : json_pack("{ss sI}", "op", "fail", "id", id),
                 &p->e);

    p->failed = p->failed || !reply;
    json_decref(reply);
}

static int peer_ask(const void *state, int64_t number,
                    const struct trial *const *running, size_t n_running,
                    struct suggestion *out, enum algorithm_answer *answer,
                    struct err *e)
{
    const struct peer *p = state;
    json_t *reply = NULL, *first = NULL;
    int rc = -1;

    (void)running;
    (void)n_running; /* the program keeps account itself */
    assert(number >= 1 && number <= p->study->trials);
    if (p->failed) {
        *e = p->e;
        return -1;
    }
    reply = exchange(json_pack("{ss si}", "op", "suggest", "count", 1), e);
    if (!reply)
        return -1;
    first = json_array_get(json_object_get(reply, "trials"), 0);
    p->ids[number - 1] = json_integer_value(json_object_get(first, "id"));
    rc = wire_point(&p->wire, &p->study->space,
                    json_object_get(first, "params"), &out->point, e);
    json_decref(reply);
    *answer = ALGORITHM_POINT;
    return rc == 0 ? 0 : err_wrap(e, "trial %lld", (long long)number);
}

static void peer_close(void *state)
{
    if (child.pid)
        child.used += spent() - child.since;
    forget(state);
}

const struct algorithm_type peer_algorithm = {.name = "peer",
                                              .state_size = sizeof(struct peer),
                                              .learns = true,
                                              .open = peer_open,
                                              .tell = peer_tell,
                                              .ask = peer_ask,
                                              .close = peer_close};
