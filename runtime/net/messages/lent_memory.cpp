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
  uint64_t proof, bytes, address;
};
struct LentMemory {
  LentRecord record;
  void *copy; // null: the bytes are where the thread has them
};

namespace {

/// Three system calls take as long as this many bytes more in the transport.
constexpr size_t least = 16384;

std::atomic<bool> refused[nodes_max]; // by node
std::atomic<uint32_t> life{0};

/// Reads the record. False: it is not there, or it is not this node's to read.
bool read_record(const BorrowedMemory &memory, size_t bytes, LentRecord &record) {
  const auto process = static_cast<pid_t>(memory.place.process);
  return memory.life == life.load(std::memory_order_relaxed) && process != getpid() &&
         process_read(process, memory.place.record, &record, sizeof record) == 0 &&
         ((record.proof ^ link_proof_of(memory.from)) | (record.bytes ^ bytes)) == 0;
}

} // namespace

// --- the lender -----------------------------------------------------------------------------------------------------

bool memory_is_lent_to(int peer, size_t bytes) {
  return bytes >= least && peer != node.self && knobs.shared == SharedAccess::mapped &&
         !refused[peer].load(std::memory_order_relaxed);
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

void memory_not_lent_to(int peer) { refused[peer].store(true, std::memory_order_relaxed); }

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

void lent_memory_start() {
  node_reborn.add([] { // all nodes are new processes
    life.fetch_add(1, std::memory_order_relaxed);
    for (std::atomic<bool> &one : refused)
      one.store(false, std::memory_order_relaxed);
  });
}

} // namespace skein
