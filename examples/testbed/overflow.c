/* `overflow`: a thread on each node records events at a chosen rate, for a while. `skein trace` tells how many of them
 * are missing: so it shows which rate the recorder sustains. (The Testbed, sections 3.3.7, A.5: 220 events a second and
 * node.)
 *
 * Arguments: nanoseconds of computing between two events (0), milliseconds that it takes (1000). Prints how many events
 * each node has emitted in which time. */
#include "testbed.h"

#include <skein/trace.h>

static void emit(int node, uint64_t pause, uint64_t while_ns) {
  begin_on(node);
  const uint64_t begin = now_ns();
  uint64_t events = 0, end;
  volatile uint64_t sink;
  do {
    for (int i = 0; i < 100; i++, events++) {
      skein_trace_event("overflow", (int64_t)events);
      sink = compute(pause);
    }
    end = now_ns();
  } while (end - begin < while_ns);
  (void)sink;
  printf("node %d: %llu events in %llu us\n", node, (unsigned long long)events,
         (unsigned long long)(end - begin) / 1000);
}

int main(int argc, char **argv) {
  skein_stealing_set(0); /* threads are where this program puts them */
  const uint64_t pause = rounds_a_microsecond() * (uint64_t)argument(argc, argv, 1, 0) / 1000;
  const uint64_t while_ns = (uint64_t)argument(argc, argv, 2, 1000) * 1000000;
  enum { most = 64 };
  skein_thread_t threads[most];
  const int nodes = skein_nodes() < most ? skein_nodes() : most;
  for (int node = 0; node < nodes; node++)
    threads[node] = skein_spawn(emit, node, pause, while_ns);
  for (int node = 0; node < nodes; node++)
    must(skein_join(threads[node]), "skein_join");
  return 0;
}
