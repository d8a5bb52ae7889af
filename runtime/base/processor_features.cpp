// The processor is asked at the first use. __builtin_cpu_supports would bring code into each program that asks before
// main, some ten times, and each time (cpuid) a virtual machine is left for some microseconds.
#include "base/processor_features.h"

#include <cpuid.h>
#include <immintrin.h>

namespace skein {

namespace {

/// Whether the system saves the registers of SSE and AVX where it switches between kernel threads.
__attribute__((target("xsave"))) bool system_saves_avx() {
  constexpr unsigned long long sse_and_avx = 2 | 4;
  return (_xgetbv(0) & sse_and_avx) == sse_and_avx;
}

} // namespace

std::atomic<unsigned> processor_features;

unsigned find_processor_features() {
  unsigned found = features_known, a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) && (c & bit_AVX) && system_saves_avx()) {
    if (c & bit_AES)
      found |= feature_aes;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2))
      found |= feature_avx2;
  }
  processor_features.store(found, std::memory_order_relaxed);
  return found;
}

} // namespace skein
