// The functions that compiled code calls for an access that it cannot make itself, and transfers. See access.h.
#include "dsm/access.h"
#include "base/log.h"
#include "dsm/cache.h"
#include "dsm/follow.h"
#include "dsm/parcels.h"
#include "dsm/slices.h"
#include "net/messages/calls.h"
#include "net/messages/pending.h"
#include "os/linux/futex.h"
#include "sched/sched.h"
#include "sync/ending.h"
#include "trace/trace.h"

#include <skein/skein.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr uint64_t piece_bytes = copy_piece_most; // of a large copy

unsigned long long number(uint64_t value) { return value; }

// --- transfers -------------------------------------------------------------------------------------------------------

/// An access that takes several messages, or that no thread waits for.
struct Transfer {
  AccessKind kind;
  uint8_t byte;     // to set, else 0
  bool backwards;   // it goes from the end to the beginning, since the ranges overlap
  bool plain;       // the memory is not cached
  Thread *waiter;   // null: nobody is blocked
  uint64_t pending; // not 0: without a waiter
  uint64_t to, from, left;
  uint64_t piece;      // bytes of the piece that is under way
  const void *holding; // the bytes of that piece, which must be written now; null: they must be read first
  char *buffer;        // for the pieces of a copy, or for what a put without a waiter writes
  void (*done)(uint64_t);
  uint64_t argument;
  uint64_t bytes, began_ns; // with a waiter: for follow.h
};

const char *name_of(const Transfer &transfer) {
  return transfer.holding || transfer.kind == AccessKind::set ? "wrote" : "read";
}

void end_transfer(Transfer *transfer) {
  const Transfer was = *transfer;
  free(transfer->buffer);
  free(transfer);
  if (was.waiter && was.kind == AccessKind::get)
    follow_read_took(was.bytes, clock_ns() - was.began_ns);
  if (!was.pending)
    return follow_wake(was.waiter, 0);
  pending_end(was.pending, SKEIN_OK, nullptr);
  was.done(was.argument);
}

void fail_transfer(Transfer *transfer, uint64_t address, const ParcelOutcome &outcome) {
  Transfer was = *transfer;
  free(transfer->buffer);
  free(transfer);
  if (!was.pending)
    return access_fails(was.waiter, name_of(was), address, was.piece, outcome.why);
  access_begun_fails(was.pending, outcome.code, name_of(was), address, was.piece, outcome.why);
  was.done(was.argument);
}

void step_transfer(Transfer *transfer);

uint64_t piece_at(const Transfer &transfer, uint64_t begin) {
  return transfer.backwards ? begin + transfer.left - transfer.piece : begin;
}

void advance_transfer(Transfer *transfer) {
  transfer->left -= transfer->piece;
  if (!transfer->backwards) {
    transfer->to += transfer->piece;
    transfer->from += transfer->piece;
  }
  transfer->holding = nullptr;
}

void finish_piece(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *transfer = static_cast<Transfer *>(call.place);
  const bool reads = !transfer->holding && transfer->kind != AccessKind::set,
             copies = transfer->kind == AccessKind::copy;
  ParcelOutcome outcome;
  if (!parcel_done(call, reply, data_bytes, reads ? transfer->piece : 0, outcome))
    return fail_transfer(transfer, call.id, outcome);
  if (reads) // perhaps to the stack of the waiter, which stays where it is while it is blocked
    copy_words(copies ? transfer->buffer : pointer_to(piece_at(*transfer, transfer->to)), outcome.data,
               transfer->piece);
  if (reads && copies)
    transfer->holding = transfer->buffer;
  else
    advance_transfer(transfer);
  step_transfer(transfer);
}

/// Asks the owner to read, fill or write the piece at `address`. `from`: the bytes to be written.
void ask_owner(Transfer *transfer, ParcelWhat what, uint64_t address, const void *from = nullptr) {
  const auto bytes = static_cast<uint32_t>(transfer->piece);
  parcel_send(parcel_of({what, transfer->byte, transfer->plain, bytes, address, 0, from}), transfer->plain,
              {finish_piece, slice_owner(address), transfer->waiter, address, transfer, 0});
}

