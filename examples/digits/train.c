/* Trains a small network on the digits and reports its validation accuracy
 * after each epoch: what a training program has to do to be tuned. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <hypertune.h>

#include "data.h"
#include "net.h"

/* ---- the command line ---- */

struct settings {
    const char *data;
    double learning_rate, momentum, weight_decay;
    double hidden, batch, epochs, seed; /* whole numbers */
    const char *activation;
    const char *job_dir; /* given by AI Platform studies; not needed here */
};

static const struct setting {
    const char *name;
    size_t offset;
    int is_text, is_whole;
    double least, most;
} settings[] = {
#define AT(field) offsetof(struct settings, field)
    {"data", AT(data), 1, 0, 0, 0},
    {"activation", AT(activation), 1, 0, 0, 0},
    {"job-dir", AT(job_dir), 1, 0, 0, 0},
    {"learning_rate", AT(learning_rate), 0, 0, 0, 1e3},
    {"momentum", AT(momentum), 0, 0, 0, 1},
    {"weight_decay", AT(weight_decay), 0, 0, 0, 1e3},
    {"hidden", AT(hidden), 0, 1, 1, 4096},
    {"batch", AT(batch), 0, 1, 1, 100000},
    {"epochs", AT(epochs), 0, 1, 1, 100000},
    {"seed", AT(seed), 0, 1, 0, 1e9},
#undef AT
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static int usage(const char *what, const char *why)
{
    fprintf(stderr, "train: %s: %s\nusage: train", what, why);
    for (size_t i = 0; i < SETTINGS; i++)
        fprintf(stderr, " [--%s=…]", settings[i].name);
    fputc('\n', stderr);
    return -1;
}

static int set(struct settings *s, const struct setting *to, const char *value)
{
    char *at = (char *)s + to->offset, *end;
    double x;

    if (to->is_text) {
        memcpy(at, &value, sizeof value);
        return 0;
    }
    x = strtod(value, &end);
    if (end == value || *end || !(x >= to->least && x <= to->most) ||
        (to->is_whole && x != (double)(int64_t)x))
        return usage(value, "not a number that this setting can have");
    memcpy(at, &x, sizeof x);
    return 0;
}

/* Takes --name=value or --name value. */
static int read_settings(struct settings *s, char **argv)
{
    for (char **word = argv + 1; *word; word++) {
        const char *name = strncmp(*word, "--", 2) == 0 ? *word + 2 : *word;
        size_t n = strcspn(name, "="), i = 0;

        while (i < SETTINGS &&
               (strncmp(settings[i].name, name, n) != 0 || settings[i].name[n]))
            i++;
        if (i == SETTINGS || name == *word)
            return usage(*word, "no such setting");
        if (!name[n] && !word[1])
            return usage(*word, "wants a value");
        if (set(s, &settings[i], name[n] ? name + n + 1 : *++word) < 0)
            return -1;
    }
    return 0;
}

static int find_activation(const char *name, enum net_activation *out)
{
    for (int i = 0; i < NET_ACTIVATIONS; i++)
        if (strcmp(name, net_activation_names[i]) == 0) {
            *out = (enum net_activation)i;
            return 0;
        }
    return usage(name, "the activations are relu, tanh and sigmoid");
}

/* ---- checkpoints ---- */

/* What stands before the weights and their speed in a checkpoint. */
struct head {
    char magic[8];
    uint64_t hidden, activation, chance;
    int64_t epoch;
    double accuracy;
};

static const char magic[8] = "digits1";

static void make_folders(const char *folder)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + (*path != '\0'), '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* fopen says what is wrong, if something is */
        *slash = '/';
    }
}

/* Writes beside the old checkpoint and renames, so that there is always a
 * whole one. A checkpoint that cannot be written is no reason to stop. */
