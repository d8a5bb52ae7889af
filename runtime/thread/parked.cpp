// What of a thread's record is kept while it is parked; see parked.h.
#include "thread/parked.h"

#include <cstdlib>
#include <cstring>
#include <emmintrin.h>
#include <new>

namespace skein {

Stack parking_place;
void (*parked_bring_back)(uint64_t id);
const char *(*parked_waits_in)(const ParkedThread &parked);

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
/// So many that they can be looked at eight at a time. Behind its life a record has more than as many others, of which
/// no bit is kept.
constexpr size_t padded_words = (life_words + 7) / 8 * 8;
static_assert(sizeof(Thread) >= padded_words * sizeof(uint64_t));
uint64_t kept_bits[padded_words]; // those of each word that are kept
uint64_t expected[padded_words];  // those bits in a fresh record

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
  for (size_t i = 0; i < life_words; i++)
    expected[i] = fresh.word(i) & kept_bits[i];
}

/// Which words of the record differ in a bit that is kept: bit i for word i. Eight at a time become a byte of that,
/// without a branch: the halves of two pairs of words that differ are gathered, and the lower ones joined to the upper.
[[clang::no_sanitize("thread")]] uint64_t different_words(const std::byte *record) {
  typedef uint32_t Halves __attribute__((vector_size(16), aligned(8), may_alias));
  constexpr size_t group = 8;
  const auto halves = [](const void *from, size_t i) {
    return *reinterpret_cast<const Halves *>(static_cast<const std::byte *>(from) + i * sizeof(uint64_t));
  };
  const auto pair = [&](size_t i) { return (halves(record, i) & halves(kept_bits, i)) ^ halves(expected, i); };
  const auto same = [&](size_t i) { // of four words, -1 for those that do not differ
    const Halves a = pair(i), b = pair(i + 2);
    const Halves joined = __builtin_shufflevector(a, b, 0, 2, 4, 6) | __builtin_shufflevector(a, b, 1, 3, 5, 7);
    return __builtin_bit_cast(__m128i, joined == Halves{});
  };
  uint64_t different = 0;
  for (size_t first = 0; first < life_words; first += group) {
    const __m128i eight = _mm_packs_epi32(same(first), same(first + 4));
    different |= static_cast<uint64_t>(~_mm_movemask_epi8(_mm_packs_epi16(eight, eight)) & 0xff) << first;
  }
  return different;
}

/// Calls function(i) for each bit i that is set, upwards.
template <class Function> void each_bit(uint64_t bits, Function &&function) {
  for (; bits; bits &= bits - 1)
    function(static_cast<size_t>(__builtin_ctzll(bits)));
}

struct Blocks {
  ParkedThread *first;
  uint32_t count;
  size_t bytes;
};
__thread Blocks blocks = {nullptr, 0, 256};
constexpr uint32_t blocks_most = 512;

} // namespace

void parked_start() {
  new (fresh.bytes) ThreadLife();
  fresh.life().segment = segment_nowhere;
  forget_what_is_not_kept(fresh.life());
  find_kept_bits();
}

static const std::byte *life_of(const Thread &thread) {
  return reinterpret_cast<const std::byte *>(static_cast<const ThreadLife *>(&thread));
}

uint64_t parked_kept(const Thread &thread) {
  return different_words(life_of(thread)) | (thread.wait_detail ? detail_bit : 0);
}

// Flags of the record that only its owner reads may be changed meanwhile by others, which the thread sanitizer cannot
// know to be words of their own.
[[clang::no_sanitize("thread")]] void parked_keep(const Thread &thread, uint64_t kept, uint64_t *words) {
  each_bit(kept & ~detail_bit, [&](size_t i) {
    uint64_t own;
    std::memcpy(&own, life_of(thread) + i * sizeof own, sizeof own);
    *words++ = (own & kept_bits[i]) | (fresh.word(i) & ~kept_bits[i]);
  });
  if (kept & detail_bit)
    *words = thread.wait_detail;
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

ParkedThread *parked_block_take(size_t bytes) {
  if (bytes != blocks.bytes) {
    parked_blocks_flush();
    blocks.bytes = bytes;
  }
  ParkedThread *block = blocks.first;
  if (!block)
    return static_cast<ParkedThread *>(std::malloc(bytes));
  blocks.first = block->table_next;
  blocks.count--;
  return block;
}

void parked_block_give(ParkedThread *block, size_t bytes) {
  if (bytes != blocks.bytes || blocks.count == blocks_most) {
    std::free(block);
    return;
  }
  block->table_next = blocks.first;
  blocks.first = block;
  blocks.count++;
}

size_t parked_bytes_usual() { return blocks.bytes; }

void parked_blocks_flush() {
  while (ParkedThread *block = blocks.first) {
    blocks.first = block->table_next;
    std::free(block);
  }
  blocks.count = 0;
}

void parked_restore_stack(const ParkedThread &parked, const Stack &to) {
  const size_t live = parked.stack_bytes();
  std::byte *at = to.high - live;
  const auto delta = static_cast<uint64_t>(to.high - parking_place.high);
  std::memcpy(at, parked.stack(), live);
  for (size_t i = 0; i < ParkedThread::mark_words(live); i++)
    each_bit(parked.marks()[i], [&](size_t bit) {
      std::byte *word = at + (i * 64 + bit) * sizeof(uint64_t);
      uint64_t value;
      std::memcpy(&value, word, sizeof value);
      value += delta;
      std::memcpy(word, &value, sizeof value);
    });
}

} // namespace skein
