/* The network: forward, backward, step. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const net_activation_names[NET_ACTIVATIONS] = {
    [NET_RELU] = "relu", [NET_TANH] = "tanh", [NET_SIGMOID] = "sigmoid"};

/* Where the four parts of weights, speed and gradient begin. */
static size_t inner_bias(const struct net *net)
{
    return DATA_PIXELS * net->hidden;
}

static size_t outer(const struct net *net)
{
    return inner_bias(net) + net->hidden;
}

static size_t outer_bias(const struct net *net)
{
    return outer(net) + net->hidden * DATA_CLASSES;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(struct net *net)
{
    uint64_t z = net->chance += 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

static void draw_weights(struct net *net, float *weights, size_t n, size_t in)
{
    double width = sqrt(3.0 / (double)in);

    for (size_t i = 0; i < n; i++)
        weights[i] =
            (float)(width * (2 * ((double)(draw(net) >> 11) * 0x1p-53) - 1));
}

int net_init(struct net *net, size_t hidden, enum net_activation activation,
             uint64_t seed)
{
    size_t n = hidden * (DATA_PIXELS + 1 + DATA_CLASSES) + DATA_CLASSES;

    *net = (struct net){.hidden = hidden,
                        .activation = activation,
                        .chance = seed,
                        .n = n,
                        .weights = calloc(3 * n + 2 * hidden, sizeof(float))};
    if (!net->weights)
        return -1;
    net->speed = net->weights + n;
    net->gradient = net->speed + n;
    net->layer = net->gradient + n;
    net->slope = net->layer + hidden;
    draw_weights(net, net->weights, inner_bias(net), DATA_PIXELS);
    draw_weights(net, net->weights + outer(net), hidden * DATA_CLASSES, hidden);
    return 0;
}

void net_clear(struct net *net)
{
    free(net->weights);
    *net = (struct net){0};
}

/* Applies the activation to the layer, and leaves its slope beside it. */
static void activate(struct net *net)
{
    for (size_t j = 0; j < net->hidden; j++) {
        float a = net->layer[j];

        switch (net->activation) {
        case NET_TANH:
            net->layer[j] = tanhf(a);
            net->slope[j] = 1 - net->layer[j] * net->layer[j];
            break;
        case NET_SIGMOID:
            net->layer[j] = 1 / (1 + expf(-a));
            net->slope[j] = net->layer[j] * (1 - net->layer[j]);
            break;
        default:
            net->layer[j] = a > 0 ? a : 0;
            net->slope[j] = a > 0 ? 1 : 0;
        }
    }
}

/* to += factor * from */
static void add_scaled(float *restrict to, const float *restrict from,
                       float factor, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* From pixels to the ten scores; the layer is left in the net. */
static void forward(struct net *net, const float *pixels,
                    float scores[DATA_CLASSES])
{
    const float *weights = net->weights, *out = weights + outer(net);

    memcpy(net->layer, weights + inner_bias(net),
           net->hidden * sizeof *net->layer);
    for (size_t i = 0; i < DATA_PIXELS; i++)
        if (pixels[i] > 0)
            add_scaled(net->layer, weights + i * net->hidden, pixels[i],
                       net->hidden);
    activate(net);
    memcpy(scores, weights + outer_bias(net), DATA_CLASSES * sizeof *scores);
    for (size_t j = 0; j < net->hidden; j++)
        add_scaled(scores, out + j * DATA_CLASSES, net->layer[j], DATA_CLASSES);
}

/* Turns scores into the slope of the cross entropy: softmax minus truth. */
static void blame(float scores[DATA_CLASSES], int class)
{
    float most = scores[0], sum = 0;

    for (int k = 1; k < DATA_CLASSES; k++)
        most = fmaxf(most, scores[k]);
    for (int k = 0; k < DATA_CLASSES; k++)
        sum += scores[k] = expf(scores[k] - most);
    for (int k = 0; k < DATA_CLASSES; k++)
        scores[k] = scores[k] / sum - (k == class ? 1.0F : 0.0F);
}

/* Adds one digit's gradient, times factor. */
static void backward(struct net *net, const struct digit *digit, float factor)
{
    const float *out = net->weights + outer(net);
    float *gradient = net->gradient, *slope = net->slope;
    float scores[DATA_CLASSES];

    forward(net, digit->pixels, scores);
    blame(scores, digit->class);
    add_scaled(gradient + outer_bias(net), scores, factor, DATA_CLASSES);
    for (size_t j = 0; j < net->hidden; j++) {
        float sum = 0;

        for (size_t k = 0; k < DATA_CLASSES; k++)
            sum += out[j * DATA_CLASSES + k] * scores[k];
        slope[j] *= sum;
        add_scaled(gradient + outer(net) + j * DATA_CLASSES, scores,
                   factor * net->layer[j], DATA_CLASSES);
    }
    add_scaled(gradient + inner_bias(net), slope, factor, net->hidden);
    for (size_t i = 0; i < DATA_PIXELS; i++)
        if (digit->pixels[i] > 0)
            add_scaled(gradient + i * net->hidden, slope,
                       factor * digit->pixels[i], net->hidden);
}

/* speed = momentum * speed - rate * (gradient + decay * weight); weight +=
 * speed. */
static void step(struct net *net, const struct net_rule *rule)
{
    float *restrict weights = net->weights, *restrict speed = net->speed;
    const float *restrict gradient = net->gradient;
    float momentum = (float)rule->momentum, rate = (float)rule->learning_rate,
          decay = (float)rule->weight_decay;

    for (size_t i = 0; i < net->n; i++) {
        speed[i] =
            momentum * speed[i] - rate * (gradient[i] + decay * weights[i]);
        weights[i] += speed[i];
    }
}

static void shuffle(struct net *net, struct digit *digits, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = draw(net) % i;
        struct digit kept = digits[i - 1];

        digits[i - 1] = digits[other];
        digits[other] = kept;
    }
}

void net_train(struct net *net, const struct net_rule *rule,
               struct digit *digits, size_t n)
{
    shuffle(net, digits, n);
    for (size_t at = 0; at < n; at += rule->batch) {
        size_t size = n - at < rule->batch ? n - at : rule->batch;

        memset(net->gradient, 0, net->n * sizeof *net->gradient);
        for (size_t i = 0; i < size; i++)
            backward(net, &digits[at + i], 1 / (float)size);
        step(net, rule);
    }
}

double net_accuracy(struct net *net, const struct digit *digits, size_t n)
{
    size_t right = 0;

    for (size_t i = 0; i < n; i++) {
        float scores[DATA_CLASSES];
        int best = 0;

        forward(net, digits[i].pixels, scores);
        for (int k = 1; k < DATA_CLASSES; k++)
            if (scores[k] > scores[best])
                best = k;
        right += best == digits[i].class;
    }
    return (double)right / (double)n;
}
