// The header of a packed thread, byte by byte as docs/wire-format.md has it, and what is said of images that cannot be
// opened. That no byte of one can be changed is shown by test/pack/forged.c.
#include "pack/seal.h"

#include "base/knobs.h"
#include "base/node.h"
#include "net/wire/siphash.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <skein/skein.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace skein;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes sealed(const Bytes &image, uintptr_t bound_by = 0) {
  Bytes copy = image, to(sealed_bytes(image.size()));
  Refusal why;
  EXPECT_TRUE(seal(copy.data(), copy.size(), bound_by, to.data(), why)) << why.text;
  return to;
}

/// Empty if it opens and is the image.
std::string wrong(const Bytes &from, const Bytes &image) {
  SealedHeader header;
  Refusal why;
  Bytes to(image.size());
  if (!sealed_check(from.data(), from.size(), header, why) || !seal_open(header, from.data(), to.data(), why))
    return why.text;
  return to == image ? "" : "it is another image";
}

const SealedHeader &header_of(const Bytes &bytes) { return *reinterpret_cast<const SealedHeader *>(bytes.data()); }

const Bytes image = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

/// How many of the images that `threads` make at once can be opened afterwards.
int opened_of_first(int threads) {
  std::vector<Bytes> images(static_cast<size_t>(threads));
  std::vector<std::thread> all;
  std::atomic<int> missing{threads};
  for (Bytes &to : images)
    all.emplace_back([&] {
      missing.fetch_sub(1);
      while (missing.load())
        ;
      to = sealed(image);
    });
  int opened = 0;
  for (std::thread &thread : all)
    thread.join();
  for (const Bytes &each : images)
    opened += wrong(each, image).empty();
  return opened;
}

} // namespace

// Tests of suites of this name come first, when this process has no keys yet, so each child makes its own.
TEST(SealDeathTest, TheFirstImagesOfTwoThreadsHaveOneKey) {
  constexpr int threads = 2;
  for (int run = 0; run < 300; run++) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(opened_of_first(threads));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), threads) << "in run " << run;
  }
}

TEST(Seal, TheHeaderIsWhatTheWireFormatSays) {
  const Bytes bytes = sealed(image);
  ASSERT_EQ(bytes.size(), 88 + image.size());
  const Bytes begin = {'S', 'K', 'E', 'I', 'N', 'P', 'A', 'K', 1, 0, 1, 0, 1, 0, 0, 0, 112, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 24), begin);
  Refusal why;
  const SealKeys &keys = *seal_keys(why);
  const char words[] = "which key seals this image";
  EXPECT_EQ(header_of(bytes).key_id, siphash(keys.run.bytes, words, strlen(words)));
  EXPECT_EQ(header_of(bytes).run, keys.run_number);
  EXPECT_EQ(header_of(bytes).process, 0u);
  uint8_t opened[24];
  EXPECT_TRUE(aegis_open(keys.run.bytes, &bytes[56], {bytes.data(), 72, &bytes[88], opened, 24}, &bytes[72]));
  EXPECT_EQ(Bytes(opened, opened + 24), image);
}

TEST(Seal, OpensItsOwn) {
  EXPECT_EQ(wrong(sealed(image), image), "");
  EXPECT_EQ(wrong(sealed({}), {}), "");
  EXPECT_EQ(wrong(sealed(image, 0x1234), image), "");
}

TEST(Seal, NoTwoAreAlike) {
  const Bytes first = sealed(image), second = sealed(image);
  EXPECT_NE(memcmp(header_of(first).nonce, header_of(second).nonce, aegis_nonce_bytes), 0);
  EXPECT_NE(memcmp(&first[88], &second[88], image.size()), 0);
}

TEST(Seal, SaysWhyItIsNotOpened) {
  const auto of_changed = [](size_t at, uint8_t by) {
    Bytes bytes = sealed(image);
    bytes[at] ^= by;
    return wrong(bytes, image);
  };
  EXPECT_EQ(of_changed(0, 1), "these bytes are no packed thread");
  EXPECT_EQ(of_changed(8, 2), "it was packed in format 3, and this program knows format 1");
  EXPECT_EQ(of_changed(10, 3), "it was sealed with the key of a file, and SKEIN_OPTIONS=pack_key= names none");
  EXPECT_EQ(of_changed(10, 8), "the image is damaged or forged: its header");
  EXPECT_EQ(of_changed(16, 1), "it has 113 bytes, and 112 were given");
  EXPECT_EQ(of_changed(24, 1).substr(0, 41), "it was sealed with the key of another run");
  EXPECT_EQ(of_changed(40, 1), "the image is damaged or forged: its seal"); // as if a process had bound it
  EXPECT_EQ(of_changed(88, 1), "the image is damaged or forged: its seal");
}
