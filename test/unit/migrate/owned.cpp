// Private memory at a move: these tests check which words change, what is refused, and that damaged images of it are
// not believed.
#include "migrate/owned.h"

#include "../accessible.h"
#include "abi/entry_points.h"
#include "image_fixture.h"
#include "migrate/checksum.h"
#include "migrate/image.h"
#include "migrate/owned_image.h"
#include "migrate/unpack.h"
#include "private/heap/heap.h"

#include <algorithm>
#include <gnu/libc-version.h>
#include <random>
#include <skein/heap.h>
#include <skein/skein.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace fixture;

// How the runtime asks whether memory lies anywhere, counted.
static unsigned questions;
extern "C" int mincore(void *begin, size_t bytes, unsigned char *to) noexcept {
  ++questions;
  return static_cast<int>(syscall(SYS_mincore, begin, bytes, to));
}

namespace {

constexpr uint64_t id = 815;

// The layouts are written as the compiler would: for { long v; struct node *next; int *p; }, for a structure with a
// flexible array of pairs of a pointer and a number, and for an allocation of unknown type.
struct NodeLayout { // a skein_layout with its words
  int32_t name;
  uint32_t flags, head, part;
  uint16_t head_words, part_words;
  uint32_t reserved;
  skein_layout_words words[2];
};
__attribute__((section("skein_layouts"), used, aligned(8)))
const NodeLayout node_layout = {0, SKEIN_LAYOUT_WHOLE, 0, 24, 0, 1, 0, {{8, 2, 8}, {0, 0, 0}}};
__attribute__((section("skein_layouts"), used, aligned(8)))
const NodeLayout flexible_layout = {0, 0, 16, 16, 1, 1, 0, {{8, 1, 8}, {0, 1, 8}}};
// Arrays of doubles, of floats, and of structures of two numbers.
__attribute__((section("skein_layouts"), used, aligned(8))) const NodeLayout doubles_layout = {0, 0, 0, 8, 0, 0, 0, {}};
__attribute__((section("skein_layouts"), used, aligned(8))) const NodeLayout floats_layout = {0, 0, 0, 4, 0, 0, 0, {}};
__attribute__((section("skein_layouts"), used, aligned(8))) const NodeLayout pairs_layout = {0, 0, 0, 16, 0, 0, 0, {}};
// Behind a packed head, whole numbers lie at odd places.
__attribute__((section("skein_layouts"), used, aligned(8)))
const NodeLayout packed_head_layout = {0, 0, 4, 8, 0, 0, 0, {}};

struct Owned : testing::Test {
  static void SetUpTestSuite() {
    start_runtime_once();
    private_start();
  }
  void SetUp() override {
    thread = make_thread(id, nullptr);
    processor.current = thread;
    skein_processor = &processor;
  }
  void TearDown() override {
    skein_processor = nullptr;
    if (thread)
      thread_delete(thread);
  }
  // Allocates a block on the thread's heap, zeroed.
  uint64_t *block(size_t bytes, const NodeLayout *layout) {
    auto *at = static_cast<uint64_t *>(__skein_malloc(bytes, layout));
    memset(at, 0, bytes);
    return at;
  }
  uint64_t in_stack(size_t offset = 0) const { return reinterpret_cast<uint64_t>(thread->sp) + offset; }

  // Applies to the private memory what a move of the stack by `delta` does. Returns whether the move is possible.
  bool moved(intptr_t delta = 1 << 20) {
    RangeTable ranges;
    ranges.add(reinterpret_cast<uintptr_t>(thread->stack.slot_begin),
               reinterpret_cast<uintptr_t>(thread->stack.slot_end), delta);
    MoveCounts counts;
    why = Refusal();
    bool agreed = owned_prepare(*thread, ranges, owned_changes(), counts, why);
    EXPECT_EQ(agreed, !why);
    if (agreed)
      owned_apply(*thread, owned_changes());
    return agreed;
  }

