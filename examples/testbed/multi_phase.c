/* `multi_phase`: 25 threads on up to 5 nodes go through eight phases together, in which they compute or communicate,
 * with neighbours on their node or on the next one, by short messages or long ones. (The Testbed,
 * sections 3.3.6, 4.1.3, A.4, Table 5.) Record a run to see how well each measure of load tells what happens:
 *
 *     skein run -n 5 --trace phases.pftrace testbed_multi_phase
 *     skein trace phases.pftrace --plot phases.svg
 *
 *            node 0   node 1  …       Thread (row, node). Local messages go down a column, from each thread to the one
 *     row 0    o --------o------->    below and from the last to the first; remote ones go along a row, to the next
 * node row 1    o --------o------->    and from the last to the first. Threads of even place send first, then receive;
 *      …       |         |            the others the other way round.
 *
 * main divides the phases. Arguments: microseconds that stand for the seed's millisecond (200), rounds in a phase (50).
 */
#include "testbed.h"

#include <skein/trace.h>

enum { rows = 5, nodes_most = 5, message_most = 5000, phases = 8 };

static const char *const phase_names[phases] = {
    "computes, local, short",      "computes, local, long",      "computes, remote, short",
    "computes, remote, long",      "communicates, local, short", "communicates, local, long",
    "communicates, remote, short", "communicates, remote, long",
};

struct links {
  skein_channel_t local[nodes_most][rows], remote[nodes_most][rows]; /* from each thread to the next */
  skein_channel_t gate;                                              /* to main, and back */
  skein_channel_t open;
  int nodes;
  uint64_t millisecond;
  long rounds;
};

/* Sends `bytes` along and receives as many. Of two neighbours one begins with the send; an odd ring has two places in
 * a row that begin with the receive, which is no harm. */
static void exchange(skein_channel_t to, skein_channel_t from, int place, char *buffer, size_t bytes) {
  if (place % 2 == 0) {
    must(skein_channel_send(to, buffer, bytes), "skein_channel_send");
    must(skein_channel_receive(from, buffer, message_most, NULL), "skein_channel_receive");
  } else {
    char other[message_most];
    must(skein_channel_receive(from, other, message_most, NULL), "skein_channel_receive");
    must(skein_channel_send(to, buffer, bytes), "skein_channel_send");
  }
}

/* Waits until main has heard from all, and lets them go on. */
static void gate(const struct links *links) {
  char nothing;
  must(skein_channel_send(links->gate, "", 0), "skein_channel_send");
  must(skein_channel_receive(links->open, &nothing, 1, NULL), "skein_channel_receive");
}

static void worker(skein_channel_t table, int node, int row) {
  struct links links;
  must(skein_channel_receive(table, &links, sizeof links, NULL), "skein_channel_receive");
  begin_on(node);
  char buffer[message_most] = {0};
  const skein_channel_t down = links.local[node][row], along = links.remote[node][row];
  const skein_channel_t up = links.local[node][(row + rows - 1) % rows];
  const skein_channel_t back = links.remote[(node + links.nodes - 1) % links.nodes][row];
  volatile uint64_t sink;
  for (int phase = 0; phase < phases; phase++) {
    const int communicates = phase / 4, remote = phase / 2 % 2;
    const size_t bytes = phase % 2 ? message_most : 1;
    gate(&links);
    skein_trace_begin(phase_names[phase], phase + 1);
    for (long i = 0; i < links.rounds; i++) {
      sink = compute(links.millisecond);
      if (!communicates)
        sink = compute(9 * links.millisecond);
      if (communicates || i % 10 == 0) { /* who computes communicates now and then */
        if (remote)
          exchange(along, back, node, buffer, bytes);
        else
          exchange(down, up, row, buffer, bytes);
      }
    }
    skein_trace_end(phase_names[phase]);
    gate(&links);
  }
  (void)sink;
}

int main(int argc, char **argv) {
  skein_stealing_set(0); /* threads are where this program puts them */
  struct links links = {.nodes = skein_nodes() < nodes_most ? skein_nodes() : nodes_most};
  if (links.nodes < 2) {
    fprintf(stderr, "multi_phase: some phases are between nodes: skein run -n 2 (to 5) …\n");
    return 2;
  }
  links.millisecond = rounds_a_microsecond() * (uint64_t)argument(argc, argv, 1, 200);
  links.rounds = argument(argc, argv, 2, 50);
  links.gate = skein_channel_create(0);
  links.open = skein_channel_create(0);
  const skein_channel_t table = skein_channel_create(0);
  for (int node = 0; node < links.nodes; node++)
    for (int row = 0; row < rows; row++) {
      links.local[node][row] = skein_channel_create_on(node, 0);
      links.remote[node][row] = skein_channel_create_on((node + 1) % links.nodes, 0);
    }
  skein_thread_t threads[nodes_most][rows];
  for (int node = 0; node < links.nodes; node++)
    for (int row = 0; row < rows; row++) {
      threads[node][row] = skein_spawn(worker, table, node, row);
      must(skein_channel_send(table, &links, sizeof links), "skein_channel_send");
    }
  const int all = links.nodes * rows;
  char nothing;
  for (int phase = 0; phase < phases; phase++) {
    uint64_t begin = 0;
    for (int step = 0; step < 2; step++) { /* its begin and its end */
      for (int i = 0; i < all; i++)
        must(skein_channel_receive(links.gate, &nothing, 1, NULL), "skein_channel_receive");
      if (step)
        printf("phase %d (%s): %llu us\n", phase + 1, phase_names[phase],
               (unsigned long long)(now_ns() - begin) / 1000);
      else
        begin = now_ns();
      for (int i = 0; i < all; i++)
        must(skein_channel_send(links.open, "", 0), "skein_channel_send");
    }
    volatile uint64_t sink = compute(100 * links.millisecond); /* only main, between phases */
    (void)sink;
  }
  for (int node = 0; node < links.nodes; node++)
    for (int row = 0; row < rows; row++)
      must(skein_join(threads[node][row]), "skein_join");
  return 0;
}
