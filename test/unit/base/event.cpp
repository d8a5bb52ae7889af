// Events and assertions.
#include "base/event.h"

#include <gtest/gtest.h>
#include <utility>

using namespace skein;

namespace {

int sum;
void add(int value) { sum += value; }
void twice(int value) { sum += 2 * value; }
template <int N> void numbered(int) {}

TEST(Event, CallsEachHandlerOnceInOrder) {
  Event<int> event;
  sum = 0;
  EXPECT_FALSE(event);
  event(5);
  EXPECT_EQ(sum, 0);
  event.add(add);
  event.add(twice);
  event.add(add); // added already
  EXPECT_TRUE(event);
  event(5);
  EXPECT_EQ(sum, 15);
}

TEST(EventDeathTest, MoreHandlersThanItHolds) {
  Event<int> event;
  [&]<int... each>(std::integer_sequence<int, each...>) {
    (event.add(numbered<each>), ...);
  }(std::make_integer_sequence<int, 16>());
  EXPECT_DEATH(event.add(numbered<16>), "raise handlers_max");
}

TEST(AssertDeathTest, SaysWhereAndWhatWasBelieved) {
  int threads = 3;
  EXPECT_DEATH(SKEIN_ASSERT(threads == 2, "there are %d threads", threads),
               "event.cpp:.*there are 3 threads.*threads == 2");
}

} // namespace
