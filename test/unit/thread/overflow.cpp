// A thread that runs off its stack gets a message, and dies as the system would let it die. Other faults stay what they
// were.
#include "../in_scheduler.h"

#include <csetjmp>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace skein;
using namespace skein::test;

namespace {

__attribute__((noinline)) int deeper(int n) {
  volatile char frame[512];
  frame[0] = static_cast<char>(n);
  return n < 0 ? n : deeper(n + 1) + frame[0]; // ends only far beyond every stack
}

void run_off() { deeper(0); }

volatile int *volatile nowhere;

#if __has_feature(address_sanitizer)
#define SKIP_WITH_SANITIZER GTEST_SKIP() << "the address sanitizer has its own SIGSEGV handler"
#else
#define SKIP_WITH_SANITIZER (void)0
#endif

TEST(OverflowDeathTest, ThreadIsNamedWithItsStack) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(in_scheduler(1, [] { skein_join(spawn(run_off)); }), testing::KilledBySignal(SIGSEGV),
              "skein: thread 2 in function .* overflowed its 64 KiB stack \\(raise it with SKEIN_OPTIONS=stack=");
}

TEST(OverflowDeathTest, MainIsNamedWithItsStack) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(in_scheduler(1, [] { run_off(); }), testing::KilledBySignal(SIGSEGV),
              "skein: thread 1 in function .* overflowed its 1024 KiB stack \\(raise it with SKEIN_OPTIONS=stack_max=");
}

TEST(OverflowDeathTest, OnAnotherWorker) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(in_scheduler(4,
                           [] {
                             for (int i = 0; i < 20; i++)
                               spawn(+[] {
                                 while (worker_current()->index == 0)
                                   skein_yield();
                                 run_off();
                               });
                             for (;;)
                               skein_yield();
                           }),
              testing::KilledBySignal(SIGSEGV), "overflowed its 64 KiB stack");
}

TEST(OverflowDeathTest, StaleStackPointerIsExplained) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(in_scheduler(1,
                           [] {
                             Stack other = stack_acquire_fresh(stack_acquire());
                             nowhere = reinterpret_cast<int *>(other.high - 8);
                             stack_retire(other, other.high);
                             *nowhere = 1;
                           }),
              testing::KilledBySignal(SIGSEGV), "a pointer to a stack that its thread has left");
}

TEST(OverflowDeathTest, GuardAboveTheOwnStackIsNoOtherStack) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(in_scheduler(1,
                           [] {
                             nowhere = reinterpret_cast<int *>(thread_current()->stack.high + 64);
                             *nowhere = 1;
                           }),
              testing::KilledBySignal(SIGSEGV), "used address .*, which lies above its own stack");
}

TEST(OverflowDeathTest, ProtectedPageOfTheOwnStackIsAnOrdinaryFault) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(in_scheduler(1,
                           [] {
                             std::byte *page = thread_current()->stack.low;
                             mprotect(page, 4096, PROT_NONE);
                             nowhere = reinterpret_cast<int *>(page);
                             *nowhere = 1;
                           }),
              testing::KilledBySignal(SIGSEGV), "dies of SIGSEGV at address 0x");
}

TEST(OverflowDeathTest, OtherFaultsAreToldAndKill) {
  SKIP_WITH_SANITIZER;
  nowhere = nullptr;
  EXPECT_EXIT(in_scheduler(1, [] { *nowhere = 1; }), testing::KilledBySignal(SIGSEGV),
              "dies of SIGSEGV at address 0x0;");
}

TEST(OverflowDeathTest, SentSignalKills) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(in_scheduler(1, [] { raise(SIGSEGV); }), testing::KilledBySignal(SIGSEGV), "dies of SIGSEGV;");
}

TEST(OverflowDeathTest, HandlerOfTheProgramGetsItsFaults) {
  SKIP_WITH_SANITIZER;
  EXPECT_EXIT(
      {
        struct sigaction action{};
        action.sa_handler = [](int) { _exit(42); };
        sigaction(SIGSEGV, &action, nullptr); // before the runtime starts
        nowhere = nullptr;
        in_scheduler(1, [] { *nowhere = 1; });
      },
      testing::ExitedWithCode(42), "^$");
}

} // namespace
