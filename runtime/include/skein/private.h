/* Private variables: each thread has its own copy, which moves with it. Included by <skein/skein.h>.
 *
 *     SKEIN_PRIVATE int depth;                  a variable of the file or static variable of a function
 *     extern SKEIN_PRIVATE struct goose *first; each unit that uses it must say so
 *
 * A thread's copy begins with the initial values of the program, not with those of the thread that spawned it, and
 * lives as long as the thread. Its address is the same wherever the thread goes; another thread must not use it.
 *
 * The compiler option -fskein-globals=private makes all variables of a unit private; thread-local ones always are. */
#ifndef SKEIN_PRIVATE_H
#define SKEIN_PRIVATE_H

#ifdef __SKEIN__ /* with another compiler the variable would be the process's, so there is no such word */
#define SKEIN_PRIVATE __attribute__((skein_private))
#endif

#endif
