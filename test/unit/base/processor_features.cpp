#include "base/processor_features.h"

#include <gtest/gtest.h>

namespace skein {
namespace {

TEST(ProcessorFeatures, AreThoseThatTheCompilerFinds) {
  EXPECT_EQ(processor_has(feature_aes), __builtin_cpu_supports("aes") && __builtin_cpu_supports("avx"));
  EXPECT_EQ(processor_has(feature_avx2), __builtin_cpu_supports("avx2") != 0);
}

} // namespace
} // namespace skein
