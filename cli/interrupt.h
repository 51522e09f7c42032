/* Ctrl-C and its kin, as a count that the waiting look at. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>

/* From now on SIGINT, SIGTERM and SIGHUP (unless it was ignored, as nohup
 * does) are counted, from 0, and end no more; SIGPIPE is ignored. */
void interrupt_catch(void);

/* How often we were interrupted. */
int interrupt_count(void);
/* Counts one more, for a reader of our output that has gone away. */
void interrupt_raise(void);

/* Not 0 from an interruption until interrupt_calm; for client_abort_on. */
const volatile sig_atomic_t *interrupt_flag(void);
void interrupt_calm(void);

/* Sleeps; an interruption ends it early. */
void interrupt_sleep(int ms);

#endif
