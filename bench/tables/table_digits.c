/* Measures the table `digits`: the trainer of examples/digits at every point of
 * a grid, from several seeds. Takes a few minutes of one core.
 *
 *     table_digits examples/digits/digits.csv >bench/tables/digits.txt */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "net.h"

enum { SEEDS = 3, EPOCHS = 6, AXES = 6, MOST = 8 };
enum { RATE, HIDDEN, BATCH, MOMENTUM, DECAY, ACTIVATION };

/* The grid; what param is called, how it is declared, and its numbers. */
static const struct axis {
    const char *name, *kind;
    size_t n;
    double values[MOST];
} axes[AXES] = {
    [RATE] = {"learning_rate",
              "discrete log",
              7,
              {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1}},
    [HIDDEN] = {"hidden", "discrete log", 5, {4, 8, 16, 32, 64}},
    [BATCH] = {"batch", "discrete log", 4, {16, 32, 64, 128}},
    [MOMENTUM] = {"momentum", "discrete linear", 5, {0, 0.5, 0.8, 0.9, 0.95}},
    [DECAY] = {"weight_decay", "discrete log", 4, {1e-5, 1e-4, 1e-3, 1e-2}},
    [ACTIVATION] = {"activation", "categorical", NET_ACTIVATIONS, {0, 1, 2}},
};

static void print_head(size_t n_valid)
{
    printf("# How many of %zu handwritten digits the network of examples/digits"
           " reads\n# wrong after %d epochs, in percent, from %d seeds.\n",
           n_valid, EPOCHS, SEEDS);
    printf("# Made by bench/tables/table_digits.c; README.md names the data.\n"
           "# SPDX-License-Identifier: GPL-3.0-or-later\n");
    for (size_t i = 0; i < AXES; i++) {
        printf("param %s %s", axes[i].name, axes[i].kind);
        for (size_t k = 0; k < axes[i].n; k++)
            if (i == ACTIVATION)
                printf(" %s", net_activation_names[k]);
            else
                printf(" %.12g", axes[i].values[k]);
        putchar('\n');
    }
    printf("reads %d\nunit %.6g\nvalues\n", SEEDS, 100.0 / (double)n_valid);
}

/* How many digits it reads wrong; `digits` keep their order. */
static int measure(const double at[AXES], uint64_t seed,
                   const struct data *data, struct digit *scratch)
{
    struct net net;
    double right = 0;

    if (net_init(&net, (size_t)at[HIDDEN],
                 (enum net_activation)(int)at[ACTIVATION], seed) < 0)
        abort();
    memcpy(scratch, data->train, data->n_train * sizeof *scratch);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        struct net_rule rule = {.learning_rate =
                                    at[RATE] * (EPOCHS - epoch) / EPOCHS,
                                .momentum = at[MOMENTUM],
                                .weight_decay = at[DECAY],
                                .batch = (size_t)at[BATCH]};

        net_train(&net, &rule, scratch, data->n_train);
    }
    right = net_accuracy(&net, data->valid, data->n_valid);
    net_clear(&net);
    return (int)((1 - right) * (double)data->n_valid + 0.5);
}

/* The grid's row k; the last axis turns fastest. */
static void row(size_t k, double at[AXES])
{
    for (size_t i = AXES; i-- > 0; k /= axes[i].n)
        at[i] = axes[i].values[k % axes[i].n];
}

int main(int argc, char **argv)
{
    struct digit *scratch = NULL;
    struct data data;
    size_t n = 1;

    if (argc != 2 || data_open(&data, argv[1]) < 0) {
        fputs("usage: table_digits examples/digits/digits.csv\n", stderr);
        return 2;
    }
    scratch = calloc(data.n_train, sizeof *scratch);
    if (!scratch)
        abort();
    print_head(data.n_valid);
    for (size_t i = 0; i < AXES; i++)
        n *= axes[i].n;
    for (size_t k = 0; k < n; k++) {
        double at[AXES];

        row(k, at);
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            printf("%d%c", measure(at, seed, &data, scratch),
                   seed == SEEDS ? '\n' : ' ');
    }
    free(scratch);
    data_close(&data);
    return 0;
}
