// Allocation by and for all nodes; see shared.h.
#include "dsm/shared.h"
#include "base/log.h"
#include "dsm/access.h"
#include "dsm/allocator.h"
#include "dsm/cache.h"
#include "dsm/objects.h"
#include "dsm/owner.h"
#include "dsm/parcels.h"
#include "dsm/ranges.h"
#include "dsm/slice_estate.h"
#include "dsm/slices.h"
#include "net/messages/calls.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <cstdio>
#include <cstring>

namespace skein {

namespace {

// --- the keeper's side ----------------------------------------------------------------------------------------------

void on_allocate(Arrival &arrival) {
  const auto &ask = arrival.body<AllocateMessage>();
  call_reply(arrival.from, ask.call, shared_allocate(ask.bytes));
}

/// shared_release, but not of what is cached: copies would outlive the block.
bool release_here(uint64_t address, Why &why) {
  SharedBlock block;
  if (!shared_block_at(address, block) || !cache_covers(block.begin, block.bytes ? block.bytes : 1))
    return shared_release(address, why);
  snprintf(why.text, sizeof why.text, "the block of %llu bytes is cached (skein_shared_cache)",
           static_cast<unsigned long long>(block.bytes));
  return false;
}

void on_release(Arrival &arrival) {
  const auto &ask = arrival.body<ReleaseMessage>();
  Why why;
  if (release_here(ask.address, why))
    call_reply(arrival.from, ask.call, SKEIN_OK);
  else
    call_reply(arrival.from, ask.call, SKEIN_EPOINTER, why.text, strlen(why.text));
}

// --- allocation ------------------------------------------------------------------------------------------------------

void finish_allocate(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  const int owner = reply && reply->value ? slice_owner(reply->value) : call.peer; // or its heir
  if (reply && reply->value &&
      (data_bytes || (owner != call.peer && owner != keeper_of(call.peer)) || !slice_holds(reply->value, call.id)))
    reply = call_distrust(call, "0x%llx is no block of %llu bytes of that node",
                          static_cast<unsigned long long>(reply->value), static_cast<unsigned long long>(call.id));
  if (reply && reply->value) {
    thread_wake(call.waiter, reply->value);
    return;
  }
  if (reply)
    thread_error(call.waiter, SKEIN_EMEMORY, "skein_shared_alloc: node %d has no room for %llu bytes", call.peer,
                 static_cast<unsigned long long>(call.id));
  else
    thread_error(call.waiter, SKEIN_EDEAD, "skein_shared_alloc: node %d died", call.peer);
  thread_wake(call.waiter, 0);
}

extern "C" Thread *skein_shared_alloc_call(Thread *self, uint64_t node_word, uint64_t bytes) {
  int owner = static_cast<int>(node_word);
  thread_error_clear(self);
  self->result = 0;
  if (thread_check_node(self, owner, "skein_shared_alloc"))
    return self;
  owner = keeper_of(owner);
  if (owner == node.self) {
    self->result = shared_allocate(bytes);
    if (!self->result)
      thread_error(self, SKEIN_EMEMORY, "skein_shared_alloc: node %d has no room for %llu bytes", owner,
                   static_cast<unsigned long long>(bytes));
    return self;
  }
  thread_block(self, "skein_shared_alloc", nullptr);
  uint64_t call = call_begin(kept({finish_allocate, owner, self, bytes, nullptr, 0}));
  link_tell<AllocateMessage>(owner, call, bytes);
  call_sent(call);
  return thread_next();
}

void finish_release(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, 0);
  if (!reply)
    wake_with_error(call.waiter, SKEIN_EDEAD, "skein_shared_free: node %d died", call.peer);
  else if (reply->value)
    wake_with_error(call.waiter, static_cast<int>(reply->value), "skein_shared_free(0x%llx): %.*s",
                    static_cast<unsigned long long>(call.id), static_cast<int>(data_bytes),
                    reinterpret_cast<const char *>(reply + 1));
  else
    thread_wake(call.waiter, SKEIN_OK);
}

extern "C" Thread *skein_shared_free_call(Thread *self, uint64_t address) {
  thread_error_clear(self);
  self->result = SKEIN_OK;
  if (!address)
    return self;
  int owner = slice_owner(address);
  Why why = {"it is no shared address of this run"};
  const bool here = slice_kept(owner);
  if (owner < 0 || (here && !release_here(address, why)))
    self->result = static_cast<uint64_t>(thread_error(self, SKEIN_EPOINTER, "skein_shared_free(0x%llx): %s",
                                                      static_cast<unsigned long long>(address), why.text));
  if (owner < 0 || here)
    return self;
  thread_block(self, "skein_shared_free", pointer_to(address));
  uint64_t call = call_begin(kept({finish_release, owner, self, address, nullptr, 0}));
  link_tell<ReleaseMessage>(owner, call, address);
  call_sent(call);
  return thread_next();
}

} // namespace

/// The header declares it with a pointer to shared memory, which C++ outside of skeincc does not know; the register is
/// the same.
extern "C" int skein_shared_node(uint64_t address) { return slice_keeper(address); }

void dsm_start() {
  link_handle<AllocateMessage>(on_allocate);
  link_handle<ReleaseMessage>(on_release);
  owner_start();
  parcels_start();
  ranges_start();
  shared_slices_start();
  peers_start();
  objects_start();
  slice_estate_start();
}

} // namespace skein
