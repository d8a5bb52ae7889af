// Records that are packed and unpacked again.
#include "trace/packed.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace skein;

namespace {

bool operator==(const TraceRecord &one, const TraceRecord &other) {
  return one.time == other.time && one.thread == other.thread && one.a == other.a && one.b == other.b &&
         one.c == other.c && one.event == other.event;
}

TraceRecord record(TraceEvent event, uint64_t time, uint64_t thread, uint64_t a = 0, uint32_t b = 0, uint16_t c = 0) {
  return {time, thread, a, b, c, static_cast<uint16_t>(event)};
}

struct Packed {
  std::vector<uint64_t> words;
  std::vector<uint32_t> wanted;
  TracePacking packing;
  size_t add(const TraceRecord &record) {
    uint64_t space[trace_packed_words];
    const uint64_t *const end = packing.pack(space, record, [this](uint32_t text) { wanted.push_back(text); });
    words.insert(words.end(), space, const_cast<uint64_t *>(end));
    EXPECT_EQ(TracePacking::words(*space), static_cast<size_t>(end - space));
    return static_cast<size_t>(end - space);
  }
};

void expect_back(const Packed &packed, const std::vector<TraceRecord> &records) {
  TracePacking unpacking;
  const uint64_t *at = packed.words.data(), *const end = at + packed.words.size();
  TraceRecord back;
  for (size_t i = 0; i < records.size(); i++) {
    ASSERT_TRUE(unpacking.unpack(at, end, back)) << i;
    EXPECT_TRUE(back == records[i]) << i;
  }
  EXPECT_EQ(at, end);
  EXPECT_FALSE(unpacking.unpack(at, end, back));
}

TEST(Packed, TakesOneOrTwoWordsForWhatIsUsual) {
  Packed packed;
  const std::vector<TraceRecord> records = {
      record(TraceEvent::runs, 1'000'000'000'000, 7, 0x7f12'3456'789a),          // the first time is far from 0
      record(TraceEvent::blocks, 1'000'000'000'100, 7, 0x7f00'0000'0010, 12345), // a new text
      record(TraceEvent::blocks, 1'000'000'000'100, 7, 0x7f00'0000'0010, 12345),
      record(TraceEvent::queued, 1'000'000'000'200, 9),
      record(TraceEvent::sent, 1'000'000'000'300, 7, 3, 65535, 63),
  };
  std::vector<size_t> sizes;
  for (const TraceRecord &each : records)
    sizes.push_back(packed.add(each));
  EXPECT_EQ(sizes, (std::vector<size_t>{5, 5, 2, 1, 2}));
  EXPECT_EQ(packed.wanted, std::vector<uint32_t>{12345});
  expect_back(packed, records);
}

TEST(Packed, TakesFiveWordsForWhatDoesNotFit) {
  Packed packed;
  std::vector<TraceRecord> records = {record(TraceEvent::sent, 1000, 1)};
  packed.add(records[0]);
  for (const TraceRecord &each : {
           record(TraceEvent::sent, 1000 + (1 << 18), 1),
           record(TraceEvent::sent, 999, 1), // back in time
           record(TraceEvent::sent, 1000, uint64_t{1} << 32),
           record(TraceEvent::sent, 1000, 1, uint64_t{1} << 48),
           record(TraceEvent::sent, 1000, 1, 0, 1 << 16),
           record(TraceEvent::sent, 1000, 1, 0, 0, 64),
           record(TraceEvent::sent, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT16_MAX),
       }) {
    EXPECT_EQ(packed.add(each), trace_packed_words);
    records.push_back(each);
    records.push_back(record(TraceEvent::sent, 1000, 1));
    packed.add(records.back());
  }
  expect_back(packed, records);
}

TEST(Packed, GivesBackAnything) {
  std::mt19937_64 random(1);
  Packed packed;
  std::vector<TraceRecord> records;
  uint64_t time = 0, texts[200];
  for (uint64_t &text : texts)
    text = static_cast<uint32_t>(random()) >> random() % 32;
  for (int i = 0; i < 100000; i++) {
    const auto some = [&] { return random() >> random() % 64; };
    time += some() >> 20;
    TraceRecord each = record(TraceEvent(1 + random() % (trace_event_count - 1)), time, some(), some(),
                              static_cast<uint32_t>(some()), static_cast<uint16_t>(some()));
    if (random() % 2)
      each.b = static_cast<uint32_t>(texts[random() % 200]); // more than the table of texts holds
    packed.add(each);
    records.push_back(each);
  }
  expect_back(packed, records);
}

TEST(Packed, RefusesWhatIsNoRecord) {
  Packed packed;
  packed.add(record(TraceEvent::sent, 1, 1, 2, 3));
  const uint64_t *at = packed.words.data();
  TraceRecord back;
  TracePacking unpacking;
  EXPECT_FALSE(unpacking.unpack(at, at + 1, back)); // cut off
  const uint64_t unknown = trace_event_count, no_form = 1 | 3 << 6, zeros = 0;
  for (const uint64_t *word : {&unknown, &no_form}) {
    at = word;
    EXPECT_FALSE(unpacking.unpack(at, word + 1, back));
  }
  at = &zeros;
  EXPECT_TRUE(unpacking.unpack(at, &zeros + 1, back));
  EXPECT_EQ(back.event, 0);
  EXPECT_EQ(at, &zeros + 1);
}

} // namespace
