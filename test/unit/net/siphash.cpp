// SipHash-2-4 against the test vectors of its reference implementation (key 00 01 … 0f, input 00 01 … n-1).
#include "net/wire/siphash.h"

#include <gtest/gtest.h>

TEST(SipHash, ReferenceVectors) {
  uint8_t key[16], input[16];
  for (uint8_t i = 0; i < 16; i++)
    key[i] = input[i] = i;
  EXPECT_EQ(skein::siphash(key, input, 0), UINT64_C(0x726fdb47dd0e0e31));
  EXPECT_EQ(skein::siphash(key, input, 1), UINT64_C(0x74f839c593dc67fd));
  EXPECT_EQ(skein::siphash(key, input, 7), UINT64_C(0xab0200f58b01d137));
  EXPECT_EQ(skein::siphash(key, input, 8), UINT64_C(0x93f5f5799a932462));
  EXPECT_EQ(skein::siphash(key, input, 15), UINT64_C(0xa129ca6149be45e5));
}

TEST(SipHash, EveryBitOfTheKeyMatters) {
  uint8_t key[16] = {};
  uint64_t pair = 1;
  uint64_t plain = skein::siphash(key, &pair, sizeof pair);
  for (int bit = 0; bit < 128; bit++) {
    key[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_NE(skein::siphash(key, &pair, sizeof pair), plain);
    key[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
}
