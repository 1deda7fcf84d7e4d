/* Was this process left alone? On a machine with other load, a time during which a thread had to wait for a core says
 * nothing about the library. */
#ifndef BENCH_CALM_H
#define BENCH_CALM_H

/* Look for the threads that the process has now. Call it again when there may be new ones. */
void calm_watch(void);

/* Seconds that the watched threads have waited for a core since the process began, summed over all; always 0 on a
 * system that does not tell (others than Linux). */
double calm_waited(void);

#endif
