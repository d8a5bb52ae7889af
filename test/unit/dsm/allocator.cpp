// The allocator of a slice: alignment, zeroing, reuse, and every wrong free it can be given.
#include "dsm/allocator.h"
#include "dsm/slices.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace skein;

namespace {

unsigned char *bytes_at(uint64_t address) { return reinterpret_cast<unsigned char *>(address); }

bool all_zero(uint64_t address, uint64_t bytes) {
  return std::all_of(bytes_at(address), bytes_at(address) + bytes, [](unsigned char byte) { return byte == 0; });
}

std::string hex(uint64_t number) {
  char text[20];
  snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(number));
  return text;
}

/// Returns null, or the reason why it could not be freed.
const char *release(uint64_t address) {
  static Why why;
  return shared_release(address, why) ? nullptr : why.text;
}

/// The number of pages of a range that are in memory.
size_t resident(uint64_t address, uint64_t bytes) {
  std::vector<unsigned char> pages(bytes / 4096);
  EXPECT_EQ(mincore(bytes_at(address & ~UINT64_C(4095)), bytes, pages.data()), 0);
  return static_cast<size_t>(std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; }));
}

} // namespace

TEST(SharedAllocator, BlocksAreAlignedZeroedAndInTheSlice) {
  for (uint64_t bytes : {0, 1, 63, 64, 65, 256, 257, 1000, 4096, 100000, 3000000}) {
    uint64_t block = shared_allocate(bytes);
    ASSERT_NE(block, 0u) << bytes;
    EXPECT_EQ(block % 64, 0u);
    EXPECT_EQ(slice_owner(block), 0);
    EXPECT_TRUE(all_zero(block, bytes));
    memset(bytes_at(block), 0xff, bytes);
    EXPECT_EQ(release(block), nullptr);
    uint64_t again = shared_allocate(bytes);
    EXPECT_EQ(again, block) << "a freed block of the same size is used again";
    EXPECT_TRUE(all_zero(again, bytes)) << bytes;
    EXPECT_EQ(release(again), nullptr);
  }
}

TEST(SharedAllocator, LargeBlocksGiveTheirPagesBack) {
  constexpr uint64_t bytes = 8 << 20;
  uint64_t block = shared_allocate(bytes);
  memset(bytes_at(block), 1, bytes);
  EXPECT_GE(resident(block, bytes), bytes / 4096 - 1);
  EXPECT_EQ(release(block), nullptr);
  EXPECT_LE(resident(block, bytes), 2u);
}

TEST(SharedAllocator, BlocksNeverOverlap) {
  struct Block {
    uint64_t begin, bytes;
    unsigned char mark;
  };
  std::vector<Block> blocks;
  std::mt19937_64 random(7);
  uint64_t before = shared_blocks();
  for (int step = 0; step < 20000; step++) {
    if (blocks.size() < 100 || random() % 2) {
      uint64_t bytes = 1 + random() % (random() % 10 ? 500 : 50000);
      Block block = {shared_allocate(bytes), bytes, static_cast<unsigned char>(step | 1)};
      ASSERT_TRUE(all_zero(block.begin, bytes));
      memset(bytes_at(block.begin), block.mark, bytes);
      blocks.push_back(block);
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      Block block = blocks.back();
      blocks.pop_back();
      ASSERT_TRUE(std::all_of(bytes_at(block.begin), bytes_at(block.begin) + block.bytes,
                              [&](unsigned char byte) { return byte == block.mark; }));
      ASSERT_EQ(release(block.begin), nullptr);
    }
  }
  EXPECT_EQ(shared_blocks() - before, blocks.size());
  for (const Block &block : blocks)
    EXPECT_EQ(release(block.begin), nullptr);
  EXPECT_EQ(shared_blocks(), before);
}

TEST(SharedAllocator, WrongFreesAreTold) {
  uint64_t block = shared_allocate(1000);
  EXPECT_EQ(
      std::string(release(block + 8)),
      "it is not the begin of a block from skein_shared_alloc: it lies 8 bytes inside the one of 1000 bytes at 0x" +
          hex(block));
  EXPECT_NE(release(block + 64), nullptr); // aligned, but inside a block
  EXPECT_NE(release(slice_begin(0)), nullptr);
  EXPECT_NE(release(slice_begin(0) + slice_bytes - 64), nullptr); // never given out
  EXPECT_NE(release(slice_begin(1)), nullptr);                    // belongs to no node
  EXPECT_NE(release(0x1000), nullptr);
  EXPECT_EQ(release(block), nullptr);
  EXPECT_STREQ(release(block), "the block of 1000 bytes has been freed before");
}

