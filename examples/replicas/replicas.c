/* Trains softmax regression on the digits with several processes: a master, the
 * workers and the parameter servers (ps) that CLUSTER_SPEC names. What they do
 * together is gradient descent as one process would do it.
 *
 * Each ps holds a part of the weights. Every step the workers share a batch
 * among them and push their part of the gradient; when all have pushed, a ps
 * takes the step and gives its weights to all. The master begins each epoch,
 * and after it looks how good the weights are and reports that. If one of them
 * dies, its connections break, and the others end too. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hypertune.h>

#include "cluster.h"
#include "softmax.h"
#include "wire.h"

struct settings {
    const char *data;
    double learning_rate, momentum, weight_decay, batch, epochs, seed;
};

struct replica {
    struct settings settings;
    struct cluster cluster;
    struct data data;
    float weights[SOFTMAX_WEIGHTS], gradient[SOFTMAX_WEIGHTS];
    float speed[SOFTMAX_WEIGHTS]; /* of whoever takes the steps */
    size_t *order;                /* of the training digits, this epoch */
    int ps[CLUSTER_MOST];         /* connections */
    int workers[CLUSTER_MOST];    /* of the master and of a ps */
    int master;                   /* of the others */
};

/* ---- the command line ---- */

static int set(struct settings *s, const char *name, size_t n,
               const char *value)
{
    const struct {
        const char *name;
        double *at, least, most;
    } numbers[] = {
        {"learning_rate", &s->learning_rate, 0, 1e3},
        {"momentum", &s->momentum, 0, 1},
        {"weight_decay", &s->weight_decay, 0, 1e3},
        {"batch", &s->batch, 1, 1e5},
        {"epochs", &s->epochs, 1, 1e6},
        {"seed", &s->seed, 0, 1e9},
    };
    char *end;

    if (strncmp(name, "data", n) == 0 && n == 4) {
        s->data = value;
        return 0;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double x;

        if (strncmp(name, numbers[i].name, n) != 0 || numbers[i].name[n])
            continue;
        x = strtod(value, &end);
        if (end == value || *end || !(x >= numbers[i].least) ||
            !(x <= numbers[i].most))
            break;
        *numbers[i].at = x;
        return 0;
    }
    fprintf(stderr, "train: --%.*s=%s: no such setting, or no value for it\n",
            (int)n, name, value);
    return -1;
}

/* Takes --name=value and --name value. */
static int read_settings(struct settings *s, char **argv)
{
    for (char **word = argv + 1; *word; word++) {
        const char *name = *word + 2;
        size_t n = strcspn(*word, "=");

        if (strncmp(*word, "--", 2) != 0 || (!(*word)[n] && !word[1])) {
            fprintf(stderr, "train: %s: want --name=value\n", *word);
            return -1;
        }
        if (set(s, name, n - 2, (*word)[n] ? *word + n + 1 : word[1]) < 0)
            return -1;
        word += !(*word)[n];
    }
    return 0;
}

/* ---- what all of them know ---- */

/* Where the part of ps k begins; that of the one after the last is the end. */
static size_t part(const struct cluster *c, int k)
{
    return (size_t)k * SOFTMAX_WEIGHTS / (size_t)c->n[CLUSTER_PS];
}

static size_t part_size(const struct cluster *c, int k)
{
    return part(c, k + 1) - part(c, k);
}

static size_t batch_size(const struct replica *r)
{
    size_t batch = (size_t)r->settings.batch;

    return batch < r->data.n_train ? batch : r->data.n_train;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *chance)
{
    uint64_t z = *chance += 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

/* The same order for every worker, another one each epoch. */
static void shuffle(struct replica *r, uint32_t epoch)
{
    uint64_t chance = (uint64_t)r->settings.seed << 32 | epoch;

    for (size_t i = 0; i < r->data.n_train; i++)
        r->order[i] = i;
    for (size_t i = r->data.n_train; i > 1; i--) {
        size_t other = draw(&chance) % i, kept = r->order[i - 1];

        r->order[i - 1] = r->order[other];
        r->order[other] = kept;
    }
}

/* The gradient of every `stride`th digit of the batch, beginning with `first`:
 * one worker's share. */
static void share_gradient(struct replica *r, size_t begin, size_t first,
                           size_t stride)
{
    size_t size = batch_size(r);

    memset(r->gradient, 0, sizeof r->gradient);
    for (size_t i = first; i < size; i += stride)
        softmax_gradient(r->weights, &r->data.train[r->order[begin + i]],
                         1 / (float)size, r->gradient);
}

/* One step of some of the weights. */
static void step(const struct settings *s, float *weights, float *speed,
                 const float *gradient, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        speed[i] = (float)s->momentum * speed[i] -
                   (float)s->learning_rate *
                       (gradient[i] + (float)s->weight_decay * weights[i]);
        weights[i] += speed[i];
    }
}

/* ---- a parameter server ---- */

struct server {
    struct replica *r;
    size_t n;         /* weights of ours */
    float *gradients; /* of all workers, one behind the other */
    int pushed;       /* how many of them have come */
    struct pollfd peers[CLUSTER_MOST + 1]; /* the workers, then the master */
};

