// The checksum of images is compared with a definition that follows the text of the standard, and must notice all
// damage that it promises to notice.
#include "migrate/checksum.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace skein;

namespace {

using Block = std::array<uint8_t, 16>;

// This is the text of FIPS 197, in code.
uint8_t xtime(uint8_t a) { return static_cast<uint8_t>(a << 1 ^ (a >> 7) * 0x1b); }
uint8_t product(uint8_t a, uint8_t b) {
  uint8_t sum = 0;
  for (; b; b >>= 1, a = xtime(a))
    if (b & 1)
      sum ^= a;
  return sum;
}
uint8_t sub_byte(uint8_t a) {
  uint8_t inverse = 0;
  for (int b = 1; b < 256; b++)
    if (product(a, static_cast<uint8_t>(b)) == 1)
      inverse = static_cast<uint8_t>(b);
  uint8_t result = 0;
  for (int i = 0; i < 8; i++) {
    int bit = 0x63 >> i;
    for (int other : {0, 4, 5, 6, 7})
      bit ^= inverse >> (i + other) % 8;
    result |= static_cast<uint8_t>((bit & 1) << i);
  }
  return result;
}
Block aes_round(const Block &state, const Block &key) {
  Block shifted, next;
  for (int row = 0; row < 4; row++)
    for (int column = 0; column < 4; column++)
      shifted[4 * column + row] = sub_byte(state[4 * ((column + row) % 4) + row]);
  const uint8_t matrix[4] = {2, 3, 1, 1};
  for (int column = 0; column < 4; column++)
    for (int row = 0; row < 4; row++) {
      uint8_t sum = key[4 * column + row];
      for (int k = 0; k < 4; k++)
        sum ^= product(shifted[4 * column + (row + k) % 4], matrix[k]);
      next[4 * column + row] = sum;
    }
  return next;
}

Block block_of(const uint64_t *words, size_t count) {
  Block block = {};
  memcpy(block.data(), words, count * 8);
  return block;
}
Block two(uint64_t first, uint64_t second) {
  const uint64_t words[2] = {first, second};
  return block_of(words, 2);
}

uint32_t defined(const std::vector<uint64_t> &words) {
  std::array<Block, 8> lanes;
  for (uint64_t l = 0; l < 8; l++)
    lanes[l] = two(0x9E3779B97F4A7C15 * (2 * l + 1), 0x9E3779B97F4A7C15 * (2 * l + 2));
  for (size_t i = 0; i < words.size(); i += 2)
    lanes[i / 2 % 8] = aes_round(lanes[i / 2 % 8], block_of(&words[i], words.size() - i < 2 ? 1 : 2));
  for (auto [to, from] : {std::pair{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 2}, {1, 3}, {0, 1}})
    lanes[to] = aes_round(lanes[to], lanes[from]);
  const Block last = aes_round(aes_round(lanes[0], two(words.size() * 8, 0)), Block{});
  return last[0] | last[1] << 8 | last[2] << 16 | static_cast<uint32_t>(last[3]) << 24;
}

std::vector<uint64_t> random_words(size_t count) {
  std::mt19937_64 random(count);
  std::vector<uint64_t> words(count);
  for (uint64_t &word : words)
    word = random();
  return words;
}

// The example is from the white paper that introduced the instruction, with bytes in the order of memory.
TEST(Checksum, TheDefinitionsRoundIsThatOfAes) {
  const Block state = {0x5d, 0x47, 0x53, 0x5d, 0x72, 0x6f, 0x74, 0x63, 0x65, 0x56, 0x74, 0x73, 0x65, 0x54, 0x5b, 0x7b};
  const Block key = {0x5d, 0x6e, 0x6f, 0x72, 0x65, 0x75, 0x47, 0x5b, 0x29, 0x79, 0x61, 0x68, 0x53, 0x28, 0x69, 0x48};
  const Block next = {0x95, 0xe5, 0xd7, 0xde, 0x58, 0x4b, 0x10, 0x8b, 0xc5, 0xa3, 0xdb, 0x9f, 0x2f, 0x1c, 0x31, 0xa8};
  EXPECT_EQ(aes_round(state, key), next);
}

TEST(Checksum, InstructionAndTableAgreeWithTheDefinition) {
  for (size_t count = 0; count < 70; count++) {
    std::vector<uint64_t> words = random_words(count);
    EXPECT_EQ(checksum(words.data(), count * 8), defined(words)) << count;
    EXPECT_EQ(checksum_portable(words.data(), count * 8), defined(words)) << count;
  }
}

TEST(Checksum, NoticesEveryChangedBitAndSwappedWords) {
  std::vector<uint64_t> words = random_words(37);
  uint32_t right = checksum(words.data(), words.size() * 8);
  for (size_t bit = 0; bit < words.size() * 64; bit++) {
    words[bit / 64] ^= uint64_t{1} << bit % 64;
    EXPECT_NE(checksum(words.data(), words.size() * 8), right) << bit;
    words[bit / 64] ^= uint64_t{1} << bit % 64;
  }
  for (size_t i = 0; i < words.size(); i++)
    for (size_t j = 0; j < i; j++) {
      std::swap(words[i], words[j]);
      EXPECT_NE(checksum(words.data(), words.size() * 8), right);
      std::swap(words[i], words[j]);
    }
  words.push_back(0);
  EXPECT_NE(checksum(words.data(), words.size() * 8), right);
}

} // namespace
