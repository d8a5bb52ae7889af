// AEGIS-128L against the first test vector of draft-irtf-cfrg-aegis-aead, and against what libaegis (by pyaegis) made
// of texts of other lengths; with and without the processor's instruction.
#include "base/aegis.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace skein;

namespace {

using Bytes = std::vector<uint8_t>;

const uint8_t key[16] = {0x10, 0x01}, nonce[16] = {0x10, 0x00, 0x02};

struct Way {
  void (*seal)(const uint8_t *key, const uint8_t *nonce, const AegisText &text, uint8_t *tag);
  bool (*open)(const uint8_t *key, const uint8_t *nonce, const AegisText &text, const uint8_t *tag);
};
const Way ways[] = {{aegis_seal, aegis_open}, {aegis_seal_portable, aegis_open_portable}};

std::string hex(const Bytes &bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    for (int shift : {4, 0})
      text += "0123456789abcdef"[byte >> shift & 15];
  return text;
}

Bytes steps(size_t count, unsigned by, unsigned from) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; i++)
    bytes[i] = static_cast<uint8_t>(by * i + from);
  return bytes;
}

struct Sealed {
  Bytes text = {}, tag = Bytes(aegis_tag_bytes);
};
Sealed seal(const Way &way, const Bytes &with, const Bytes &text) {
  Sealed sealed{Bytes(text.size())};
  way.seal(key, nonce, {with.data(), with.size(), text.data(), sealed.text.data(), text.size()}, sealed.tag.data());
  return sealed;
}

} // namespace

TEST(Aegis, MakesWhatTheDraftSays) {
  for (const Way &way : ways) {
    const Sealed sealed = seal(way, {}, Bytes(16));
    EXPECT_EQ(hex(sealed.text), "c1c0e58bd913006feba00f4b3cc3594e");
    EXPECT_EQ(hex(sealed.tag), "abe0ece80c24868a226a35d16bdae37a");
  }
}

TEST(Aegis, MakesWhatLibaegisMakes) {
  const struct {
    size_t with, text;
    const char *begin, *tag; // of what is encrypted, the first bytes
  } cases[] = {
      {0, 0, "", "c2b879a67def9d74e6c14f708bbcc9b4"},
      {8, 0, "", "80c185bf1defd6762d324de618aea17b"},
      {64, 8, "91e6d20faf3a7846", "7e2055260cd305e4b0aceefd3e42393f"},
      {80, 31, "a0d1aaa485ebbe95a91bf9997bd0e5c16225ae64d6dc808da32cba2be42c8a", "8fbc19097fc8596cda1a836644c3f4bb"},
      {32, 32, "7ad04a82cbdb36bc5db6e689cf3ec31d1f4e3574c12bec0ba6d2c9ab7e077905", "0c4db6bea36e2f9168aec2f50d848aee"},
      {56, 200, "91e6d20faf3a78468c85556fddc68067", "cea7417a314aa8c7aac7e6d3fa625c98"},
  };
  for (const auto &expected : cases)
    for (const Way &way : ways) {
      const Sealed sealed = seal(way, steps(expected.with, 7, 1), steps(expected.text, 5, 3));
      EXPECT_EQ(hex(sealed.text).substr(0, std::string(expected.begin).size()), expected.begin) << expected.text;
      EXPECT_EQ(hex(sealed.tag), expected.tag) << expected.text;
    }
}

TEST(Aegis, OpensWhatItSealedAndNothingElse) {
  const Bytes with = steps(24, 3, 9);
  for (size_t bytes : {0, 1, 31, 32, 33, 64, 1000})
    for (const Way &way : ways) {
      const Bytes text = steps(bytes, 11, 2);
      Sealed sealed = seal(way, with, text);
      Bytes opened(bytes);
      const AegisText there = {with.data(), with.size(), sealed.text.data(), opened.data(), bytes};
      EXPECT_TRUE(way.open(key, nonce, there, sealed.tag.data()));
      EXPECT_EQ(opened, text);
      for (size_t i = 0; i < bytes; i += 1 + bytes / 7) {
        sealed.text[i] ^= 4;
        EXPECT_FALSE(way.open(key, nonce, there, sealed.tag.data())) << i;
        sealed.text[i] ^= 4;
      }
      for (size_t i = 0; i < aegis_tag_bytes; i++) {
        sealed.tag[i] ^= 0x80;
        EXPECT_FALSE(way.open(key, nonce, there, sealed.tag.data())) << i;
        sealed.tag[i] ^= 0x80;
      }
      uint8_t other[16] = {0x10, 0x02};
      EXPECT_FALSE(way.open(other, nonce, there, sealed.tag.data()));
      EXPECT_FALSE(way.open(key, other, there, sealed.tag.data()));
      const Bytes less(with.begin(), with.end() - 1);
      EXPECT_FALSE(way.open(key, nonce, {less.data(), less.size(), sealed.text.data(), opened.data(), bytes},
                            sealed.tag.data()));
    }
}

TEST(Aegis, SealsInPlace) {
  for (const Way &way : ways) {
    Bytes text = steps(77, 11, 2);
    const Sealed apart = seal(way, {}, text);
    Bytes tag(aegis_tag_bytes);
    way.seal(key, nonce, {nullptr, 0, text.data(), text.data(), text.size()}, tag.data());
    EXPECT_EQ(text, apart.text);
    EXPECT_EQ(tag, apart.tag);
    EXPECT_TRUE(way.open(key, nonce, {nullptr, 0, text.data(), text.data(), text.size()}, tag.data()));
    EXPECT_EQ(text, steps(77, 11, 2));
  }
}
