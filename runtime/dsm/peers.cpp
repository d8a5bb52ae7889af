// Copies from and to the memory of other nodes' processes: skein_peer_read, skein_peer_write.
//
// On one host the kernel copies from process to process (process_vm_readv), which needs the number of the process,
// asked for once, and the permission to trace it. Elsewhere, or without that, the other node copies, also by the
// kernel, from its own process, so that an address that leads nowhere is an error and not its end.
#include "base/log.h"
#include "dsm/shared.h"
#include "dsm/slices.h"
#include "net/messages/calls.h"
#include "net/run/halting.h"
#include "os/linux/process_memory.h"
#include "sched/sched.h"

#include <skein/halfproc.h>
#include <skein/skein.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace skein {

namespace {

constexpr uint64_t piece_bytes = copy_piece_most; // of a copy by messages

std::atomic<pid_t> processes[nodes_max]; // 0: not known; -1: may not be traced

struct Copy {
  Thread *waiter;
  int peer;
  bool write;
  uint64_t there, here, left, piece;
};

/// 0, or errno.
int copy_between(pid_t process, bool write, uint64_t there, void *here, uint64_t bytes) {
  return write ? process_write(process, there, here, bytes) : process_read(process, there, here, bytes);
}

constexpr char not_there[] = "not all of it is accessible there";

void step(Copy *copy);

void end_copy(Copy *copy, int code, const char *why, size_t why_bytes) {
  const Copy was = *copy;
  free(copy);
  if (code)
    wake_with_error(was.waiter, code, "%s: node %d, 0x%llx: %.*s", was.write ? "skein_peer_write" : "skein_peer_read",
                    was.peer, static_cast<unsigned long long>(was.there), static_cast<int>(why_bytes), why);
  else
    thread_wake(was.waiter, SKEIN_OK);
}

void end_gone(Copy *copy) {
  const char *why = node_has_left(copy->peer) ? "it has left the run" : "it died";
  end_copy(copy, SKEIN_EDEAD, why, strlen(why));
}

void finish_who(const Call &call, const ReplyMessage *reply, size_t) {
  auto *copy = static_cast<Copy *>(call.place);
  if (reply && (reply->value == 0 || reply->value > INT32_MAX))
    reply = call_distrust(call, "0x%llx is no process", static_cast<unsigned long long>(reply->value));
  if (!reply)
    return end_gone(copy);
  processes[copy->peer].store(static_cast<pid_t>(reply->value), std::memory_order_relaxed);
  step(copy);
}

void finish_piece(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *copy = static_cast<Copy *>(call.place);
  reply = call_checked(call, reply, data_bytes, copy->write ? 0 : copy->piece);
  if (!reply)
    return end_gone(copy);
  if (reply->value)
    return end_copy(copy, static_cast<int>(reply->value), reinterpret_cast<const char *>(reply + 1), data_bytes);
  if (!copy->write)
    memcpy(reinterpret_cast<void *>(copy->here), reply + 1, data_bytes);
  copy->there += copy->piece;
  copy->here += copy->piece;
  copy->left -= copy->piece;
  step(copy);
}

void ask(Copy *copy, PeerCopy what, decltype(Call::finish) finish) {
  const uint64_t data_bytes = what == PeerCopy::write ? copy->piece : 0;
  auto *message = message_new<PeerMessage>(data_bytes);
  message->what = static_cast<uint64_t>(what);
  message->address = copy->there;
  message->bytes = copy->piece;
  if (data_bytes)
    memcpy(message + 1, reinterpret_cast<const void *>(copy->here), data_bytes);
  const int peer = copy->peer;
  const uint64_t call = message->call = call_begin({finish, peer, copy->waiter, 0, copy, 0});
  link_send(peer, message, data_bytes);
  call_sent(call);
}

/// Do the rest, or ask for the next piece. From here on it may be gone.
void step(Copy *copy) {
  if (!copy->left)
    return end_copy(copy, SKEIN_OK, nullptr, 0);
  std::atomic<pid_t> &process = processes[copy->peer];
  pid_t who = copy->peer == node.self ? getpid() : process.load(std::memory_order_relaxed);
  if (copy->peer != node.self && !slice_reachable(copy->peer))
    who = -1; // as if on another host
  if (who == 0)
    return ask(copy, PeerCopy::who, finish_who);
  if (who > 0) {
    const int wrong = copy_between(who, copy->write, copy->there, reinterpret_cast<void *>(copy->here), copy->left);
    if (!wrong)
      return end_copy(copy, SKEIN_OK, nullptr, 0);
    if (wrong == EFAULT || copy->peer == node.self)
      return end_copy(copy, SKEIN_EPOINTER, not_there, sizeof not_there - 1);
    if (wrong == ESRCH)
      return end_gone(copy);
    process.store(-1, std::memory_order_relaxed);
  }
  copy->piece = std::min(copy->left, piece_bytes);
  ask(copy, copy->write ? PeerCopy::write : PeerCopy::read, finish_piece);
}

void on_peer(Arrival &arrival) {
  const auto &ask = arrival.body<PeerMessage>();
  const auto what = static_cast<PeerCopy>(ask.what);
  if (what == PeerCopy::who)
    return call_reply(arrival.from, ask.call, static_cast<uint64_t>(getpid()));
  const bool write = what == PeerCopy::write;
  auto *reply = message_new<ReplyMessage>(write ? 0 : ask.bytes);
  void *here = write ? const_cast<void *>(arrival.data<PeerMessage>()) : reply + 1;
  if (copy_between(getpid(), write, ask.address, here, ask.bytes) != 0) {
    free(reply);
    return call_reply(arrival.from, ask.call, SKEIN_EPOINTER, not_there, sizeof not_there - 1);
  }
  reply->call = ask.call;
  reply->value = SKEIN_OK;
  link_send(arrival.from, reply, write ? 0 : ask.bytes);
}

Thread *begin_copy(Thread *self, bool write, uint64_t peer_word, uint64_t there, uint64_t bytes, uint64_t here) {
  const char *function = write ? "skein_peer_write" : "skein_peer_read";
  const int peer = static_cast<int>(peer_word);
  thread_error_clear(self);
  int code = thread_check_node(self, peer, function);
  if (!code && !link_alive(peer))
    code = thread_error(self, SKEIN_EDEAD, "%s: node %d %s", function, peer, link_state(peer));
  self->result = static_cast<uint64_t>(code);
  if (code)
    return self;
  auto *copy = static_cast<Copy *>(message_memory(sizeof(Copy)));
  *copy = {self, peer, write, there, here, bytes, 0};
  thread_block(self, function, reinterpret_cast<void *>(there));
  step(copy);
  return thread_next();
}

extern "C" Thread *skein_peer_read_call(Thread *self, uint64_t peer, uint64_t there, uint64_t bytes, uint64_t here) {
  return begin_copy(self, false, peer, there, bytes, here);
}

extern "C" Thread *skein_peer_write_call(Thread *self, uint64_t peer, uint64_t there, uint64_t bytes, uint64_t here) {
  return begin_copy(self, true, peer, there, bytes, here);
}

} // namespace

void peers_start() {
  link_handle<PeerMessage>(on_peer);
  node_reborn.add([] { // all nodes are new processes
    for (std::atomic<pid_t> &process : processes)
      process.store(0, std::memory_order_relaxed);
  });
}

} // namespace skein
