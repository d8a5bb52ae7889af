// Lends memory to other processes, and copies what they lend; see lent_memory.h.
#include "net/messages/lent_memory.h"

#include "base/knobs.h"
#include "base/node.h"
#include "net/run/halting.h"
#include "net/wire/link.h"
#include "os/linux/process_memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace skein {

/// What a borrower reads first, and again at last.
struct LentRecord {
  uint64_t proof, bytes;
  uint64_t address; // of a thread that moves: its id
};
struct LentMemory {
  LentRecord record;
  void *copy; // null: the bytes are where the thread has them
};

namespace {

/// What is known of a node: whether it can read memory of this one.
enum class Reader : uint8_t { unknown, asked, reads, does_not };
std::atomic<Reader> readers[nodes_max];         // by node
std::atomic<LentMemory *> questions[nodes_max]; // what those that were asked try to read
std::atomic<uint32_t> life{0};

/// Whether node `from` lends so many bytes to this one by that record.
bool is_meant(const LentRecord &record, int from, uint64_t bytes) {
  return ((record.proof ^ link_proof_of(from)) | (record.bytes ^ bytes)) == 0;
}

/// Reads the record. False: it is not there, or it is not this node's to read.
bool read_record(const BorrowedMemory &memory, size_t bytes, LentRecord &record) {
  const auto process = static_cast<pid_t>(memory.place.process);
  return memory.life == life.load(std::memory_order_relaxed) && process != getpid() &&
         process_read(process, memory.place.record, &record, sizeof record) == 0 &&
         is_meant(record, memory.from, bytes);
}

void ask(int peer) {
  Reader expected = Reader::unknown;
  if (!readers[peer].compare_exchange_strong(expected, Reader::asked, std::memory_order_relaxed))
    return;
  LentPlace place;
  questions[peer].store(memory_lend(peer, nullptr, 0, place), std::memory_order_relaxed);
  link_tell<ReadableMessage>(peer, place, static_cast<uint64_t>(Readable::asked));
}

void on_readable(Arrival &arrival) {
  const auto &message = arrival.body<ReadableMessage>();
  if (message.is == static_cast<uint64_t>(Readable::asked)) {
    const bool there = borrowed_is_there(memory_borrow(arrival.from, message.place), 0);
    return link_tell<ReadableMessage>(arrival.from, message.place,
                                      static_cast<uint64_t>(there ? Readable::yes : Readable::no));
  }
  LentMemory *question = questions[arrival.from].exchange(nullptr, std::memory_order_relaxed);
  if (!question)
    return link_reject(arrival.from, MessageType::readable, "it was not asked");
  memory_back(question);
  readers[arrival.from].store(message.is == static_cast<uint64_t>(Readable::yes) ? Reader::reads : Reader::does_not,
                              std::memory_order_relaxed);
}

} // namespace

// --- the lender -----------------------------------------------------------------------------------------------------

bool memory_is_lent_to(int peer, size_t bytes) {
  return bytes >= knobs.lend_least && peer != node.self && knobs.shared == SharedAccess::mapped &&
         readers[peer].load(std::memory_order_relaxed) != Reader::does_not;
}

bool memory_is_read_by(int peer, size_t bytes) {
  if (!memory_is_lent_to(peer, bytes))
    return false;
  const Reader is = readers[peer].load(std::memory_order_relaxed);
  if (is == Reader::unknown)
    ask(peer);
  return is == Reader::reads;
}

LentMemory *thread_lend(int peer, uint64_t thread, uint64_t bytes, LentPlace &place) {
  return memory_lend(peer, reinterpret_cast<const void *>(thread), bytes, place);
}

LentMemory *memory_lend(int peer, const void *data, size_t bytes, LentPlace &place) {
  auto *lent = static_cast<LentMemory *>(message_memory(sizeof(LentMemory)));
  *lent = {{link_proof_to(peer), bytes, reinterpret_cast<uint64_t>(data)}, nullptr};
  place = {static_cast<uint64_t>(getpid()), reinterpret_cast<uint64_t>(&lent->record)};
  return lent;
}

void memory_keep(LentMemory &lent) {
  if (lent.copy)
    return;
  lent.copy = message_memory(lent.record.bytes);
  memcpy(lent.copy, reinterpret_cast<const void *>(lent.record.address), lent.record.bytes);
  // After the bytes, and before whatever becomes of the thread: pairs with the second look of borrowed_read.
  __atomic_store_n(&lent.record.address, reinterpret_cast<uint64_t>(lent.copy), __ATOMIC_SEQ_CST);
}

void memory_back(LentMemory *lent) {
  if (!lent)
    return;
  __atomic_store_n(&lent->record.proof, 0, __ATOMIC_RELAXED); // it is nobody's to read
  free(lent->copy);
  free(lent);
}

void memory_not_lent_to(int peer) { readers[peer].store(Reader::does_not, std::memory_order_relaxed); }

// --- the borrower ---------------------------------------------------------------------------------------------------

BorrowedMemory memory_borrow(int from, const LentPlace &place) {
  return {from, life.load(std::memory_order_relaxed), place};
}

bool borrowed_is_there(const BorrowedMemory &memory, size_t bytes) {
  LentRecord record;
  return read_record(memory, bytes, record);
}

bool borrowed_read(const BorrowedMemory &memory, void *to, size_t bytes) {
  LentRecord before, after;
  if (!read_record(memory, bytes, before))
    return false;
  for (int looks = 0; looks < 2; looks++, before = after) { // the bytes are copied once at most, and stay there
    const int wrong = process_read(static_cast<pid_t>(memory.place.process), before.address, to, bytes);
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the store in memory_keep
    if (!read_record(memory, bytes, after))
      return false;
    if (after.address == before.address)
      return wrong == 0;
  }
  return false;
}

// The kernel copies the pieces in their order, so the record is read before and after all others.
bool borrowed_pieces_read(int node, const ImageLent &lent, uint64_t thread, const LentPiece *pieces, size_t count) {
  const auto process = static_cast<pid_t>(lent.place.process);
  if (process == getpid() || lent.place.process > INT32_MAX)
    return false;
  LentRecord before = {}, after = {};
  iovec there[lent_pieces_most + 2], here[lent_pieces_most + 2];
  size_t used = 0;
  const auto add = [&](uint64_t from, void *to, size_t bytes) {
    there[used] = {reinterpret_cast<void *>(from), bytes};
    here[used++] = {to, bytes};
  };
  add(lent.place.record, &before, sizeof before);
  for (size_t i = 0; i < count; i++)
    add(pieces[i].from, pieces[i].to, pieces[i].bytes);
  add(lent.place.record, &after, sizeof after);
  const auto right = [&](const LentRecord &record) {
    return is_meant(record, node, lent.bytes) && record.address == thread;
  };
  return process_read_pieces(process, there, here, used) == 0 && right(before) && right(after);
}

void lent_memory_start() {
  link_handle<ReadableMessage>(on_readable);
  node_reborn.add([] { // all nodes are new processes
    life.fetch_add(1, std::memory_order_relaxed);
    for (std::atomic<Reader> &one : readers)
      one.store(Reader::unknown, std::memory_order_relaxed);
    for (std::atomic<LentMemory *> &one : questions)
      memory_back(one.exchange(nullptr, std::memory_order_relaxed));
  });
}

} // namespace skein
