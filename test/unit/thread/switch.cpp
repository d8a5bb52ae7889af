// The context switch: a thread must find certain things unchanged when it goes on, and must start in a certain way.
#include "arch/x86_64/switch.h"
#include "../in_scheduler.h"

#include <cerrno>
#include <cfenv>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <xmmintrin.h>

using namespace skein;
using namespace skein::test;

extern "C" {
int probe_registers(void (*call)(void), uint64_t seed);
void probe_entry();
uintptr_t entered_sp, entered_return;
void probe_entered(uintptr_t sp, uintptr_t return_address) {
  entered_sp = sp;
  entered_return = return_address;
}
}

namespace {

int changed;

void registers_over_many_switches(uint64_t seed) {
  for (uint64_t i = 0; i < 1000; i++)
    changed += probe_registers(skein_yield, seed * 0x9e3779b97f4a7c15 + i * 1000);
}

TEST(Switch, CalleeSavedRegistersSurvive) {
  changed = 0;
  in_scheduler(1, [] {
    std::vector<uint64_t> ids;
    for (uint64_t seed = 1; seed <= 5; seed++)
      ids.push_back(spawn(registers_over_many_switches, seed));
    registers_over_many_switches(77);
    for (uint64_t id : ids)
      skein_join(id);
  });
  EXPECT_EQ(changed, 0);
}

TEST(Switch, ProbeSeesAChangedRegister) {
  // The probe itself is tested: it notices a callee that breaks the convention.
  EXPECT_EQ(probe_registers([] { asm volatile("movq $0, %%r13; movq $0, %%r15" ::: "memory"); }, 1), 2);
}

int wrong_modes;

void keeps_rounding(int mode) {
  std::fesetround(mode);
  for (int i = 0; i < 100; i++) {
    skein_yield();
    unsigned short x87;
    asm volatile("fnstcw %0" : "=m"(x87));
    if (std::fegetround() != mode || (x87 & 0xc00) != mode ||
        ((_mm_getcsr() >> 3) & 0xc00) != static_cast<unsigned>(mode))
      wrong_modes++;
  }
}

int fresh_round, fresh_raised, fresh_errno;

TEST(Switch, RoundingModeIsEachThreadsOwn) {
  wrong_modes = 0;
  in_scheduler(1, [] {
    std::vector<uint64_t> ids;
    for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST, FE_TOWARDZERO})
      ids.push_back(spawn(keeps_rounding, mode));
    for (uint64_t id : ids)
      skein_join(id);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  });
  EXPECT_EQ(wrong_modes, 0);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(Switch, AThreadBeginsWithItsCreatorsEnvironmentOfThen) {
  in_scheduler(1, [] {
    const auto look = +[] {
      fresh_round = std::fegetround();
      fresh_raised = std::fetestexcept(FE_ALL_EXCEPT);
      std::feraiseexcept(FE_INVALID);
    };
    std::feclearexcept(FE_ALL_EXCEPT);
    for (bool yields : {false, true}) {
      std::fesetround(FE_UPWARD);
      std::feraiseexcept(FE_DIVBYZERO);
      const uint64_t id = spawn(look);
      std::fesetround(FE_TONEAREST);
      std::feclearexcept(FE_ALL_EXCEPT);
      if (yields)
        skein_yield(); // takes the long way
      skein_join(id);
      EXPECT_EQ(fresh_round, FE_UPWARD);
      EXPECT_EQ(fresh_raised, FE_DIVBYZERO);
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
    }
  });
}

int wrong_errno;

// The function is neither inlined nor constant: a compiler that does not know of threads that move may keep the address
// of errno over a call.
__attribute__((noinline)) void set_errno(int value) { errno = value; }
__attribute__((noinline)) int get_errno() { return errno; }

void keeps_errno(int value) {
  for (int i = 0; i < 1000; i++) {
    set_errno(value);
    skein_yield();
    if (get_errno() != value)
      wrong_errno++;
  }
}

TEST(Switch, ErrnoIsEachThreadsOwn) {
  for (unsigned workers : {1u, 3u}) {
    wrong_errno = 0;
    in_scheduler(workers, [] {
      std::vector<uint64_t> ids;
      for (int value : {EINTR, 0, 1 << 30, -1})
        ids.push_back(spawn(keeps_errno, value));
      keeps_errno(77);
      for (uint64_t id : ids)
        skein_join(id);
      set_errno(5);
      skein_join(spawn(+[] { fresh_errno = get_errno(); }));
    });
    EXPECT_EQ(wrong_errno, 0);
    EXPECT_EQ(fresh_errno, 0);
  }
}

TEST(Switch, EntryIsAlignedAndReturnsToTheBottom) {
  in_scheduler(1, [] { skein_join(spawn(+probe_entry)); });
  EXPECT_EQ(entered_sp % 16, 8u); // as after a call
  EXPECT_EQ(entered_return, reinterpret_cast<uintptr_t>(skein_thread_bottom));
}

std::string got;

void all_kinds(int a, double b, const char *c, float d, long e, double f, unsigned char g, float h, short i, double j,
               double k, double l, float m, int n) {
  char text[300];
  snprintf(text, sizeof text, "%d %g %s %g %ld %g %u %g %d %g %g %g %g %d", a, b, c, static_cast<double>(d), e, f, g,
           static_cast<double>(h), i, j, k, l, static_cast<double>(m), n);
  got = text;
}

TEST(Switch, FourteenArgumentsOfAllKinds) {
  in_scheduler(1, [] {
    skein_join(
        spawn(all_kinds, -1, 2.5, "three", 4.5f, -5'000'000'000L, 6.5, 255, 8.5f, -9, 10.5, 11.5, 12.5, 13.5f, 14));
  });
  EXPECT_EQ(got, "-1 2.5 three 4.5 -5000000000 6.5 255 8.5 -9 10.5 11.5 12.5 13.5 14");
}

TEST(Switch, TooManyArgumentsReject) {
  in_scheduler(1, [] {
    uint64_t words[20] = {};
    EXPECT_EQ(__skein_spawn([] {}, words, 15, 0), 0u);
    EXPECT_NE(std::string(skein_error_text()).find("15 arguments"), std::string::npos) << skein_error_text();
  });
}

} // namespace