/// Whether this process can touch the slice that holds `address`. If so, the slice is mapped.
bool near(uint64_t address) {
  const int owner = slice_owner(address);
  if (!slice_reachable(owner))
    return false;
  slice_map(owner);
  return true;
}

/// Does what can be done here, and sends the next message, or ends the transfer. It may be gone when this returns.
void step_transfer(Transfer *transfer) {
  while (transfer->left) {
    transfer->piece = std::min(transfer->left, piece_bytes);
    const uint64_t to = piece_at(*transfer, transfer->to), from = piece_at(*transfer, transfer->from);
    if (transfer->kind == AccessKind::set)
      return ask_owner(transfer, ParcelWhat::fill, to);
    if (!transfer->holding && transfer->kind != AccessKind::put && !near(from))
      return ask_owner(transfer, ParcelWhat::get, from);
    if (!transfer->holding)
      transfer->holding = pointer_to(from);
    if (transfer->kind != AccessKind::get && !near(to))
      return ask_owner(transfer, ParcelWhat::put, to, transfer->holding);
    memmove(pointer_to(to), transfer->holding, transfer->piece);
    advance_transfer(transfer);
  }
  end_transfer(transfer);
}

/// Notes, for follow.h, that the waiter is about to wait for the owner of `address`.
void note_wait(Transfer *transfer, uint64_t address) {
  if (!transfer->waiter)
    return;
  follow_count(transfer->waiter, address);
  transfer->began_ns = clock_ns();
}

Transfer *transfer_new(AccessKind kind, uint64_t to, uint64_t from, uint64_t bytes) {
  auto *transfer = static_cast<Transfer *>(message_memory(sizeof(Transfer)));
  memset(transfer, 0, sizeof *transfer);
  transfer->kind = kind;
  transfer->to = to;
  transfer->from = from;
  transfer->left = bytes;
  const bool reads = kind == AccessKind::get || kind == AccessKind::copy, writes = kind != AccessKind::get;
  transfer->plain = !(reads && cache_covers(from, bytes)) && !(writes && cache_covers(to, bytes));
  if (kind == AccessKind::set)
    transfer->byte = static_cast<uint8_t>(from);
  if (kind == AccessKind::copy) {
    transfer->backwards = from < to && to - from < bytes;
    transfer->buffer = static_cast<char *>(message_memory(std::min(bytes, piece_bytes)));
  }
  return transfer;
}

} // namespace

void block_for(Thread *self, const char *call, uint64_t address) {
  if (trace_on(TraceClass::shared))
    trace_record(TraceEvent::access, self->id, address, trace_text(call), static_cast<uint16_t>(slice_keeper(address)));
  thread_block(self, call, pointer_to(address));
}

namespace {

// --- calls of compiled code ------------------------------------------------------------------------------------------

bool caching() { return __atomic_load_n(&__skein_shared_caching, __ATOMIC_ACQUIRE); }

Thread *begin_blocked(Thread *self, AccessKind kind, uint64_t to, uint64_t from, uint64_t bytes) {
  block_for(self, kind == AccessKind::get ? "a read of shared memory" : "a write to shared memory",
            kind == AccessKind::get ? from : to);
  Transfer *transfer = transfer_new(kind, to, from, bytes);
  transfer->waiter = self;
  transfer->bytes = bytes;
  note_wait(transfer, kind == AccessKind::get ? from : to);
  step_transfer(transfer);
  return thread_next();
}

extern "C" Thread *skein_shared_get_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  if (!slice_holds(from, bytes))
    return access_ended(self, "read", from, bytes, belongs_nowhere);
  if (!near(from)) {
    Thread *next;
    if (caching() && cache_read(self, to, from, bytes, next))
      return next;
    if (bytes - 1 >= parcel_access_most)
      return begin_blocked(self, AccessKind::get, to, from, bytes);
    return parcel_access(
        self, {ParcelWhat::get, 0, !cache_covers(from, bytes), static_cast<uint32_t>(bytes), from, to, nullptr});
  }
  copy_words(pointer_to(to), pointer_to(from), bytes);
  return self;
}

