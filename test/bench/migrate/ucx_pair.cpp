// Two processes that play ping-pong with bare UCX active messages: the yardstick of `skein bench migrate`.
//
//   ucx_pair COUNT BYTES...      prints a line "BYTES SPINNING_NS SLEEPING_NS" for each size
//
// Both figures are the median time of one message one way (half a round trip). *Spinning*: both sides poll without
// pause, the least UCX can need. *Sleeping*: whoever waits arms the worker and sleeps in poll(), as an idle node does.
// Nothing of Skein's transport takes part; only the environment (UCX_TLS and so on) is the one that `skein run` gives
// its nodes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>
#include <vector>

namespace {

[[noreturn]] void fail(const char *what, const char *why) {
  fprintf(stderr, "ucx_pair: %s: %s\n", what, why);
  _exit(1);
}

void must(ucs_status_t status, const char *what) {
  if (status != UCS_OK)
    fail(what, ucs_status_string(status));
}

double now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

class Side {
public:
  explicit Side(int socket) {
    ucp_config_t *config;
    must(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
    must(ucp_init(&params, config, &context), "ucp_init");
    ucp_config_release(config);
    ucp_worker_params_t worker_params{};
    worker_params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker_params.thread_mode = UCS_THREAD_MODE_SINGLE;
    must(ucp_worker_create(context, &worker_params, &worker), "ucp_worker_create");
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
    handler.id = 0;
    handler.cb = arrived;
    handler.arg = this;
    handler.flags = UCP_AM_FLAG_WHOLE_MSG;
    must(ucp_worker_set_am_recv_handler(worker, &handler), "ucp_worker_set_am_recv_handler");
    must(ucp_worker_get_efd(worker, &wake_up), "ucp_worker_get_efd");
    exchange_addresses(socket);
  }

  void send(size_t bytes) {
    buffer.resize(std::max(buffer.size(), bytes));
    ucp_request_param_t how{};
    wait(ucp_am_send_nbx(endpoint, 0, nullptr, 0, buffer.data(), bytes, &how), "ucp_am_send_nbx");
  }

  void receive(bool sleeping) {
    for (messages_seen++; messages < messages_seen;) {
      if (ucp_worker_progress(worker) || !sleeping)
        continue;
      if (ucp_worker_arm(worker) == UCS_OK) {
        pollfd entry{wake_up, POLLIN, 0};
        poll(&entry, 1, -1);
      }
    }
  }

private:
  static ucs_status_t arrived(void *self, const void *, size_t, void *data, size_t bytes,
                              const ucp_am_recv_param_t *param) {
    auto *side = static_cast<Side *>(self);
    if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
      side->incoming.resize(std::max(side->incoming.size(), bytes));
      ucp_request_param_t how{};
      how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
      how.cb.recv_am = fetched;
      how.user_data = side;
      ucs_status_ptr_t request = ucp_am_recv_data_nbx(side->worker, data, side->incoming.data(), bytes, &how);
      return UCS_PTR_IS_ERR(request) ? UCS_PTR_STATUS(request) : UCS_INPROGRESS;
    }
    side->messages++;
    return UCS_OK;
  }

  static void fetched(void *request, ucs_status_t status, size_t, void *self) {
    must(status, "fetching a message");
    ucp_request_free(request);
    static_cast<Side *>(self)->messages++;
  }

  void wait(ucs_status_ptr_t request, const char *what) {
    if (UCS_PTR_IS_ERR(request))
      must(UCS_PTR_STATUS(request), what);
    if (!UCS_PTR_IS_PTR(request))
      return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
      ucp_worker_progress(worker);
    must(ucp_request_check_status(request), what);
    ucp_request_free(request);
  }

  void exchange_addresses(int socket) {
    ucp_address_t *own;
    size_t bytes;
    must(ucp_worker_get_address(worker, &own, &bytes), "ucp_worker_get_address");
    if (::send(socket, own, bytes, 0) != static_cast<ssize_t>(bytes))
      fail("socket", "the other side is gone");
    char other[4096];
    if (recv(socket, other, sizeof other, 0) <= 0)
      fail("socket", "the other side is gone");
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    params.address = reinterpret_cast<ucp_address_t *>(other);
    params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    must(ucp_ep_create(worker, &params, &endpoint), "ucp_ep_create");
    ucp_worker_release_address(worker, own);
  }

  ucp_context_h context;
  ucp_worker_h worker;
  ucp_ep_h endpoint;
  int wake_up;
  uint64_t messages = 0, messages_seen = 0;
  std::vector<char> buffer, incoming;
};

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

void play(int socket, bool first, int count, const std::vector<size_t> &sizes) {
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
