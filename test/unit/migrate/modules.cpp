// The runtime must notice that libraries were loaded or unloaded (migrate/modules.h).
#include "migrate/modules.h"
#include "migrate/program_numbers.h"

#include <array>
#include <atomic>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace skein;

namespace {

// These libraries belong to Debian's C library, and nothing here is linked with them.
constexpr const char *early = "libresolv.so.2", *late = "libnss_compat.so.2";

bool is_loaded(const char *name) {
  void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle)
    dlclose(handle);
  return handle != nullptr;
}

/// Calls the functions at the same time on a kernel thread each.
template <class First, class Second> void at_once(First &&first, Second &&second) {
  std::atomic<int> missing{2};
  const auto run = [&](auto &function) {
    missing.fetch_sub(1);
    while (missing.load())
      ;
    function();
  };
  std::thread other([&] { run(second); });
  run(first);
  other.join();
}

/// Expects that `holds()` in each of many children, which begin with what this process knows.
template <class Holds> void expect_in_children(Holds &&holds) {
  constexpr int right = 42;
  for (int run = 0; run < 300; run++) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(holds() ? right : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), right) << "in run " << run;
  }
}

/// Whether two kernel threads that ask at once, as the first ones of this process, hear of all modules.
bool two_first_agree() {
  struct Heard {
    uint64_t digest;
    unsigned count;
  };
  std::array<Heard, 2> heard;
  const auto ask = [](Heard &to) {
    modules(to.count);
    to.digest = modules_digest();
  };
  at_once([&] { ask(heard[0]); }, [&] { ask(heard[1]); });
  unsigned count;
  modules(count);
  return heard[0].digest == heard[1].digest && heard[0].digest == modules_digest() && heard[0].count == count &&
         heard[1].count == count;
}

/// Whether a number of an address in a library that was loaded late is noted, although another kernel thread makes one
/// of an address of the program.
bool late_number_is_noted() {
  program_numbers_relocated();
  program_numbers_settle(true);
  void *library = dlopen(late, RTLD_LAZY);
  const link_map *loaded = nullptr;
  if (!library || dlinfo(library, RTLD_DI_LINKMAP, &loaded) != 0)
    return false;
  const auto in_program = reinterpret_cast<uintptr_t>(&is_loaded);
  at_once([&] { program_number_made(in_program, "of the program"); },
          [&] { program_number_made(loaded->l_addr, "of the library"); });
  return late_numbered() != nullptr;
}

// Tests of suites of this name come first, when this process has not read its modules yet, so each child does.
TEST(ModulesDeathTest, TwoThatAskFirstHearOfAll) { expect_in_children(two_first_agree); }
TEST(ModulesDeathTest, NumbersOfALateLibraryAreNoted) { expect_in_children(late_number_is_noted); }

TEST(Modules, ChangesAreSeen) {
  ASSERT_FALSE(is_loaded(early));
  ASSERT_FALSE(is_loaded(late));
  void *opened_early = dlopen(early, RTLD_LAZY);
  ASSERT_NE(opened_early, nullptr) << dlerror();
  const uint64_t before = module_changes();
  EXPECT_NE(before, 0u);
  EXPECT_EQ(module_changes(), before);

  modules_keep();
  EXPECT_EQ(module_changes(), 0u); // what is remembered is the last entry of the loader's list
  dlclose(opened_early);
  EXPECT_TRUE(is_loaded(early)); // otherwise the list would end in freed memory
  EXPECT_EQ(module_changes(), 0u);

  void *opened_late = dlopen(late, RTLD_LAZY);
  ASSERT_NE(opened_late, nullptr) << dlerror();
  const uint64_t with_late = module_changes();
  EXPECT_NE(with_late, 0u);
  dlclose(opened_late);
  ASSERT_FALSE(is_loaded(late));
  EXPECT_EQ(module_changes(), 0u);

  opened_late = dlopen(late, RTLD_LAZY); // the address may be the same one again
  ASSERT_NE(opened_late, nullptr) << dlerror();
  EXPECT_NE(module_changes(), 0u);
  EXPECT_NE(module_changes(), with_late);
  dlclose(opened_late);
}

} // namespace
