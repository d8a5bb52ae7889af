// The checksum of images against a definition bit by bit, and what it must notice.
#include "migrate/checksum.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace skein;

namespace {

// CRC32C, one bit at a time.
uint32_t crc(uint32_t value, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    value ^= bytes[i];
    for (int bit = 0; bit < 8; bit++)
      value = value & 1 ? value >> 1 ^ 0x82F63B78 : value >> 1;
  }
  return value;
}

uint32_t defined(const std::vector<uint64_t> &words) {
  uint32_t lanes[4] = {~0u, ~0u, ~0u, ~0u};
  for (size_t i = 0; i < words.size(); i++)
    lanes[i % 4] = crc(lanes[i % 4], reinterpret_cast<const unsigned char *>(&words[i]), 8);
  uint64_t products[4];
  for (uint64_t l = 0; l < 4; l++)
    products[l] = lanes[l] * (0x9E3779B97F4A7C15 + 2 * l);
  return crc(~0u, reinterpret_cast<const unsigned char *>(products), sizeof products);
}

std::vector<uint64_t> random_words(size_t count) {
  std::mt19937_64 random(count);
  std::vector<uint64_t> words(count);
  for (uint64_t &word : words)
    word = random();
  return words;
}

TEST(Checksum, TheBitwiseDefinitionIsCrc32c) {
  const unsigned char check[] = "123456789"; // the polynomial's published check value
  EXPECT_EQ(~crc(~0u, check, 9), 0xE3069283u);
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
