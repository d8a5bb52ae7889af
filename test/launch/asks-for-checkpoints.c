/* skein_checkpoint and skein_on_checkpoint: a run goes on in the middle of the call, with memory of malloc, a lock that a
 * thread holds, an open file, a thread that waits; and what cannot be copied is refused, while the run goes on. */

// RUN: %skeincc -O2 -w %s -o %t
// RUN: rm -rf %t.dir %t.file && head -c 16 /dev/urandom > %t.key && chmod 600 %t.key
// RUN: env SKEIN_OPTIONS=checkpoint_key=%t.key,steal=off %skein run -n 2 --checkpoint %t.dir %t %t.file \
// RUN:   | FileCheck --check-prefixes=FIRST %s
// RUN: %skein restart %t.dir | FileCheck --check-prefixes=AGAIN %s
// RUN: FileCheck --check-prefix=FILE %s < %t.file
// RUN: not env SKEIN_OPTIONS=checkpoint_key=%t %skein restart %t.dir 2>&1 | FileCheck --check-prefix=KEY %s
// RUN: not env SKEIN_OPTIONS=steal=off %skein run -n 2 %t %t.file | FileCheck --check-prefix=NONE %s
// UNSUPPORTED: sanitized

// FIRST: shared memory: refused, skein_checkpoint: node {{[01]}}'s copy was not written: memory at 0x{{[0-9a-f]+}} is shared
// FIRST-NEXT: a kernel thread: refused, skein_checkpoint: node {{[01]}} could not make a copy of itself: kernel threads that are
// FIRST-NEXT: before
// FIRST-NEXT: after
// FIRST-NEXT: made: noted before
// FIRST-NEXT: the sum is 499500, the lock is held, the waiter got 42

// AGAIN-NOT: before
// AGAIN: restored
// AGAIN-NEXT: restored: noted before
// AGAIN-NEXT: the sum is 499500, the lock is held, the waiter got 42

// The run that went on has written its second line, which the restored one writes once more, to the same place.
// FILE: before the checkpoint
// FILE-NEXT: behind it
// FILE-NOT: behind it

// KEY: may be read or written by others than its owner

// NONE: refused, skein_checkpoint: this run makes no checkpoints

#include <pthread.h>
#include <skein/checkpoint.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *noted = "nothing";
static skein_mutex_t mutex;
static skein_sem_t semaphore;
static int got;

static void before(void *words) {
  noted = words;
  puts("before");
}
static void after(void *words) { puts("after"); }
static void restored(void *words) { puts("restored"); }

static void *sleeps(void *nothing) {
  pause();
  return nothing;
}

static void waiter(void) {
  skein_sem_wait(&semaphore);
  got = 42;
}

static void refused(const char *what) {
  const int code = skein_checkpoint();
  printf("%s: %s, %s\n", what, code == SKEIN_EREFUSED ? "refused" : "not refused", skein_error_text());
}

int main(int count, char **arguments) {
  void *pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  refused("shared memory");
  munmap(pages, 4096);
  pthread_t other;
  pthread_create(&other, NULL, sleeps, NULL);
  refused("a kernel thread");
  pthread_cancel(other);
  pthread_join(other, NULL);

  FILE *file = fopen(arguments[1], "w");
  fputs("before the checkpoint\n", file);
  fflush(file);
  long *numbers = malloc(1000 * sizeof *numbers), sum = 0;
  for (int i = 0; i < 1000; i++)
    numbers[i] = i;
  skein_mutex_init(&mutex);
  skein_sem_init(&semaphore, 0);
  skein_mutex_lock(&mutex);
  const skein_thread_t waits = skein_spawn(waiter);
  skein_on_checkpoint(before, after, restored, "noted before");
  const int code = skein_checkpoint();
  printf("%s: %s\n", code == SKEIN_OK ? "made" : code == SKEIN_RESTORED ? "restored"
                                                                        : skein_error_text(),
         noted);
  fputs("behind it\n", file);
  fclose(file);
  for (int i = 0; i < 1000; i++)
    sum += numbers[i];
  const int held = skein_mutex_trylock(&mutex) != SKEIN_OK;
  skein_mutex_unlock(&mutex);
  skein_sem_signal(&semaphore);
  skein_join(waits);
  printf("the sum is %ld, the lock is %s, the waiter got %d\n", sum, held ? "held" : "free", got);
  return code > 0;
}
