/* deaths=survive: a node dies while its queue is full of messages. The progress threads of the others must sleep as if
 * it had been empty. If they waited for room there, they would take the cores from the workers, with real-time priority
 * wholly. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive,message_credits=100000,heartbeat_ms=0 \
// RUN:   %run -n 2 --timeout 30 %t 2>&1 | FileCheck %s
// CHECK: the run goes on without it
// CHECK: the progress thread is quiet: yes

#include "check.h"
#include <dirent.h>
#include <signal.h>
#include <skein/messages.h>
#include <string.h>
#include <unistd.h>

SKEIN_HANDLER(who, message) {
  pid_t self = getpid();
  skein_reply(message, &self, sizeof self);
}
SKEIN_HANDLER(nothing, message) { (void)message; }

/* The number of times that the progress thread has gone to sleep. */
static long sleeps(void) {
  DIR *tasks = opendir("/proc/self/task");
  long count = -1;
  for (struct dirent *entry; (entry = readdir(tasks));) {
    char path[300], line[200], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status)) {
      sscanf(line, "Name: %63s", name);
      if (strcmp(name, "skein-net") == 0)
        sscanf(line, "voluntary_ctxt_switches: %ld", &count);
    }
    if (status)
      fclose(status);
  }
  closedir(tasks);
  return count;
}

int main(void) {
  pid_t other;
  CHECK(skein_call(1, &who, NULL, 0, &other, sizeof other, NULL) == SKEIN_OK);
  kill(other, SIGSTOP);
  for (int i = 0; i < 5000; i++)
    CHECK(skein_send(1, &nothing, &i, sizeof i) == SKEIN_OK);
  kill(other, SIGKILL);
  while (skein_send(1, &nothing, NULL, 0) == SKEIN_OK)
    usleep(1000);
  usleep(100000);
  long before = sleeps();
  usleep(1000000); /* this worker computes, as far as the progress thread knows */
  long during = sleeps() - before;
  printf("the progress thread is quiet: %s (%ld times a second)\n", before >= 0 && during < 100 ? "yes" : "no", during);
  return 0;
}
