// futex(2), clock_gettime(2), sched_getaffinity(2).
#include "os/linux/futex.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skein {

void futex_wait(std::atomic<uint32_t> &word, uint32_t expected, uint64_t nanoseconds) {
  timespec timeout;
  timeout.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
  timeout.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nanoseconds == forever ? nullptr : &timeout, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t> &word, uint32_t count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count > INT_MAX ? INT_MAX : static_cast<int>(count), nullptr, nullptr,
          0);
}

namespace {

uint64_t ahead_ns; // of the kernel's clock, which may have begun on another host, or before this one was started

uint64_t kernel_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace

uint64_t clock_ns() { return kernel_ns() + ahead_ns; }
uint64_t clock_to_kernel(uint64_t ns) { return ns - ahead_ns; }
void clock_goes_on_at(uint64_t ns) { ahead_ns = ns - kernel_ns(); }

uint32_t cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<uint32_t>(CPU_COUNT(&set));
  long online = sysconf(_SC_NPROCESSORS_ONLN); // more than CPU_SETSIZE cores
  return online > 0 ? static_cast<uint32_t>(online) : 1;
}

} // namespace skein
