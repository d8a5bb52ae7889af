/* A checkpoint fails after its cut, because the process that writes node 1's copy is killed: who had asked for it hears
 * that, and who has asked since the cut gets the next one. */

// RUN: %skeincc -O2 -w %s -o %t
// RUN: rm -rf %t.dir
// RUN: env SKEIN_OPTIONS=steal=off %skein run -n 2 --timeout 60 --checkpoint %t.dir %t 2>&1 | FileCheck %s
// UNSUPPORTED: sanitized

// CHECK: asked before the cut: refused, skein_checkpoint: node 1's copy was not written:
// CHECK-NEXT: asked since the cut: made

#define _GNU_SOURCE
#include <signal.h>
#include <skein/checkpoint.h>
#include <skein/deaths.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int was_cut;
static int before_code, since_code;
static char why[512];

static void note(void *nothing) { was_cut = 1; }

/* Half a second later: by then the other node has gone on, and its thread has asked. */
static void kill_writer_later(void *nothing) {
  static int done;
  char path[64], command[64], *words[] = {"sh", "-c", command, NULL}, *none[] = {NULL};
  int writer = 0;
  pid_t killer;
  if (done++)
    return;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", gettid());
  FILE *children = fopen(path, "r");
  if (!children || fscanf(children, "%d", &writer) != 1)
    abort();
  fclose(children);
  kill(writer, SIGSTOP);
  snprintf(command, sizeof command, "sleep 0.5; kill -9 %d", writer);
  if (posix_spawn(&killer, "/bin/sh", NULL, NULL, words, none) != 0)
    abort();
}

/* With memory that takes longer to write than a signal to come. */
static void on_node_one(void) {
  const size_t numbers = 16 << 20;
  unsigned *memory = malloc(numbers * sizeof *memory);
  for (size_t i = 0; i < numbers; i++)
    memory[i] = (unsigned)(i * i * 2654435761u >> 7);
  skein_on_checkpoint(NULL, kill_writer_later, NULL, memory);
}

static void asks(void) {
  before_code = skein_checkpoint();
  snprintf(why, sizeof why, "%s", skein_error_text());
}

static void asks_since(void) {
  while (!was_cut)
    skein_yield();
  since_code = skein_checkpoint();
}

int main(void) {
  skein_main_stays(1);
  const struct skein_attributes here = {.node = SKEIN_ON(0), .worker = SKEIN_ON(0)}, there = {.node = SKEIN_ON(1),
                                                                                              .worker = SKEIN_ON(0)};
  skein_join(skein_spawn_with(&there, on_node_one));
  skein_on_checkpoint(NULL, note, NULL, NULL);
  const skein_thread_t first = skein_spawn_with(&here, asks), second = skein_spawn_with(&here, asks_since);
  skein_join(first);
  skein_join(second);
  printf("asked before the cut: %s, %s\n", before_code == SKEIN_EREFUSED ? "refused" : "not refused", why);
  printf("asked since the cut: %s\n", since_code == SKEIN_OK ? "made" : "not made");
  return 0;
}
