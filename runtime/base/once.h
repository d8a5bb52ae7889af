// A function that runs once, at the first call that needs it.
#ifndef SKEIN_BASE_ONCE_H
#define SKEIN_BASE_ONCE_H

#include <atomic>
#include <pthread.h>

namespace skein {

class Once {
public:
  /// When it returns, `function` has run. Later calls only look at a flag, since calls of libc would make a move too
  /// slow.
  void operator()(void (*function)()) {
    if (__builtin_expect(done_.load(std::memory_order_acquire), 1)) // pairs with the release below
      return;
    pthread_once(&once_, function);
    done_.store(true, std::memory_order_release);
  }

private:
  pthread_once_t once_ = PTHREAD_ONCE_INIT;
  std::atomic<bool> done_{false};
};

} // namespace skein

#endif
