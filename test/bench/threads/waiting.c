/* `skein bench threads --waiting`: threads that wait three frames deep, with pointers from frame to frame.
 *
 *     waiting THREADS ROUNDS
 *
 * prints the bytes of memory and page tables that a thread takes while it waits, the nanoseconds that it takes to
 * create one and let it run up to its wait, and, in the best of the rounds, to wake one, let it run and wait again, if
 * all are woken in each round. */
#include "../now_ns.h"
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct meeting {
  skein_sem_t arrived, gate;
};

/* Bytes, of the lines of /proc/self/status with these names. */
static double status(const char *first, const char *second) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[200];
  double bytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, first, strlen(first)) == 0 || strncmp(line, second, strlen(second)) == 0)
      bytes += 1024 * strtod(strchr(line, ':') + 1, NULL);
  if (file)
    fclose(file);
  return bytes;
}

__attribute__((noinline)) static long inner(struct meeting *meeting, const long *above) {
  long here = *above + 1;
  skein_sem_signal(&meeting->arrived);
  skein_sem_wait(&meeting->gate);
  return here + *above;
}

__attribute__((noinline)) static long middle(struct meeting *meeting, const long *above) {
  long here = *above + 1;
  return inner(meeting, &here) + here;
}

static void waits(struct meeting *meeting, long number) {
  while (middle(meeting, &number) == 3 * number + 4)
    ;
  abort();
}

static void await(struct meeting *meeting, long count) {
  for (long i = 0; i < count; i++)
    skein_sem_wait(&meeting->arrived);
}

int main(int argc, char **argv) {
  const long count = argc > 1 ? atol(argv[1]) : 10000, rounds = argc > 2 ? atol(argv[2]) : 10;
  struct meeting *meeting = calloc(1, sizeof *meeting);
  if (!meeting)
    return 1;
  const double before = status("VmRSS", "VmPTE"), begin = now_ns();
  for (long i = 0; i < count; i++) {
    skein_thread_t thread = skein_spawn(waits, meeting, i);
    if (!thread)
      return fprintf(stderr, "%s\n", skein_error_text()), 1;
    skein_detach(thread);
    await(meeting, 1);
  }
  const double created = now_ns();
  printf("bytes %.1f\ncreate %.1f\n", (status("VmRSS", "VmPTE") - before) / (double)count,
         (created - begin) / (double)count);
  double best = 0;
  for (long round = 0; round < rounds; round++) {
    const double from = now_ns();
    skein_sem_signal_n(&meeting->gate, (uint64_t)count);
    await(meeting, count);
    const double took = now_ns() - from;
    if (round == 0 || took < best)
      best = took;
  }
  printf("wake %.1f\n", best / (double)count);
  fflush(stdout);
  _Exit(0);
}
