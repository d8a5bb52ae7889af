// A lock for kernel threads whose waiters sleep, like pthread_mutex_t. It is inline, since taking and releasing one
// that no other thread wants is a good part of what a message costs. It is header only, and needs neither libc nor the
// runtime: the transport, which is a library of its own, uses it, too.
#ifndef SKEIN_OS_LINUX_MUTEX_H
#define SKEIN_OS_LINUX_MUTEX_H

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skein {

class Mutex {
public:
  constexpr Mutex() = default;
  Mutex(const Mutex &) = delete;

  bool try_lock() {
    uint32_t expected = free;
    return __atomic_compare_exchange_n(&word_, &expected, taken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  void lock() { // acquire: pairs with the release in unlock
    if (__builtin_expect(!try_lock(), 0))
      while (__atomic_exchange_n(&word_, wanted, __ATOMIC_ACQUIRE) != free)
        syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, wanted, nullptr, nullptr, 0);
  }
  /// Tries until one sleep has taken so long. False: another kernel thread has it.
  bool try_lock_for(uint64_t nanoseconds) {
    const timespec limit = {static_cast<time_t>(nanoseconds / 1000000000), static_cast<long>(nanoseconds % 1000000000)};
    if (try_lock())
      return true;
    while (__atomic_exchange_n(&word_, wanted, __ATOMIC_ACQUIRE) != free)
      if (syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, wanted, &limit, nullptr, 0) != 0 && errno == ETIMEDOUT)
        return false;
    return true;
  }
  void unlock() {
    if (__builtin_expect(__atomic_exchange_n(&word_, free, __ATOMIC_RELEASE) == wanted, 0))
      syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  /// The holder does not exist any more.
  void reset() { __atomic_store_n(&word_, free, __ATOMIC_RELAXED); }

private:
  static constexpr uint32_t free = 0, taken = 1, wanted = 2; // wanted: taken, and perhaps another kernel thread sleeps
  uint32_t word_ = free;
};

} // namespace skein

#endif
