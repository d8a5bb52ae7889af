// Two processes that play ping-pong with bare UCX active messages: the yardstick of `skein bench migrate`.
//
//   ucx_pair COUNT BYTES...      prints a line "BYTES SPINNING_NS SLEEPING_NS" for each size
//
// Both figures are the median time of one message one way (half a round trip). *Spinning*: both sides poll without
// pause, the least UCX can need. *Sleeping*: whoever waits arms the worker and sleeps in poll(), as an idle node does.
// Whoever gets the bytes copies them out of UCX's buffer, and sends them back from there: over shared memory bytes that
// nobody looks at do not even cross from one core to the other.
// Nothing of Skein's transport takes part; only the environment (UCX_TLS and so on) is the one that `skein run` gives
// its nodes.
#include "../ucx_side.h"

#include <sched.h>
#include <sys/wait.h>

namespace {

/// Median one-way time in ns if this is the side that measures, else 0.
double ping_pong(Side &side, bool first, int count, size_t bytes, bool sleeping) {
  std::vector<double> times;
  for (int i = -count / 10 - 1; i < count; i++) { // the first tenth warms up
    double start = now_ns();
    if (first)
      side.send(bytes);
    side.receive(sleeping);
    if (!first)
      side.send(bytes);
    if (i >= 0)
      times.push_back((now_ns() - start) / 2);
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  return times[static_cast<size_t>(count / 2)];
}

/// Each side on a core of its own, if there are two: as nodes of `skein run --bind`.
void bind(bool first) {
  cpu_set_t all, own;
  if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2)
    return;
  int core = 0;
  for (int skip = first ? 0 : CPU_COUNT(&all) / 2; skip > 0 || !CPU_ISSET(core, &all); core++)
    skip -= CPU_ISSET(core, &all) ? 1 : 0;
  CPU_ZERO(&own);
  CPU_SET(core, &own);
  sched_setaffinity(0, sizeof own, &own);
}

void play(int socket, bool first, int count, const std::vector<size_t> &sizes) {
  bind(first);
  Side side(socket);
  for (size_t bytes : sizes) {
    double spinning = ping_pong(side, first, count, bytes, false);
    double sleeping = ping_pong(side, first, count, bytes, true);
    if (first)
      printf("%zu %.0f %.0f\n", bytes, spinning, sleeping);
  }
  fflush(stdout);
  // Stay until the other has received the last message: it may still need our progress.
  char done = 0;
  if (::send(socket, &done, 1, 0) != 1 || recv(socket, &done, 1, 0) != 1)
    fail("socket", "the other side is gone");
  _exit(0); // no teardown: both processes are done with each other
}

} // namespace

int main(int argc, char **argv) {
  int count = argc > 2 ? atoi(argv[1]) : 0;
  if (count < 1)
    fail("usage", "ucx_pair COUNT BYTES...");
  std::vector<size_t> sizes;
  for (int i = 2; i < argc; i++)
    sizes.push_back(strtoul(argv[i], nullptr, 10));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
    fail("socketpair", "refused");
  pid_t child = fork(); // before anything of UCX exists
  if (child < 0)
    fail("fork", "refused");
  close(ends[child == 0 ? 0 : 1]);
  play(ends[child == 0 ? 1 : 0], child != 0, count, sizes);
}
