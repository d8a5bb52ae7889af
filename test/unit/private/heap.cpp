// The private heap. gtest itself runs in Skein's first thread, so that the heap has a thread to belong to.
#include "private/heap/heap.h"
#include "../accessible.h"
#include "abi/entry_points.h"
#include "abi/layout.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <skein/heap.h>
#include <string>
#include <vector>

using namespace skein;

namespace {

// These layouts are what the compiler emits for a list node with two pointers after an integer, and for the place of an
// allocation.
struct NodeLayout { // a skein_layout with its words
  int32_t name;
  uint32_t flags, head, part;
  uint16_t head_words, part_words;
  uint32_t reserved;
  skein_layout_words words[1];
};
__attribute__((section("skein_layouts"), used, aligned(8)))
const NodeLayout node_layout = {0, 0, 0, 24, 0, 1, 0, {{8, 2, 8}}};
__attribute__((section("skein_layouts"), used, aligned(8)))
const skein_layout place_layout = {0, SKEIN_LAYOUT_UNTYPED, 0, 0, 0, 0, 0};
const void *place() { return reinterpret_cast<const char *>(&place_layout) + 1; }

uintptr_t number(const void *at) { return reinterpret_cast<uintptr_t>(at); }

TEST(PrivateHeap, BlocksAreTheThreadsOwn) {
  void *block = skein_malloc(100);
  ASSERT_TRUE(block);
  EXPECT_EQ(number(block) % 16, 0u);
  EXPECT_EQ(private_owner(*thread_current(), number(block)), PrivateOwner::own);
  EXPECT_GE(skein_malloc_usable_size(block), 100u);
  skein_free(block);
}

TEST(PrivateHeap, NothingAndTooMuch) {
  void *none = skein_malloc(0);
  EXPECT_TRUE(none);
  skein_free(none);
  skein_free(nullptr);
  volatile size_t all = ~size_t{0};
  errno = 0;
  EXPECT_EQ(skein_malloc(all), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(skein_malloc(all - 4096), nullptr);
  EXPECT_EQ(skein_malloc(all >> 1), nullptr);
  EXPECT_EQ(skein_calloc(all / 2, 3), nullptr);
  EXPECT_EQ(skein_reallocarray(nullptr, all / 2, 3), nullptr);
  void *block = skein_malloc(10);
  EXPECT_EQ(skein_realloc(block, all - 100), nullptr);
  EXPECT_EQ(skein_realloc(block, 0), nullptr); // this frees it
}

TEST(PrivateHeap, LibcsBlocksGoToLibc) {
  char *text = strdup("from libc");
  text = static_cast<char *>(skein_realloc(text, 100));
  EXPECT_STREQ(text, "from libc");
  EXPECT_FALSE(in_private_range(number(text)));
  skein_free(text);
}

TEST(PrivateHeap, AlignedBlocks) {
  for (size_t alignment = 16; alignment <= 8 << 20; alignment *= 2)
    for (size_t bytes : {size_t{1}, size_t{1000}, size_t{3} << 20}) {
      void *block = skein_aligned_alloc(alignment, bytes);
      ASSERT_TRUE(block);
      EXPECT_EQ(number(block) % alignment, 0u);
      memset(block, 1, bytes);
      EXPECT_GE(skein_malloc_usable_size(block), bytes);
      skein_free(block);
    }
  void *to = nullptr;
  EXPECT_EQ(skein_posix_memalign(&to, 24, 8), EINVAL);
  EXPECT_EQ(skein_posix_memalign(&to, 4, 8), EINVAL);
  ASSERT_EQ(skein_posix_memalign(&to, 4096, 8), 0);
  EXPECT_EQ(number(to) % 4096, 0u);
  skein_free(to);
  volatile size_t odd = 3;
  EXPECT_EQ(skein_aligned_alloc(odd, 8), nullptr);
}

TEST(PrivateHeap, LargeBlocksHaveTheirOwnExtents) {
  const uint32_t before = thread_current()->owned->count;
  auto *block = static_cast<unsigned char *>(skein_calloc(3, 1 << 20));
  ASSERT_TRUE(block);
  EXPECT_EQ(thread_current()->owned->count, before + 1);
  EXPECT_EQ(block[0] | block[(3 << 20) - 1], 0);
  block[5] = 7;
  // The block grows in place as far as its address space reaches, and then moves. It shrinks into the space of small
  // blocks.
  auto *larger = static_cast<unsigned char *>(skein_realloc(block, (3 << 20) + 500000));
  EXPECT_EQ(larger, block);
  larger = static_cast<unsigned char *>(skein_realloc(larger, 9 << 20));
  EXPECT_EQ(larger[5], 7);
  EXPECT_EQ(thread_current()->owned->count, before + 1);
  auto *smaller = static_cast<unsigned char *>(skein_realloc(larger, 100));
  EXPECT_EQ(smaller[5], 7);
  EXPECT_EQ(thread_current()->owned->count, before);
  EXPECT_FALSE(accessible(larger));
  skein_free(smaller);
}

TEST(PrivateHeap, AShrunkLargeBlockGrowsZeroed) {
  auto *block = static_cast<unsigned char *>(skein_malloc(4 << 20));
  memset(block, 0xff, 4 << 20);
  block = static_cast<unsigned char *>(skein_realloc(block, 1 << 20));
  block = static_cast<unsigned char *>(skein_realloc(block, 4 << 20));
  EXPECT_EQ(block[3 << 20], 0);
  EXPECT_EQ(block[100], 0xff);
  skein_free(block);
}

TEST(PrivateHeap, TypesAreKept) {
  void *node = __skein_malloc(24, &node_layout);
  const uint32_t type = block_type(node);
  EXPECT_EQ(heap_layout(type), reinterpret_cast<const skein_layout *>(&node_layout));
  node = __skein_realloc(node, 5000, place()); // no type is given now, so the old one stays
  EXPECT_EQ(block_type(node), type);
  node = skein_realloc(node, 2 << 20);
  EXPECT_EQ(block_type(node), type);
  node = skein_realloc(node, 48);
  EXPECT_EQ(block_type(node), type);
  skein_free(node);
  EXPECT_EQ(block_type(skein_malloc(24)), 0u);
  EXPECT_EQ(heap_layout(0), nullptr);
  EXPECT_EQ(heap_layout(~0u), nullptr);
}

TEST(PrivateHeap, ABlockGetsItsTypeLater) {
  void *block = __skein_malloc(24, place());
  EXPECT_EQ(heap_layout(block_type(block)), &place_layout);
  __skein_heap_type(static_cast<char *>(block) + 8,
                    reinterpret_cast<const skein_layout *>(&node_layout)); // no block begins there
  EXPECT_EQ(heap_layout(block_type(block)), &place_layout);
  __skein_heap_type(block, reinterpret_cast<const skein_layout *>(&node_layout));
  EXPECT_EQ(heap_layout(block_type(block)), reinterpret_cast<const skein_layout *>(&node_layout));
  // The type is set only once, and not after the block was freed.
  __skein_heap_type(block, &place_layout);
  EXPECT_EQ(heap_layout(block_type(block)), reinterpret_cast<const skein_layout *>(&node_layout));
  skein_free(block);
  void *other = __skein_malloc(40, place());
  skein_free(other);
  auto before = block_head(other);
  __skein_heap_type(other, reinterpret_cast<const skein_layout *>(&node_layout));
  EXPECT_EQ(block_head(other), before);
}

TEST(PrivateHeap, AFreedBlockForgetsItsPointers) {
  auto **node = static_cast<void **>(__skein_malloc(200, &node_layout));
  for (int i = 0; i < 24; i++)
    node[i] = &node;
  skein_free(node);
  // The allocator's links lie in the first two words.
  for (int i = 3; i < 24; i++)
    EXPECT_EQ(node[i] == &node, i % 3 == 0) << i;
}

TEST(PrivateHeap, TheLibrarysFunctionsUseIt) {
  char *copy = skein_strndup("private", 4);
  EXPECT_STREQ(copy, "priv");
  EXPECT_TRUE(in_private_range(number(copy)));
  skein_free(copy);
  char *text;
  EXPECT_EQ(skein_asprintf(&text, "%d-%s", 42, "x"), 4);
  EXPECT_STREQ(text, "42-x");
  EXPECT_TRUE(in_private_range(number(text)));
  skein_free(text);
  FILE *file = tmpfile();
  fputs("first\nsecond line\n", file);
  std::string longest(5000, 'l');
  fprintf(file, "%s\nlast", longest.c_str());
  rewind(file);
  char *line = nullptr;
  size_t capacity = 0;
  EXPECT_EQ(skein_getline(&line, &capacity, file), 6);
  EXPECT_STREQ(line, "first\n");
  EXPECT_TRUE(in_private_range(number(line)));
  EXPECT_EQ(skein_getline(&line, &capacity, file), 12);
  EXPECT_EQ(skein_getline(&line, &capacity, file), 5001);
  EXPECT_EQ(skein_getdelim(&line, &capacity, 's', file), 3);
  EXPECT_STREQ(line, "las");
  EXPECT_EQ(skein_getline(&line, &capacity, file), 1);
  EXPECT_EQ(skein_getline(&line, &capacity, file), -1);
  skein_free(line);
  fclose(file);
  char *here = skein_getcwd(nullptr, 0);
  ASSERT_TRUE(here);
  EXPECT_TRUE(in_private_range(number(here)));
  skein_free(here);
  EXPECT_EQ(skein_realpath("/nowhere at all", nullptr), nullptr);
  EXPECT_EQ(errno, ENOENT);
}

TEST(PrivateHeap, RandomTorture) {
  struct Block {
    unsigned char *at;
    size_t bytes;
    unsigned char fill;
  };
  std::vector<Block> blocks;
  std::mt19937 random(1);
  auto right = [](const Block &block) {
    for (size_t i = 0; i < block.bytes; i += block.bytes > 4096 ? 509 : 1)
      if (block.at[i] != block.fill)
        return false;
    return block.bytes == 0 || block.at[block.bytes - 1] == block.fill;
  };
  auto size = [&]() -> size_t {
    unsigned kind = random() % 100;
    return kind < 80   ? random() % 300
           : kind < 97 ? random() % 20000
           : kind < 99 ? random() % 400000
                       : random() % (3 << 20);
  };
  for (int step = 0; step < 20000; step++) {
    unsigned what = random() % 4;
    if (what == 0 || blocks.size() < 20) {
      size_t bytes = size();
      Block block = {nullptr, bytes, static_cast<unsigned char>(random())};
      block.at = static_cast<unsigned char *>(random() % 2 ? skein_malloc(bytes) : __skein_malloc(bytes, place()));
      ASSERT_TRUE(block.at);
      memset(block.at, block.fill, bytes);
      blocks.push_back(block);
      continue;
    }
    Block &block = blocks[random() % blocks.size()];
    ASSERT_TRUE(right(block)) << step;
    if (what == 1) {
      size_t bytes = size() + 1;
      auto *at = static_cast<unsigned char *>(skein_realloc(block.at, bytes));
      ASSERT_TRUE(at);
      Block kept = {at, bytes < block.bytes ? bytes : block.bytes, block.fill};
      ASSERT_TRUE(right(kept)) << step;
      memset(at, block.fill, bytes);
      block = {at, bytes, block.fill};
    } else {
      skein_free(block.at);
      block = blocks.back();
      blocks.pop_back();
    }
  }
  for (const Block &block : blocks) {
    ASSERT_TRUE(right(block));
    skein_free(block.at);
  }
}

/// The used chunks that a walk over the heap sees, by their first byte.
std::map<uintptr_t, size_t> used_chunks() {
  const Private &owned = *thread_current()->owned;
  std::map<uintptr_t, size_t> seen;
  for (uint32_t i = 0; i < owned.count; i++)
    if (const Extent &extent = owned.extents[i]; extent.kind == ExtentKind::heap) {
      const bool intact = space_walk(
          owned.heap, extent.begin, extent.end(),
          [](const Chunk &chunk, void *to) {
            if (chunk.used)
              static_cast<std::map<uintptr_t, size_t> *>(to)->emplace(chunk.block, chunk.bytes);
            return true;
          },
          &seen);
      EXPECT_TRUE(intact);
    }
  return seen;
}

TEST(PrivateHeap, AWalkSeesWhatIsUsed) {
  std::mt19937 random(2);
  std::map<uintptr_t, size_t> blocks;
  const uint32_t extents = thread_current()->owned->count;
  const size_t before = used_chunks().size();
  // The space has one for each extent more, and there may be a table of slabs now.
  const auto own = [&] { return before + thread_current()->owned->count - extents + 1; };
  for (int step = 0; step < 30000; step++) {
    // First it grows, then it shrinks, so that slabs become full, are used again and are given back.
    if (random() % 100 < (step < 15000 ? 70 : 30) || blocks.empty()) {
      const size_t bytes = random() % 20 ? random() % 1500 : random() % 100000;
      blocks[number(random() % 10 ? skein_malloc(bytes) : skein_aligned_alloc(64 << random() % 4, bytes))] = bytes;
    } else {
      auto block = blocks.lower_bound(number(thread_current()->owned->heap) + random() % (64 << 20));
      if (block == blocks.end())
        block = blocks.begin();
      skein_free(reinterpret_cast<void *>(block->first));
      blocks.erase(block);
    }
    if (step % 3000 != 2999)
      continue;
    const auto seen = used_chunks();
    for (auto [at, bytes] : blocks) {
      ASSERT_TRUE(seen.contains(at)) << step;
      EXPECT_GE(seen.at(at), bytes);
      EXPECT_EQ(seen.at(at), skein_malloc_usable_size(reinterpret_cast<void *>(at)));
    }
    EXPECT_LE(seen.size(), own() + blocks.size());
  }
  for (auto [at, bytes] : blocks)
    skein_free(reinterpret_cast<void *>(at));
  EXPECT_LE(used_chunks().size(), own());
}

TEST(PrivateHeap, WhatIsFreedServesOtherSizes) {
  const auto fill = [](size_t bytes) {
    std::vector<void *> blocks;
    for (size_t all = 0; all < 16 << 20; all += bytes + 8)
      blocks.push_back(skein_malloc(bytes));
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(3));
    for (void *block : blocks)
      skein_free(block);
  };
  fill(40);
  const uint32_t extents = thread_current()->owned->count;
  for (size_t bytes : {24, 500, 3000, 40000, 200000})
    fill(bytes);
  EXPECT_LE(thread_current()->owned->count, extents + 1);
}

TEST(PrivateHeap, ALargeBlockThatGrowsKeepsItsBytes) {
  const auto large_blocks = [] {
    const Private &owned = *thread_current()->owned;
    return std::count_if(owned.extents, owned.extents + owned.count,
                         [](const Extent &extent) { return extent.kind == ExtentKind::large; });
  };
  const auto before = large_blocks();
  size_t words = 20000;
  auto *block = static_cast<size_t *>(skein_malloc(words * sizeof(size_t)));
  for (size_t i = 0; i < words; i++)
    block[i] = i;
  while (words < 20 << 20) {
    const size_t more = words + words / 3;
    block = static_cast<size_t *>(skein_realloc(block, more * sizeof(size_t)));
    ASSERT_TRUE(block);
    for (; words < more; words++)
      block[words] = words;
  }
  for (size_t i = 0; i < words; i++)
    ASSERT_EQ(block[i], i);
  EXPECT_EQ(large_blocks(), before + 1);
  skein_free(block);
  EXPECT_EQ(large_blocks(), before);
}

using PrivateHeapDeathTest = testing::Test;

TEST(PrivateHeapDeathTest, NothingIsFreedTwice) {
  const auto twice = [](void *block, auto between) {
    EXPECT_DEATH(
        {
          skein_free(block);
          between();
          skein_free(block);
        },
        "which is no block of its private heap");
    EXPECT_DEATH(
        {
          skein_free(block);
          between();
          skein_realloc(block, 17);
        },
        "which is no block of its private heap");
    skein_free(block);
  };
  const auto nothing = [] {};
  for (size_t bytes : {0, 24, 500, 1001, 5000, 60000, 70000, 500000}) {
    twice(skein_malloc(bytes), nothing);
    twice(__skein_malloc(bytes, &node_layout), nothing);
  }
  // All of a slab is freed, and given back.
  std::vector<void *> blocks;
  for (int i = 0; i < 5000; i++)
    blocks.push_back(skein_malloc(100));
  void *one = blocks[2500];
  blocks.erase(blocks.begin() + 2500);
  twice(one, [&] {
    for (void *block : blocks)
      skein_free(block);
  });
}

TEST(PrivateHeapDeathTest, WhatWasWrittenOverIsNoticed) {
  auto **block = static_cast<void **>(skein_malloc(100)), **other = static_cast<void **>(skein_malloc(100));
  EXPECT_DEATH(
      {
        skein_free(block);
        block[0] = other + 2; // the next one's address lies there
        for (int i = 0; i < 3; i++)
          skein_malloc(100);
      },
      "the private heap of thread 1 was written over");
  EXPECT_DEATH(skein_free(reinterpret_cast<char *>(other) + 8), "which is no block of its private heap");
  skein_free(block);
  skein_free(other);
}

TEST(PrivateHeapDeathTest, WhatIsNoBlockIsRefused) {
  auto *block = static_cast<char *>(skein_malloc(100));
  EXPECT_DEATH(skein_free(reinterpret_cast<void *>(private_begin + (UINT64_C(1) << 40))),
               "thread 1 frees a block at .* that another thread owns, or that was freed");
  skein_free(block);
  EXPECT_DEATH(skein_free(block), "thread 1 frees or resizes .*, which is no block of its private heap");
}

} // namespace
