// Gets and puts of 8 bytes by bare UCX from and to a process that does nothing but drive its worker: the yardstick of
// the remote rows of `skein bench shared`.
//
//   ucx_gets COUNT
//
// prints "GET_NS GETS PUT_NS PUTS": the median time of one get, the gets in a second with 64 outstanding, and the same
// of puts (one and a flush, 64 and a flush).
#include "ucx_side.h"

namespace {

constexpr int outstanding = 64, warm_up = 2000;

double get_latency(Side &side, int count) {
  std::vector<double> times;
  for (int i = -warm_up; i < count; i++) {
    uint64_t got = 0;
    const double begin = now_ns();
    side.wait(side.get(0, &got), "ucp_get_nbx");
    if (i >= 0)
      times.push_back(now_ns() - begin);
    if (got != 7)
      fail("get", "another value");
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  return times[static_cast<size_t>(count / 2)];
}

double put_latency(Side &side, int count) {
  std::vector<double> times;
  const uint64_t seven = 7;
  for (int i = -warm_up; i < count; i++) {
    const double begin = now_ns();
    side.wait(side.put(0, &seven), "ucp_put_nbx");
    side.wait(side.flush(), "ucp_ep_flush_nbx");
    if (i >= 0)
      times.push_back(now_ns() - begin);
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  return times[static_cast<size_t>(count / 2)];
}

double put_rate(Side &side, int rounds) {
  const uint64_t seven = 7;
  ucs_status_ptr_t requests[outstanding];
  const double begin = now_ns();
  for (int i = 0; i < rounds; i++) {
    for (int j = 0; j < outstanding; j++)
      requests[j] = side.put(8 * static_cast<uint64_t>(j), &seven);
    for (ucs_status_ptr_t request : requests)
      side.wait(request, "ucp_put_nbx");
    side.wait(side.flush(), "ucp_ep_flush_nbx");
  }
  return 1e9 * rounds * outstanding / (now_ns() - begin);
}

/// As soon as one is done, the next begins in its place.
double get_rate(Side &side, int count) {
  uint64_t got[outstanding] = {};
  ucs_status_ptr_t requests[outstanding] = {};
  const double begin = now_ns();
  for (int left = count, idle = 0; idle < outstanding;) {
    side.progress();
    idle = 0;
    for (int i = 0; i < outstanding; i++) {
      if (!Side::done(requests[i]))
        continue;
      side.wait(requests[i], "ucp_get_nbx");
      requests[i] = nullptr;
      if (left > 0) {
        left--;
        requests[i] = side.get(8 * static_cast<uint64_t>(i), &got[i]);
      } else {
        idle++;
      }
    }
  }
  return 1e9 * count / (now_ns() - begin);
}

} // namespace

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  if (count < 1)
    fail("usage", "ucx_gets COUNT");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
    fail("socketpair", "refused");
  const pid_t child = fork(); // this must happen before anything of UCX exists
  if (child < 0)
    fail("fork", "refused");
  const int socket = ends[child == 0 ? 1 : 0];
  close(ends[child == 0 ? 0 : 1]);
  static uint64_t memory[outstanding];
  for (uint64_t &word : memory)
    word = 7;
  Side side(socket);
  side.share(socket, memory, sizeof memory);
  char done = 0;
  if (child == 0) {
    while (recv(socket, &done, 1, MSG_DONTWAIT) < 0)
      for (int i = 0; i < 1000; i++)
        side.progress();
    _exit(0);
  }
  const double get = get_latency(side, count);
  get_rate(side, count);
  printf("%.0f %.0f ", get, get_rate(side, 16 * count));
  const double put = put_latency(side, count);
  printf("%.0f %.0f\n", put, put_rate(side, count / 4));
  fflush(stdout);
  if (::send(socket, &done, 1, 0) != 1)
    fail("socket", "the other side is gone");
  _exit(0); // no teardown: the two processes have finished with each other
}