/* All have pushed: the gradients are added up in the workers' order, so that
 * the sum does not depend on who was first. */
static int take_step(struct server *s)
{
    struct replica *r = s->r;
    int workers = r->cluster.n[CLUSTER_WORKER];

    memcpy(r->gradient, s->gradients, s->n * sizeof(float));
    for (int w = 1; w < workers; w++)
        for (size_t i = 0; i < s->n; i++)
            r->gradient[i] += s->gradients[(size_t)w * s->n + i];
    step(&r->settings, r->weights, r->speed, r->gradient, s->n);
    s->pushed = 0;
    for (int w = 0; w < workers; w++)
        if (wire_send(s->peers[w].fd, WIRE_WEIGHTS, 0, r->weights, s->n) < 0)
            return -1;
    return 0;
}

/* Reads one message. Returns 1 when the master says that was all. */
static int serve_peer(struct server *s, int peer)
{
    struct replica *r = s->r;
    int workers = r->cluster.n[CLUSTER_WORKER], fd = s->peers[peer].fd;
    size_t at = peer < workers ? (size_t)peer : 0;
    enum wire_word word;
    uint32_t number;

    if (wire_receive(fd, &word, &number, s->gradients + at * s->n, s->n) < 0)
        return -1;
    if (word == WIRE_END)
        return wire_send(fd, WIRE_DONE, 0, NULL, 0) < 0 ? -1 : 1;
    if (word == WIRE_PULL)
        return wire_send(fd, WIRE_WEIGHTS, 0, r->weights, s->n);
    if (word == WIRE_PUSH && ++s->pushed == workers)
        return take_step(s);
    return 0;
}

static int serve(struct server *s)
{
    int n = s->r->cluster.n[CLUSTER_WORKER] + 1, result = 0;

    while (result == 0) {
        if (poll(s->peers, (nfds_t)n, -1) < 0)
            return -1;
        for (int i = 0; i < n && result == 0; i++)
            if (s->peers[i].revents)
                result = serve_peer(s, i);
    }
    return result;
}

/* Takes those who connect to their places: workers[0] and on, and the master,
 * if one is to come. */
static int welcome(struct replica *r, int listener, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t who = 0;
        int fd = wire_accept(listener);

        if (fd < 0 || wire_expect(fd, WIRE_HELLO, &who, NULL, 0) < 0)
            return -1;
        if (who > (uint32_t)r->cluster.n[CLUSTER_WORKER])
            return -1;
        if (who)
            r->workers[who - 1] = fd;
        else
            r->master = fd;
    }
    return 0;
}

static int be_ps(struct replica *r)
{
    const struct cluster *c = &r->cluster;
    int workers = c->n[CLUSTER_WORKER], result = -1;
    int listener = wire_listen(c->address[CLUSTER_PS][c->index]);
    struct server s = {.r = r, .n = part_size(c, c->index)};

    s.gradients = calloc((size_t)workers * s.n + 1, sizeof(float));
    if (listener >= 0 && s.gradients &&
        welcome(r, listener, workers + 1) == 0) {
        for (int w = 0; w <= workers; w++)
            s.peers[w] =
                (struct pollfd){.fd = w < workers ? r->workers[w] : r->master,
                                .events = POLLIN};
        result = serve(&s);
    }
    free(s.gradients);
    return result;
}

/* ---- a worker, and what it shares with the master ---- */

static int connect_to_ps(struct replica *r, uint32_t who)
{
    const struct cluster *c = &r->cluster;

    for (int k = 0; k < c->n[CLUSTER_PS]; k++) {
        r->ps[k] = wire_connect(c->address[CLUSTER_PS][k]);
        if (r->ps[k] < 0 || wire_send(r->ps[k], WIRE_HELLO, who, NULL, 0) < 0)
            return -1;
    }
    return 0;
}

/* Sends each ps a word, with its part of the gradient if that is a push, and
 * takes its weights. */
static int exchange(struct replica *r, enum wire_word word)
{
    const struct cluster *c = &r->cluster;
    uint32_t number;

    for (int k = 0; k < c->n[CLUSTER_PS]; k++)
        if (wire_send(r->ps[k], word, 0, r->gradient + part(c, k),
                      word == WIRE_PUSH ? part_size(c, k) : 0) < 0)
            return -1;
    for (int k = 0; k < c->n[CLUSTER_PS]; k++)
        if (wire_expect(r->ps[k], WIRE_WEIGHTS, &number,
                        r->weights + part(c, k), part_size(c, k)) < 0)
            return -1;
    return 0;
}

static int work(struct replica *r, uint32_t epoch)
{
    size_t size = batch_size(r);

    shuffle(r, epoch);
    for (size_t at = 0; at + size <= r->data.n_train; at += size) {
        share_gradient(r, at, (size_t)r->cluster.index,
                       (size_t)r->cluster.n[CLUSTER_WORKER]);
        if (exchange(r, WIRE_PUSH) < 0)
            return -1;
    }
    return 0;
}