TEST(SharedAllocator, AForgedHeaderIsNoBlock) {
  uint64_t block = shared_allocate(1000);
  memcpy(bytes_at(block), bytes_at(block - 64), 64); // a copy of the true header, 64 bytes on
  EXPECT_NE(release(block + 64), nullptr);
  EXPECT_EQ(release(block), nullptr);
}

TEST(SharedAllocator, AnOverwrittenHeaderIsTold) {
  uint64_t block = shared_allocate(1000);
  bytes_at(block)[-56] ^= 1; // this byte belongs to the capacity
  EXPECT_STREQ(release(block), "the program has overwritten the block's header: something writes before its block");
  bytes_at(block)[-56] ^= 1;
  EXPECT_EQ(release(block), nullptr);
}

TEST(SharedAllocator, AHeaderOverwrittenAfterTheFreeEndsTheProgram) {
  EXPECT_EXIT(
      {
        uint64_t block = shared_allocate(777);
        release(block);
        // This is the link to the next free block, changed as by a write through a stale pointer.
        bytes_at(block)[-40] ^= 1;
        bytes_at(block)[-64] ^= 1;
        shared_allocate(777);
      },
      testing::ExitedWithCode(70), "overwritten the header");
}

TEST(SharedAllocator, TooMuchIsRefused) {
  EXPECT_EQ(shared_allocate(slice_bytes), 0u);
  EXPECT_EQ(shared_allocate(UINT64_MAX), 0u);
}

TEST(SharedAllocator, EachAddressFindsItsBlock) {
  std::vector<uint64_t> blocks;
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000; i++) {
    uint64_t bytes = random() % 4000 + 1;
    uint64_t block = shared_allocate(random() % 200 ? bytes : bytes * 5000);
    ASSERT_NE(block, 0u);
    blocks.push_back(block);
  }
  for (uint64_t block : blocks) {
    SharedBlock found;
    ASSERT_TRUE(shared_block_at(block, found));
    EXPECT_EQ(found.begin, block);
    EXPECT_TRUE(found.given);
    uint64_t at = block + random() % found.bytes;
    SharedBlock again;
    ASSERT_TRUE(shared_block_at(at, again));
    EXPECT_EQ(again.begin, block);
    Why why;
    EXPECT_TRUE(shared_in_block(at, 1, 1, why));
    EXPECT_FALSE(shared_in_block(at, found.bytes + 1, 1, why));
  }
  for (uint64_t block : blocks)
    EXPECT_EQ(release(block), nullptr);
}

TEST(SharedAllocator, AccessesOutsideOfBlocksAreNamed) {
  uint64_t block = shared_allocate(100);
  Why why;
  EXPECT_TRUE(shared_in_block(block, 100, 1, why));
  EXPECT_TRUE(shared_in_block(block + 92, 8, 1, why));
  EXPECT_FALSE(shared_in_block(block + 96, 8, 1, why));
  EXPECT_EQ(std::string(why.text), "the block of 100 bytes at 0x" + hex(block) + " ends before that");
  EXPECT_TRUE(shared_in_block(block + 96, 8, 64, why)) << "in the same line as a valid byte";
  EXPECT_FALSE(shared_in_block(block + 108, 4, 1, why));
  EXPECT_EQ(std::string(why.text), "that is 8 bytes behind the end of the block of 100 bytes at 0x" + hex(block));
  EXPECT_FALSE(shared_in_block(slice_begin(0) + 8, 8, 1, why));
  EXPECT_STREQ(why.text, "no block of node 0 is there");
  EXPECT_EQ(release(block), nullptr);
  EXPECT_FALSE(shared_in_block(block, 8, 1, why));
  EXPECT_EQ(std::string(why.text), "the block of 100 bytes at 0x" + hex(block) + " has been freed");
}