  Processor processor;
  Thread *thread;
  Refusal why;
};

TEST_F(Owned, PointersByTypeChangeAndNothingElse) {
  uint64_t *nodes = block(3 * 24, &node_layout), *other = block(24, &node_layout);
  nodes[1] = reinterpret_cast<uint64_t>(other);
  nodes[5] = in_stack();
  nodes[8] = in_stack(40);
  nodes[7] = 42;
  ASSERT_TRUE(moved()) << why.text;
  EXPECT_EQ(nodes[1], reinterpret_cast<uint64_t>(other));
  EXPECT_EQ(nodes[5], in_stack() + (1 << 20));
  EXPECT_EQ(nodes[8], in_stack(40) + (1 << 20));
  EXPECT_EQ(nodes[7], 42u);
}

TEST_F(Owned, ATagAboveAnAddressMakesNoDifference) {
  const uint64_t tag = UINT64_C(0x8001) << 48;
  uint64_t *node = block(24, &node_layout);
  node[1] = in_stack() | tag;
  ASSERT_TRUE(moved()) << why.text;
  EXPECT_EQ(node[1], (in_stack() + (1 << 20)) | tag);
  node[1] = 0;
  node[0] = in_stack() | tag;
  EXPECT_FALSE(moved());
}

TEST_F(Owned, PartsOfTwoNumbersAreNoAddressUnderATag) {
  const uint64_t address = in_stack(), tagged = address | UINT64_C(0x45c6) << 48;
  const auto moves_with = [&](const NodeLayout &layout, size_t offset, uint64_t value) {
    auto *at = reinterpret_cast<char *>(block(64, &layout));
    memcpy(at + offset, &value, sizeof value);
    const bool could = moved();
    uint64_t after;
    memcpy(&after, at + offset, sizeof after);
    EXPECT_EQ(after, value);
    memset(at, 0, 64);
    return could;
  };
  EXPECT_TRUE(moves_with(doubles_layout, 22, tagged));
  EXPECT_TRUE(moves_with(doubles_layout, 20, tagged));
  EXPECT_FALSE(moves_with(doubles_layout, 24, tagged)); // a whole number may be an address with a tag
  EXPECT_FALSE(moves_with(doubles_layout, 22, address));
  EXPECT_FALSE(moves_with(floats_layout, 20, tagged)); // two halves
  EXPECT_FALSE(moves_with(pairs_layout, 20, tagged));  // which may be packed
  EXPECT_FALSE(moves_with(packed_head_layout, 20, tagged));
}

TEST_F(Owned, AFlexibleArrayHasHeadAndParts) {
  uint64_t *at = block(16 + 5 * 16, &flexible_layout);
  at[1] = at[2] = at[10] = in_stack();
  ASSERT_TRUE(moved()) << why.text;
  for (int i : {1, 2, 10})
    EXPECT_EQ(at[i], in_stack() + (1 << 20)) << i;
  at[3] = in_stack();
  EXPECT_FALSE(moved());
}

TEST_F(Owned, AnAddressInAnIntegerIsRefusedAndNothingHasChanged) {
  uint64_t *nodes = block(2 * 24, &node_layout);
  nodes[1] = in_stack();
  nodes[3] = in_stack();
  EXPECT_FALSE(moved());
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_NE(std::string(why.text).find("of type"), std::string::npos) << why.text;
  EXPECT_NE(std::string(why.text).find("(byte 24)"), std::string::npos) << why.text;
  EXPECT_EQ(nodes[1], in_stack());
  nodes[3] = 0;
  EXPECT_TRUE(moved());
}

TEST_F(Owned, AnUnknownTypeIsRefused) {
  auto *at = static_cast<uint64_t *>(skein_malloc(64));
  memset(at, 0, 64);
  EXPECT_TRUE(moved());
  at[4] = in_stack();
  EXPECT_FALSE(moved());
  EXPECT_NE(std::string(why.text).find("of unknown type on its private heap (byte 32)"), std::string::npos) << why.text;
  // A word that the compiler saw being stored is changed nevertheless, as long as the value is still there.
  auto live = [](uintptr_t, void *) { return true; };
  known_add(thread->owned->known, reinterpret_cast<uintptr_t>(&at[4]), at[4], live, nullptr);
  ASSERT_TRUE(moved()) << why.text;
  EXPECT_EQ(at[4], in_stack() + (1 << 20));
  EXPECT_TRUE(known_holds(thread->owned->known, reinterpret_cast<uintptr_t>(&at[4]), at[4]));
  at[4] = in_stack(8);
  EXPECT_FALSE(moved());
}

TEST_F(Owned, WhatIsFreeIsIgnored) {
  auto *at = static_cast<uint64_t *>(skein_malloc(640));
  skein_malloc(64); // keeps the block from joining the rest
  memset(at, 0, 640);
  at[40] = in_stack();
  EXPECT_FALSE(moved());
  skein_free(at);
  EXPECT_TRUE(moved()) << why.text;
  EXPECT_EQ(at[40], in_stack());
}

TEST_F(Owned, LargeBlocksHaveTypes) {
  constexpr size_t bytes = 24 * 100000;
  auto *nodes = static_cast<uint64_t *>(__skein_malloc(bytes, &node_layout));
  nodes[3 * 77777 + 2] = in_stack();
  ASSERT_TRUE(moved()) << why.text;
  EXPECT_EQ(nodes[3 * 77777 + 2], in_stack() + (1 << 20));
  nodes[3 * 77777] = in_stack();
  EXPECT_FALSE(moved());
}

TEST_F(Owned, ALeavingThreadIsClassified) {
  uint64_t *node = block(24, &node_layout);
  ModulesUsed used;
  MoveCounts counts;
  node[1] = in_stack();
  node[2] = reinterpret_cast<uint64_t>(&gnu_get_libc_version);
  EXPECT_TRUE(owned_check(*thread, used, counts, why)) << why.text;
  EXPECT_EQ(used.count, 1u);
  auto foreign = std::make_unique<std::vector<char>>(200000);
  node[2] = reinterpret_cast<uint64_t>(foreign->data() + 100000);
  EXPECT_FALSE(owned_check(*thread, used, counts, why));
  EXPECT_EQ(why.code, SKEIN_EPOINTER);
  EXPECT_NE(std::string(why.text).find("a pointer on its private heap leads to the process heap"), std::string::npos)
      << why.text;
  node[2] = 0;
  node[0] = in_stack();
  EXPECT_FALSE(owned_check(*thread, used, counts, why));
}

// Small members side by side look like addresses of nothing, a few different ones thousands of times (the objects of an
// interpreter do). The kernel is asked about each of these once.
TEST_F(Owned, ChanceAddressesAreAskedAboutOnce) {
  auto *at = static_cast<uint64_t *>(skein_malloc(160000));
  for (size_t i = 0; i < 20000; ++i)
    at[i] = UINT64_C(0x550000000000) + i % 3 * 0x100000000;
  ModulesUsed used;
  MoveCounts counts;
  questions = 0;
  EXPECT_TRUE(owned_check(*thread, used, counts, why)) << why.text;
  EXPECT_GT(counts.words, 20000u - 1);
  EXPECT_GE(questions, 3u);
  EXPECT_LE(questions, 50u); // and about some that bytes of two neighbours make
}

// --- images

using Bytes = std::vector<uint64_t>;

struct OwnedImage : Owned {
  // Returns the image of a heap with small blocks, freed ones and a large one; the thread has left. What the image
  // lends is in `lent`.
  Bytes leave(const CaptureOptions &options = {}) {
    small = block(3 * 24, &node_layout);
    small[1] = in_stack();
    small[3] = 3;
    large = static_cast<uint64_t *>(__skein_malloc(2 << 20, &node_layout));
    large[100000] = 7;
    std::vector<void *> blocks;
    for (int i = 0; i < 3000; i++) {
      blocks.push_back(skein_malloc(300));
      memset(blocks.back(), 1, 300);
    }
    for (int i = 10; i < 2990; i++)
      skein_free(blocks[static_cast<size_t>(i)]);
    Buffer buffer;
    EXPECT_TRUE(image_capture(*thread, buffer, why, options)) << why.text;
    Bytes image(buffer.size() / 8);
    std::memcpy(image.data(), buffer.data(), buffer.size());
    lent.clear();
    const ImageHeader &header = *header_of(image);
    const auto *live = reinterpret_cast<const char *>(header.sp);
    lent.emplace_back(header.sp, std::string(live, live + (header.stack_high - header.sp)));
    if (image_lent_bytes(header) != 0)
      for (uint32_t i = 0; i < owned_of(image)->run_count; ++i) {
        const ImageRun &run = runs_of(image)[i];
        const auto *pages = reinterpret_cast<const char *>(run.begin);
        lent.emplace_back(run.begin, std::string(pages, pages + run.bytes));
      }
    private_depart(*thread);
    thread_delete(thread);
    thread = nullptr;
    return image;
  }
  static ImageHeader *header_of(Bytes &image) { return reinterpret_cast<ImageHeader *>(image.data()); }
  static ImageOwned *owned_of(Bytes &image) {
    return reinterpret_cast<ImageOwned *>(image.data() + image.size() - header_of(image)->owned_bytes / 8);
  }
  static ImageRun *runs_of(Bytes &image) {
    ImageOwned *owned = owned_of(image);
    auto *extents = reinterpret_cast<ImageExtent *>(owned + 1);
    return reinterpret_cast<ImageRun *>(reinterpret_cast<KnownWord *>(extents + owned->extent_count) +
                                        owned->known_count);
  }
  static void seal(Bytes &image) { image_seal(*header_of(image)); }
  ImageFault restore(Bytes &image, const Lender *lender = nullptr) {
    seal(image);
    ImageFault fault;
    why = Refusal();
    thread = nullptr;
    if (const ImageHeader *header = image_check(image.data(), image.size() * 8, fault, why))
      thread = image_restore(*header, fault, why, {.lender = lender});
    return fault;
  }
  // Of the stack, too, which this test has not freed.
  static bool read_lent(int node, const ImageLent &from, uint64_t id, const LentPiece *pieces, size_t count) {
    EXPECT_EQ(node, 3);
    EXPECT_EQ(from.place.process, 10u);
    EXPECT_EQ(from.place.record, 80u);
    EXPECT_NE(id, 0u);
    EXPECT_LE(count, lent_pieces_most);
    for (size_t i = 0; i < count; ++i) {
      const auto run =
          std::find_if(lent.begin(), lent.end(), [&](const auto &one) { return one.first == pieces[i].from; });
      EXPECT_TRUE(run != lent.end() && run->second.size() == pieces[i].bytes);
      if (run != lent.end())
        std::memcpy(pieces[i].to, run->second.data(), pieces[i].bytes);
    }
    return true;
  }
  static inline std::vector<std::pair<uint64_t, std::string>> lent;
  uint64_t *small, *large;
};

TEST_F(OwnedImage, GoesOnAtTheSameAddress) {
  Bytes image = leave();
  EXPECT_FALSE(accessible(small));
  EXPECT_LT(image.size() * 8, 500u << 10) << "free and untouched pages do not travel";
  ASSERT_EQ(restore(image), ImageFault::none) << why.text;
  EXPECT_EQ(small[1], in_stack());
  EXPECT_EQ(small[3], 3u);
  EXPECT_EQ(large[100000], 7u);
  EXPECT_EQ(large[100], 0u);
  // The heap that arrived can be used.
  processor.current = thread;
  std::vector<void *> blocks;
  for (int i = 0; i < 3000; i++)
    blocks.push_back(memset(skein_malloc(static_cast<size_t>(i)), 2, static_cast<size_t>(i)));
  for (void *block : blocks)
    skein_free(block);
  skein_free(small);
  skein_free(large);
}

TEST_F(OwnedImage, TakenAddressesAreRefused) {
  Bytes image = leave();
  const uintptr_t begin = reinterpret_cast<ImageExtent *>(owned_of(image) + 1)->begin;
  ASSERT_TRUE(region_arrive(reinterpret_cast<void *>(begin), 4096));
  EXPECT_EQ(restore(image), ImageFault::no_memory);
  EXPECT_NE(std::string(why.text).find("the addresses are taken"), std::string::npos) << why.text;
  EXPECT_FALSE(accessible(large));
  region_depart(reinterpret_cast<void *>(begin), 4096);
  EXPECT_EQ(restore(image), ImageFault::none);
}

// The stack and the pages of a large heap stay where they are, and whoever restores the image copies them from there.
TEST_F(OwnedImage, LendsItsStackAndPages) {
  Bytes image = leave({.lend_least = 1});
  ASSERT_GT(image_lent_bytes(*header_of(image)), 100u << 10);
  EXPECT_LT(image.size() * 8, 4096u);
  EXPECT_EQ(restore(image), ImageFault::malformed) << "nobody reads them";
  EXPECT_FALSE(accessible(small));
  image_lend(*header_of(image), {10, 80});
  const Lender cannot = {3, [](int, const ImageLent &, uint64_t, const LentPiece *, size_t) { return false; }};
  EXPECT_EQ(restore(image, &cannot), ImageFault::unread);
  EXPECT_EQ(why.code, SKEIN_EREFUSED);
  EXPECT_NE(std::string(why.text).find("cannot be read where node 3 lends it"), std::string::npos) << why.text;
  EXPECT_FALSE(accessible(small));
  const Lender lender = {3, read_lent};
  ASSERT_EQ(restore(image, &lender), ImageFault::none) << why.text;
  EXPECT_EQ(small[1], in_stack());
  EXPECT_EQ(small[3], 3u);
  EXPECT_EQ(large[100000], 7u);
  EXPECT_EQ(large[100], 0u);
}

TEST_F(OwnedImage, LendsNothingBelowTheLimit) {
  Bytes image = leave({.lend_least = 100 << 20});
  EXPECT_EQ(image_lent_bytes(*header_of(image)), 0u);
  EXPECT_EQ(restore(image), ImageFault::none) << why.text;
}

TEST_F(OwnedImage, LiesAreRefused) {
  const Bytes good = leave();
  struct Lie {
    const char *name;
    void (*tell)(ImageOwned &owned, ImageExtent *extents, ImageRun *runs);
  };
  const Lie lies[] = {
      {"heap", [](ImageOwned &owned, ImageExtent *, ImageRun *) { owned.heap += 1 << 30; }},
      {"heap at the end",
       [](ImageOwned &owned, ImageExtent *extents, ImageRun *) { owned.heap = extents->begin + extents->bytes - 16; }},
      {"globals", [](ImageOwned &owned, ImageExtent *extents, ImageRun *) { owned.globals = extents->begin; }},
      {"left at a node, but nothing is", [](ImageOwned &owned, ImageExtent *, ImageRun *) { owned.left_at = 1; }},
      {"left at no node of the run",
       [](ImageOwned &owned, ImageExtent *, ImageRun *) { owned.left = 7, owned.left_at = 9999; }},
      {"left here", [](ImageOwned &owned, ImageExtent *,
                       ImageRun *) { owned.left = 7, owned.left_at = static_cast<uint32_t>(node.self); }},
      {"lent, and here", [](ImageOwned &owned, ImageExtent *, ImageRun *) { owned.lent_bytes = 4096; }},
      {"left, without a number", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents->flags |= extent_left; }},
      {"flags", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents->flags = 4; }},
      {"too many extents", [](ImageOwned &owned, ImageExtent *, ImageRun *) { owned.extent_count = ~0u; }},
      {"too many runs", [](ImageOwned &owned, ImageExtent *, ImageRun *) { owned.run_count++; }},
      {"not private", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents->begin = 0x7f0000000000; }},
      {"no node's", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents->begin = private_end; }},
      {"no page", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents->begin += 8; }},
      {"kind", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents->kind = 9; }},
      {"larger than its region", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents->bytes = 1 << 30; }},
      {"overlap", [](ImageOwned &, ImageExtent *extents, ImageRun *) { extents[1].begin = extents[0].begin; }},
      {"run outside", [](ImageOwned &, ImageExtent *, ImageRun *runs) { runs->begin -= 1 << 20; }},
      {"run too long", [](ImageOwned &, ImageExtent *, ImageRun *runs) { runs->bytes += 4096; }},
      {"run of no pages", [](ImageOwned &, ImageExtent *, ImageRun *runs) { runs->bytes -= 1; }},
      {"run at the end",
       [](ImageOwned &, ImageExtent *extents, ImageRun *runs) { runs->begin = extents->begin + extents->bytes; }},
  };
  for (const Lie &lie : lies) {
    Bytes image = good;
    ImageOwned *owned = owned_of(image);
    lie.tell(*owned, reinterpret_cast<ImageExtent *>(owned + 1), runs_of(image));
    EXPECT_EQ(restore(image), ImageFault::malformed) << lie.name;
    EXPECT_FALSE(accessible(small)) << lie.name;
    if (thread)
      thread_delete(thread);
  }
}

// A peer seals what it damaged. Any result is right but a crash.
TEST_F(OwnedImage, SealedDamageNeverCrashes) {
  const Bytes good = leave();
  std::mt19937_64 random(11);
  Bytes image = good;
  const size_t begin = good.size() - header_of(image)->owned_bytes / 8;
  unsigned refused = 0;
  const uint64_t evil[] = {0,
                           1,
                           ~UINT64_C(0),
                           UINT64_C(1) << 63,
                           private_begin,
                           private_end,
                           reinterpret_cast<uint64_t>(&gnu_get_libc_version),
                           0xffffffff};
  for (int round = 0; round < 3000; round++) {
    image = good;
    // The damage is in the tables, the allocator's state and the heads of chunks, sometimes in two words.
    for (int words = round % 3; words >= 0; words--)
      image[begin + random() % (round % 2 ? 40 : 1000)] = round % 5 ? random() : evil[random() % 8];
    refused += restore(image) != ImageFault::none;
    if (thread) {
      private_release(*thread);
      thread_delete(thread);
      thread = nullptr;
    }
  }
  EXPECT_GT(refused, 500u);
}

} // namespace
