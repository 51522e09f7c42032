/* Messages between replicas: a word, a number and floats, over TCP. Replicas
 * run on machines of one kind, so floats travel as they are. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXAMPLES_REPLICAS_WIRE_H
#define EXAMPLES_REPLICAS_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum wire_word {
    WIRE_HELLO,   /* from whoever connects; number: 0 = the master, else 1 + the
                     worker's index */
    WIRE_GO,      /* master to worker: train the epoch of that number */
    WIRE_DONE,    /* worker to master: it is done; ps to master: it ends */
    WIRE_PULL,    /* to a ps: your weights, please */
    WIRE_PUSH,    /* worker to ps: my part of the gradient */
    WIRE_WEIGHTS, /* from a ps, to either of them; to a push only when the
                     pushes of all workers have come */
    WIRE_END      /* from the master: that was all */
};

enum { WIRE_WAIT_S = 60 }; /* for those who are not up yet */

/* Every function prints a sentence to stderr where it returns -1. No call
 * waits for ever: a peer that is gone, or silent for ten minutes, is an
 * error. */

/* A socket that listens on the port of HOST:PORT. */
int wire_listen(const char *address);
/* The next to connect. */
int wire_accept(int listener);
/* Tries again for WIRE_WAIT_S while nobody listens there yet. */
int wire_connect(const char *address);

int wire_send(int fd, enum wire_word word, uint32_t number, const float *floats,
              size_t n);
/* Reads one message; n is how many floats must be in it, other than in a
 * message without floats. */
int wire_receive(int fd, enum wire_word *word, uint32_t *number, float *floats,
                 size_t n);
/* The same of a message that must have that word. */
int wire_expect(int fd, enum wire_word word, uint32_t *number, float *floats,
                size_t n);

#endif
