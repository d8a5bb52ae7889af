// The time in milliseconds, from an arbitrary beginning.
#ifndef SKEIN_LAUNCH_RUN_CLOCK_MS_H
#define SKEIN_LAUNCH_RUN_CLOCK_MS_H

#include <cstdint>
#include <ctime>

namespace skein::launch {

inline uint64_t clock_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

} // namespace skein::launch

#endif
