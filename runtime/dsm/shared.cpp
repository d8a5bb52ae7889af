// The calls of shared memory; see shared.h. Each is local, or direct in a mapped slice, or a call to the owner.
#include "dsm/shared.h"
#include "base/log.h"
#include "dsm/allocator.h"
#include "dsm/semaphores.h"
#include "dsm/slices.h"
#include "net/calls.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <cstring>

namespace skein {

namespace {

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

// --- the owner's side ------------------------------------------------------------------------------------------------

void reply_text(int to, uint64_t call, int code, const char *text) {
  call_reply(to, call, static_cast<uint64_t>(code), text, text ? strlen(text) : 0);
}

void on_allocate(Arrival &arrival) {
  const auto &ask = arrival.body<AllocateMessage>();
  call_reply(arrival.from, ask.call, shared_allocate(ask.bytes));
}

void on_release(Arrival &arrival) {
  const auto &ask = arrival.body<ReleaseMessage>();
  const char *why = shared_release(ask.address);
  reply_text(arrival.from, ask.call, why ? SKEIN_EPOINTER : SKEIN_OK, why);
}

bool ours(uint64_t address, uint64_t bytes) { return slice_owner(address) == node.self && slice_holds(address, bytes); }

void on_get(Arrival &arrival) {
  const auto &ask = arrival.body<GetMessage>();
  if (!ours(ask.address, ask.bytes))
    return reply_text(arrival.from, ask.call, SKEIN_EPOINTER, nullptr);
  slice_map(node.self);
  call_reply(arrival.from, ask.call, SKEIN_OK, pointer(ask.address), ask.bytes);
}

void on_put(Arrival &arrival) {
  const auto &ask = arrival.body<PutMessage>();
  if (!ours(ask.address, ask.bytes) || arrival.data_bytes<PutMessage>() != ask.bytes)
    return reply_text(arrival.from, ask.call, SKEIN_EPOINTER, nullptr);
  slice_map(node.self);
  memcpy(pointer(ask.address), arrival.data<PutMessage>(), ask.bytes);
  call_reply(arrival.from, ask.call, SKEIN_OK);
}

// --- copies ----------------------------------------------------------------------------------------------------------

// They return nothing, so what cannot be done ends the program; if the owner died the run is ending anyway, and the
// thread never goes on.

void check_copy(Thread *self, uint64_t address, uint64_t bytes, const char *what) {
  if (!slice_holds(address, bytes))
    fatal("thread %s %s %llu bytes of shared memory at 0x%llx, which belongs to no node of this run",
          thread_name(self->id).text, what, static_cast<unsigned long long>(bytes),
          static_cast<unsigned long long>(address));
}

void finish_get(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  if (!reply)
    return;
  if (reply->value != SKEIN_OK || data_bytes != call.place_bytes)
    fatal("node %d answered a read of %zu bytes at 0x%llx with %zu", call.peer, call.place_bytes,
          static_cast<unsigned long long>(call.id), data_bytes);
  memcpy(call.place, reply + 1, data_bytes); // perhaps the waiter's own stack, which is here as long as it is blocked
  thread_wake(call.waiter, 0);
}

void finish_put(const Call &call, const ReplyMessage *reply, size_t) {
  if (!reply)
    return;
  if (reply->value != SKEIN_OK)
    fatal("node %d refused a write to 0x%llx", call.peer, static_cast<unsigned long long>(call.id));
  thread_wake(call.waiter, 0);
}

// Copies at once if the slice can be mapped here; false: it takes a message to `owner`.
bool copied_here(int owner, uint64_t to, uint64_t from, uint64_t bytes) {
  if (!slice_reachable(owner))
    return false;
  slice_map(owner);
  memcpy(pointer(to), pointer(from), bytes);
  return true;
}

extern "C" Thread *skein_shared_get_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  check_copy(self, from, bytes, "reads");
  int owner = slice_owner(from);
  if (copied_here(owner, to, from, bytes))
    return self;
  thread_block(self, "a read of shared memory", pointer(from));
  uint64_t call = call_begin({finish_get, owner, self, from, pointer(to), bytes});
  link_tell<GetMessage>(owner, call, from, bytes);
  call_sent(call);
  return thread_next();
}

extern "C" Thread *skein_shared_put_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  check_copy(self, to, bytes, "writes");
  int owner = slice_owner(to);
  if (copied_here(owner, to, from, bytes))
    return self;
  auto *put = message_new<PutMessage>(bytes);
  put->address = to;
  put->bytes = bytes;
  memcpy(put + 1, pointer(from), bytes);
  thread_block(self, "a write to shared memory", pointer(to));
  put->call = call_begin({finish_put, owner, self, to, nullptr, 0});
  uint64_t call = put->call;
  link_send(owner, put, bytes);
  call_sent(call);
  return thread_next();
}

// --- allocation ------------------------------------------------------------------------------------------------------

void finish_allocate(const Call &call, const ReplyMessage *reply, size_t) {
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
  if (owner < 0 || owner >= node.count) {
    thread_error(self, SKEIN_ENODE, "skein_shared_alloc: there is no node %d, only 0 to %d", owner, node.count - 1);
    return self;
  }
  if (owner == node.self) {
    self->result = shared_allocate(bytes);
    if (!self->result)
      thread_error(self, SKEIN_EMEMORY, "skein_shared_alloc: node %d has no room for %llu bytes", owner,
                   static_cast<unsigned long long>(bytes));
    return self;
  }
  thread_block(self, "skein_shared_alloc", nullptr);
  uint64_t call = call_begin({finish_allocate, owner, self, bytes, nullptr, 0});
  link_tell<AllocateMessage>(owner, call, bytes);
  call_sent(call);
  return thread_next();
}

void finish_release(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
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
  const char *why = owner < 0 ? "it is no shared address of this run" : nullptr;
  if (owner == node.self)
    why = shared_release(address);
  if (why || owner == node.self) {
    if (why)
      self->result = static_cast<uint64_t>(thread_error(self, SKEIN_EPOINTER, "skein_shared_free(0x%llx): %s",
                                                        static_cast<unsigned long long>(address), why));
    return self;
  }
  thread_block(self, "skein_shared_free", pointer(address));
  uint64_t call = call_begin({finish_release, owner, self, address, nullptr, 0});
  link_tell<ReleaseMessage>(owner, call, address);
  call_sent(call);
  return thread_next();
}

} // namespace

/// The header declares it with a pointer to shared memory, which C++ outside of skeincc does not know; the register is
/// the same.
extern "C" int skein_shared_node(uint64_t address) { return slice_owner(address); }

void dsm_start() {
  link_handle<AllocateMessage>(on_allocate);
  link_handle<ReleaseMessage>(on_release);
  link_handle<GetMessage>(on_get);
  link_handle<PutMessage>(on_put);
  semaphores_start();
}

} // namespace skein
