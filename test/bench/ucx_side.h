// One of two processes that talk by bare UCX: the yardstick of the benchmarks. Nothing of Skein's transport takes part;
// only the environment (UCX_TLS and so on) is the one that `skein run` gives its nodes.
#ifndef BENCH_UCX_SIDE_H
#define BENCH_UCX_SIDE_H

#include "migrate/pair.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sys/socket.h>
#include <ucp/api/ucp.h>
#include <unistd.h>
#include <vector>

inline void must(ucs_status_t status, const char *what) {
  if (status != UCS_OK)
    fail(what, ucs_status_string(status));
}

class Side {
public:
  /// The other end of the socket is the other side.
  explicit Side(int socket) {
    ucp_config_t *config;
    must(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP;
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

  /// Sends what came last, or as many bytes.
  void send(size_t bytes) {
    incoming.resize(std::max(incoming.size(), bytes));
    ucp_request_param_t how{};
    wait(ucp_am_send_nbx(endpoint, 0, nullptr, 0, incoming.data(), bytes, &how), "ucp_am_send_nbx");
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

  /// Lets the other side read `memory`. The other side calls this as well, and each gets the other's.
  void share(int socket, void *memory, size_t bytes) {
    ucp_mem_map_params_t params{};
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    params.address = memory;
    params.length = bytes;
    ucp_mem_h handle;
    must(ucp_mem_map(context, &params, &handle), "ucp_mem_map");
    void *packed;
    size_t size;
    must(ucp_rkey_pack(context, handle, &packed, &size), "ucp_rkey_pack");
    std::vector<char> own(sizeof memory + size);
    memcpy(own.data(), &memory, sizeof memory);
    memcpy(own.data() + sizeof memory, packed, size);
    if (::send(socket, own.data(), own.size(), 0) != static_cast<ssize_t>(own.size()))
      fail("socket", "the other side is gone");
    char other[4096];
    if (recv(socket, other, sizeof other, 0) <= 0)
      fail("socket", "the other side is gone");
    memcpy(&there, other, sizeof there);
    must(ucp_ep_rkey_unpack(endpoint, other + sizeof there, &key), "ucp_ep_rkey_unpack");
    ucp_rkey_buffer_release(packed);
  }

  /// Begins to read 8 bytes at `offset` of what the other side shares. Null: it is done; otherwise the result is for
  /// `wait`.
  ucs_status_ptr_t get(uint64_t offset, uint64_t *to) {
    ucp_request_param_t how{};
    return ucp_get_nbx(endpoint, to, sizeof *to, there + offset, key, &how);
  }

  /// Begins to write in the same way. The value is there when a flush that begins later is done.
  ucs_status_ptr_t put(uint64_t offset, const uint64_t *from) {
    ucp_request_param_t how{};
    return ucp_put_nbx(endpoint, from, sizeof *from, there + offset, key, &how);
  }
  ucs_status_ptr_t flush() {
    ucp_request_param_t how{};
    return ucp_ep_flush_nbx(endpoint, &how);
  }

  void progress() { ucp_worker_progress(worker); }

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
  static bool done(ucs_status_ptr_t request) {
    return !UCS_PTR_IS_PTR(request) || ucp_request_check_status(request) != UCS_INPROGRESS;
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
    side->incoming.resize(std::max(side->incoming.size(), bytes));
    memcpy(side->incoming.data(), data, bytes); // the data are valid only during this call
    side->messages++;
    return UCS_OK;
  }

  static void fetched(void *request, ucs_status_t status, size_t, void *self) {
    must(status, "fetching a message");
    ucp_request_free(request);
    static_cast<Side *>(self)->messages++;
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
  uint64_t there = 0;
  ucp_rkey_h key = nullptr;
  int wake_up;
  uint64_t messages = 0, messages_seen = 0;
  std::vector<char> incoming;
};

#endif
