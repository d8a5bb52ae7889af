/* However much arrives, the progress thread leaves a part of the core to a worker that computes there, and to others.
 * With real-time priority (of root) it takes at most half, and as an ordinary thread what it is given of the rest. Node
 * 1 sends requests without end, whose handler takes 50 us each. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,steal=off,message_credits=1000 %run -n 2 --bind --timeout 60 %t | FileCheck %s
// CHECK: the progress thread leaves a part: yes

#include "check.h"
#include <dirent.h>
#include <skein/messages.h>
#include <skein/sync.h>
#include <string.h>

static double time_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int stop; /* on node 0 */
SKEIN_HANDLER(work, message) {
  double end = time_of(CLOCK_MONOTONIC) + 50e-6;
  while (time_of(CLOCK_MONOTONIC) < end)
    ;
  skein_reply(message, &stop, sizeof stop);
}
SKEIN_HANDLER(note_stop, message) {
  if (message->bytes == sizeof stop)
    memcpy(&stop, message->data, sizeof stop);
}

static void floods(void) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  while (!*(volatile int *)&stop)
    CHECK(skein_request(0, &work, NULL, 0, &note_stop, 0) == SKEIN_OK);
  CHECK(skein_push_self(0) == SKEIN_OK);
}

/* The ticks of processor time that the progress thread has had. */
static long progress_ticks(void) {
  long ticks = -1;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *entry; (entry = readdir(tasks));) {
    char path[300], line[600];
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    long user, system;
    if (file && fgets(line, sizeof line, file) && strstr(line, "(skein-net)") &&
        sscanf(strrchr(line, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) == 2)
      ticks = user + system;
    if (file)
      fclose(file);
  }
  closedir(tasks);
  return ticks;
}

int main(void) {
  skein_thread_t flood = skein_spawn(floods);
  skein_sleep_ns(200000000);
  enum { measured_s = 3 };
  double begin = time_of(CLOCK_MONOTONIC);
  long net = progress_ticks();
  CHECK(net >= 0);
  while (time_of(CLOCK_MONOTONIC) < begin + measured_s)
    ;
  double theirs = (double)(progress_ticks() - net) / (double)sysconf(_SC_CLK_TCK);
  printf("the progress thread leaves a part: %s (it had %.2f s of %d)\n", theirs < 0.8 * measured_s ? "yes" : "no",
         theirs, measured_s);
  *(volatile int *)&stop = 1;
  CHECK(skein_join(flood) == SKEIN_OK);
  return 0;
}