extern "C" Thread *skein_shared_put_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  if (!slice_holds(to, bytes))
    return access_ended(self, "wrote", to, bytes, belongs_nowhere);
  if (!near(to)) {
    Thread *next;
    if (caching() && cache_write(self, to, from, bytes, next))
      return next;
    if (bytes - 1 >= parcel_access_most)
      return begin_blocked(self, AccessKind::put, to, from, bytes);
    return parcel_access(
        self, {ParcelWhat::put, 0, !cache_covers(to, bytes), static_cast<uint32_t>(bytes), to, 0, pointer_to(from)});
  }
  copy_words(pointer_to(to), pointer_to(from), bytes);
  return self;
}

extern "C" Thread *skein_shared_copy_call(Thread *self, uint64_t to, uint64_t from, uint64_t bytes) {
  if (!slice_holds(from, bytes))
    return access_ended(self, "read", from, bytes, belongs_nowhere);
  if (!slice_holds(to, bytes))
    return access_ended(self, "wrote", to, bytes, belongs_nowhere);
  if (!near(to) || !near(from))
    return begin_blocked(self, AccessKind::copy, to, from, bytes);
  memmove(pointer_to(to), pointer_to(from), bytes);
  return self;
}

extern "C" Thread *skein_shared_set_call(Thread *self, uint64_t to, uint64_t byte, uint64_t bytes) {
  if (!slice_holds(to, bytes))
    return access_ended(self, "wrote", to, bytes, belongs_nowhere);
  if (!near(to))
    return begin_blocked(self, AccessKind::set, to, byte & 0xff, bytes);
  memset(pointer_to(to), static_cast<int>(byte & 0xff), bytes);
  return self;
}

/// An atomic operation on near memory. Where shared memory is cached, a release comes before it and an acquire after.
struct Ordered {
  Thread *self;
  uint64_t address, bytes, operation, operand[2], expected[2];
  void *result;
};

Thread *atomic_in_order(Thread *self, const Ordered &operation) {
  auto *copy = static_cast<Ordered *>(message_memory(sizeof(Ordered)));
  *copy = operation;
  const auto go = [](void *context) {
    Ordered was = *static_cast<Ordered *>(context);
    free(context);
    operate_here(was.address, was.bytes, was.operation, was.operand, was.expected);
    cache_acquire();
    if (was.result)
      memcpy(was.result, was.operand, was.bytes);
    thread_wake(was.self, was.operand[0]);
  };
  thread_block(self, "an atomic operation on shared memory", pointer_to(operation.address));
  if (cache_release(go, copy))
    go(copy);
  return thread_next();
}

__attribute__((noinline)) Thread *atomic_near(const Ordered &operation, bool ordered) {
  if (ordered && caching())
    return atomic_in_order(operation.self, operation);
  Ordered now = operation;
  operate_here(now.address, now.bytes, now.operation, now.operand, now.expected);
  if (now.result)
    memcpy(now.result, now.operand, now.bytes);
  now.self->result = now.operand[0];
  return now.self;
}

