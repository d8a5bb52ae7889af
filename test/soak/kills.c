/* kills.py lets nodes die in this program: its threads move, compute, allocate, call handlers, wait for each other and
 * exchange messages of all sizes, until so many milliseconds are over. No error is unexpected here, since others die at
 * any moment. But in the end everything ends, and with it the run: main waits for its threads, whatever became of them.
 */

// RUN: %python %root/test/soak/kills.py --build %build --count 8

#include <skein/global.h>
#include <skein/messages.h>
#include <skein/shared.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

SKEIN_HANDLER(echo, message) { skein_reply(message, message->data, message->bytes); }
SKEIN_THREADED_HANDLER(slow_echo, message) {
  skein_sleep_ns(1000000);
  skein_reply(message, message->data, message->bytes);
}
SKEIN_HANDLER(drop, message) { (void)message; }

static void child(int depth) {
  if (depth > 0)
    skein_join(skein_spawn(child, depth - 1));
}

static void traveller(unsigned seed, long end_ms, skein_semaphore_t semaphore) {
  static const size_t sizes[] = {8, 100, 5000, 70000};
  while (now_ms() < end_ms) {
    seed = seed * 1664525 + 1013904223;
    int to = (int)(seed >> 8) % skein_nodes();
    size_t bytes = sizes[seed >> 30];
    switch (seed >> 16 & 7) {
    case 0:
    case 1:
      skein_push_self(to);
      break;
    case 2: {
      char *data = calloc(1, bytes), *back = malloc(bytes);
      skein_call(to, seed & 64 ? &echo : &slow_echo, data, bytes, back, bytes, NULL);
      free(data);
      free(back);
      break;
    }
    case 3: {
      char *data = calloc(1, bytes);
      for (int i = 0; i < 100; i++)
        skein_send(to, &drop, data, bytes);
      free(data);
      break;
    }
    case 4: {
      char skein_shared *memory = skein_shared_alloc(to, bytes);
      if (memory)
        skein_shared_free(memory);
      break;
    }
    case 5:
      skein_semaphore_signal(semaphore);
      skein_semaphore_wait(semaphore);
      break;
    case 6:
      child(5);
      break;
    default:
      for (volatile int i = 0; i < 100000; i++)
        ;
      skein_yield();
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const long end_ms = now_ms() + atol(argv[1]); /* the machine's clock is the same for all nodes */
  const unsigned seed = (unsigned)atol(argv[2]);
  enum { travellers = 24 };
  skein_thread_t threads[travellers];
  skein_semaphore_t semaphore = skein_semaphore_create(0);
  for (unsigned i = 0; i < travellers; i++)
    threads[i] = skein_spawn(traveller, seed + i * 2654435761u, end_ms, semaphore);
  int lost = 0;
  for (int i = 0; i < travellers; i++)
    lost += skein_join(threads[i]) != SKEIN_OK;
  printf("main is through: %d threads lost\n", lost);
  return 0;
}
