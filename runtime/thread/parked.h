// A parked thread has waited for so long that its stack and its record serve others meanwhile. What is left of it is
// one block of memory, as large as what the thread needs to go on:
//
//     ParkedThread | words of the record that differ from a fresh one's | detail of its wait | marks | live stack
//
// The addresses in the live part are those it would have on the *parking place*, a stack on which no thread ever is.
// So all parked threads look as if they lay there, and one that follows a stale address into it is found out. The marks
// say which words these are, a bit for each word, so that nobody need walk over the frames to bring the thread back.
//
// The block waits in the place of the thread's record: in the ring of what the thread waits for (sync/waits.h), and in
// the table, by its id. Whoever looks a parked thread up by its id is given a thread with a record and a stack again
// (thread_locked), so only the functions of this file and of migrate/parking.cpp, where the threads are parked and
// brought back, ever see one.
//
// A block belongs to whoever has the lock of its place in the table. Once it was taken out of its ring it belongs to
// the waker, or to the list of those that are to be brought back.
//
// (Source: Mascarenhas and Rego, *Ariadne*, the common stack: threads run on one stack, and are copied off it when they
// wait.)
#ifndef SKEIN_THREAD_PARKED_H
#define SKEIN_THREAD_PARKED_H

#include "base/tally.h"
#include "thread/thread.h"

#include <cstddef>
#include <cstdint>

namespace skein {

struct ParkedThread : WaitRecord {
  uint16_t stack_words = 0;
  uint8_t record_words = 0; // with the detail of the wait
  bool listed = false;      // among those that are to be brought back; under the lock of that list
  ParkedThread *table_next = nullptr;
  uint64_t id = 0;
  void *object = nullptr; // what it waits for; null as soon as it was taken out of the ring
  const WaitKind *kind = nullptr;
  uint64_t kept = 0; // bit i: word i of the record differs, and is kept; the last bit: the detail is

  uint64_t *words() { return reinterpret_cast<uint64_t *>(this + 1); }
  const uint64_t *words() const { return reinterpret_cast<const uint64_t *>(this + 1); }
  uint64_t *marks() { return words() + record_words; }
  const uint64_t *marks() const { return words() + record_words; }
  std::byte *stack() { return reinterpret_cast<std::byte *>(marks() + mark_words(stack_bytes())); }
  const std::byte *stack() const { return reinterpret_cast<const std::byte *>(marks() + mark_words(stack_bytes())); }
  size_t stack_bytes() const { return stack_words * sizeof(uint64_t); }
  size_t bytes() const { return bytes_for(record_words, stack_bytes()); }

  /// How many words the marks of so many bytes take.
  static size_t mark_words(size_t live) { return (live / sizeof(uint64_t) + 63) / 64; }
  static size_t bytes_for(size_t record_words, size_t live) {
    return sizeof(ParkedThread) + (record_words + mark_words(live)) * sizeof(uint64_t) + live;
  }
};
static_assert(sizeof(ParkedThread) == 64, "ten million of them are to fit into memory");

void parked_start(); // called once, before what follows
/// What of a blocked thread's record is kept in a ParkedThread: `kept` of that, without what depends on the stack, the
/// wait and the table. The caller has the lock of the thread's place in the table.
uint64_t parked_kept(const Thread &thread);
/// How many words that makes.
inline uint8_t parked_record_words(uint64_t kept) { return static_cast<uint8_t>(__builtin_popcountll(kept)); }
/// Writes them.
void parked_keep(const Thread &thread, uint64_t kept, uint64_t *words);
/// Puts the words into a fresh record, whose state is blocked. Stack, wait and place in the table are the caller's.
void parked_restore(const ParkedThread &parked, Thread &to);
/// Puts the live part on a stack, where it lies as it did on the parking place.
void parked_restore_stack(const ParkedThread &parked, const Stack &to);

/// The memory to which the detail of its wait leads, if that is an address: on its stack, where it is kept, or
/// elsewhere. 0: the detail is.
uintptr_t parked_detail_place(ParkedThread &parked);

/// The memory of a block. This kernel thread has some free ones of one size at hand, that of the last one it took: many
/// threads wait in the same place, and those that come back leave their blocks to those that are parked next.
ParkedThread *parked_block_take(size_t bytes); // null without memory
void parked_block_give(ParkedThread *block, size_t bytes);
size_t parked_bytes_usual();
/// Part of thread_cache_flush.
void parked_blocks_flush();

/// A record that is in no table and is not counted, for parked_restore: what it says is that of its last life. Null
/// without memory.
Thread *thread_record_take();
/// The record is in no table any more, and its contents are elsewhere.
void thread_record_give(Thread *record);

/// Where all parked threads would be, by the addresses on their stacks. Empty until threads may be parked.
extern Stack parking_place;
/// Set by room migrate. Gives the thread of that id, if it is parked, a record and a stack again: when this returns, it
/// is in the table of threads, or has been woken and is about to be. Ends the process without memory. Naps while the
/// code that woke the thread has yet to go on; the caller has no lock of rank thread_table or above.
extern void (*parked_bring_back)(uint64_t id);

/// Set by room migrate: in what it waits, for reports.
extern const char *(*parked_waits_in)(const ParkedThread &parked);

/// How many are parked, at most.
inline uint64_t parked_count() { return tally_left(Tally::parked, Tally::unparked); }
/// Calls function(thread, context) for each, under the lock of its place, with a copy of its record that has no stack.
void parked_each(void (*function)(Thread *, void *), void *context);
/// The same without locks, for a process in which no other kernel thread runs any more. The copy's stack is the parking
/// place, on which its live part lies for the time of the call.
void parked_each_in_snapshot(void (*function)(Thread *, void *), void *context);

} // namespace skein

#endif