Thread *atomic_access(Thread *self, uint64_t address, uint64_t bytes, uint64_t what, const uint64_t (&operand)[2],
                      const uint64_t (&expected)[2], void *result) {
  const auto operation = static_cast<uint8_t>(what);
  const char *wrong = slice_holds(address, bytes) ? operation_wrong(address, bytes, operation) : belongs_nowhere;
  if (wrong)
    return access_ended(self, "operated atomically on", address, bytes, wrong);
  const bool ordered = (what >> 16 & 0xff) != __ATOMIC_RELAXED;
  if (near(address))
    return atomic_near({self, address, bytes, operation, {operand[0], operand[1]}, {expected[0], expected[1]}, result},
                       ordered);
  const bool plain = !ordered && !cache_covers(address, bytes);
  const auto size = static_cast<uint32_t>(bytes);
  // A get or a put of a word is atomic anyway. The order of a store asks of the owner only that the store has been made
  // before the answer is sent, and a put does that.
  if (operation == SKEIN_ATOMIC_LOAD && size <= 8)
    return parcel_access(self, {ParcelWhat::get, 0, plain, size, address, 0, nullptr});
  if (operation == SKEIN_ATOMIC_STORE && size <= 8)
    return parcel_access(self, {ParcelWhat::put, 0, plain, size, address, 0, operand});
  uint64_t data[4];
  const uint64_t word = parcel_word(bytes);
  memcpy(data, operand, word);
  memcpy(data + word / 8, expected, word);
  return parcel_access(
      self, {ParcelWhat::operate, operation, plain, size, address, reinterpret_cast<uint64_t>(result), data});
}

extern "C" Thread *skein_shared_atomic_call(Thread *self, uint64_t address, uint64_t operand, uint64_t expected,
                                            uint64_t what) {
  return atomic_access(self, address, what >> 8 & 0xff, what, {operand, 0}, {expected, 0}, nullptr);
}

extern "C" Thread *skein_shared_atomic16_call(Thread *self, uint64_t address, uint64_t value, uint64_t expected,
                                              uint64_t what) {
  uint64_t operand[2] = {0, 0}, wanted[2] = {0, 0};
  memcpy(operand, pointer_to(value), sizeof operand);
  if ((what & 0xff) == SKEIN_ATOMIC_COMPARE)
    memcpy(wanted, pointer_to(expected), sizeof wanted);
  return atomic_access(self, address, 16, what, operand, wanted, pointer_to(value));
}

} // namespace

void access_begin(AccessKind kind, uint64_t to, uint64_t from, uint64_t bytes, uint64_t pending, void (*done)(uint64_t),
                  uint64_t argument) {
  if ((kind == AccessKind::get || kind == AccessKind::put) && bytes - 1 < parcel_access_most) {
    const bool gets = kind == AccessKind::get;
    const uint64_t there = gets ? from : to;
    if (!near(there))
      return parcel_begin({gets ? ParcelWhat::get : ParcelWhat::put, 0, !cache_covers(there, bytes),
                           static_cast<uint32_t>(bytes), there, gets ? to : 0, gets ? nullptr : pointer_to(from)},
                          pending, done, argument);
  }
  Transfer *transfer = transfer_new(kind, to, from, bytes);
  transfer->pending = pending;
  transfer->done = done;
  transfer->argument = argument;
  if (kind == AccessKind::put) {
    transfer->buffer = static_cast<char *>(message_memory(bytes ? bytes : 1));
    memcpy(transfer->buffer, pointer_to(from), bytes);
    transfer->from = reinterpret_cast<uint64_t>(transfer->buffer);
  }
  step_transfer(transfer);
}

void access_begun_fails(uint64_t pending, int code, const char *what, uint64_t address, uint64_t bytes,
                        const char *why) {
  char all[error_text_bytes];
  snprintf(all, sizeof all, "%s %llu bytes of shared memory at 0x%llx: %s", what, number(bytes), number(address), why);
  pending_end(pending, code, all);
}

void access_fails(Thread *waiter, const char *what, uint64_t address, uint64_t bytes, const char *why) {
  char text[error_text_bytes];
  snprintf(text, sizeof text, "thread %s %s %llu bytes of shared memory at 0x%llx: %s", thread_name(waiter->id).text,
           what, number(bytes), number(address), why);
  if (waiter->id == main_id)
    fatal("%s", text);
  log("%s; the thread ends here", text);
  cancel_divert(waiter);
  thread_wake(waiter, SKEIN_CANCELLED);
}

Thread *access_ended(Thread *self, const char *what, uint64_t address, uint64_t bytes, const char *why) {
  thread_block(self, "an access to shared memory", pointer_to(address));
  access_fails(self, what, address, bytes, why);
  return thread_next();
}

} // namespace skein
