// Kernel threads of the program's own: they inherit gs from whoever makes them, which is a Skein thread's copy of the
// private globals. Programs are linked with --wrap=pthread_create, so that a new kernel thread begins with none. What
// it does to a private variable is then a fault with a message (globals.cpp), not an access to another thread's memory.
#include "arch/x86_64/segment.h"
#include "thread/thread.h"

#include <cerrno>
#include <cstdlib>
#include <pthread.h>

/// Weak: unit tests link the runtime without --wrap.
extern "C" __attribute__((weak)) int __real_pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                                                           void *(*function)(void *), void *argument);

namespace {

struct Begin {
  void *(*function)(void *);
  void *argument;
};

void *begin(void *argument) {
  const Begin given = *static_cast<Begin *>(argument);
  std::free(argument);
  skein::segment_load(skein::segment_nowhere);
  return given.function(given.argument);
}

} // namespace

extern "C" int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *),
                                     void *argument) {
  if (!skein::segment_nowhere) // no private variables
    return __real_pthread_create(handle, attributes, function, argument);
  auto *given = static_cast<Begin *>(std::malloc(sizeof(Begin)));
  if (!given)
    return EAGAIN;
  *given = {function, argument};
  const int error = __real_pthread_create(handle, attributes, begin, given);
  if (error)
    std::free(given);
  return error;
}
