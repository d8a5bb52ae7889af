// Copies of another node's memory must be right while fetches and writes overtake each other (dsm/cache.h). The test
// plays the other node: it has the memory, and its own threads write to it.
#include "../net/lone_node.h"

#include "../migrate/image_fixture.h"
#include "base/knobs.h"
#include "dsm/cache.h"
#include "dsm/copies.h"
#include "sched/sched.h"
#include "sched/worker.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

namespace {

// The range that is cached has more lines than there are copies. Its pieces belong to three threads of this node and to
// the owner in turn. Each byte counts how often it was written, and is written only by the thread that it belongs to.
constexpr uint64_t piece_bytes = 64, range_bytes = 10 * line_bytes;
constexpr unsigned owner = 3;
uint64_t range_begin() {
  return SKEIN_SHARED_BASE + (static_cast<uint64_t>(peer()) << SKEIN_SLICE_BITS) + 2 * line_bytes * 64;
}
unsigned belongs_to(uint64_t at) { return static_cast<unsigned>(at / piece_bytes % 4); }

using Values = std::array<unsigned char, range_bytes>;
Values memory; // the owner's

/// The scheduler's functions that look for the next thread to run; there is none here.
struct WithoutThreads {
  Worker worker;
  WithoutThreads() {
    skein_processor = &worker;
    stopping = true;
  }
  ~WithoutThreads() {
    skein_processor = nullptr;
    stopping = false;
  }
};

/// A thread of this node that reads and writes.
struct Accessor {
  static inline long outside;
  Thread *thread = fixture::make_thread(fixture::next_id(), &outside);
  enum { idle, reads, writes } does = idle;
  uint64_t at = 0, bytes = 0;
  Values buffer; // the values that it has read, or writes
  Values least;  // what it must at least have read
};

struct Release {
  bool done = false;
  Values written; // the values that this node had written before the access
};

class Model {
public:
  Model(unsigned seed, CacheMode mode) : random(seed) {
    cache_set(range_begin(), range_bytes, mode);
    cache_acquire(); // copies from an earlier test must not be used
    memory.fill(0);
    written.fill(0);
    begun.fill(0);
    known.fill(0);
    for (Accessor &accessor : accessors)
      thread_announce(accessor.thread);
  }

  void step() {
    Accessor &accessor = accessors[below(accessors.size())];
    const size_t chance = below(20);
    if (chance == 0) {
      cache_acquire();
      for (uint64_t i = 0; i < range_bytes; i++)
        if (belongs_to(i) == owner)
          known[i] = memory[i];
    } else if (chance < 3) {
      begin_release();
    } else if (chance < 5) { // a thread of the owner writes
      const uint64_t begin = piece_of(owner);
      for (uint64_t i = begin, end = begin + below(piece_bytes); i < end; i++)
        memory[i]++;
    } else if (chance < 13) {
      if (accessor.does == Accessor::idle)
        chance < 10 ? begin_read(accessor) : begin_write(accessor);
    } else {
      something_arrives();
    }
    collect();
  }

  /// The owner is about to leave.
  void settle() {
    while (!cache_settle(peer())) {
      for (Accessor &accessor : accessors)
        if (accessor.does == Accessor::idle)
          begin_write(accessor);
      step();
    }
    for (uint64_t i = 0; i < range_bytes; i++)
      if (belongs_to(i) != owner) {
        ASSERT_GE(memory[i], written[i]) << "byte " << i << " is not at its owner";
      }
  }

  /// A step after which no message waits for writes to arrive.
  void step_settled() {
    step();
    EXPECT_TRUE(begin_release());
  }

  /// Lets everything that is under way end.
  void finish() {
    do
      while (something_arrives())
        collect();
    while (!begin_release()); // writes that waited for room go on after each release
    for (const Accessor &accessor : accessors) {
      EXPECT_EQ(accessor.does, Accessor::idle);
      thread_abandon(accessor.thread);
    }
    for (const Release &release : releases)
      EXPECT_TRUE(release.done);
  }

private:
  size_t below(size_t n) { return random() % n; }
  /// Returns one of the pieces that belong to this thread.
  uint64_t piece_of(unsigned who) { return piece_bytes * (4 * below(range_bytes / piece_bytes / 4) + who); }

  void begin_read(Accessor &accessor) {
    accessor.at = below(range_bytes - 1);
    accessor.bytes = 1 + below(std::min<uint64_t>(range_bytes - accessor.at, 700));
    accessor.does = Accessor::reads;
    for (uint64_t i = accessor.at; i < accessor.at + accessor.bytes; i++)
      accessor.least[i] = belongs_to(i) == owner ? known[i] : written[i];
    const WithoutThreads without;
    Thread *next;
    ASSERT_TRUE(cache_read(accessor.thread, reinterpret_cast<uint64_t>(&accessor.buffer[accessor.at]),
                           range_begin() + accessor.at, accessor.bytes, next));
    if (next)
      end(accessor);
  }

