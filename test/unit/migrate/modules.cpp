// The runtime must notice that libraries were loaded or unloaded (migrate/modules.h).
#include "migrate/modules.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

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
