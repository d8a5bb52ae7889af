// The transport over UCX: one context, one worker, one endpoint per peer, one active message.
//
// A message travels as the payload of active message 0 without a UCP header, so what arrives is one contiguous block.
// It is shown to `at_once` where it lies. What that does not handle is copied into memory of our own: then the
// descriptor goes back to UCX, the block is aligned, and the receiver may keep it and work on it after the lock is
// free. A block that the receiver does not keep is used for the next message, since malloc and free of a kilobyte or
// two take as long as the copy. Above UCX_RNDV_THRESH (64 KiB, set by `skein run`) the sender only announces the block
// and UCX fetches it into our memory. On one host that is a copy into its queue and one out of it, piece by piece: CMA,
// a single copy, cannot be had for endpoints that report that a peer has failed (UCP_ERR_HANDLING_MODE_PEER).
//
// Locking: the worker is opened for serialised use and `lock` serialises it. UCX's own thread-multiple mode spins, and
// a spinning thread on an oversubscribed core keeps the one it waits for from running. What arrived is handed to
// `receive` after the lock is free, so a long handler never holds up a sender. A thread that looks again and again for
// something to arrive keeps the lock as long as no other wants it, so each look is as short as bare UCX's.
//
// Death of a peer: endpoints are opened with peer error handling, so a failed peer is a callback, not an abort. A
// message sent to a peer that is gone is dropped; membership decides when to give up. The endpoint is left as it is,
// with what waits there for room, until the process ends: if it is closed by force, UCX 1.13 aborts the process if an
// answer of its own handshake is among that (ucp_request_send_state_ff), and otherwise waits for room in the dead queue
// (uct_mm_ep_flush ignores UCT_FLUSH_FLAG_CANCEL).
//
// So a worker that is armed for sends would never sleep again, since over shared memory nothing tells that a queue has
// room. It is armed for what arrives only. Messages under way are counted for each peer here, and while there are any
// to a living peer, `arm` says that sleep has to be short. UCX's own messages that wait for room are not seen
// (acknowledgements of large messages, and the first ones of a connection). They leave with the next `progress`.
//
// Rejected: a worker for each peer, each with queues of half a megabyte, which lengthens each look; to empty the dead
// peer's queue here, since UCX does not tell where it lies.
//
// No C++ library here: like libskein.a this object may be loaded into a C program.
#include "net/wire/arrived.h"
#include "net/wire/posted.h"
#include "net/wire/transport_symbol.h"
#include "os/linux/mutex.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <ucp/api/ucp.h>

