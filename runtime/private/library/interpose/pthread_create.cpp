// pthread_create of the whole program, so that kernel threads that its libraries start (std::thread does so in
// libstdc++.so) are noticed, too. An object of its own, which the driver leaves out of static programs: there libc's
// definition is part of the program, and the option --wrap reaches every caller.
#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

extern "C" {

int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument);

/// A sanitizer's, which must see all kernel threads, since it sees them waited for and detached.
__attribute__((weak)) int __interceptor_pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                                                       void *(*function)(void *), void *argument);

/// libc's, or a sanitizer's before it.
int skein_next_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *),
                              void *argument) {
  if (__interceptor_pthread_create)
    return __interceptor_pthread_create(handle, attributes, function, argument);
  static std::atomic<void *> next{nullptr}; // the same, whichever kernel thread looks it up
  void *found = next.load(std::memory_order_relaxed);
  if (!found)
    next.store(found = dlsym(RTLD_NEXT, "pthread_create"), std::memory_order_relaxed);
  return reinterpret_cast<decltype(&pthread_create)>(found)(handle, attributes, function, argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                                                          void *(*function)(void *), void *argument) noexcept {
  return __wrap_pthread_create(handle, attributes, function, argument);
}
}
