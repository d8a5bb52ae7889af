// The runtime must notice that libraries were loaded or unloaded (migrate/modules.h).
#include "migrate/modules.h"

#include <array>
#include <atomic>
#include <dlfcn.h>
#include <gtest/gtest.h>
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

/// Whether two kernel threads that ask at once, as the first ones of this process, hear of all modules.
bool two_first_agree() {
  struct Heard {
    uint64_t digest;
    unsigned count;
  };
  std::array<Heard, 2> heard;
  std::atomic<size_t> missing{heard.size()};
  const auto ask = [&](Heard &to) {
    missing.fetch_sub(1);
    while (missing.load())
      ;
    modules(to.count);
    to.digest = modules_digest();
  };
  std::thread first(ask, std::ref(heard[0])), second(ask, std::ref(heard[1]));
  first.join();
  second.join();
  unsigned count;
  modules(count);
  return heard[0].digest == heard[1].digest && heard[0].digest == modules_digest() && heard[0].count == count &&
         heard[1].count == count;
}

// Tests of suites of this name come first, when this process has not read its modules yet, so each child does.
TEST(ModulesDeathTest, TwoThatAskFirstHearOfAll) {
  constexpr int agree = 42;
  for (int run = 0; run < 300; run++) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(two_first_agree() ? agree : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), agree) << "in run " << run;
  }
}

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
