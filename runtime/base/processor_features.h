// What the processor can do beyond the instructions that the runtime is compiled for.
#ifndef SKEIN_BASE_PROCESSOR_FEATURES_H
#define SKEIN_BASE_PROCESSOR_FEATURES_H

#include <atomic>

namespace skein {

enum ProcessorFeature : unsigned {
  features_known = 1,
  feature_aes = 2, ///< aesenc and the like, on registers of AVX
  feature_avx2 = 4,
};

/// Of all of them, once it has been asked; until then 0. Kernel threads that ask at once store the same.
extern std::atomic<unsigned> processor_features;
[[gnu::cold, gnu::noinline]] unsigned find_processor_features();

/// May be asked at any time, also before the program's start-up is over.
inline bool processor_has(ProcessorFeature feature) {
  const unsigned known = processor_features.load(std::memory_order_relaxed);
  return (known ? known : find_processor_features()) & feature;
}

} // namespace skein

#endif
