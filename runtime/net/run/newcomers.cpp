// See newcomers.h.
#include "net/run/newcomers.h"
#include "base/node.h"
#include "net/messages/calls.h"
#include "net/run/joining.h"
#include "net/wire/link.h"
#include "sched/sched.h"

#include <skein/nodes.h>

#include <algorithm>
#include <atomic>

namespace skein {

Event<int> node_met, node_arrived;
void (*inform_of_ranges)(int newcomer, void (*done)(int newcomer));

namespace {

std::atomic<bool> informed_by[nodes_max];

void on_informed(Arrival &arrival) { informed_by[arrival.from].store(true, std::memory_order_release); }

void tell_informed(int newcomer) { link_tell<InformedMessage>(newcomer); }

void on_met(int newcomer) {
  node_met(newcomer);
  if (inform_of_ranges)
    inform_of_ranges(newcomer, tell_informed);
  else
    tell_informed(newcomer);
}

void on_admitted(int newcomer) {
  nodes_taken_set(std::max(nodes_taken(), newcomer + 1));
  node_arrived(newcomer);
}

} // namespace

void newcomers_start() {
  link_handle<InformedMessage>(on_informed);
  link_met = on_met;
  link_admitted = on_admitted;
}

void newcomer_announced(int peer, const skein_transport_address &address) {
  struct Announcement {
    int peer;
    const skein_transport_address &address;
  } announcement = {peer, address};
  link_exclusive(
      [](void *context) {
        const auto &told = *static_cast<const Announcement *>(context);
        link_meet(told.peer, told.address, true);
      },
      &announcement);
}

void newcomer_admitted(int peer) {
  link_exclusive([](void *context) { link_admit(*static_cast<const int *>(context)); }, &peer);
}

void newcomer_withdrawn(int peer) {
  link_exclusive(
      [](void *context) {
        const int withdrawn = *static_cast<const int *>(context);
        link_forget(withdrawn);
        calls_fail(withdrawn);
      },
      &peer);
}

extern "C" int skein_node_is_there(int number) { return number >= 0 && number < node.count && link_takes(number); }

extern "C" int skein_node_has_left(int number) { return node_has_left(number); }

extern "C" int skein_nodes_request(int nodes) {
  Thread *self = thread_current();
  if (nodes < 1 || nodes > node.count)
    return self ? thread_error(self, SKEIN_ENODE,
                               "skein_nodes_request: there can be 1 to %d nodes (--max-nodes), not %d", node.count,
                               nodes)
                : SKEIN_ENODE;
  if (node.count > 1)
    start_request(nodes);
  return SKEIN_OK;
}

bool newcomer_informed_by(int peer) { return informed_by[peer].load(std::memory_order_acquire); }

} // namespace skein
