// The transport below the link: it is loaded and opened, driven, and closed; see link.h, and link_peer.h for the other
// parts.
#include "net/wire/link.h"
#include "base/log.h"
#include "net/wire/link_peer.h"
#include "net/wire/secret.h"
#include "os/linux/mutex.h"

#include <climits>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace skein {

void (*link_lost)(int peer, const char *why);
const skein_transport *transport;
std::atomic<bool> link_is_shut{true};

namespace {

Mutex driving;
__thread bool handling;          // this kernel thread holds `driving`
std::atomic<bool> closed{false}; // nobody drives the transport any more

/// Whether this program is linked statically. Libraries that it would load bring a libc of their own.
bool program_is_static() {
  bool interpreted = false;
  dl_iterate_phdr(
      [](dl_phdr_info *program, size_t, void *found) {
        for (unsigned i = 0; i < program->dlpi_phnum; i++)
          *static_cast<bool *>(found) |= program->dlpi_phdr[i].p_type == PT_INTERP;
        return 1; // it comes first
      },
      &interpreted);
  return !interpreted;
}

void lost(void *, int peer, const char *why) {
  // This is a hint. Mostly the peer has died, and the launcher says so in a moment, or the run ends, and the peer was
  // the first to close.
  if (link_lost && !link_is_shut.load(std::memory_order_relaxed) && peers[peer].open.load(std::memory_order_relaxed))
    link_lost(peer, why);
}

void note(void *, const char *text) {
  static std::atomic<int> said{0};
  if (said.fetch_add(1, std::memory_order_relaxed) < 3)
    log("%s", text);
}

void *symbol_of(const char *library, const char *symbol) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fatal("cannot load the transport: %s", dlerror());
  return dlsym(handle, symbol);
}

/// The library of faults lies beside the transport's.
const skein_transport *with_faults(const skein_transport *inner, const char *library) {
  char path[PATH_MAX];
  const char *slash = strrchr(library, '/');
  snprintf(path, sizeof path, "%.*s" SKEIN_FAULTS_LIBRARY, slash ? static_cast<int>(slash + 1 - library) : 0, library);
  auto wrap = reinterpret_cast<skein_transport_with_faults_fn>(symbol_of(path, SKEIN_FAULTS_SYMBOL));
  if (!wrap)
    fatal("%s has no faults of the network", path);
  const skein_transport_faults wanted = {node.count, node.self, knobs.seed, knobs.net_delay_us, knobs.net_mutate};
  return wrap(inner, &wanted);
}

void open_transport() {
  static_assert(bootstrap::token_bytes == SKEIN_TRANSPORT_SECRET_BYTES);
  skein_transport_setup setup = {node.count,
                                 node.self,
                                 receive,
                                 lost,
                                 note,
                                 nullptr,
                                 at_once,
                                 run_secret(),
                                 knobs.tcp == TcpConnections::sealed,
                                 knobs.tcp_listen};
  char error[256];
  if (transport->open(&setup, error, sizeof error) != 0)
    fatal("cannot open the transport: %s", error);
  link_is_shut.store(false, std::memory_order_release);
}
} // namespace

void link_open(const char *library, bool comes_late) {
  link_came_late = comes_late;
  if (program_is_static())
    fatal("a static program runs on one node only, since the transport is a library and needs a dynamic libc: link it "
          "without -static");
  auto table = reinterpret_cast<skein_transport_table_fn>(symbol_of(library, SKEIN_TRANSPORT_SYMBOL));
  if (!table)
    fatal("%s is no transport of Skein", library);
  transport = table();
  if (transport->version != SKEIN_TRANSPORT_VERSION)
    fatal("%s has version %u, this program needs version %d", library, transport->version, SKEIN_TRANSPORT_VERSION);
  if (knobs.net_delay_us || knobs.net_mutate)
    transport = with_faults(transport, library);
  peers = static_cast<Peer *>(calloc(static_cast<size_t>(node.count), sizeof(Peer)));
  if (!peers)
    fatal("out of memory for %d peers", node.count);
  open_transport();
}

void link_reopen() {
  driving.reset();
  handling = false;
  link_came_late = false;
  own_waits.store(!own_messages.empty(), std::memory_order_relaxed);
  for (int number = 0; number < node.count; number++) {
    Peer &peer = peers[number];
    if (!peer.open.exchange(false, std::memory_order_relaxed))
      continue;
    peer.known.store(false, std::memory_order_relaxed);
    peer.newcomer.store(false, std::memory_order_relaxed);
    forget_address(peer); // whose descriptors were the former process's
  }
  if (transport->forget() != 0)
    fatal("the transport %s cannot be opened again in a process that is made of a checkpoint (--transport tcp can)",
          transport->name);
  open_transport();
}
skein_transport_address link_address() {
  skein_transport_address own;
  transport->address(&own);
  return own;
}

unsigned link_drive(bool wait, unsigned looks, void (*handled)()) {
  if (wait) {
    driving.lock();
  } else if (!driving.try_lock()) {
    __builtin_ia32_pause(); // for callers that try again and again
    return 0;
  }
  handling = true;
  after_each = handled;
  unsigned count = closed.load(std::memory_order_relaxed) ? 0 : transport->progress(looks);
  if (__builtin_expect(own_waits.load(std::memory_order_acquire), 0))
    count += handle_own();
  handling = false;
  driving.unlock();
  return count;
}

void link_exclusive(void (*function)(void *), void *context) {
  if (handling)
    return function(context);
  driving.lock();
  handling = true;
  function(context);
  handling = false;
  driving.unlock();
}

int link_wait_fd() { return transport->wait_fd(); }
int link_arm() {
  return closed.load(std::memory_order_relaxed) || own_waits.load(std::memory_order_seq_cst) ? 0 : transport->arm();
}

void link_shut() {
  link_is_shut.store(true, std::memory_order_release);
  if (handling) // the program's handler calls exit()
    return;
  driving.lock(); // a handler that runs ends before; no other one begins
  driving.unlock();
}

void link_abandon() {
  driving.reset(); // the kernel thread that held it does not exist in this process
  handling = false;
  link_is_shut.store(true, std::memory_order_relaxed);
  for (int peer = 0; peers && peer < node.count; peer++)
    peers[peer].open.store(false, std::memory_order_relaxed);
  if (transport && !closed.exchange(true, std::memory_order_relaxed))
    transport->abandon();
}

void link_close_descriptors() { transport->abandon(); }

void link_close() {
  driving.lock();
  transport->close();
  closed.store(true, std::memory_order_relaxed); // workers that have not seen the end yet may still try to drive
  driving.unlock();
}

void link_leave() {
  link_shut();
  closed.store(true, std::memory_order_relaxed);
  transport->leave();
}

} // namespace skein
