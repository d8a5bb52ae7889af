// The ring between two nodes of a host: what one writes the other reads, in order and whole, wherever the ring's end
// is; and a reader is safe from a writer that dies or is damaged.
#include "net/wire/shm/inbox.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace skein::shm;

namespace {

constexpr uint32_t ring_size = 16 << 10;
constexpr uint64_t key = 0x0123456789abcdef;

/// A ring with inaccessible neighbours would be best; here the bytes behind it are watched.
struct Ring {
  static constexpr size_t behind = 4096;
  Ring() : memory(static_cast<char *>(aligned_alloc(line_bytes, sizeof(RingHead) + ring_size + behind))) {
    memset(memory, 0, sizeof(RingHead) + ring_size);
    memset(memory + sizeof(RingHead) + ring_size, 0x5a, behind);
    writer.attach(head(), ring_size, key);
    reader.attach(head(), ring_size, key);
  }
  ~Ring() {
    for (size_t i = 0; i < behind; i++)
      EXPECT_EQ(memory[sizeof(RingHead) + ring_size + i], 0x5a) << "written behind the ring, at " << i;
    free(memory);
  }
  RingHead *head() { return reinterpret_cast<RingHead *>(memory); }
  unsigned char *data() { return reinterpret_cast<unsigned char *>(memory + sizeof(RingHead)); }
  void put(const std::vector<unsigned char> &content) {
    writer.put(Kind::whole, nullptr, 0, content.data(), static_cast<uint32_t>(content.size()));
  }
  /// The next entry; false: there is none.
  bool take(std::vector<unsigned char> &content) {
    if (reader.empty())
      return false;
    reader.pass_skip();
    if (reader.empty())
      return false;
    Entry entry;
    EXPECT_TRUE(reader.look(entry));
    content.assign(entry.data, entry.data + entry.bytes);
    reader.take(entry);
    return true;
  }
  char *memory;
  Writer writer;
  Reader reader;
};

} // namespace

TEST(Ring, EntriesOfAllLengthsArriveInOrder) {
  std::mt19937 random(1);
  Ring ring;
  std::deque<std::vector<unsigned char>> sent;
  size_t received = 0, full = 0;
  for (int step = 0; step < 200000; step++) {
    const bool small = random() % 4;
    const auto bytes = static_cast<uint32_t>(random() % (small ? 200 : ring.writer.most() + 1));
    if (random() % 2) {
      if (!ring.writer.has_room(bytes)) {
        full++;
        continue;
      }
      std::vector<unsigned char> content(bytes);
      for (auto &byte : content)
        byte = static_cast<unsigned char>(random());
      ring.put(content);
      sent.push_back(std::move(content));
      continue;
    }
    std::vector<unsigned char> got;
    ASSERT_EQ(ring.take(got), !sent.empty());
    if (sent.empty())
      continue;
    ASSERT_EQ(got, sent.front());
    sent.pop_front();
    received++;
  }
  EXPECT_GT(received, 50000u);
  EXPECT_GT(full, 100u);
}

TEST(Ring, AnEmptyEntryAndTheLongestOneArrive) {
  Ring ring;
  for (const uint32_t bytes : {0u, ring.writer.most(), 48u, 49u}) {
    const std::vector<unsigned char> content(bytes, 7);
    ASSERT_TRUE(ring.writer.has_room(bytes));
    ring.put(content);
    std::vector<unsigned char> got;
    ASSERT_TRUE(ring.take(got));
    EXPECT_EQ(got, content);
  }
}

/// All that a writer does before the header is published, at each place of the ring, is nothing to the reader.
TEST(Ring, WhatIsNotPublishedIsNotThere) {
  Ring ring;
  std::vector<unsigned char> got;
  for (int i = 0; i < 3000; i++) {
    const std::vector<unsigned char> content(static_cast<size_t>(i) % 700, static_cast<unsigned char>(i));
    const std::vector<unsigned char> before(ring.data(), ring.data() + ring_size);
    ring.put(content);
    // The writer has died before its last store: its first eight bytes are as they were.
    const std::vector<unsigned char> after(ring.data(), ring.data() + ring_size);
    for (uint32_t line = 0; line < ring_size; line += line_bytes)
      memcpy(ring.data() + line, before.data() + line, sizeof(uint64_t));
    EXPECT_FALSE(ring.take(got)) << "entry " << i;
    memcpy(ring.data(), after.data(), ring_size);
    ASSERT_TRUE(ring.take(got));
    ASSERT_EQ(got, content);
  }
}

/// What a message holds is never taken for a header, also not copies of headers that were in the ring.
TEST(Ring, OldHeadersAreNotNew) {
  Ring ring;
  std::vector<unsigned char> copied(1024), got;
  for (int i = 0; i < 2000; i++) {
    ring.put(copied);
    ASSERT_TRUE(ring.take(got));
    ASSERT_EQ(got, copied);
    ASSERT_FALSE(ring.take(got)) << "after message " << i;
    // All lines of the next message are the header that was the last one.
    const auto at = static_cast<uint32_t>((ring.head()->taken - entry_bytes(copied.size())) % ring_size);
    if (at + sizeof(Header) <= ring_size)
      for (size_t line = 48; line + line_bytes <= copied.size(); line += line_bytes)
        memcpy(copied.data() + line, ring.data() + at, sizeof(Header));
  }
}

TEST(Ring, DamagedHeadersAreRefused) {
  std::mt19937_64 random(3);
  unsigned refused = 0;
  for (int round = 0; round < 20000; round++) {
    Ring ring;
    const uint32_t before = static_cast<uint32_t>(random() % 300) * line_bytes;
    std::vector<unsigned char> got;
    for (uint32_t at = 0; at < before; at += line_bytes) {
      ring.put({1});
      ASSERT_TRUE(ring.take(got));
    }
    ring.put(std::vector<unsigned char>(random() % 1000));
    auto *header = reinterpret_cast<Header *>(ring.data() + before % ring_size);
    if (random() % 2)
      header->bytes = static_cast<uint32_t>(random() >> random() % 64);
    else
      header->kind = static_cast<Kind>(random() >> (random() % 32 + 32));
    if (ring.reader.empty())
      continue;
    ring.reader.pass_skip();
    if (ring.reader.empty())
      continue;
    Entry entry;
    if (!ring.reader.look(entry)) {
      refused++;
      continue;
    }
    ASSERT_GE(entry.data, ring.data());
    ASSERT_LE(entry.data + entry.bytes, ring.data() + ring_size);
  }
  EXPECT_GT(refused, 5000u);
}

TEST(Ring, InboxesHaveRoomForAllNodes) {
  for (int nodes = 2; nodes <= 250; nodes++) {
    EXPECT_LE(inbox_bytes(nodes), (4u << 20) + 250 * 64 + 64) << nodes;
    EXPECT_EQ(ring_bytes(nodes) & (ring_bytes(nodes) - 1), 0u);
    EXPECT_GE(ring_bytes(nodes), 16u << 10);
  }
}