static void save(const char *folder, const struct net *net, int64_t epoch,
                 double accuracy)
{
    struct head head = {.hidden = net->hidden,
                        .activation = net->activation,
                        .chance = net->chance,
                        .epoch = epoch,
                        .accuracy = accuracy};
    char path[PATH_MAX], fresh[PATH_MAX];
    FILE *out;
    int written;

    memcpy(head.magic, magic, sizeof magic);
    snprintf(path, sizeof path, "%.4000scheckpoint", folder);
    snprintf(fresh, sizeof fresh, "%.4000scheckpoint.new", folder);
    out = fopen(fresh, "wb");
    if (!out) {
        fprintf(stderr, "train: %s: %s\n", fresh, strerror(errno));
        return;
    }
    written =
        fwrite(&head, sizeof head, 1, out) == 1 &&
        fwrite(net->weights, sizeof(float), 2 * net->n, out) == 2 * net->n;
    if (fclose(out) != 0 || !written || rename(fresh, path) < 0)
        fprintf(stderr, "train: %s: %s\n", path, strerror(errno));
}

/* Returns the epoch to go on after; 0 if there is no checkpoint of such a
 * network. weights and speed lie one behind the other. */
static int64_t restore(const char *folder, struct net *net, double *accuracy)
{
    struct head head;
    char path[PATH_MAX];
    float *weights = malloc(2 * net->n * sizeof *weights);
    FILE *in;
    int64_t epoch = 0;

    snprintf(path, sizeof path, "%.4000scheckpoint", folder);
    in = fopen(path, "rb");
    if (in && weights && fread(&head, sizeof head, 1, in) == 1 &&
        memcmp(head.magic, magic, sizeof magic) == 0 &&
        head.hidden == net->hidden &&
        head.activation == (uint64_t)net->activation && head.epoch > 0 &&
        fread(weights, sizeof *weights, 2 * net->n, in) == 2 * net->n) {
        memcpy(net->weights, weights, 2 * net->n * sizeof *weights);
        net->chance = head.chance;
        *accuracy = head.accuracy;
        epoch = head.epoch;
    }
    if (in)
        fclose(in);
    free(weights);
    return epoch;
}

/* ---- training ---- */

static void say(hypertune *h, int64_t epoch, double accuracy)
{
    printf("epoch %lld accuracy %.4f\n", (long long)epoch, accuracy);
    fflush(stdout);
    hypertune_report(h, "accuracy", accuracy, epoch);
}

static void train(hypertune *h, const struct settings *s, struct net *net,
                  struct data *data)
{
    struct net_rule rule = {0, s->momentum, s->weight_decay, (size_t)s->batch};
    const char *folder = hypertune_checkpoint_dir(h);
    double accuracy = 0;
    int64_t epoch = 0;

    if (*folder) {
        make_folders(folder);
        epoch = restore(folder, net, &accuracy);
    }
    if (epoch > 0)
        say(h, epoch, accuracy);
    while (epoch < (int64_t)s->epochs && !hypertune_should_stop(h)) {
        rule.learning_rate = /* falls to nothing over the epochs */
            s->learning_rate * (1 - (double)epoch / s->epochs);
        net_train(net, &rule, data->train, data->n_train);
        accuracy = net_accuracy(net, data->valid, data->n_valid);
        epoch++;
        if (*folder)
            save(folder, net, epoch, accuracy);
        say(h, epoch, accuracy);
    }
}

int main(int argc, char **argv)
{
    struct settings s = {.data = "digits.csv",
                         .activation = "relu",
                         .learning_rate = 0.05,
                         .momentum = 0.9,
                         .weight_decay = 1e-5,
                         .hidden = 64,
                         .batch = 32,
                         .epochs = 100,
                         .seed = 1};
    enum net_activation activation = NET_RELU;
    struct data data;
    struct net net;
    hypertune *h;

    (void)argc;
    if (read_settings(&s, argv) < 0 ||
        find_activation(s.activation, &activation) < 0)
        return 2;
    if (data_open(&data, s.data) < 0)
        return 1;
    if (net_init(&net, (size_t)s.hidden, activation, (uint64_t)s.seed) < 0) {
        fprintf(stderr, "train: no memory for %.0f hidden units\n", s.hidden);
        data_close(&data);
        return 1;
    }
    if (hypertune_open(&h) < 0)
        fprintf(stderr, "train: the report file cannot be written\n");
    train(h, &s, &net, &data);
    hypertune_close(h);
    net_clear(&net);
    data_close(&data);
    return 0;
}
