/* Functions of the C library that remember something between calls. The library remembers it once for the process; here
 * it belongs to the thread and moves with it. The work is done by the library's reentrant versions. (A variable whose
 * name began with __skein_, like a static one inside these functions, would be the runtime's and not private.) */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- text -------------------------------------------------------------------------------------------------------- */

static _Thread_local char *rest_of_tokens;

char *__skein_c_strtok(char *restrict text, const char *restrict separators) {
  return strtok_r(text, separators, &rest_of_tokens);
}

static _Thread_local char error_text[128];

char *__skein_c_strerror(int code) { return strerror_r(code, error_text, sizeof error_text); }

/* --- random numbers: the same sequences as the library's, a sequence a thread ------------------------------------- */

static _Thread_local struct random_data random_state;
static _Thread_local char random_numbers[128];

static struct random_data *own_random(void) {
  if (!random_state.state)
    initstate_r(1, random_numbers, sizeof random_numbers, &random_state);
  return &random_state;
}

long __skein_c_random(void) {
  int32_t number;
  random_r(own_random(), &number);
  return number;
}

void __skein_c_srandom(unsigned seed) { srandom_r(seed, own_random()); }

int __skein_c_rand(void) { return (int)__skein_c_random(); }

void __skein_c_srand(unsigned seed) { __skein_c_srandom(seed); }

/* The program's own numbers; the word before them is the library's. */
static char *numbers_of(const struct random_data *state) { return (char *)(state->state - 1); }

char *__skein_c_initstate(unsigned seed, char *numbers, size_t bytes) {
  struct random_data *state = own_random();
  char *old = numbers_of(state);
  return initstate_r(seed, numbers, bytes, state) == 0 ? old : NULL;
}

char *__skein_c_setstate(char *numbers) {
  struct random_data *state = own_random();
  char *old = numbers_of(state);
  return setstate_r(numbers, state) == 0 ? old : NULL;
}

static _Thread_local struct drand48_data own_48;

double __skein_c_drand48(void) {
  double number;
  drand48_r(&own_48, &number);
  return number;
}

long __skein_c_lrand48(void) {
  long number;
  lrand48_r(&own_48, &number);
  return number;
}

long __skein_c_mrand48(void) {
  long number;
  mrand48_r(&own_48, &number);
  return number;
}

void __skein_c_srand48(long seed) { srand48_r(seed, &own_48); }

unsigned short *__skein_c_seed48(unsigned short seed[3]) {
  seed48_r(seed, &own_48);
  return own_48.__old_x;
}

void __skein_c_lcong48(unsigned short parameters[7]) { lcong48_r(parameters, &own_48); }

/* --- time -------------------------------------------------------------------------------------------------------- */

static _Thread_local struct tm broken_down; /* one for both, as in the library */
static _Thread_local char zone[32];
static _Thread_local char date_text[64];

struct tm *__skein_c_gmtime(const time_t *when) { return gmtime_r(when, &broken_down); }

struct tm *__skein_c_localtime(const time_t *when) {
  tzset();
  if (!localtime_r(when, &broken_down))
    return NULL;
  if (broken_down.tm_zone) { /* a name in the library's memory */
    snprintf(zone, sizeof zone, "%s", broken_down.tm_zone);
    broken_down.tm_zone = zone;
  }
  return &broken_down;
}

char *__skein_c_asctime(const struct tm *when) { return asctime_r(when, date_text); }

char *__skein_c_ctime(const time_t *when) {
  struct tm *local = __skein_c_localtime(when);
  return local ? __skein_c_asctime(local) : NULL;
}
