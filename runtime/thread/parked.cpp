// What of a thread's record is kept while it is parked; see parked.h.
#include "thread/parked.h"

#include <cstring>
#include <new>

namespace skein {

Stack parking_place;
void (*parked_bring_back)(uint64_t id);
const char *(*parked_waits_in)(const ParkedThread &parked);
std::atomic<uint64_t> parked_count{0};

namespace {

constexpr size_t life_words = sizeof(ThreadLife) / sizeof(uint64_t);
constexpr uint64_t detail_bit = UINT64_C(1) << 63;
static_assert(sizeof(ThreadLife) % sizeof(uint64_t) == 0 && life_words < 63);

/// The bytes of a record that is only looked at. They begin as zeroes, since padding that nobody wrote must not count
/// as a difference.
struct LifeBytes {
  alignas(ThreadLife) std::byte bytes[sizeof(ThreadLife)] = {};
  ThreadLife &life() { return *std::launder(reinterpret_cast<ThreadLife *>(bytes)); }
  uint64_t word(size_t i) const {
    uint64_t word;
    std::memcpy(&word, bytes + i * sizeof word, sizeof word);
    return word;
  }
};

LifeBytes fresh;

/// What is not kept is as in a fresh record.
void forget_what_is_not_kept(ThreadLife &life) {
  static_cast<Link &>(life) = Link();
  life.id = 0;
  life.sp = nullptr;
  life.limit = 0;
  new (&life.stack) Stack();
  new (&life.wait) Waiting();
  life.table_next = nullptr;
  life.listed = false;
  life.state.store(ThreadState::blocked, std::memory_order_relaxed);
}

} // namespace

void parked_start() {
  new (fresh.bytes) ThreadLife();
  fresh.life().segment = segment_nowhere;
  forget_what_is_not_kept(fresh.life());
}

// Flags of the record that only its owner reads may be changed meanwhile by others, which the thread sanitizer cannot
// know to be words of their own.
[[clang::no_sanitize("thread")]] void parked_keep(const Thread &thread, ParkedRecord &to) {
  LifeBytes own;
  std::memcpy(own.bytes, static_cast<const ThreadLife *>(&thread), sizeof own.bytes);
  forget_what_is_not_kept(own.life());
  to.kept = 0;
  to.count = 0;
  for (size_t i = 0; i < life_words; i++)
    if (own.word(i) != fresh.word(i)) {
      to.kept |= UINT64_C(1) << i;
      to.words[to.count++] = own.word(i);
    }
  if (thread.wait_detail) {
    to.kept |= detail_bit;
    to.words[to.count++] = thread.wait_detail;
  }
}

void parked_restore(const ParkedThread &parked, Thread &to) {
  auto *bytes = reinterpret_cast<std::byte *>(static_cast<ThreadLife *>(&to));
  std::memcpy(bytes, fresh.bytes, sizeof fresh.bytes);
  const uint64_t *word = parked.words();
  for (size_t i = 0; i < life_words; i++)
    if (parked.kept >> i & 1)
      std::memcpy(bytes + i * sizeof *word, word++, sizeof *word);
  to.id = parked.id;
  to.wait_detail = parked.kept & detail_bit ? *word : 0;
}

} // namespace skein