static int be_worker(struct replica *r)
{
    uint32_t who = (uint32_t)r->cluster.index + 1, epoch;
    enum wire_word word;

    if (connect_to_ps(r, who) < 0 || exchange(r, WIRE_PULL) < 0)
        return -1;
    r->master = wire_connect(r->cluster.address[CLUSTER_MASTER][0]);
    if (r->master < 0 || wire_send(r->master, WIRE_HELLO, who, NULL, 0) < 0)
        return -1;
    for (;;) {
        if (wire_receive(r->master, &word, &epoch, NULL, 0) < 0)
            return -1;
        if (word == WIRE_END)
            return 0;
        if (work(r, epoch) < 0 ||
            wire_send(r->master, WIRE_DONE, epoch, NULL, 0) < 0)
            return -1;
    }
}

/* ---- the master ---- */

static int tell_workers(const struct replica *r, enum wire_word word,
                        uint32_t epoch)
{
    for (int w = 0; w < r->cluster.n[CLUSTER_WORKER]; w++)
        if (wire_send(r->workers[w], word, epoch, NULL, 0) < 0)
            return -1;
    return 0;
}

/* An epoch by the others, or by ourselves if there are none. */
static int train_epoch(struct replica *r, uint32_t epoch)
{
    size_t size = batch_size(r);
    uint32_t number;

    if (r->cluster.n[CLUSTER_WORKER]) {
        if (tell_workers(r, WIRE_GO, epoch) < 0)
            return -1;
        for (int w = 0; w < r->cluster.n[CLUSTER_WORKER]; w++)
            if (wire_expect(r->workers[w], WIRE_DONE, &number, NULL, 0) < 0)
                return -1;
        return exchange(r, WIRE_PULL);
    }
    shuffle(r, epoch);
    for (size_t at = 0; at + size <= r->data.n_train; at += size) {
        share_gradient(r, at, 0, 1);
        step(&r->settings, r->weights, r->speed, r->gradient, SOFTMAX_WEIGHTS);
    }
    return 0;
}

static int gather(struct replica *r)
{
    int workers = r->cluster.n[CLUSTER_WORKER], listener, result;

    if (!workers)
        return 0;
    listener = wire_listen(r->cluster.address[CLUSTER_MASTER][0]);
    if (listener < 0)
        return -1;
    result = connect_to_ps(r, 0) < 0 ? -1 : welcome(r, listener, workers);
    close(listener);
    return result;
}

/* First the ps, and only when they know do the workers leave, for a worker that
 * leaves a ps alone is an error. */
static int dismiss(struct replica *r)
{
    uint32_t number;

    for (int k = 0; k < r->cluster.n[CLUSTER_PS]; k++)
        if (wire_send(r->ps[k], WIRE_END, 0, NULL, 0) < 0 ||
            wire_expect(r->ps[k], WIRE_DONE, &number, NULL, 0) < 0)
            return -1;
    return tell_workers(r, WIRE_END, 0);
}

static int be_master(struct replica *r)
{
    hypertune *h;
    int result;

    if (hypertune_open(&h) < 0)
        fprintf(stderr, "train: the report file cannot be written\n");
    result = gather(r);
    for (uint32_t epoch = 1;
         result == 0 && epoch <= (uint32_t)r->settings.epochs &&
         !hypertune_should_stop(h);
         epoch++) {
        double accuracy;

        result = train_epoch(r, epoch);
        if (result < 0)
            break;
        accuracy = softmax_accuracy(r->weights, r->data.valid, r->data.n_valid);
        printf("epoch %u accuracy %.4f\n", (unsigned)epoch, accuracy);
        fflush(stdout);
        hypertune_report(h, "accuracy", accuracy, epoch);
    }
    hypertune_close(h);
    return result < 0 ? -1 : dismiss(r);
}

/* ---- */

static int be(struct replica *r)
{
    switch (r->cluster.role) {
    case CLUSTER_PS:
        return be_ps(r) < 0 ? -1 : 0;
    case CLUSTER_WORKER:
        return be_worker(r);
    default:
        return be_master(r);
    }
}

int main(int argc, char **argv)
{
    struct replica *r = calloc(1, sizeof *r);
    int result = -1;

    (void)argc;
    if (!r)
        return 1;
    r->settings = (struct settings){.data = "digits.csv",
                                    .learning_rate = 0.05,
                                    .momentum = 0.9,
                                    .weight_decay = 1e-4,
                                    .batch = 64,
                                    .epochs = 20,
                                    .seed = 1};
    if (read_settings(&r->settings, argv) < 0 ||
        cluster_read(&r->cluster, getenv("CLUSTER_SPEC")) < 0) {
        free(r);
        return 2;
    }
    if (data_open(&r->data, r->settings.data) == 0) {
        r->order = calloc(r->data.n_train, sizeof *r->order);
        if (r->order)
            result = be(r);
        if (result < 0)
            fprintf(stderr, "train: %s %d gives up\n",
                    cluster_role_name(r->cluster.role), r->cluster.index);
        free(r->order);
        data_close(&r->data);
    }
    free(r);
    return result < 0 ? 1 : 0;
}
