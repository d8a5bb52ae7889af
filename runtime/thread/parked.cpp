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
uint64_t kept_bits[life_words]; // those of each word that are kept

/// What is not kept becomes as in a fresh record.
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

/// Bytes that come out equal of zeroes and of ones were forgotten.
void find_kept_bits() {
  LifeBytes zeroes, ones;
  std::memset(ones.bytes, 0xff, sizeof ones.bytes);
  forget_what_is_not_kept(zeroes.life());
  forget_what_is_not_kept(ones.life());
  for (size_t i = 0; i < life_words; i++)
    kept_bits[i] = zeroes.word(i) ^ ones.word(i);
}

/// Calls function(i) for each bit i that is set, upwards.
template <class Function> void each_bit(uint64_t bits, Function &&function) {
  for (; bits; bits &= bits - 1)
    function(static_cast<size_t>(__builtin_ctzll(bits)));
}

} // namespace

void parked_start() {
  new (fresh.bytes) ThreadLife();
  fresh.life().segment = segment_nowhere;
  forget_what_is_not_kept(fresh.life());
  find_kept_bits();
}

// Flags of the record that only its owner reads may be changed meanwhile by others, which the thread sanitizer cannot
// know to be words of their own.
[[clang::no_sanitize("thread")]] void parked_keep(const Thread &thread, ParkedRecord &to) {
  const auto *bytes = reinterpret_cast<const std::byte *>(static_cast<const ThreadLife *>(&thread));
  const auto differs = [&](size_t i) {
    uint64_t own;
    std::memcpy(&own, bytes + i * sizeof own, sizeof own);
    return (own ^ fresh.word(i)) & kept_bits[i];
  };
  to.kept = 0;
  for (size_t i = 0; i < life_words; i++)
    to.kept |= static_cast<uint64_t>(differs(i) != 0) << i;
  to.count = 0;
  each_bit(to.kept, [&](size_t i) { to.words[to.count++] = fresh.word(i) ^ differs(i); });
  if (thread.wait_detail) {
    to.kept |= detail_bit;
    to.words[to.count++] = thread.wait_detail;
  }
}

static uint64_t detail_of(const ParkedThread &parked) {
  return parked.kept & detail_bit ? parked.words()[parked.record_words - 1] : 0;
}

uintptr_t parked_detail_place(ParkedThread &parked) {
  const uintptr_t detail = detail_of(parked),
                  begin = reinterpret_cast<uintptr_t>(parking_place.high) - parked.stack_bytes();
  return detail - begin < parked.stack_bytes() ? reinterpret_cast<uintptr_t>(parked.stack()) + (detail - begin)
                                               : detail;
}

void parked_restore(const ParkedThread &parked, Thread &to) {
  auto *bytes = reinterpret_cast<std::byte *>(static_cast<ThreadLife *>(&to));
  std::memcpy(bytes, fresh.bytes, sizeof fresh.bytes);
  const uint64_t *word = parked.words();
  each_bit(parked.kept & ~detail_bit, [&](size_t i) { std::memcpy(bytes + i * sizeof *word, word++, sizeof *word); });
  to.id = parked.id;
  to.wait_detail = detail_of(parked);
}

} // namespace skein
