// A thread may not take everything along. These tests cover each way in which a word can lead to something that stays
// behind, and the message about it.
#include "migrate/check.h"
#include "migrate/outside.h"
#include "migrate/search.h"
#include "sched/bundle.h"

#include "image_fixture.h"

#include <cstdlib>
#include <memory>
#include <skein/skein.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace fixture;

namespace {

constexpr uint64_t id = 4712;

// Returns the refusal when a thread is captured; its code is 0 if the thread may leave.
Refusal leaving(Thread *thread) {
  Buffer buffer;
  Refusal why;
  EXPECT_EQ(image_capture(*thread, buffer, why), !why);
  EXPECT_EQ(buffer.size() == 0, bool(why));
  thread_delete(thread);
  return why;
}
Refusal leaving_with(const void *out) { return leaving(make_thread(id, out)); }

bool says(const Refusal &why, const char *text) { return std::string(why.text).find(text) != std::string::npos; }

TEST(Check, HarmlessWordsPass) {
  for (uintptr_t word : {UINT64_C(0), UINT64_C(1), UINT64_C(65535), ~UINT64_C(0), ~UINT64_C(4095), SKEIN_SHARED_BASE,
                         SKEIN_SHARED_END - 1, reinterpret_cast<uint64_t>(&stored)})
    EXPECT_FALSE(leaving_with(reinterpret_cast<void *>(word))) << std::hex << word;
}

TEST(Check, AHeapPointerIsRefusedWithFunctionAndLine) {
  auto block = std::make_unique<long>(1);
  Refusal why = leaving_with(block.get());
  EXPECT_EQ(why.code, SKEIN_EPOINTER);
  EXPECT_TRUE(says(why, "`sum` (frames.S:12) holds a pointer to the process heap")) << why.text;
}

TEST(Check, SwitchedOffTheHeapPointerGoes) {
  auto block = std::make_unique<long>(1);
  knobs.check = Checks::off;
  EXPECT_FALSE(leaving_with(block.get()));
  knobs.check = Checks::on;
}

TEST(Check, APointerIntoAnotherThreadsStackIsRefusedByName) {
  Thread *other = make_thread(5, nullptr);
  Refusal why = leaving_with(other->sp);
  EXPECT_EQ(why.code, SKEIN_EPOINTER);
  EXPECT_TRUE(says(why, "the stack of thread 5")) << why.text;
  void *unused = other->sp;
  thread_delete(other);
  Stack taken = stack_acquire(); // the slot must not be the leaving thread's own
  EXPECT_TRUE(says(leaving_with(unused), "a stack that no thread uses"));
  stack_release(taken);
}

TEST(Check, APointerIntoNothingIsRefused) {
  void *gone = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(gone, MAP_FAILED);
  EXPECT_TRUE(says(leaving_with(gone), "heap"));
  munmap(gone, 4096);
  EXPECT_TRUE(says(leaving_with(gone), "memory that is not there"));
  EXPECT_TRUE(
      says(leaving_with(reinterpret_cast<void *>(UINT64_C(0x8000'0000'0000'0000))), "memory that is not there"));
}

TEST(Check, MappedFilesAndTheProcessStackAreNamed) {
  EXPECT_TRUE(says(leaving_with(__builtin_frame_address(0)), "the mapping of [stack]"));
}

TEST(Check, AmbiguousWordsMayNotBeAddresses) {
  for (uint64_t word : {UINT64_C(0), UINT64_C(65535), UINT64_C(0x3ff0000000000000), ~UINT64_C(0), SKEIN_SHARED_BASE,
                        UINT64_C(0x41414141)})
    EXPECT_FALSE(leaving(make_ambiguous(id, word))) << std::hex << word;

  auto block = std::make_unique<long>(1);
  Refusal why = leaving(make_ambiguous(id, reinterpret_cast<uint64_t>(block.get())));
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_TRUE(says(why,
                   "`maybe` (frames.S:81) has a word that may be a pointer or an integer and holds an address of the "
                   "process heap"))
      << why.text;
  EXPECT_TRUE(says(leaving(make_ambiguous(id, reinterpret_cast<uint64_t>(&stored))), "an address of"));

  Thread *thread = make_ambiguous(id, 0);
  auto *word = reinterpret_cast<uint64_t *>(thread->stack.high) - 2;
  ASSERT_EQ(*word, 0u);
  *word = reinterpret_cast<uint64_t>(word);
  EXPECT_TRUE(says(leaving(thread), "its own stack"));
  // With check=off pointers are trusted, but nothing is guessed.
  knobs.check = Checks::off;
  EXPECT_TRUE(leaving(make_ambiguous(id, reinterpret_cast<uint64_t>(block.get()))));
  knobs.check = Checks::on;
}

TEST(Check, APinnedThreadStays) {
  Thread *thread = make_thread(id, nullptr);
  thread->pinned_by = "strtok";
  Refusal why = leaving(thread);
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_TRUE(says(why, "given to strtok")) << why.text;
}

TEST(Check, AThreadWhoseAddressEscapedStays) {
  Thread *thread = make_thread(id, nullptr);
  thread->escaped = "was given to a thread that it spawned";
  Refusal why = leaving(thread);
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_STREQ(why.text, "an address of its stack was given to a thread that it spawned");
}

TEST(Check, ArgumentsOfAThreadThatHasNotRunAreClassifiedToo) {
  start_runtime_once();
  auto block = std::make_unique<long>(1);
  for (bool pointer : {true, false}) {
    Thread *thread = thread_new(id);
    bundle_enter(thread, bundle_root);
    thread->start.function = store;
    thread->start.count = 1;
    thread->start.classes = pointer ? SKEIN_ARGUMENT_POINTER : SKEIN_ARGUMENT_INTEGER;
    thread->words[0] = reinterpret_cast<uint64_t>(block.get());
    Refusal why = leaving(thread);
    EXPECT_EQ(why.code, pointer ? SKEIN_EPOINTER : 0);
    if (pointer) {
      EXPECT_TRUE(says(why, "an argument of `store` (frames.S) holds a pointer to the process heap")) << why.text;
    }
  }
}

// --- globals --------------------------------------------------------------------------------------------------------

struct Globals {
  skein_global_map map;
  char name[8];
};
Globals globals; // in the program, as references are 32-bit differences
long words[1000];
struct [[gnu::packed]] {
  char first;
  void *pointer;
  char last[3];
} packed;

bool holds_address(const void *at, size_t bytes, uintptr_t begin, uintptr_t end, Refusal &why) {
  std::memcpy(globals.name, "counter", 8);
  globals.map.address =
      static_cast<int32_t>(static_cast<const char *>(at) - reinterpret_cast<char *>(&globals.map.address));
  globals.map.name = static_cast<int32_t>(globals.name - reinterpret_cast<char *>(&globals.map.name));
  globals.map.size = bytes;
  return !check_globals_in(&globals.map, &globals.map + 1, begin, end, why);
}

TEST(Globals, AnAddressOfTheStackInAGlobalIsFoundWhereverItLies) {
  const uintptr_t begin = 0x7000'0000'0000, end = begin + 0x1000;
  Refusal why;
  EXPECT_FALSE(holds_address(words, sizeof words, begin, end, why));
  for (size_t at : {0, 1, 7, 8, 500, 998, 999})
    for (uintptr_t value : {begin, end - 1}) {
      words[at] = static_cast<long>(value);
      EXPECT_TRUE(holds_address(words, sizeof words, begin, end, why)) << at;
      EXPECT_STREQ(why.text, "the global `counter` holds an address of its stack");
      words[at] = 0;
    }
  for (uintptr_t value : {begin - 1, end, UINTPTR_MAX}) {
    words[500] = static_cast<long>(value);
    EXPECT_FALSE(holds_address(words, sizeof words, begin, end, why)) << value;
  }
  words[500] = 0;
  packed.pointer = reinterpret_cast<void *>(begin);
  EXPECT_TRUE(holds_address(&packed, sizeof packed, begin, end, why));
  EXPECT_FALSE(holds_address(&packed, 3, begin, end, why));
}

void *own_copy(void) { return words; }

TEST(Globals, AThreadLocalOneIsFoundThroughItsFunction) {
  const uintptr_t begin = 0x7000'0000'0000, end = begin + 0x1000;
  Refusal why;
  const void *function = reinterpret_cast<const void *>(&own_copy);
  const size_t bytes = sizeof words | SKEIN_GLOBAL_THREAD_LOCAL;
  EXPECT_FALSE(holds_address(function, bytes, begin, end, why));
  words[17] = static_cast<long>(begin);
  EXPECT_TRUE(holds_address(function, bytes, begin, end, why));
  words[17] = 0;
}

const void *slot = words; // like an entry of a global offset table

TEST(Globals, OneThatAnotherModuleMayDefineIsFoundThroughItsSlot) {
  const uintptr_t begin = 0x7000'0000'0000, end = begin + 0x1000;
  Refusal why;
  const size_t bytes = sizeof words | SKEIN_GLOBAL_INDIRECT;
  EXPECT_FALSE(holds_address(&slot, bytes, begin, end, why));
  words[999] = static_cast<long>(begin);
  EXPECT_TRUE(holds_address(&slot, bytes, begin, end, why));
  words[999] = 0;
}

void find_everywhere(uintptr_t begin, uintptr_t end) {
  unsigned char bytes[8 * 1100] = {};
  auto put = [&](size_t at, uint64_t word) { std::memcpy(bytes + at, &word, sizeof word); };
  for (size_t count : {1, 3, 31, 32, 33, 4095, 4096, 4097, 8192, 8700})
    for (size_t at : {size_t{0}, static_cast<size_t>(count) / 2, static_cast<size_t>(count) - 1}) {
      SCOPED_TRACE(at);
      EXPECT_EQ(find_address(bytes, count, begin, end), nullptr);
      put(at, end - 1);
      EXPECT_EQ(find_address(bytes, at + 8, begin, end), bytes + at);
      EXPECT_EQ(find_address(bytes, count + 7, begin, end), bytes + at);
      EXPECT_EQ(find_address(bytes, at + 7, begin, end), nullptr); // what lies beyond is not read
      EXPECT_EQ(find_address(bytes, count + 7, end, end + 0x1000), nullptr);
      put(at, begin | uint64_t{0xabcd} << 48); // a tag that chance makes rarely enough
      EXPECT_EQ(find_address(bytes, count + 7, begin, end), end - begin <= search_tagged_most ? bytes + at : nullptr);
      put(at, 0);
    }
}

TEST(Search, FindsTheFirstAddressAtEveryPlaceInEveryLength) {
  find_everywhere(0x7000'0000'0000, 0x7000'0000'1000);
  find_everywhere(0x7f12'feff'f000, 0x7f12'ff02'0000);
  find_everywhere(0x7f12'ffff'f000, 0x7f13'0000'1000);
  find_everywhere(0x7eff'ffff'f000, 0x7f00'0000'1000);
  find_everywhere(0x5555'5555'4000, 0x7fff'ffff'f000); // a range that contains all that moves to another process
}

TEST(Globals, NoRecordsNoRefusal) {
  Refusal why;
  EXPECT_FALSE(globals_hold(0, UINTPTR_MAX, why)); // this program has no section skein_globals
}

// --- outside --------------------------------------------------------------------------------------------------------

TEST(Outside, HeapBlocksAndVariablesOfLibrariesAreSearched) {
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the address sanitizer's malloc does not use the program break";
#endif
  const uintptr_t begin = 0x7012'3456'0000, end = begin + 0x1000;
  auto *before = static_cast<uintptr_t *>(std::calloc(1000, sizeof(uintptr_t)));
  outside_start();
  // By default calloc would make a mapping for a block of this size.
  auto *after = static_cast<uintptr_t *>(std::calloc(100000, sizeof(uintptr_t)));
  size_t skipped;
  uintptr_t address = 0;
  Refusal why;
  const size_t all = SIZE_MAX;
  EXPECT_TRUE(check_outside(begin, end, all, &skipped, &address, why)) << why.text;
  EXPECT_EQ(skipped, 0u);
  for (uintptr_t *word : {before, before + 999, after, after + 99999}) {
    *word = begin + 8;
    EXPECT_FALSE(check_outside(begin, end, all, &skipped, &address, why));
    EXPECT_STREQ(why.text, "a heap block holds an address of its stack");
    EXPECT_EQ(address, begin + 8);
    *word = 0;
  }
  optarg = reinterpret_cast<char *>(end - 1);
  EXPECT_FALSE(check_outside(begin, end, all, &skipped, &address, why));
  EXPECT_STREQ(why.text, "the global `optarg` holds an address of its stack");
  optarg = nullptr;

  after[99999] = begin;
  EXPECT_TRUE(check_outside(begin, end, 4096, &skipped, &address, why)) << why.text;
  EXPECT_GT(skipped, 100000 * sizeof(uintptr_t) - 4096);
  std::free(before);
  std::free(after);
}

} // namespace
