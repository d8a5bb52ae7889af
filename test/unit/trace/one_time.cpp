// Which events have the time of the one before them, and what a ring says of those that it had no room for. The rings
// lie in memory of the test's own, which nobody empties unless the test does.
#include "trace/rings.h"
#include "trace/trace.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace skein;

namespace {

constexpr uint64_t ring_bytes = 4096;

class Rings : public testing::Test {
protected:
  void SetUp() override {
    const size_t bytes = trace_header_bytes + 4 * (sizeof(TraceRing) + ring_bytes);
    header_ = static_cast<TraceFileHeader *>(calloc(1, bytes));
    header_->rings_most = 4;
    header_->ring_bytes = ring_bytes;
    header_->rings_at = trace_header_bytes;
    rings_open(header_, TraceClock::nanoseconds);
    trace_classes_set(trace_classes_all);
  }
  void TearDown() override {
    rings_abandon();
    free(header_);
  }

  std::vector<TraceRecord> records(uint32_t ring = 0) {
    const RingView view = ring_of(header_, ring);
    const uint64_t *at = view.words, *const end = at + view.ring->written.load() / sizeof(uint64_t);
    std::vector<TraceRecord> all;
    TracePacking packing;
    constexpr auto half = static_cast<ptrdiff_t>(ring_bytes / 2 / sizeof(uint64_t));
    for (TraceRecord record; packing.unpack(at, end, record);)
      if (record.event)
        all.push_back(record);
      else
        at = view.words + (at - view.words + half - 1) / half * half;
    EXPECT_EQ(at, end);
    return all;
  }

  /// Records those events, far enough from each other for the clock; for each whether its time is that of the one
  /// before it, as '=' or '<'.
  std::string times(const std::vector<TraceEvent> &events) {
    const size_t before = records().size();
    for (TraceEvent event : events) {
      trace(event, 1);
      pause();
    }
    std::string text;
    const std::vector<TraceRecord> all = records();
    for (size_t i = before + 1; i < all.size(); i++)
      text += all[i].time == all[i - 1].time ? '=' : '<';
    return text;
  }

  static void pause() {
    const timespec moment = {0, 1000};
    nanosleep(&moment, nullptr);
  }

  TraceFileHeader *header_;
};

using enum TraceEvent;

TEST_F(Rings, ACallThatWakesAThreadHasOneTime) {
  EXPECT_EQ(times({sends, gets, queued, gets, queued, sent}), "=====");
  EXPECT_EQ(times({sent, queued}), "<"); // the call is over
}

TEST_F(Rings, ASwitchHasOneTime) {
  EXPECT_EQ(times({selects, awaits, blocks, unqueued, runs, selected, selects}), "=====<");
  EXPECT_EQ(times({yields, queued, unqueued, runs, queued}), "===<");
}

TEST_F(Rings, WhatTheProgramDoesHasATimeOfItsOwn) {
  EXPECT_EQ(times({gets, queued, queued}), "=<"); // the second one is another call's
  EXPECT_EQ(times({runs, queued, awaits}), "<<");
  EXPECT_EQ(times({blocks, idle, unqueued, runs}), "<<=");
  EXPECT_EQ(times({sends, mark, mark, sent}), "<<<");
}

TEST_F(Rings, WhatTakesLongHasATimeOfItsOwn) {
  trace(sends, 1);
  pause();
  trace_time_passes();
  EXPECT_EQ(times({gets, queued, sent}), "=<");
  const std::vector<TraceRecord> all = records();
  EXPECT_LT(all[0].time, all[1].time);
}

TEST_F(Rings, WithoutSwitchesEachEventHasATimeOfItsOwn) {
  trace_classes_set(trace_classes_all & ~TraceClass::scheduling);
  EXPECT_EQ(times({sends, gets, queued, sent}), "<<<");
}

TEST_F(Rings, ANewChoiceOfClassesEndsATime) {
  trace(sends, 1);
  pause();
  trace_classes_set(TraceClass::scheduling);
  trace_classes_set(trace_classes_all);
  trace(sent, 1);
  EXPECT_LT(records()[0].time, records()[1].time);
}

TEST_F(Rings, NothingSeemsToBeEarlierThanItsCauseElsewhere) {
  trace(sends, 1);
  pause();
  std::thread([] { trace(blocks, 2); }).join(); // the thread for whose sake it is
  trace(gets, 2);
  EXPECT_GT(records()[1].time, records(1)[0].time);
  EXPECT_EQ(times({sends, gets, queued, sent}), "<=<");
  EXPECT_EQ(times({selects, awaits, blocks, unqueued, runs, selected}), "==<==");
}

TEST_F(Rings, TheRecordersOwnRecordsDoNotCount) {
  std::thread([] {
    rings_begin_recorder();
    trace(sample, 0);
  }).join();
  trace(sends, 1);
  trace(gets, 2);
  EXPECT_EQ(records(1)[0].time, records(1)[1].time);
}

TEST_F(Rings, WhatDidNotFitIsToldWhereItIsMissing) {
  trace(mark, 1, 0);
  const RingView view = ring_of(header_, 0);
  uint64_t made = 1;
  for (; !view.ring->lost.load(); made++)
    trace(mark, 1, made);
  trace(mark, 1, made++);
  EXPECT_EQ(view.ring->lost.load(), 2u);
  const std::vector<TraceRecord> first = records();
  EXPECT_EQ(first.size(), made - 2);
  EXPECT_EQ(first.back().a, made - 3);
  // The recorder has taken everything: the next record is behind one that tells of the two.
  const uint64_t end = view.ring->written.load();
  view.ring->taken.store(end);
  trace(mark, 1, made);
  TracePacking packing; // knows no time; it is of no interest here
  TraceRecord record;
  const uint64_t *at = view.words + end % ring_bytes / sizeof(uint64_t);
  const uint64_t *const rings_end = view.words + ring_bytes / sizeof(uint64_t);
  ASSERT_TRUE(packing.unpack(at, rings_end, record));
  if (!record.event) {
    at = view.words;
    ASSERT_TRUE(packing.unpack(at, rings_end, record));
  }
  EXPECT_EQ(static_cast<TraceEvent>(record.event), lost);
  EXPECT_EQ(record.a, 2u);
  ASSERT_TRUE(packing.unpack(at, rings_end, record));
  EXPECT_EQ(record.a, made);
}

TEST_F(Rings, FunctionsAndTextsAreToldOnce) {
  static std::vector<std::pair<TraceTextKind, uint64_t>> told;
  told.clear();
  for (uint64_t i = 1; i <= 3; i++) {
    trace(runs, 1, 0x1000);
    trace(blocks, 1, 0x2000, 0x3000);
    trace(runs, 1, 0x4000 + i);
  }
  const auto take = [](TraceTextKind kind, uint64_t key) { told.emplace_back(kind, key); };
  rings_each_new_name(take);
  EXPECT_EQ(told.size(), 5u);
  EXPECT_EQ(told[0], std::make_pair(TraceTextKind::function, uint64_t{0x1000}));
  EXPECT_EQ(told[1], std::make_pair(TraceTextKind::text, uint64_t{0x3000}));
  rings_each_new_name(take);
  EXPECT_EQ(told.size(), 5u);
}

} // namespace
