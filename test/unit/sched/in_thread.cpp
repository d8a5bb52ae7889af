// In this program main is wrapped: gtest itself runs in Skein's first thread.
#include "sched/sched.h"

#include <gtest/gtest.h>
#include <skein/skein.h>

using namespace skein;

namespace {

TEST(InThread, MainIsThread1OnItsOwnStack) {
  EXPECT_EQ(skein_self(), 1u);
  EXPECT_EQ(skein_node(), 0);
  EXPECT_EQ(skein_nodes(), 1);
  Thread *self = thread_current();
  ASSERT_NE(self, nullptr);
  EXPECT_TRUE(self->stack.contains(__builtin_frame_address(0)));
  EXPECT_GE(self->stack.bytes(), stack_bytes());
  EXPECT_EQ(self->state.load(), ThreadState::running);
}

TEST(InThread, ErrorTextIsEmptyUntilSomethingFails) {
  EXPECT_STREQ(skein_error_text(), "");
  EXPECT_EQ(skein_join(0), SKEIN_ETHREAD);
  EXPECT_STRNE(skein_error_text(), "");
}

} // namespace
