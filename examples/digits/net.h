/* A network with one hidden layer, trained by stochastic gradient descent with
 * momentum and weight decay on the cross entropy of its softmax. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXAMPLES_DIGITS_NET_H
#define EXAMPLES_DIGITS_NET_H

#include <stddef.h>
#include <stdint.h>

#include "data.h"

enum net_activation { NET_RELU, NET_TANH, NET_SIGMOID, NET_ACTIVATIONS };
extern const char *const net_activation_names[NET_ACTIVATIONS];

struct net_rule {
    double learning_rate, momentum, weight_decay;
    size_t batch;
};

struct net {
    size_t hidden;
    enum net_activation activation;
    uint64_t chance; /* the state of the random numbers */
    size_t n;        /* weights */
    float *weights;  /* inner layer, its biases, outer one, its biases */
    float *speed, *gradient; /* as many */
    float *layer, *slope;    /* hidden each */
};

/* Weights drawn from the seed. -1 if memory is short. */
int net_init(struct net *net, size_t hidden, enum net_activation activation,
             uint64_t seed);
void net_clear(struct net *net);

/* One pass over the digits in a random order (which changes theirs). */
void net_train(struct net *net, const struct net_rule *rule,
               struct digit *digits, size_t n);

/* The part of the digits that it reads right, 0 to 1. */
double net_accuracy(struct net *net, const struct digit *digits, size_t n);

#endif
