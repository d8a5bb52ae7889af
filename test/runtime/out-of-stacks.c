// There is memory for a few stacks only: threads that have one go on, and fresh threads start as stacks become free. If
// those that have one wait for those that have none, the program says so and ends.
// RUN: %skeincc -O1 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %t pass | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3 %t pass | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 not %t wait 2>&1 | FileCheck --check-prefix=STUCK %s
// UNSUPPORTED: sanitized

// CHECK: 1000 threads ran
// STUCK: skein: out of stacks: {{[0-9]+}} threads live here and there is no memory, or no mapping, for another stack
// STUCK-NOT: all ran
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static int ran;
static skein_sem_t opened;

static void passes(void) {
  for (int i = 0; i < 20; i++)
    skein_yield();
  __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}

static void waits(void) { skein_sem_wait(&opened); }
static void opens(void) { skein_sem_signal_n(&opened, 1000); }

int main(int count, char **argument) {
  skein_join(skein_spawn(passes)); // by now all workers have started
  ran = 0;
  struct rlimit limit = {0, 0};
  unsigned long pages = 0;
  FILE *status = fopen("/proc/self/status", "r");
  for (char line[200]; fgets(line, sizeof line, status);)
    sscanf(line, "VmData: %lu kB", &pages);
  fclose(status);
  // Private writable memory, enough for some thirty more stacks.
  limit.rlim_cur = limit.rlim_max = (pages << 10) + (2 << 20);
  setrlimit(RLIMIT_DATA, &limit);

  static skein_thread_t threads[1000];
  int wait = !strcmp(argument[1], "wait");
  for (int i = 0; i < 1000; i++) /* the only worker begins the oldest one last, since nobody joins it before */
    threads[i] = !wait ? skein_spawn(passes) : i ? skein_spawn(waits)
                                                 : skein_spawn(opens);
  for (int i = 999; i >= 0; i--)
    skein_join(threads[i]);
  printf(wait ? "all ran\n" : "%d threads ran\n", ran);
  return 0;
}
