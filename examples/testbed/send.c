/* `local` and `remote`: two threads, of which one sends the other messages that become longer and longer, and how long
 * the sender waits for each. The receiver is on the same node, or on the next one (with -DREMOTE). (The Testbed,
 * sections 3.3.1, 3.3.2, A.1, A.2: 1.95 ms a KiB + 1.025 ms, and 2.77 ms a KiB + 7.35 ms.)
 *
 * Prints bytes and the median of nanoseconds, as comma-separated values. Arguments: repetitions (10), microseconds of
 * computing before each message (0: the latency alone is measured). */
#include "testbed.h"

enum { message_most = 5000, steps = 100, repetitions_most = 1000 };

static void receiver(skein_channel_t messages) {
#ifdef REMOTE
  must(skein_push_self((skein_node() + 1) % skein_nodes()), "skein_push_self");
#endif
  char buffer[message_most];
  size_t bytes;
  do
    must(skein_channel_receive(messages, buffer, sizeof buffer, &bytes), "skein_channel_receive");
  while (bytes);
}

static int by_size(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  skein_stealing_set(0); /* threads are where this program puts them */
  long repetitions = argument(argc, argv, 1, 10);
  if (repetitions > repetitions_most)
    repetitions = repetitions_most;
  const uint64_t work = rounds_a_microsecond() * (uint64_t)argument(argc, argv, 2, 0);
  char buffer[message_most] = {0};
  /* A channel belongs where its receiver is. */
#ifdef REMOTE
  const int home = (skein_node() + 1) % skein_nodes();
#else
  const int home = skein_node();
#endif
  const skein_channel_t messages = skein_channel_create_on(home, 0);
  const skein_thread_t other = skein_spawn(receiver, messages);
  printf("bytes,ns\n");
  for (size_t bytes = 1; bytes <= message_most; bytes += message_most / steps) {
    uint64_t took[repetitions_most];
    for (long i = 0; i < repetitions; i++) {
      volatile uint64_t sink = compute(work);
      (void)sink;
      const uint64_t begin = now_ns();
      must(skein_channel_send(messages, buffer, bytes), "skein_channel_send");
      took[i] = now_ns() - begin;
    }
    qsort(took, (size_t)repetitions, sizeof *took, by_size);
    printf("%zu,%llu\n", bytes, (unsigned long long)took[repetitions / 2]);
  }
  must(skein_channel_send(messages, buffer, 0), "skein_channel_send");
  must(skein_join(other), "skein_join");
  must(skein_channel_free(messages), "skein_channel_free");
  return 0;
}
