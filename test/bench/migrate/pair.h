// Two processes play ping-pong with messages. That shows what a message costs by some way of sending it, and gives the
// yardsticks of `skein bench migrate`. Each program that includes this has a class `Way`:
//
//   Way(int socket, bool first)   at the other end of the socket is the other process; over it they exchange addresses
//   void send(size_t bytes)       sends what came last, or as many bytes
//   void receive(size_t bytes, bool sleeping)   waits for the next message, which has so many bytes; it polls without
//                                 pause, or sleeps as an idle node does
//   void finish()                 returns when nothing is on its way from here
//
// The receiver copies the bytes out of the place where they arrived, and sends them back from there: over shared
// memory, bytes that are not read do not even cross from one core to the other.
//
//   ... COUNT BYTES...            prints a line "BYTES SPINNING_NS SLEEPING_NS" for each size: the median time of one
//                                 message one way (half a round trip), both sides spinning and both sleeping while they
//                                 wait
//   ... --stream COUNT BYTES...   "BYTES SPINNING_NS MB_A_SECOND": instead of the second, what a stream of them carries
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

[[noreturn]] inline void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  _exit(1);
}

inline double now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

/// Gives the other process some bytes and gets those of the other.
inline size_t exchange(int socket, const void *own, size_t bytes, void *other, size_t room) {
  ssize_t got;
  if (::send(socket, own, bytes, 0) != static_cast<ssize_t>(bytes) || (got = recv(socket, other, room, 0)) <= 0)
    fail("socket", "the other side is gone");
  return static_cast<size_t>(got);
}

/// Median one-way time in ns.
template <class Way> double ping_pong(Way &way, bool first, int count, size_t bytes, bool sleeping) {
  std::vector<double> times;
  for (int i = -count / 10 - 1; i < count; i++) { // the first tenth warms up
    const double start = now_ns();
    if (first)
      way.send(bytes);
    way.receive(bytes, sleeping);
    if (!first)
      way.send(bytes);
    if (i >= 0)
      times.push_back((now_ns() - start) / 2);
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  return times[static_cast<size_t>(count / 2)];
}

/// The MB a second that go one way, as the median of three runs.
template <class Way> double stream(Way &way, bool first, int most, size_t bytes) {
  const int count =
      static_cast<int>(std::clamp<size_t>((8 << 20) / std::max<size_t>(bytes, 1), 4, 4 * static_cast<size_t>(most)));
  std::vector<double> rates;
  for (int turn = 0; turn < 3; turn++) {
    const double start = now_ns();
    for (int i = 0; i < count; i++)
      first ? way.send(bytes) : way.receive(bytes, false);
    first ? way.receive(1, false) : way.send(1);
    rates.push_back(static_cast<double>(count) * static_cast<double>(bytes) / (now_ns() - start) * 1000);
  }
  std::sort(rates.begin(), rates.end());
  return rates[1];
}

/// Binds each side to a core of its own, if there are two, as `skein run --bind` does for nodes.
inline void bind_side(bool first) {
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

/// The whole program.
template <class Way> int play_pair(int argc, char **argv) {
  const bool streams = argc > 1 && !strcmp(argv[1], "--stream");
  argc -= streams;
  argv += streams;
  const int count = argc > 2 ? atoi(argv[1]) : 0;
  if (count < 1)
    fail("usage", "[--stream] COUNT BYTES...");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
    fail("socketpair", "refused");
  const pid_t child = fork(); // this must happen before any library that sends has been used
  if (child < 0)
    fail("fork", "refused");
  prctl(PR_SET_PDEATHSIG, SIGKILL); // in the parent, too, since its own parent may be killed
  const bool first = child != 0;
  const int socket = ends[first ? 0 : 1];
  close(ends[first ? 1 : 0]);
  bind_side(first);
  Way way(socket, first);
  for (int i = 2; i < argc; i++) {
    const size_t bytes = strtoul(argv[i], nullptr, 10);
    const double spinning = ping_pong(way, first, count, bytes, false);
    const double other = streams ? stream(way, first, count, bytes) : ping_pong(way, first, count, bytes, true);
    if (first)
      printf("%zu %.0f %.0f\n", bytes, spinning, other);
  }
  fflush(stdout);
  way.finish();
  // This process stays until the other one has received the last message, which may still need progress here.
  char done = 0;
  exchange(socket, &done, 1, &done, 1);
  _exit(0); // no teardown: the two processes have finished with each other
}

#endif