  void begin_write(Accessor &accessor) {
    const auto who = static_cast<unsigned>(&accessor - accessors.data());
    const uint64_t first = below(piece_bytes - 1);
    accessor.at = piece_of(who) + first;
    accessor.bytes = 1 + below(piece_bytes - first);
    accessor.does = Accessor::writes;
    for (uint64_t i = accessor.at; i < accessor.at + accessor.bytes; i++)
      accessor.buffer[i] = ++begun[i];
    const WithoutThreads without;
    Thread *next;
    ASSERT_TRUE(cache_write(accessor.thread, range_begin() + accessor.at,
                            reinterpret_cast<uint64_t>(&accessor.buffer[accessor.at]), accessor.bytes, next));
    if (next)
      end(accessor);
  }

  /// Ends an accessor's access.
  void end(Accessor &accessor) {
    for (uint64_t i = accessor.at; i < accessor.at + accessor.bytes; i++)
      if (accessor.does == Accessor::writes) {
        written[i] = begun[i];
      } else {
        ASSERT_GE(accessor.buffer[i], accessor.least[i]) << "byte " << i << " is stale";
        ASSERT_LE(accessor.buffer[i], belongs_to(i) == owner ? memory[i] : begun[i]) << "byte " << i;
      }
    accessor.does = Accessor::idle;
  }

  void collect() {
    while (Thread *ready = take_ready_for_steal()) {
      const auto found = std::find_if(accessors.begin(), accessors.end(),
                                      [&](const Accessor &accessor) { return accessor.thread == ready; });
      ASSERT_NE(found, accessors.end());
      ASSERT_NE(found->does, Accessor::idle);
      end(*found);
    }
  }

  static void released(void *context) {
    auto *release = static_cast<Release *>(context);
    EXPECT_FALSE(release->done);
    release->done = true;
    for (uint64_t i = 0; i < range_bytes; i++)
      if (belongs_to(i) != owner) {
        ASSERT_GE(memory[i], release->written[i]) << "byte " << i << " is not at its owner";
      }
  }
  /// Begins a release. Returns whether there was nothing to send.
  bool begin_release() {
    Release &release = releases.emplace_back();
    release.written = written;
    const bool at_once = cache_release(released, &release);
    if (at_once)
      released(&release);
    return at_once;
  }

  /// Delivers a parcel to the owner, or an answer to the node, as chance decides. False: there is none.
  bool something_arrives() {
    for (; !sent.empty(); sent.pop_front())
      if (sent.front()[1] == static_cast<unsigned char>(MessageType::parcel))
        parcels.push_back(sent.front());
    if (parcels.empty() && answers.empty())
      return false;
    std::vector<Bytes> &from = answers.empty() || (!parcels.empty() && below(2)) ? parcels : answers;
    std::swap(from[below(from.size())], from.back());
    const Bytes message = from.back();
    from.pop_back();
    if (&from == &parcels)
      answers.push_back(serve(message));
    else
      deliver(message);
    return true;
  }

  /// Does at the owner what a parcel of one access asks for.
  static Bytes serve(const Bytes &parcel) {
    ParcelEntry entry;
    memcpy(&entry, &parcel[sizeof(ParcelMessage)], sizeof entry);
    unsigned char *at = &memory[entry.address - range_begin()];
    const ParcelResult head = {static_cast<uint32_t>(parcel_result_bytes(entry)), 0};
    Bytes data(sizeof head + parcel_padded(head.bytes));
    memcpy(data.data(), &head, sizeof head);
    if (entry.what == ParcelWhat::get)
      memcpy(&data[sizeof head], at, entry.bytes);
    else
      memcpy(at, &parcel[sizeof(ParcelMessage) + sizeof entry], entry.bytes);
    const ReplyMessage reply = {{}, reinterpret_cast<const ParcelMessage *>(parcel.data())->call, 0};
    Bytes message = make(reply, data.data(), data.size());
    reinterpret_cast<MessageHeader *>(message.data())->plain = 1;
    return message;
  }

  std::mt19937 random;
  std::array<Accessor, owner> accessors;
  std::deque<Release> releases;
  std::vector<Bytes> parcels, answers; // on their way to the owner, and back
  Values begun, written;               // the values of writes that this node has begun or finished
  Values known;                        // for each byte, what was known of the owner's value at the last acquire
};

class Cache : public lone_node::Test {
protected:
  Cache() {
    knobs.shared_cache = 1; // as few copies as there can be: eight
    sent.clear();
  }
};

void in_whatever_order(CacheMode mode) {
  for (unsigned seed = 0; seed < 300 && !testing::Test::HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    Model model(seed, mode);
    for (int step = 0; step < 600; step++)
      model.step();
    model.finish();
  }
}

} // namespace

TEST_F(Cache, WritesAreReadAndReachTheirOwnerInWhateverOrder) { in_whatever_order(CacheMode::back); }

TEST_F(Cache, WritesThroughAreReadAndReachTheirOwnerInWhateverOrder) { in_whatever_order(CacheMode::through); }

TEST_F(Cache, NoMessageWaitsForWritesToAnOwnerThatLeaves) {
  for (unsigned seed = 0; seed < 100; seed++)
    EXPECT_EXIT( // an owner leaves once
        {
          Model model(seed, CacheMode::back);
          for (int step = 0; step < 300; step++)
            model.step();
          model.settle();
          for (int step = 0; step < 300; step++)
            model.step_settled();
          model.finish();
          _exit(HasFailure());
        },
        testing::ExitedWithCode(0), "")
        << seed;
}
