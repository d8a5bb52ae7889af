// Copies that a thread starts and does not wait for at once, and waiting for all of them (<skein/shared_copy.h>).
//
// A node has at most `most` such copies under way. A thread that starts one more waits in a queue, and the end of a
// copy begins the first of the queue. So no node is flooded with requests.
#include "abi/entry_points.h"
#include "dsm/access.h"
#include "dsm/ledger.h"
#include "dsm/slices.h"
#include "net/messages/active.h"
#include "net/messages/pending.h"

#include <initializer_list>
#include <skein/shared_copy.h>

namespace skein {

namespace {

constexpr unsigned most = 1024;

struct Starter {
  Starter *next;
  Thread *thread;
  AccessKind kind;
  uint64_t to, from, bytes;
};

Ledger ledger;
SpinLock lock{Rank::dsm};
unsigned under_way;
Starter *first;
Starter **last = &first;

void on_done(uint64_t epoch);

uint64_t begin_access(AccessKind kind, uint64_t to, uint64_t from, uint64_t bytes) {
  const uint64_t pending = pending_new();
  access_begin(kind, to, from, bytes, pending, on_done, ledger.begin());
  return pending;
}

void on_done(uint64_t epoch) {
  ledger.end(epoch);
  Starter *starter;
  {
    Guard guard(lock);
    starter = first;
    if (!starter) {
      under_way--;
      return;
    }
    first = starter->next;
    if (!first)
      last = &first;
  }
  const Starter was = *starter;
  free(starter);
  const uint64_t pending = begin_access(was.kind, was.to, was.from, was.bytes);
  thread_wake(was.thread, pending);
}

Thread *start_access(Thread *self, AccessKind kind, const char *function, uint64_t to, uint64_t from, uint64_t bytes) {
  thread_error_clear(self);
  self->result = 0;
  const bool reads_shared = kind != AccessKind::put, writes_shared = kind != AccessKind::get;
  for (uint64_t address : {reads_shared ? from : to, writes_shared ? to : from}) {
    if (!slice_holds(address, bytes)) {
      thread_error(self, SKEIN_EPOINTER, "%s: 0x%llx belongs to no node of this run", function,
                   static_cast<unsigned long long>(address));
      return self;
    }
    if (const int owner = slice_owner(address); !link_keeps(owner)) {
      thread_error(self, SKEIN_EDEAD, "%s: node %d %s", function, owner, link_state(owner));
      return self;
    }
  }
  auto *target = reinterpret_cast<char *>(to);
  if (kind == AccessKind::get && bytes && (__skein_moves_along(target) || __skein_moves_along(target + bytes - 1))) {
    thread_error(self, SKEIN_EPOINTER, "%s: the bytes would go to memory that belongs to the thread, and moves with it",
                 function);
    return self;
  }
  thread_block(self, function, nullptr);
  bool waits;
  {
    Guard guard(lock);
    waits = under_way == most;
    if (waits) { // from the unlock on the thread may run
      auto *starter = static_cast<Starter *>(message_memory(sizeof(Starter)));
      *starter = {nullptr, self, kind, to, from, bytes};
      *last = starter;
      last = &starter->next;
    } else {
      under_way++;
    }
  }
  if (waits)
    return thread_next(); // which may handle messages that take the lock
  return go_on(self, begin_access(kind, to, from, bytes));
}

extern "C" Thread *skein_shared_get_start_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  return start_access(self, AccessKind::get, "skein_shared_get_start", to, from, bytes);
}

extern "C" Thread *skein_shared_put_start_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  return start_access(self, AccessKind::put, "skein_shared_put_start", to, from, bytes);
}

extern "C" Thread *skein_shared_copy_start_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  return start_access(self, AccessKind::copy, "skein_shared_copy_start", to, from, bytes);
}

extern "C" Thread *skein_shared_flush_call(Thread *self) {
  thread_error_clear(self);
  thread_block(self, "skein_shared_flush", nullptr);
  return ledger.wait(self) ? go_on(self, SKEIN_OK) : thread_next();
}

} // namespace

} // namespace skein
