// Events and assertions.
#include "base/event.h"

#include <gtest/gtest.h>

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
  event.add(numbered<0>);
  event.add(numbered<1>);
  event.add(numbered<2>);
  event.add(numbered<3>);
  event.add(numbered<4>);
  event.add(numbered<5>);
  event.add(numbered<6>);
  event.add(numbered<7>);
  EXPECT_DEATH(event.add(numbered<8>), "raise handlers_max");
}

TEST(AssertDeathTest, SaysWhereAndWhatWasBelieved) {
  int threads = 3;
  EXPECT_DEATH(SKEIN_ASSERT(threads == 2, "there are %d threads", threads),
               "event.cpp:.*there are 3 threads.*threads == 2");
}

} // namespace