namespace {

using skein::Arrived;
using skein::Incoming;
using skein::Posted;

constexpr unsigned message_id = 0;

struct Peer {
  ucp_ep_h endpoint;  // null: not connected
  const char *failed; // set by the error callback, cleared when reported
  unsigned pending;   // sends that UCX has not finished; 0 once it is disconnected
};

struct Ucx {
  skein_transport_setup setup;
  ucp_context_h context;
  ucp_worker_h worker;
  ucp_address_t *address;
  size_t address_bytes;
  Peer *peers;
  bool any_failed;
  bool any_abandoned; // some endpoint of a peer that is gone is left as it was
  unsigned pending;   // of all peers
  int fd;
};

Ucx ucx;
skein::Mutex lock;
unsigned wanting; // kernel threads that wait for it; atomic

struct Locked {
  Locked() {
    if (lock.try_lock())
      return;
    __atomic_fetch_add(&wanting, 1, __ATOMIC_RELAXED); // a hint for whoever looks again and again
    lock.lock();
    __atomic_fetch_sub(&wanting, 1, __ATOMIC_RELAXED);
  }
  ~Locked() { lock.unlock(); }
  Locked(const Locked &) = delete;
};

Arrived arrived_messages;

int fail(char *error, size_t bytes, const char *what, ucs_status_t status) {
  snprintf(error, bytes, "UCX: %s: %s", what, ucs_status_string(status));
  return -1;
}

void fetched(void *request, ucs_status_t status, size_t, void *user) {
  auto *incoming = static_cast<Incoming *>(user);
  ucp_request_free(request);
  if (status == UCS_OK)
    arrived_messages.append(incoming);
  else // the sender died while we fetched
    arrived_messages.drop(incoming);
}

/// Under the lock.
Posted post(int peer, void *message, size_t bytes);

ucs_status_t arrived(void *, const void *, size_t, void *data, size_t bytes, const ucp_am_recv_param_t *param) {
  const bool here = !(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV);
  skein_transport_answer answer = {-1, nullptr, 0};
  if (here && ucx.setup.at_once && ucx.setup.at_once(ucx.setup.context, -1, data, bytes, &answer)) {
    if (answer.message && post(answer.to, answer.message, answer.bytes) != Posted::kept)
      free(answer.message);
    return UCS_OK;
  }
  Incoming *incoming = arrived_messages.expect_surely(-1, bytes); // UCX does not tell its sender
  if (here) {
    memcpy(incoming->message, data, bytes);
    arrived_messages.append(incoming);
    return UCS_OK;
  }
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  how.cb.recv_am = fetched;
  how.user_data = incoming;
  ucs_status_ptr_t request = ucp_am_recv_data_nbx(ucx.worker, data, incoming->message, bytes, &how);
  if (UCS_PTR_IS_ERR(request)) {
    arrived_messages.drop(incoming);
    return UCS_PTR_STATUS(request);
  }
  return UCS_INPROGRESS;
}

void peer_failed(void *argument, ucp_ep_h, ucs_status_t status) {
  auto peer = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  ucx.peers[peer].failed = ucs_status_string(status);
  ucx.any_failed = true;
}

/// What UCX keeps for us with each request.
struct Sent {
  int to;
};

/// Changes the count of sends to a peer that are not finished.
void add_pending(Peer &peer, int change) {
  peer.pending += static_cast<unsigned>(change);
  ucx.pending += static_cast<unsigned>(change);
}

void sent(void *request, ucs_status_t, void *message) {
  Peer &peer = ucx.peers[static_cast<const Sent *>(request)->to];
  free(message);
  ucp_request_free(request);
  if (peer.endpoint) // else it is not counted any more
    add_pending(peer, -1);
}

/// UCX over TCP listens on a port, and serves one-sided writes of anybody to any address of this process, where the
/// runtime cannot check them. So UCX_TLS must not allow it.
bool may_use_tcp() {
  const char *names = getenv("UCX_TLS");
  if (!names)
    return true;
  for (const char *at = names; at; at = strchr(at, ','), at = at ? at + 1 : nullptr)
    if (!strncmp(at, "tcp", 3) || !strncmp(at, "all", 3) || *at == '^' || *at == 0)
      return true;
  return false;
}

int open(const skein_transport_setup *setup, char *error, size_t error_bytes) {
  if (may_use_tcp()) {
    snprintf(error, error_bytes,
             "UCX_TLS has to name fabrics or shared memory, and not tcp, which is open to everybody");
    return -1;
  }
  ucx = Ucx{};
  ucx.setup = *setup;
  ucx.peers = static_cast<Peer *>(calloc(setup->peers, sizeof(Peer)));
  if (!ucx.peers)
    return fail(error, error_bytes, "open", UCS_ERR_NO_MEMORY);

  ucp_config_t *config;
  if (ucs_status_t status = ucp_config_read(nullptr, nullptr, &config); status != UCS_OK)
    return fail(error, error_bytes, "ucp_config_read", status);
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_MT_WORKERS_SHARED |
                      UCP_PARAM_FIELD_REQUEST_SIZE;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  params.estimated_num_eps = setup->peers;
  params.mt_workers_shared = 0;
  params.request_size = sizeof(Sent);
  ucs_status_t status = ucp_init(&params, config, &ucx.context);
  ucp_config_release(config);
  if (status != UCS_OK)
    return fail(error, error_bytes, "ucp_init", status);

  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  worker.events = UCP_WAKEUP_RX;
  if (status = ucp_worker_create(ucx.context, &worker, &ucx.worker); status != UCS_OK)
    return fail(error, error_bytes, "ucp_worker_create", status);

  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
  handler.id = message_id;
  handler.cb = arrived;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  if (status = ucp_worker_set_am_recv_handler(ucx.worker, &handler); status != UCS_OK)
    return fail(error, error_bytes, "ucp_worker_set_am_recv_handler", status);
  if (status = ucp_worker_get_address(ucx.worker, &ucx.address, &ucx.address_bytes); status != UCS_OK)
    return fail(error, error_bytes, "ucp_worker_get_address", status);
  if (status = ucp_worker_get_efd(ucx.worker, &ucx.fd); status != UCS_OK)
    return fail(error, error_bytes, "ucp_worker_get_efd", status);
  return 0;
}

void address(skein_transport_address *own) { *own = {ucx.address, ucx.address_bytes, {-1, -1}}; }

int connect(int peer, const skein_transport_address *remote, char *error, size_t error_bytes) {
  Locked locked;
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = static_cast<const ucp_address_t *>(remote->bytes);
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = peer_failed;
  params.err_handler.arg = reinterpret_cast<void *>(static_cast<intptr_t>(peer));
  ucs_status_t status = ucp_ep_create(ucx.worker, &params, &ucx.peers[peer].endpoint);
  if (status == UCS_OK)
    return 0;
  ucx.peers[peer].endpoint = nullptr;
  return fail(error, error_bytes, "ucp_ep_create", status);
}

Posted post(int to, void *message, size_t bytes) {
  Peer &peer = ucx.peers[to];
  if (!peer.endpoint)
    return Posted::nobody;
  ucp_request_param_t how;
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = sent;
  how.user_data = message;
  ucs_status_ptr_t request = ucp_am_send_nbx(peer.endpoint, message_id, nullptr, 0, message, bytes, &how);
  if (UCS_PTR_IS_PTR(request)) {
    static_cast<Sent *>(request)->to =
        to; // `sent` cannot have run yet: it runs inside progress, under the lock we hold
    add_pending(peer, 1);
    return Posted::kept;
  }
  return request == nullptr ? Posted::left : Posted::nobody;
}

Posted post_locked(int peer, void *message, size_t bytes) {
  Locked locked;
  return post(peer, message, bytes);
}

int send(int peer, void *message, size_t bytes) {
  return skein::result_of_send(post_locked(peer, message, bytes), message);
}
int lend(int peer, void *message, size_t bytes) { return skein::result_of_lend(post_locked(peer, message, bytes)); }

unsigned progress(unsigned looks) {
  lock.lock();
  unsigned count = 0;
  skein::look_repeatedly(looks, [&] {
    count = ucp_worker_progress(ucx.worker);
    return count || ucx.any_failed || __atomic_load_n(&wanting, __ATOMIC_RELAXED);
  });
  Incoming *batch = arrived_messages.take();
  bool report = ucx.any_failed;
  ucx.any_failed = false;
  lock.unlock();

  count += arrived_messages.deliver(batch, ucx.setup);
  for (int peer = 0; report && peer < ucx.setup.peers; peer++)
    if (const char *why = __atomic_exchange_n(&ucx.peers[peer].failed, nullptr, __ATOMIC_ACQ_REL))
      ucx.setup.lost(ucx.setup.context, peer, why);
  return count;
}

int wait_fd() { return ucx.fd; }

int arm() {
  Locked locked;
  if (!arrived_messages.empty() || ucx.any_failed)
    return 0;
  switch (ucp_worker_arm(ucx.worker)) {
  case UCS_OK:
    return ucx.pending ? 2 : 1;
  case UCS_ERR_BUSY:
    return 0;
  default:
    return -1;
  }
}

void disconnect(int number) {
  Locked locked;
  Peer &peer = ucx.peers[number];
  if (!peer.endpoint)
    return;
  peer.endpoint = nullptr;
  ucx.any_abandoned = true;
  add_pending(peer, -static_cast<int>(peer.pending));
}

unsigned pending() {
  Locked locked;
  return ucx.pending;
}

void close_endpoint(ucp_ep_h endpoint) {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  how.flags = UCP_EP_CLOSE_FLAG_FORCE;
  ucs_status_ptr_t request = ucp_ep_close_nbx(endpoint, &how);
  if (UCS_PTR_IS_PTR(request)) // finishes in a later progress; nobody waits for it
    ucp_request_free(request);
}

void close() {
  Locked locked;
  for (int i = 0; i < ucx.setup.peers; i++)
    if (ucp_ep_h endpoint = ucx.peers[i].endpoint) {
      ucx.peers[i].endpoint = nullptr;
      if (!ucx.any_abandoned)
        close_endpoint(endpoint);
    }
  // The peers, all disconnected now, stay for threads that are about to send.
  if (ucx.any_abandoned) // to destroy the worker would close those, too
    return;
  for (int rounds = 0; rounds < 100; rounds++)
    ucp_worker_progress(ucx.worker);
  ucp_worker_release_address(ucx.worker, ucx.address);
  ucp_worker_destroy(ucx.worker);
  ucp_cleanup(ucx.context);
}

void leave() {
  // Not for ever, since a signal handler that calls exit() may have interrupted the holder.
  lock.try_lock_for(1000000000);
}

void abandon() {} // UCX cannot let go of what it has without telling its peers

/// UCX shares queues with its peers, and has registered memory and kernel threads, none of which a copy has.
int forget() { return -1; }

constexpr skein_transport table = SKEIN_TRANSPORT_TABLE("ucx");

} // namespace

SKEIN_TRANSPORT_DEFINE(table)
