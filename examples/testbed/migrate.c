/* `migrate`: two threads that meet in a channel now and then; one stays, the other goes to another node after each
 * message, and says how long that took. (The Testbed, sections 3.3.3, A.3: 8.4 ms, and 16.9 ms for each page fetched.)
 *
 * Prints the nanoseconds of each move, one in a line. Arguments: moves (200), microseconds of computing between
 * messages (100). */
#include "testbed.h"

enum { message_bytes = 5000 };

static void traveller(skein_channel_t messages, long moves) {
  char buffer[message_bytes];
  for (long i = 0; i < moves; i++) {
    must(skein_channel_receive(messages, buffer, sizeof buffer, NULL), "skein_channel_receive");
    const int to = (skein_node() + 1) % skein_nodes();
    const uint64_t begin = now_ns();
    must(skein_push_self(to), "skein_push_self");
    printf("%llu\n", (unsigned long long)(now_ns() - begin));
  }
}

int main(int argc, char **argv) {
  skein_stealing_set(0); /* threads are where this program puts them */
  const long moves = argument(argc, argv, 1, 200);
  const uint64_t work = rounds_a_microsecond() * (uint64_t)argument(argc, argv, 2, 100);
  char buffer[message_bytes] = {0};
  const skein_channel_t messages = skein_channel_create(0);
  const skein_thread_t other = skein_spawn(traveller, messages, moves);
  for (long i = 0; i < moves; i++) {
    must(skein_channel_send(messages, buffer, sizeof buffer), "skein_channel_send");
    volatile uint64_t sink = compute(work);
    (void)sink;
  }
  must(skein_join(other), "skein_join");
  return 0;
}
